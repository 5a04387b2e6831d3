#include "heap/allocators/allocators.h"

#include "heap/allocators/glibc.h"
#include "heap/allocators/jemalloc.h"
#include "heap/allocators/mimalloc.h"
#include "heap/allocators/pymalloc.h"
#include "heap/allocators/tcmalloc.h"

#include <string.h>

/* The first library that is called so, or NULL. */
static const char *library_of(const struct hf_process_image *image, const char *name)
{
    for (size_t i = 0; i < image->count; i++) {
        const char *slash = strrchr(image->mappings[i].path, '/');
        if (slash != NULL && strncmp(slash + 1, name, strlen(name)) == 0)
            return image->mappings[i].path;
    }
    return NULL;
}

static enum hf_status read_foreign(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err)
{
    static const struct {
        const char *library, *what;
        enum hf_status (*read)(
            struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);
    } allocators[] = {
        {"libjemalloc", "tables are not those of jemalloc 5.3", hf_heap_read_jemalloc},
        {"libmimalloc", "segments are not those of mimalloc 2.0", hf_heap_read_mimalloc},
        {"libtcmalloc", "tables are not those of gperftools 2.8 to 2.16", hf_heap_read_tcmalloc},
    };
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < HF_COUNT(allocators) && status == HF_OK; i++) {
        const char *library = library_of(image, allocators[i].library);
        size_t before = heap->region_count;
        status = allocators[i].read(heap, image, err);
        if (status == HF_OK && heap->region_count == before && library != NULL)
            heap->unread[heap->unread_count++] =
                (struct hf_heap_unread){library, allocators[i].what};
    }
    return status;
}

/* musl as systems have it that are built on it (Alpine), or as Debian does; glibc's name ends with
 * ".6". It is there for each program, so it counts only if the program has no other malloc. */
static void note_musl(struct hf_heap *heap, const struct hf_process_image *image)
{
    const char *library = library_of(image, "ld-musl-");
    for (size_t i = 0; i < image->count && library == NULL; i++) {
        const char *slash = strrchr(image->mappings[i].path, '/');
        if (slash != NULL && strcmp(slash, "/libc.so") == 0)
            library = image->mappings[i].path;
    }
    if (library != NULL && heap->region_count == 0)
        heap->unread[heap->unread_count++] = (struct hf_heap_unread){library, "malloc is musl's"};
}

enum hf_status hf_heap_read(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err)
{
    enum hf_status status = read_foreign(heap, image, err);
    if (status == HF_OK)
        status = hf_heap_read_glibc(heap, image, err);
    if (status == HF_OK)
        status = hf_heap_read_pymalloc(heap, image, err);
    if (status == HF_OK)
        note_musl(heap, image);
    hf_heap_sort(heap);
    return status;
}
