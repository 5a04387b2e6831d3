#include "os/process/map_line.h"

#include "base/strings/num.h"

#define DELETED " (deleted)"
#define NEWLINE "\\012" /* seq_file_path of the kernel, escaping "\n" */

/* Takes the next word off the front of `rest`. */
static struct hf_text next_word(struct hf_text *rest)
{
    *rest = hf_text_trim_start(*rest, " ");
    struct hf_text word = hf_text_first(*rest, hf_text_find(*rest, ' '));
    *rest = hf_text_from(*rest, word.size);
    return word;
}

static bool parse_range(struct hf_text range, struct hf_map_line *out)
{
    size_t dash = hf_text_find(range, '-');
    return hf_num_hex(hf_text_first(range, dash), &out->start) &&
           hf_num_hex(hf_text_from(range, dash + 1), &out->end) && out->start < out->end;
}

/* The kernel's numbers to st_dev: minor's low byte, 12 bits of major, the rest of minor. */
static bool parse_device(struct hf_text device, uint64_t *out_device)
{
    uint64_t major, minor;
    if (!hf_num_take_hex(&device, &major) || !hf_text_take(&device, ":") ||
        !hf_num_hex(device, &minor))
        return false;
    *out_device = (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~UINT64_C(0xff)) << 12;
    return true;
}

bool hf_map_line_parse(struct hf_text line, struct hf_map_line *out)
{
    struct hf_text rest = line;
    *out = (struct hf_map_line){0};
    if (!parse_range(next_word(&rest), out))
        return false;
    struct hf_text perms = next_word(&rest);
    if (perms.size != 4 || !hf_num_hex(next_word(&rest), &out->file_offset) ||
        !parse_device(next_word(&rest), &out->device) || !hf_num_u64(next_word(&rest), &out->inode))
        return false;
    out->is_writable = perms.data[1] == 'w';
    out->is_executable = perms.data[2] == 'x';
    out->is_shared = perms.data[3] == 's';
    out->is_guard = hf_text_starts(perms, "---");
    out->path = hf_text_trim_start(rest, " ");
    out->is_deleted = hf_text_ends(out->path, DELETED);
    if (out->is_deleted)
        out->path.size -= strlen(DELETED);
    if (hf_text_starts(out->path, "[anon:"))
        out->path = HF_TEXT("");
    return true;
}

size_t hf_map_line_unescape(char *path, size_t size)
{
    size_t to = 0;
    for (size_t from = 0; from < size; from++) {
        bool is_newline = hf_text_starts((struct hf_text){path + from, size - from}, NEWLINE);
        path[to++] = is_newline ? '\n' : path[from];
        from += is_newline ? strlen(NEWLINE) - 1 : 0;
    }
    return to;
}
