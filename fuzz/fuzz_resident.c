/* smaps: each place has some addresses, and no more that was changed than is resident. All of it
 * together has as many bytes as its parts, whatever heap lies there. */
#include "answer/heap/resident_parts.h"
#include "fuzz.h"
#include "os/process/resident.h"
#include "tell.h"

#include <stdlib.h>

static enum hf_status fuzz_see_place(
    void *context, const struct hf_resident_place *place, struct hf_error *err)
{
    (void)context;
    (void)err;
    if (place->start >= place->end || place->resident_bytes == 0 ||
        place->anonymous_bytes > place->resident_bytes)
        abort();
    fuzz_tell("%#llx-%#llx: kind %d, %llu of %llu bytes\n", (unsigned long long)place->start,
        (unsigned long long)place->end, (int)place->kind,
        (unsigned long long)place->anonymous_bytes, (unsigned long long)place->resident_bytes);
    return HF_OK;
}

/* A region over the first half of each anonymous mapping, with three blocks. */
static void add_heap(struct hf_heap *heap, const struct hf_process_image *image)
{
    for (size_t i = 0; i < image->count; i++) {
        const struct hf_process_mapping *mapping = &image->mappings[i];
        uint64_t middle = mapping->start + (mapping->end - mapping->start) / 2;
        struct hf_heap_region *region = mapping->inode == 0 ? hf_heap_add_region(heap) : NULL;
        if (region == NULL)
            continue;
        *region = (struct hf_heap_region){.start = mapping->start,
            .end = middle,
            .allocator = i % 2 != 0 ? "glibc" : "tcmalloc",
            .part = "blocks",
            .unknown_bytes = (middle - mapping->start) / 4};
        for (uint64_t block = 0; block < 3; block++)
            (void)!hf_heap_add(heap, mapping->start + block * 10000, 7000, NULL);
    }
    hf_heap_sort(heap);
}

static void check_parts(const struct hf_resident_places *places, struct hf_text maps)
{
    struct hf_error err;
    struct hf_process_image image = {0};
    struct hf_heap heap = {0};
    struct hf_resident_parts parts = {0};
    uint64_t sum = 0, of_parts = 0;
    enum hf_status status = hf_process_image_add_maps(&image, maps, &err);
    add_heap(&heap, &image);
    if (status == HF_OK)
        status = hf_resident_parts_make(&parts, places, &heap, &image, &err);
    for (size_t i = 0; i < places->count; i++)
        sum += places->items[i].resident_bytes;
    for (size_t i = 0; i < parts.count; i++) {
        of_parts += parts.items[i].bytes;
        fuzz_tell("part %d: %llu bytes\n", (int)parts.items[i].kind,
            (unsigned long long)parts.items[i].bytes);
    }
    if (status == HF_OK && (of_parts != parts.bytes || of_parts != sum))
        abort();
    hf_resident_parts_done(&parts);
    hf_heap_done(&heap);
    hf_process_image_done(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input smaps;
    hf_input_open_memory(&smaps, (struct hf_text){(const char *)data, size}, "input");
    (void)!hf_resident_read(&smaps, fuzz_see_place, NULL, &err);
    hf_input_close(&smaps);
    struct hf_resident_places places = {0};
    hf_input_open_memory(&smaps, (struct hf_text){(const char *)data, size}, "input");
    (void)!hf_resident_places_read(&places, &smaps, &err);
    hf_input_close(&smaps);
    check_parts(&places, (struct hf_text){(const char *)data, size});
    hf_resident_places_done(&places);
    return 0;
}
