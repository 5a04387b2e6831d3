/*
 * resolve.h: from specs and a running process to probes.
 *
 * Functions are looked for in .symtab and .dynsym of the files that the process has mapped,
 * whatever their version; clones that compilers made (NAME.constprop.0, NAME.isra.0) count. A file
 * is opened as /proc/PID/root/PATH, if that is what is mapped, by device, inode and build-id, else
 * as /proc/PID/map_files/START-END.
 *
 * Several names of one function make one probe.
 */
#ifndef HF_ATTACH_RESOLVE_H
#define HF_ATTACH_RESOLVE_H

#include "attach/probe.h"

struct hf_notes;

struct hf_probes {
    struct hf_probe *items;
    size_t count;
    struct hf_arena arena;
};

/*
 * Of each of the `count` files of specs, the first spec that fits. With `is_any`, it is enough that
 * one of the files has such a spec. `specs` outlive the probes. HF_ERR_INPUT: none fits, or a
 * function is missing; HF_ERR_SYSTEM: the process cannot be read. Notes say what is worth knowing.
 */
HF_MUST_CHECK enum hf_status hf_probes_resolve(struct hf_probes *probes, uint32_t pid,
    const struct hf_specs *specs, size_t count, bool is_any, struct hf_notes *notes,
    struct hf_error *err);
void hf_probes_done(struct hf_probes *probes);

#endif
