/*
 * The heaps of jemalloc, of mimalloc, of tcmalloc and of CPython in a process's memory, and of
 * glibc beside them. Input: where the data of the one thread end (u64), the number of mappings
 * (u8); each as its first page (u64), its pages (u16) and its kind (u8: 0 "[heap]", 1 of no file, 2
 * a library's, 3 a program's); then what is in them, and 0 elsewhere: an address (u64, << 16), a
 * number of bytes (u16), and these. Pages without any were never touched.
 *
 * heaps.h says what must be true of the answer.
 */
#include "base/strings/out.h"
#include "fuzz.h"
#include "heap/allocators/allocators.h"
#include "heaps.h"
#include "input.h"

#include <sys/mman.h>
#include <unistd.h>

#define MAPPINGS 8
#define PAGES 2048
#define PAGE 4096u
#define PARTS 400

struct part {
    uint64_t address;
    struct hf_text bytes;
};

struct sparse {
    struct part parts[PARTS];
    size_t count;
    struct hf_process_image *image;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static size_t sparse_read(void *context, uint64_t address, void *out, size_t size)
{
    const struct sparse *sparse = context;
    const struct hf_process_mapping *mapping = hf_process_image_find(sparse->image, address);
    if (mapping == NULL)
        return 0;
    size_t left = mapping->end - address < size ? (size_t)(mapping->end - address) : size;
    memset(out, 0, left);
    for (size_t i = 0; i < sparse->count; i++) {
        const struct part *part = &sparse->parts[i];
        uint64_t start = later(part->address, address), end = part->address + part->bytes.size;
        if (start >= end || start >= address + left)
            continue;
        uint64_t until = end < address + left ? end : address + left;
        memcpy((char *)out + (start - address), part->bytes.data + (start - part->address),
            (size_t)(until - start));
    }
    return left;
}

/* As /proc/PID/pagemap has it: only pages that are there are read, which most are not. */
static int make_pages(const struct sparse *sparse)
{
    const uint64_t is_there = UINT64_C(1) << 63;
    int pages = memfd_create("pages", MFD_CLOEXEC);
    if (pages < 0 || ftruncate(pages, (off_t)((UINT64_C(1) << 52) / PAGE * sizeof is_there)) != 0)
        abort();
    for (size_t i = 0; i < sparse->count; i++) {
        const struct part *part = &sparse->parts[i];
        for (uint64_t page = part->address / PAGE; page * PAGE < part->address + part->bytes.size;
             page++) {
            if (pwrite(pages, &is_there, sizeof is_there, (off_t)(page * sizeof is_there)) < 0)
                abort();
        }
    }
    return pages;
}

static void read_parts(struct sparse *sparse, struct hf_cursor *c)
{
    while (hf_cursor_left(c) > 10 && sparse->count < PARTS) {
        uint64_t address = hf_cursor_u64(c) >> 16; /* so that it does not wrap */
        size_t size = hf_cursor_u16(c);
        sparse->parts[sparse->count++] = (struct part){address, fuzz_take_part(c, size)};
    }
}

static void add_mappings(struct hf_process_image *image, struct hf_cursor *c)
{
    static const char *const names[] = {"[heap]", "", "/libjemalloc.so.2", "/python3"};
    struct hf_error err;
    struct hf_out maps = {0};
    size_t count = hf_cursor_u8(c) % (MAPPINGS + 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t start = hf_cursor_u64(c) % (UINT64_C(1) << 35) * PAGE;
        size_t pages = 1 + hf_cursor_u16(c) % PAGES, kind = hf_cursor_u8(c) % 4;
        hf_out_printf(&maps, "%llx-%llx rw-p 0 0:0 %d %s\n", (unsigned long long)start,
            (unsigned long long)(start + pages * PAGE), kind >= 2, names[kind]);
        (void)!hf_process_image_add_maps(image, hf_out_view(&maps), &err);
        maps.size = 0;
    }
    hf_out_done(&maps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sparse sparse; /* large */
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_error err;
    struct hf_process_image image = {0};
    struct hf_heap heap = {0};
    struct hf_stopped_thread thread = {.registers.fs_base = hf_cursor_u64(&c)};
    sparse.count = 0;
    sparse.image = &image;
    add_mappings(&image, &c);
    read_parts(&sparse, &c);
    image.memory = (struct hf_memory){sparse_read, &sparse};
    int pages = make_pages(&sparse);
    image.pages = &pages;
    image.threads = &thread;
    image.thread_count = 1;
    enum hf_status status = hf_heap_read(&heap, &image, &err);
    if (status != HF_OK)
        fuzz_tell("%s\n", err.text);
    for (size_t i = 0; i < heap.unread_count; i++)
        fuzz_tell("not read: %s\n", heap.unread[i].why);
    fuzz_check_blocks(&heap, &image);
    fuzz_check_graph(&heap, &image);
    hf_heap_done(&heap);
    hf_process_image_done(&image);
    (void)close(pages);
    for (size_t i = 0; i < sparse.count; i++)
        fuzz_free_part(sparse.parts[i].bytes);
    return 0;
}
