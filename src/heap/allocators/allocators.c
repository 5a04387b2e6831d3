#include "heap/allocators/allocators.h"

#include "heap/allocators/glibc.h"
#include "heap/allocators/jemalloc.h"

#include <string.h>

/* The library of a jemalloc that programs link or preload, or NULL. */
static const char *jemalloc_library(const struct hf_process_image *image)
{
    for (size_t i = 0; i < image->count; i++) {
        const char *slash = strrchr(image->mappings[i].path, '/');
        if (slash != NULL && strncmp(slash, "/libjemalloc", sizeof "/libjemalloc" - 1) == 0)
            return image->mappings[i].path;
    }
    return NULL;
}

enum hf_status hf_heap_read(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err)
{
    const char *library = jemalloc_library(image);
    enum hf_status status = hf_heap_read_jemalloc(heap, image, err);
    if (status == HF_OK && heap->region_count == 0 && library != NULL)
        return hf_error_set(err, HF_ERR_INPUT,
            "the process has %s, whose tables are not those of jemalloc 5.3: other versions "
            "cannot be read",
            library);
    if (status == HF_OK)
        status = hf_heap_read_glibc(heap, image, err);
    if (status == HF_OK && heap->count == 0)
        return hf_error_set(err, HF_ERR_INPUT,
            "the process has no heap of glibc's malloc or jemalloc 5.3; other allocators "
            "(tcmalloc, mimalloc, musl, other versions of jemalloc) cannot be read yet");
    hf_heap_sort(heap);
    return status;
}
