/*
 * memory_model.h: memory that runs out when a test says so: mmap is wrapped, by the name that
 * it has with large files (tests/meson.build).
 */
#ifndef HF_TESTS_UNIT_MEMORY_MODEL_H
#define HF_TESTS_UNIT_MEMORY_MODEL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Bytes that may still be mapped. */
static size_t memory_left = SIZE_MAX;

void *__real_mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset);

void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (bytes > memory_left)
        return MAP_FAILED;
    memory_left -= memory_left != SIZE_MAX ? bytes : 0;
    return __real_mmap64(at, bytes, protection, flags, file, offset);
}

#endif
