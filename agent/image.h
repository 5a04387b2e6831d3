/*
 * image.h: what the agent needs of an ELF image that is mapped: build-id and call frame
 * information.
 *
 * Another thread may unload the image meanwhile, so headers and notes are copied by a system call
 * that fails where memory is not there any more (process_vm_readv; where a sandbox forbids it they
 * are read as they are). Call frame information is read as it is while code of the image is on a
 * stack, which keeps it there, and copied where that is not known (modules.h).
 */
#ifndef HF_AGENT_IMAGE_H
#define HF_AGENT_IMAGE_H

#include "dwarf/callframe_agent.h"

#include <stdint.h>

#define HF_IMAGE_BUILD_ID_MAX 64

/* Copies bytes of the process; false if they are not there. errno may change. */
HF_MUST_CHECK bool hf_image_copy(void *to, const void *from, size_t size);

/* The same, but where it may not be asked whether they are there, they are not. */
HF_MUST_CHECK bool hf_image_copy_surely(void *to, const void *from, size_t size);

/* All-zero: nothing is known. */
struct hf_image {
    char build_id[HF_IMAGE_BUILD_ID_MAX];
    size_t build_id_bytes;
    struct hf_callframes callframes; /* in addresses of the process */
};

/* Reads the image whose file's first bytes are mapped at `start`. What is damaged is not known. */
void hf_image_read(struct hf_image *image, uint64_t start);

/* How many bytes from `start` on the image takes; 0: it is none. */
uint64_t hf_image_bytes(uint64_t start);

/* The address of a symbol that the image mapped at `start` exports, by its GNU hash table; 0: none.
 * out_bytes may be NULL. */
uint64_t hf_image_find_symbol(uint64_t start, const char *name, uint64_t *out_bytes);

/* A variable of which each thread has its own. */
struct hf_image_variable {
    uint64_t module; /* the loader's number of the image, from 1 */
    uint64_t offset; /* in a thread's block of that module */
};

/* The one that the image mapped at `start` exports by that name, if its code asks the loader where
 * it is; false: there is none. */
HF_MUST_CHECK bool hf_image_find_thread_variable(
    uint64_t start, const char *name, struct hf_image_variable *out_variable);

#endif
