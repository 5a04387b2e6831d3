/*
 * bpf_object.h: bpf/blocks.bpf.c as clang compiled it for the kernel, C arrays made by
 * tools/embed.c at build time: with sessions, and with pairs of probes instead.
 */
#ifndef HF_ATTACH_BPF_OBJECT_H
#define HF_ATTACH_BPF_OBJECT_H

#include <stddef.h>

extern const char hf_bpf_sessions[], hf_bpf_pairs[];
extern const size_t hf_bpf_sessions_size, hf_bpf_pairs_size; /* bytes */

#endif
