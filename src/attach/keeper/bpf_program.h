/*
 * bpf_program.h: bpf/blocks.bpf.c in the kernel: loaded and attached, which needs rights. What is
 * in its maps does not: attach/bpf/bpf_maps.h.
 *
 * libbpf (1.0 or later) is loaded when this is used; the program comes along in the tool. The
 * kernel needs ring buffers (Linux 5.8) and cookies of uprobes (5.15); from 6.13 on, if it has
 * types of its own (BTF), it is asked for *sessions*, which trap a return only where one is wanted.
 *
 * Probes and program belong to the process that attached them: they are gone with it, however it
 * ends.
 */
#ifndef HF_ATTACH_BPF_PROGRAM_H
#define HF_ATTACH_BPF_PROGRAM_H

#include "attach/keeper/bpf_room.h"
#include "attach/keeper/bpf_shared.h"
#include "base/error.h"
#include "base/library.h"

#include <stdbool.h>
#include <stddef.h>

/* libbpf, of which `functions` (an array) are used: each module that does loads its own. */
#define HF_BPF_LIBRARY(functions)                                                                  \
    {                                                                                              \
        "libbpf.so.1", "libbpf1", "for the bpf backend", functions, HF_COUNT(functions)            \
    }

enum hf_bpf_map {
    HF_BPF_MAP_OPTIONS,
    HF_BPF_MAP_FOLLOWED,
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

/* Where a probe goes: the instruction at `offset` of a file, and, if wanted, the function's return.
 */
struct hf_bpf_place {
    const char *path;
    uint64_t offset;
    bool returns;
    bool is_birth; /* of blocks or contexts alone, and of nothing that ends one */
};

/* Loads libbpf, which cannot be done any more once rights were given up. */
HF_MUST_CHECK enum hf_status hf_bpf_program_prepare(struct hf_error *err);

/*
 * With room for what is wished. HF_ERR_SYSTEM: no libbpf, no permission, or a kernel that does not
 * know enough; the sentence says which.
 */
HF_MUST_CHECK enum hf_status hf_bpf_program_new(
    struct hf_bpf_program **out_program, const struct hf_bpf_wish *wish, struct hf_error *err);
void hf_bpf_program_free(struct hf_bpf_program *program); /* also of NULL */

/* The descriptor of a map, which is the program's. */
int hf_bpf_program_map(const struct hf_bpf_program *program, enum hf_bpf_map map);

/* Of how many processors a map has values, where it has one of each; 0: not known. */
uint32_t hf_bpf_program_processors(const struct hf_bpf_program *program);

/*
 * Puts those probes in place that are not, one after another: first what ends blocks, then births.
 * Their numbers are the cookies. From then on calls are followed, if the gate is open
 * (bpf_shared.h).
 */
HF_MUST_CHECK enum hf_status hf_bpf_program_attach(struct hf_bpf_program *program, uint32_t pid,
    const struct hf_bpf_place *places, size_t count, struct hf_error *err);
void hf_bpf_program_detach(struct hf_bpf_program *program);

/* Takes the probes of births out alone. */
void hf_bpf_program_pause(struct hf_bpf_program *program);

#endif
