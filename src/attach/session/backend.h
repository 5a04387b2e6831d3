/*
 * backend.h: the ways to follow what a live process allocates. Whatever the way, the tracker knows
 * in the end what is in use.
 *
 *     perf   every probed call comes here in two halves: attach/perf/perf_source.h,
 * attach/session/calls.h bpf    a program in the kernel follows the calls, and tells in the end:
 * attach/bpf/bpf_source.h
 *
 * perf works wherever root may trace; bpf costs the process less, and loses no frees.
 */
#ifndef HF_ATTACH_BACKEND_H
#define HF_ATTACH_BACKEND_H

#include "attach/images.h"
#include "attach/perf/cost.h"
#include "attach/probe.h"
#include "attach/saved_stack.h"
#include "attach/tracker/tracker.h"

struct hf_keeper;

struct hf_backend_options {
    struct hf_keeper *keeper; /* NULL in a worker, which asks its broker (keeper_line.h) */
    uint32_t pid;
    const struct hf_probe *probes; /* all pointers are borrowed while it follows */
    size_t probe_count;
    bool with_faults;
    struct hf_images *images;
    struct hf_tracker *tracker;
    uint64_t period_bytes; /* mean bytes between samples; 1: everything */
    uint64_t seed;         /* of the samples */
    uint32_t stack_bytes;  /* most that is copied of a stack; 0: as it seems best */
    bool has_contexts, skips_short_lived;
    uint64_t name_offset;     /* of the pointer to its name in a context */
    const uint64_t *contexts; /* those that are there at the start */
    size_t context_count;
    const uint64_t *chosen; /* of them, those that are followed */
    size_t chosen_count;    /* 0: all are */
    bool is_one_of_many;    /* processes that are followed at once */
    bool is_part_of_time;   /* where births are not followed, a realloc is none either */
    void *log;              /* HF_BACKEND_LOG_BYTES of shared memory, all-zero; NULL: none */
};

/* Whoever followed with a log has died, and its probes are out. */
struct hf_backend_gathering {
    struct hf_keeper *keeper; /* as above, borrowed as all */
    uint32_t pid;
    struct hf_tracker *tracker; /* goes on with the table of the other */
    const void *log;
    uint64_t period_bytes;
};
#define HF_BACKEND_LOG_BYTES (UINT64_C(64) << 20)

/* How far it is. What a backend does not know is 0. */
struct hf_backend_progress {
    uint64_t begin_ns;    /* CLOCK_MONOTONIC: every call from then on is followed */
    uint64_t calls;       /* that it tells of */
    uint64_t stops;       /* entries of all functions, if it knows those */
    uint64_t birth_stops; /* of them, of births (attach/probe.h), if it tells them apart */
    bool knows_stops, tells_births;
    struct hf_stack_counts stacks; /* that were unwound */
    uint32_t stack_bytes;          /* most that is copied of one */
    uint64_t lost;                 /* halves of calls */
    bool became_another;           /* by exec(3): nothing more comes */
};

struct hf_backend {
    const char *name;
    uint32_t most_stack_bytes; /* that it can copy of a stack */
    bool samples;              /* knows periods above 1 */
    bool counts_calls;         /* while it follows them */
    bool has_chains;           /* knows stacks that a thread has left (go_stack.h) */
    bool needs_choice;         /* of contexts: it cannot follow those that come and go */
    struct hf_cost_prices exact, sampled;
    /* HF_ERR_USAGE or HF_ERR_INPUT: why it cannot follow these probes. */
    enum hf_status (*check)(const struct hf_probe *probes, size_t count, bool with_faults,
        uint64_t period_bytes, struct hf_error *err);
    enum hf_status (*open)(
        const struct hf_backend_options *options, void **out_backend, struct hf_error *err);
    /* Whether it follows births (attach/probe.h), as it does at first; NULL: it always does. */
    enum hf_status (*follow_births)(void *backend, bool follows, struct hf_error *err);
    /* Waits for at most wait_ms, and does what is to be done. */
    enum hf_status (*poll)(void *backend, int wait_ms, struct hf_error *err);
    /* Puts into the tracker what is in use now; NULL: its table is true at any time. */
    enum hf_status (*look)(void *backend, struct hf_error *err);
    /* Nothing that happens from now on counts. Once. */
    enum hf_status (*stop)(void *backend, struct hf_error *err);
    void (*close)(void *backend); /* also of NULL */
    /* Puts into the tracker what stop would have; NULL: the tracker's table is true at any time. */
    enum hf_status (*gather)(const struct hf_backend_gathering *gathering, struct hf_error *err);
    struct hf_backend_progress (*progress)(const void *backend);
};

/*
 * Every backend, in the order in which they are tried where nobody names one. `script/lint
 * complete` holds what belongs to each.
 */
#define HF_BACKENDS(USE)                                                                           \
    USE(bpf)                                                                                       \
    USE(perf)

#define HF_BACKEND_DECLARE(name) extern const struct hf_backend hf_backend_##name;
HF_BACKENDS(HF_BACKEND_DECLARE)
#undef HF_BACKEND_DECLARE

extern const struct hf_backend *const hf_backends[]; /* ends with NULL */

/* NULL: there is none of this name. */
const struct hf_backend *hf_backend_named(const char *name);

#endif
