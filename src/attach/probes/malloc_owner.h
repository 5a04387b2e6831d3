/*
 * malloc_owner.h: finds the file with the malloc that a program calls.
 *
 * A name that several files export is the one of the first in the dynamic linker's order of search:
 * the program, what is preloaded, then the libraries, breadth first. That is the list of struct
 * link_map in the process, which DT_DEBUG of the program leads to (link.h of glibc and musl). A
 * program without a dynamic linker has its own.
 */
#ifndef HF_ATTACH_MALLOC_OWNER_H
#define HF_ATTACH_MALLOC_OWNER_H

#include "attach/images.h"

#define HF_NO_IMAGE UINT32_MAX

/* The image that the process runs; HF_NO_IMAGE if that is not to be seen. */
uint32_t hf_images_program(const struct hf_images *images);

/* By how much an image was moved when it was loaded; false if no code of it is mapped. */
HF_MUST_CHECK bool hf_images_bias(
    const struct hf_images *images, uint32_t image, uint64_t *out_bias);

/* The image whose malloc is called; HF_NO_IMAGE if no file exports one. */
uint32_t hf_malloc_owner(const struct hf_images *images);

#endif
