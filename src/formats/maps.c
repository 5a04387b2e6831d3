#include "formats/maps.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/out.h"
#include "base/vec.h"

#include <stdlib.h>

#define DELETED " (deleted)"

void hf_maps_done(struct hf_maps *maps)
{
    free(maps->items);
    *maps = (struct hf_maps){0};
}

/* Takes the next word off the front of `rest`. */
static struct hf_text next_word(struct hf_text *rest)
{
    size_t from = 0;
    while (from < rest->size && rest->data[from] == ' ')
        from++;
    *rest = hf_text_from(*rest, from);
    struct hf_text word = hf_text_first(*rest, hf_text_find(*rest, ' '));
    *rest = hf_text_from(*rest, word.size);
    return word;
}

struct map_line {
    struct hf_mapping mapping;
    bool is_executable, is_deleted;
    struct hf_text path;
};

static bool parse_range(struct hf_text range, struct map_line *out)
{
    size_t dash = hf_text_find(range, '-');
    return hf_num_hex(hf_text_first(range, dash), &out->mapping.start) &&
           hf_num_hex(hf_text_from(range, dash + 1), &out->mapping.end) &&
           out->mapping.start < out->mapping.end;
}

/* "start-end: path": no more is known, so the mapping is taken to begin with its file. */
static bool parse_cooked(struct hf_text range, struct hf_text rest, struct map_line *out)
{
    while (rest.size != 0 && rest.data[0] == ' ')
        rest = hf_text_from(rest, 1);
    out->is_executable = true;
    out->path = rest;
    return parse_range(hf_text_first(range, range.size - 1), out);
}

static bool parse(struct hf_text line, struct map_line *out)
{
    struct hf_text rest = line;
    struct hf_text range = next_word(&rest);
    *out = (struct map_line){0};
    if (hf_text_ends(range, ":"))
        return parse_cooked(range, rest, out);
    struct hf_text perms = next_word(&rest);
    struct hf_text offset = next_word(&rest);
    struct hf_text device = next_word(&rest);
    struct hf_text inode = next_word(&rest);
    uint64_t number;
    if (!parse_range(range, out) || !hf_num_hex(offset, &out->mapping.file_offset) ||
        !hf_num_u64(inode, &number) || hf_text_find(device, ':') == device.size || perms.size != 4)
        return false;
    out->is_executable = perms.data[2] == 'x';
    while (rest.size != 0 && rest.data[0] == ' ')
        rest = hf_text_from(rest, 1);
    out->is_deleted = hf_text_ends(rest, DELETED);
    if (out->is_deleted)
        rest = hf_text_first(rest, rest.size - strlen(DELETED));
    out->path = hf_text_starts(rest, "[anon:") ? HF_TEXT("") : rest;
    return true;
}

/* The kernel writes a newline in a path as \012 (seq_file_path, escaping "\n"). */
static enum hf_status module_of(
    struct hf_profile *profile, struct hf_text path, uint32_t *out_module, struct hf_error *err)
{
    if (path.size == 0 || memmem(path.data, path.size, "\\012", 4) == NULL)
        return hf_profile_module(
            profile, path.size != 0 ? path : HF_TEXT(HF_ANONYMOUS), HF_TEXT(""), out_module, err);
    struct hf_out plain = {0};
    for (size_t i = 0; i < path.size; i++) {
        bool is_newline = hf_text_starts(hf_text_from(path, i), "\\012");
        hf_out_char(&plain, is_newline ? '\n' : path.data[i]);
        i += is_newline ? 3 : 0;
    }
    enum hf_status status = hf_out_finish(&plain, err);
    if (status == HF_OK)
        status = hf_profile_module(profile, hf_out_view(&plain), HF_TEXT(""), out_module, err);
    hf_out_done(&plain);
    return status;
}

enum hf_status hf_maps_line(struct hf_maps *maps, struct hf_profile *profile, struct hf_text line,
    bool *out_is_mapping, struct hf_error *err)
{
    struct map_line parsed;
    *out_is_mapping = parse(line, &parsed);
    if (!*out_is_mapping)
        return HF_OK;
    bool is_file = parsed.path.size != 0 && parsed.path.data[0] == '/';
    if (!is_file && !parsed.is_executable)
        return HF_OK;
    if (maps->count == HF_LIMIT_MAPPINGS)
        return hf_error_set(
            err, HF_ERR_LIMIT, "more than %u mappings (HF_LIMIT_MAPPINGS)", HF_LIMIT_MAPPINGS);
    enum hf_status status = module_of(profile, parsed.path, &parsed.mapping.module, err);
    if (status != HF_OK)
        return status;
    if (parsed.is_deleted)
        profile->modules[parsed.mapping.module].is_deleted = true;
    /* Memory without a file has no offsets: the address itself is the only one. */
    if (!is_file && parsed.path.size == 0)
        parsed.mapping.file_offset = parsed.mapping.start;
    struct hf_segment segment = {
        parsed.mapping.start, parsed.mapping.end, parsed.mapping.file_offset, parsed.is_executable};
    status = hf_profile_add_segment(profile, parsed.mapping.module, &segment, err);
    if (status != HF_OK)
        return status;
    if (!hf_vec_reserve(&maps->items, &maps->capacity, maps->count + 1, sizeof *maps->items))
        return hf_error_memory(err);
    maps->items[maps->count++] = parsed.mapping;
    maps->is_sorted = false;
    return HF_OK;
}

static int compare_starts(const void *a, const void *b)
{
    const struct hf_mapping *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

struct hf_frame hf_maps_frame(struct hf_maps *maps, uint64_t address)
{
    struct hf_frame frame = {.offset = address, .flags = HF_FRAME_HAS_OFFSET};
    if (!maps->is_sorted && maps->count != 0)
        qsort(maps->items, maps->count, sizeof *maps->items, compare_starts);
    maps->is_sorted = true;
    size_t low = 0, high = maps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (maps->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= maps->items[low - 1].end)
        return frame;
    const struct hf_mapping *mapping = &maps->items[low - 1];
    frame.module = mapping->module;
    frame.offset = address - mapping->start + mapping->file_offset;
    return frame;
}
