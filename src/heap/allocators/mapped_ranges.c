#include "heap/allocators/mapped_ranges.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"

#include <stdlib.h>

enum hf_status hf_anonymous_ranges_find(
    struct hf_anonymous_ranges *ranges, const struct hf_process_image *image, struct hf_error *err)
{
    for (size_t i = 0; i < image->count; i++) {
        const struct hf_process_mapping *mapping = &image->mappings[i];
        struct hf_process_range *last =
            ranges->count != 0 ? &ranges->items[ranges->count - 1] : NULL;
        if (mapping->is_shared || mapping->inode != 0)
            continue;
        if (last != NULL && last->end == mapping->start) {
            last->end = mapping->end;
            continue;
        }
        if (!hf_vec_reserve(
                &ranges->items, &ranges->capacity, ranges->count + 1, sizeof *ranges->items))
            return hf_error_memory(err);
        ranges->items[ranges->count++] = (struct hf_process_range){mapping->start, mapping->end};
    }
    return HF_OK;
}

void hf_anonymous_ranges_done(struct hf_anonymous_ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct hf_anonymous_ranges){0};
}

bool hf_anonymous_ranges_have(
    const struct hf_anonymous_ranges *ranges, uint64_t start, uint64_t end)
{
    size_t i = HF_FIRST_ABOVE(ranges->items, ranges->count, end, start);
    return start < end && i < ranges->count && ranges->items[i].start <= start &&
           ranges->items[i].end >= end;
}

static bool may_be_data(const struct hf_process_mapping *mapping)
{
    return mapping->is_writable && !mapping->is_shared;
}

bool hf_next_module_data(
    const struct hf_process_image *image, size_t *index, struct hf_process_range *out)
{
    while (*index < image->count) {
        const struct hf_process_mapping *first = &image->mappings[(*index)++];
        if (!may_be_data(first) || first->inode == 0)
            continue;
        *out = (struct hf_process_range){first->start, first->end};
        while (*index < image->count && image->mappings[*index].start == out->end &&
               may_be_data(&image->mappings[*index]))
            out->end = image->mappings[(*index)++].end;
        return true;
    }
    return false;
}
