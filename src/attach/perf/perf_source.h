/*
 * perf_source.h: the calls of a live process as they happen, by tracefs and perf_event_open(2): no
 * eBPF, no compiler, no BTF.
 *
 * A probe stops a thread at the entry of a function and, where its result is wanted, when that
 * returns. Each stop is one *half* of a call: who, when, with which registers and, where a stack is
 * wanted, with a copy of its first bytes. Halves come in the order of their time, whatever the
 * processor. Which of them make a call, and what it means, is not known here:
 * attach/session/calls.h.
 *
 * Of memory contexts, the source may be given some: then the kernel drops the entries of calls for
 * others, before anything is copied, where an argument says which one a call is for. Returns come
 * all the same, and so do new contexts and the ends of any.
 *
 * Page faults are halves, too, without a probe.
 *
 * The keeper holds its probes (attach/keeper/keeper.h): closing the source takes them out, and so
 * does the death of whoever reads, by whatever signal. The target is neither stopped nor written
 * to.
 */
#ifndef HF_ATTACH_PERF_SOURCE_H
#define HF_ATTACH_PERF_SOURCE_H

#include "attach/probe.h"
#include "base/error.h"
#include "os/process/map_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hf_half_kind {
    HF_HALF_ENTRY,  /* the function's first instruction has no effect yet; or a system call */
    HF_HALF_RETURN, /* of the call that was entered with sp 8 less, as it is said of system calls */
    HF_HALF_FAULT,  /* `address` was not there; the instruction is done again */
    HF_HALF_LOST,   /* `count` halves are missing at about this place */
    HF_HALF_EXIT,   /* the thread ends */
    HF_HALF_MAP,    /* a file's code is mapped, as `mapped` says */
    HF_HALF_EXEC,   /* the process became another program: nothing follows */
};

struct hf_half {
    enum hf_half_kind kind;
    uint32_t probe;   /* number of the probe; of ENTRY and RETURN */
    uint32_t tid;     /* as this process numbers it */
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t address, count;
    const struct hf_map_line *mapped;
    /*
     * Of an ENTRY the arguments that its spec asks for, sp, ip, and bp if it has a stack; of a
     * RETURN ax and sp; of a FAULT those of a stack. The others are 0.
     */
    struct hf_registers registers;
    /*
     * Of a half with a stack, if it was asked for: where it was and the return addresses that
     * frame pointers led to then, wherever those point; else NULL.
     */
    const uint64_t *chain;
    size_t chain_count;
    /* What lies from registers.sp on; 0: nothing was asked for. The copy may be changed. */
    char *stack;
    size_t stack_size;
};

struct hf_keeper;

struct hf_perf_source_options {
    struct hf_keeper *keeper; /* borrowed, as the probes; NULL: the broker is asked */
    uint32_t pid;
    const struct hf_probe *probes; /* borrowed while the source is open */
    size_t probe_count;
    bool with_faults;
    bool with_chains;         /* of frame pointers, with each stack */
    uint32_t stack_bytes;     /* most that is copied of a stack; a multiple of 8 */
    const uint64_t *contexts; /* that are followed */
    size_t context_count;     /* at most HF_LIMIT_CHOSEN_CONTEXTS; 0: all are */
    /* Above 1: a look at stacks. Only entries that have one are handed out, one in so many. */
    uint32_t one_in;
};

/* Told of each half, borrowed until it returns; an error ends the poll. */
struct hf_half_sink {
    enum hf_status (*take)(void *context, const struct hf_half *half, struct hf_error *err);
    void *context;
};

struct hf_perf_source;

/* HF_ERR_SYSTEM, with what to do: not allowed, no such process, no such kernel. */
HF_MUST_CHECK enum hf_status hf_perf_source_open(const struct hf_perf_source_options *options,
    struct hf_perf_source **out_source, struct hf_error *err);

/* Halves are handed out from this time on, of CLOCK_MONOTONIC: all probes were in place by then. */
uint64_t hf_perf_source_begin(const struct hf_perf_source *source);

/* Waits for at most `wait_ms` and hands out what is ready. */
HF_MUST_CHECK enum hf_status hf_perf_source_poll(
    struct hf_perf_source *source, int wait_ms, struct hf_half_sink sink, struct hf_error *err);

/* Nothing that happens from now on is handed out, but the rest, and what was lost. Once. */
HF_MUST_CHECK enum hf_status hf_perf_source_stop(
    struct hf_perf_source *source, struct hf_half_sink sink, struct hf_error *err);
void hf_perf_source_close(struct hf_perf_source *source); /* also of NULL */

#endif
