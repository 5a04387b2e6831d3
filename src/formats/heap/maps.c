#include "formats/heap/maps.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/num.h"
#include "base/strings/out.h"
#include "os/process/map_line.h"

#include <stdlib.h>

void hf_maps_done(struct hf_maps *maps)
{
    free(maps->items);
    *maps = (struct hf_maps){0};
}

/* "start-end: path": no more is known, so the mapping is taken to begin with its file. */
static bool parse_cooked(struct hf_text line, struct hf_map_line *out)
{
    line = hf_text_trim_start(line, " ");
    size_t dash = hf_text_find(line, '-'), colon = hf_text_find(line, ':');
    *out = (struct hf_map_line){
        .is_executable = true,
        .path = hf_text_trim_start(hf_text_from(line, colon + 1), " "),
    };
    return dash < colon && colon + 1 == hf_text_find(line, ' ') &&
           hf_num_hex(hf_text_first(line, dash), &out->start) &&
           hf_num_hex(hf_text_first(hf_text_from(line, dash + 1), colon - dash - 1), &out->end) &&
           out->start < out->end;
}

static enum hf_status maps_module_of(
    struct hf_profile *profile, struct hf_text path, uint32_t *out_module, struct hf_error *err)
{
    if (path.size == 0 || memmem(path.data, path.size, "\\012", 4) == NULL)
        return hf_profile_module(
            profile, path.size != 0 ? path : HF_TEXT(HF_ANONYMOUS), HF_TEXT(""), out_module, err);
    struct hf_out plain = {0};
    hf_out_text(&plain, path);
    enum hf_status status = hf_out_finish(&plain, err);
    if (status == HF_OK) {
        plain.size = hf_map_line_unescape(plain.data, plain.size);
        status = hf_profile_module(profile, hf_out_view(&plain), HF_TEXT(""), out_module, err);
    }
    hf_out_done(&plain);
    return status;
}

enum hf_status hf_maps_line(struct hf_maps *maps, struct hf_profile *profile, struct hf_text line,
    bool *out_is_mapping, struct hf_error *err)
{
    struct hf_map_line parsed;
    *out_is_mapping = hf_map_line_parse(line, &parsed) || parse_cooked(line, &parsed);
    if (!*out_is_mapping)
        return HF_OK;
    bool is_file = parsed.path.size != 0 && parsed.path.data[0] == '/';
    if (!is_file && !parsed.is_executable)
        return HF_OK;
    if (maps->count == HF_LIMIT_MAPPINGS)
        return hf_error_set(
            err, HF_ERR_LIMIT, "more than %u mappings (HF_LIMIT_MAPPINGS)", HF_LIMIT_MAPPINGS);
    uint32_t module;
    enum hf_status status = maps_module_of(profile, parsed.path, &module, err);
    if (status != HF_OK)
        return status;
    if (parsed.is_deleted)
        profile->modules[module].is_deleted = true;
    /* Memory without a file has no offsets: the address itself is the only one. */
    uint64_t file_offset = is_file || parsed.path.size != 0 ? parsed.file_offset : parsed.start;
    struct hf_segment segment = {parsed.start, parsed.end, file_offset, parsed.is_executable};
    status = hf_profile_add_segment(profile, module, &segment, err);
    if (status != HF_OK)
        return status;
    if (!hf_vec_reserve(&maps->items, &maps->capacity, maps->count + 1, sizeof *maps->items))
        return hf_error_memory(err);
    maps->items[maps->count++] = (struct hf_mapping){parsed.start, parsed.end, file_offset, module};
    maps->is_sorted = false;
    return HF_OK;
}

static int maps_compare_starts(const void *a, const void *b)
{
    const struct hf_mapping *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

struct hf_frame hf_maps_frame(struct hf_maps *maps, uint64_t address)
{
    struct hf_frame frame = {.offset = address, .flags = HF_FRAME_HAS_OFFSET};
    if (!maps->is_sorted && maps->count != 0)
        qsort(maps->items, maps->count, sizeof *maps->items, maps_compare_starts);
    maps->is_sorted = true;
    size_t next = HF_FIRST_ABOVE(maps->items, maps->count, start, address);
    if (next == 0 || address >= maps->items[next - 1].end)
        return frame;
    const struct hf_mapping *mapping = &maps->items[next - 1];
    frame.module = mapping->module;
    frame.offset = address - mapping->start + mapping->file_offset;
    return frame;
}
