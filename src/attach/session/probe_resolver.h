/*
 * probe_resolver.h: from specs and a running process to probes.
 *
 * Of each file of specs the first spec that fits is taken (spec_match.h). Its functions are looked
 * for in the files that it fits.
 *
 * Symbols are those of .symtab and .dynsym, whatever their version; clones that compilers made
 * (NAME.constprop.0, NAME.isra.0) count, with a note, for they may have other arguments. Of an
 * IFUNC the function is taken that the process chose (ifunc.h). Tables of methods are read in the
 * process (contexts.h). Several names of one function make one probe; where it is in the function,
 * probe_site.h decides. A file is believed only if its build-id is the one in the process's memory.
 */
#ifndef HF_ATTACH_PROBE_RESOLVER_H
#define HF_ATTACH_PROBE_RESOLVER_H

#include "attach/probe.h"

struct hf_notes;

struct hf_probes {
    struct hf_probe *items;
    size_t count, capacity;
    const struct hf_spec **specs; /* those that were taken */
    size_t spec_count, spec_capacity;
    bool has_go;           /* the process has code of Go */
    struct hf_arena arena; /* of texts */
};

/*
 * The probes of `count` files of specs, which outlive them. With `is_any`, it is enough that one
 * file fits the process; else all must. HF_ERR_INPUT: that is not so, or a function is missing,
 * and which; HF_ERR_SYSTEM: the process cannot be read. The notes say of each probe that is dear
 * what it costs. Call done in either case.
 */
HF_MUST_CHECK enum hf_status hf_probes_resolve(struct hf_probes *probes, uint32_t pid,
    const struct hf_specs *specs, size_t count, bool is_any, struct hf_notes *notes,
    struct hf_error *err);
void hf_probes_done(struct hf_probes *probes);

#endif
