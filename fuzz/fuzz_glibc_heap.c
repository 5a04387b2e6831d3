/*
 * The heaps of glibc in a process's memory. Input: where the data of the one thread end (u64), the
 * number of mappings (u8); each as its first page (u64), its pages (u8) and its kind (u8: 0
 * "[heap]", 1 of no file, 2 a file's, 3 its code); then their bytes, one after another.
 *
 * heaps.h says what must be true of the answer.
 */
#include "base/strings/out.h"
#include "fuzz.h"
#include "heap/allocators/glibc.h"
#include "heaps.h"
#include "input.h"

#define MAPPINGS 6
#define PAGES 40
#define PAGE 4096u

struct model {
    struct hf_text bytes;
    size_t offsets[MAPPINGS];
    struct hf_process_image *image;
};

static size_t model_read(void *context, uint64_t address, void *out, size_t size)
{
    struct model *model = context;
    const struct hf_process_mapping *mapping = hf_process_image_find(model->image, address);
    if (mapping == NULL)
        return 0;
    size_t at = model->offsets[mapping - model->image->mappings] + (address - mapping->start);
    size_t left = mapping->end - address < size ? mapping->end - address : size;
    size_t there = at >= model->bytes.size ? 0 : model->bytes.size - at;
    memset(out, 0, left); /* what the input is too short for */
    memcpy(out, model->bytes.data + (there != 0 ? at : 0), there < left ? there : left);
    return left;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kinds[] = {
        "rw-p 0 0:0 0 [heap]", "rw-p 0 0:0 0", "rw-p 0 0:0 1 /libc", "r-xp 0 0:0 1 /libc"};
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_error err;
    struct hf_process_image image = {0};
    struct hf_heap heap = {0};
    struct hf_out maps = {0};
    struct model model = {.image = &image};
    struct hf_stopped_thread thread = {.registers.fs_base = hf_cursor_u64(&c)};
    size_t count = hf_cursor_u8(&c) % (MAPPINGS + 1), offset = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t start = hf_cursor_u64(&c) % (UINT64_C(1) << 35) * PAGE;
        size_t pages = 1 + hf_cursor_u8(&c) % PAGES, kind = hf_cursor_u8(&c) % 4;
        size_t before = image.count;
        hf_out_printf(&maps, "%llx-%llx %s\n", (unsigned long long)start,
            (unsigned long long)(start + pages * PAGE), kinds[kind]);
        (void)!hf_process_image_add_maps(&image, hf_out_view(&maps), &err);
        maps.size = 0;
        if (image.count != before)
            model.offsets[before] = offset;
        offset += image.count != before ? pages * PAGE : 0;
    }
    model.bytes = fuzz_take_part(&c, hf_cursor_left(&c));
    image.memory = (struct hf_memory){model_read, &model};
    image.threads = &thread;
    image.thread_count = 1;
    (void)!hf_heap_read_glibc(&heap, &image, &err);
    fuzz_check_blocks(&heap, &image);
    fuzz_check_graph(&heap, &image);
    hf_heap_done(&heap);
    hf_process_image_done(&image);
    hf_out_done(&maps);
    fuzz_free_part(model.bytes);
    return 0;
}
