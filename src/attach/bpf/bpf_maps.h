/*
 * bpf_maps.h: the maps of bpf/blocks.bpf.c, by their descriptors: written, read, and waited for.
 *
 * That needs no rights from Linux 5.19 on (kernel.unprivileged_bpf_disabled); before, the kernel
 * refuses each use, and the sentence says so.
 */
#ifndef HF_ATTACH_BPF_MAPS_H
#define HF_ATTACH_BPF_MAPS_H

#include "attach/keeper/bpf_program.h"

struct hf_bpf_maps;

/* Told of each record of the ring. */
typedef void hf_bpf_on_stack(void *context, const struct hf_bpf_stack *stack);

/*
 * The descriptors are taken over, also if it fails. `processors`: as of hf_bpf_program_processors.
 * HF_ERR_SYSTEM: no libbpf, or the ring cannot be mapped.
 */
HF_MUST_CHECK enum hf_status hf_bpf_maps_open(struct hf_bpf_maps **out_maps,
    const int files[HF_BPF_MAPS], uint32_t processors, hf_bpf_on_stack *on_stack, void *context,
    struct hf_error *err);
void hf_bpf_maps_close(struct hf_bpf_maps *maps); /* also of NULL */

HF_MUST_CHECK enum hf_status hf_bpf_map_put(struct hf_bpf_maps *maps, enum hf_bpf_map map,
    const void *key, const void *value, struct hf_error *err);

/* True once the process became another program, of which nothing counts. */
bool hf_bpf_has_ended(struct hf_bpf_maps *maps);

/* What the processors counted of `what`, added up. */
uint64_t hf_bpf_counted(struct hf_bpf_maps *maps, enum hf_bpf_count what);

/* Tells of each entry of a map as it is now; one that comes or goes meanwhile may be missed. */
typedef void hf_bpf_on_entry(void *context, const void *key, const void *value);
HF_MUST_CHECK enum hf_status hf_bpf_map_each(struct hf_bpf_maps *maps, enum hf_bpf_map map,
    hf_bpf_on_entry *on_entry, void *context, struct hf_error *err);

/* Hands out the records that are in the ring, waiting at most wait_ms for the first. */
void hf_bpf_maps_poll(struct hf_bpf_maps *maps, int wait_ms);

#endif
