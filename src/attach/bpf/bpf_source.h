/*
 * bpf_source.h: a live process followed by a program in the kernel (bpf/blocks.bpf.c), which keeps
 * what is in use; the tracker gets it in the end. So no free is lost, whatever the load, and there
 * is no event for each call: what comes meanwhile are stacks that were not seen before.
 *
 * Of values only those forms are known that struct hf_bpf_value has, and no ranges: of a spec that
 * has others, attach/perf/perf_source.c knows all.
 */
#ifndef HF_ATTACH_BPF_SOURCE_H
#define HF_ATTACH_BPF_SOURCE_H

#include "attach/bpf/bpf_stack_log.h"
#include "attach/images.h"
#include "attach/probe.h"
#include "attach/saved_stack.h"
#include "attach/tracker/tracker.h"

struct hf_bpf_source;

struct hf_bpf_source_options {
    struct hf_keeper *keeper; /* borrowed; NULL: the broker is asked (keeper_line.h) */
    uint32_t pid;
    const struct hf_probe *probes; /* borrowed while the source is open */
    size_t probe_count;
    struct hf_images *images;     /* borrowed while the source is open, as the tracker */
    struct hf_tracker *tracker;   /* nothing is put into it before the stop */
    struct hf_bpf_stack_log *log; /* all-zero: for who gathers later; may be NULL */
    uint64_t period_bytes;        /* mean bytes between samples; 1: everything */
    uint64_t seed;                /* of the samples */
    bool has_contexts;            /* with names that can be read */
    bool skips_short_lived;       /* classes of contexts, which are names */
    uint64_t name_offset;         /* of the pointer to its name in a context */
    const uint64_t *contexts;     /* those that are there at the start */
    size_t context_count;
    bool is_one_of_many;  /* processes that are followed at once */
    bool is_part_of_time; /* where births are not followed, a realloc is none either */
};

/* True if the backend knows all values of the probes; else the sentence says which it does not. */
HF_MUST_CHECK enum hf_status hf_bpf_source_check(
    const struct hf_probe *probes, size_t probe_count, struct hf_error *err);

/* Loads the program and attaches it; what happens from then on counts. Errors as of bpf_program.h.
 */
HF_MUST_CHECK enum hf_status hf_bpf_source_open(const struct hf_bpf_source_options *options,
    struct hf_bpf_source **out_source, struct hf_error *err);

/* Waits for at most wait_ms, and unwinds the stacks that are new. */
HF_MUST_CHECK enum hf_status hf_bpf_source_poll(
    struct hf_bpf_source *source, int wait_ms, struct hf_error *err);

/* True once the process became another program, by exec(3): nothing of that counts. */
bool hf_bpf_source_has_ended(const struct hf_bpf_source *source);

/*
 * Whether allocations are followed, which is most of what it costs; their ends are in any case. So
 * what is in use was allocated while they were.
 */
HF_MUST_CHECK enum hf_status hf_bpf_source_follow_births(
    struct hf_bpf_source *source, bool follows, struct hf_error *err);

/*
 * Tells the tracker what is in use now, in place of what it was told before. The kernel goes on
 * meanwhile: a block whose realloc is entered while the maps are read may be missing.
 */
HF_MUST_CHECK enum hf_status hf_bpf_source_look(struct hf_bpf_source *source, struct hf_error *err);

/* Takes the probes out, and tells the tracker of what is in use and of what was lost. Once. */
HF_MUST_CHECK enum hf_status hf_bpf_source_stop(struct hf_bpf_source *source, struct hf_error *err);
void hf_bpf_source_close(struct hf_bpf_source *source); /* also of NULL */

/*
 * Whoever followed has died, and the keeper has taken the probes out: tells the tracker what stop
 * would have told it. Its table is the one of then, with the modules that the log's frames mean.
 */
struct hf_bpf_gathering {
    struct hf_keeper *keeper;       /* as above */
    const struct hf_memory *memory; /* all borrowed */
    struct hf_tracker *tracker;
    const struct hf_bpf_stack_log *log;
    uint64_t period_bytes;
};
HF_MUST_CHECK enum hf_status hf_bpf_source_gather(
    const struct hf_bpf_gathering *gathering, struct hf_error *err);

/* Stacks that were unwound so far: those that differ. */
struct hf_stack_counts hf_bpf_source_stacks(const struct hf_bpf_source *source);

/* How often the process was stopped on entry of a function, and how often of births. */
uint64_t hf_bpf_source_stops(const struct hf_bpf_source *source, uint64_t *out_births);

#endif
