/*
 * bpf_object.h: bpf/blocks.bpf.c as clang compiled it for the kernel, a C array made by
 * tools/embed.c at build time.
 */
#ifndef HF_ATTACH_BPF_OBJECT_H
#define HF_ATTACH_BPF_OBJECT_H

#include <stddef.h>

extern const char hf_bpf_object[];
extern const size_t hf_bpf_object_size; /* bytes */

#endif
