/*
 * bpf_program.h: bpf/blocks.bpf.c in the kernel: loaded, given its options, attached, its maps
 * read.
 *
 * libbpf (1.0 or later) is loaded when this is used; the program comes along in the tool. The
 * kernel needs ring buffers (Linux 5.8) and cookies of uprobes (5.15); from 6.13 on it is asked for
 * *sessions*, which trap a return only where one is wanted.
 *
 * Probes and program belong to the process that attached them: they are gone with it, however it
 * ends.
 */
#ifndef HF_ATTACH_BPF_PROGRAM_H
#define HF_ATTACH_BPF_PROGRAM_H

#include "attach/bpf/bpf_shared.h"
#include "attach/probe.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum hf_bpf_map {
    HF_BPF_MAP_OPTIONS,
    HF_BPF_MAP_PROBES,
    HF_BPF_MAP_GAPS,
    HF_BPF_MAP_PROCESSORS,
    HF_BPF_MAP_OPEN_CALLS,
    HF_BPF_MAP_BLOCKS,
    HF_BPF_MAP_CONTEXTS,
    HF_BPF_MAP_TOTALS,
    HF_BPF_MAP_STACKS,
    HF_BPF_MAPS
};

struct hf_bpf_program;

/* Told of each record of the ring. */
typedef void hf_bpf_on_stack(void *context, const struct hf_bpf_stack *stack);

/*
 * `is_session`: false for entry and return apart, as kernels before 6.13 have it. HF_ERR_SYSTEM: no
 * libbpf, no permission, or a kernel that does not know enough; the sentence says which.
 */
HF_MUST_CHECK enum hf_status hf_bpf_program_load(struct hf_bpf_program **out_program,
    bool is_session, hf_bpf_on_stack *on_stack, void *context, struct hf_error *err);
void hf_bpf_program_free(struct hf_bpf_program *program); /* also of NULL */

HF_MUST_CHECK enum hf_status hf_bpf_map_put(struct hf_bpf_program *program, enum hf_bpf_map map,
    const void *key, const void *value, struct hf_error *err);
void hf_bpf_map_remove(struct hf_bpf_program *program, enum hf_bpf_map map, const void *key);

/* What the processors counted of `what`, added up. */
uint64_t hf_bpf_counted(struct hf_bpf_program *program, enum hf_bpf_count what);

/* Tells of each entry of a map as it is now; one that comes or goes meanwhile may be missed. */
typedef void hf_bpf_on_entry(void *context, const void *key, const void *value);
HF_MUST_CHECK enum hf_status hf_bpf_map_each(struct hf_bpf_program *program, enum hf_bpf_map map,
    hf_bpf_on_entry *on_entry, void *context, struct hf_error *err);

/* Puts the probes in place; their numbers are the cookies. From then on calls are followed. */
HF_MUST_CHECK enum hf_status hf_bpf_program_attach(struct hf_bpf_program *program, uint32_t pid,
    const struct hf_probe *probes, size_t count, struct hf_error *err);
void hf_bpf_program_detach(struct hf_bpf_program *program);

/* Hands out the records that are in the ring, waiting at most wait_ms for the first. */
void hf_bpf_program_poll(struct hf_bpf_program *program, int wait_ms);

#endif
