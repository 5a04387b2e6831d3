/*
 * perf_kinds.h: what perf is asked to record of a process: kinds of events, each with what a record
 * of it holds. A probe is one or two kinds; page faults are one; and one is of an event that never
 * happens, with which the kernel says what it says besides: threads that end, exec(3), losses.
 *
 * A record costs the process by what it holds, so each kind asks for what is needed and no more.
 */
#ifndef HF_ATTACH_PERF_KINDS_H
#define HF_ATTACH_PERF_KINDS_H

#include "attach/keeper/perf_wish.h"
#include "attach/perf/perf_source.h"
#include "base/strings/out.h"

/* What the records of a kind are. */
struct hf_perf_kind {
    enum hf_half_kind half;
    uint32_t probe;
    struct hf_perf_wish wish;
};

/* All-zero is none. */
struct hf_perf_kinds {
    struct hf_perf_kind *items;
    size_t count;
};

/* What is asked for a probe, its entry or its return, where it is only counted. */
struct hf_perf_wish hf_perf_wish_of_probe(const struct hf_probe *probe, bool is_return);

/* Asks the options' keeper for them. Call done in any case. HF_ERR_SYSTEM: the kernel refuses a
 * probe. */
HF_MUST_CHECK enum hf_status hf_perf_kinds_make(struct hf_perf_kinds *kinds,
    const struct hf_perf_source_options *options, struct hf_error *err);
void hf_perf_kinds_done(struct hf_perf_kinds *kinds);

/* What is true of the options' contexts alone, as text that ends with a NUL; "": of all. */
HF_MUST_CHECK enum hf_status hf_perf_kinds_filter(
    const struct hf_perf_source_options *options, struct hf_out *out_filter, struct hf_error *err);

/* The registers of a record (perf_event_attr.sample_regs_user is `mask`); how many bytes it took.
 */
size_t hf_perf_registers_read(const char *from, uint64_t mask, struct hf_registers *out);

#endif
