/*
 * calls.h: combines halves of calls into calls that the tracker understands.
 *
 * Of each thread it is known which probed calls are open: their arguments, because some results
 * need them, and their return addresses, which the kernel has replaced in the stack meanwhile. What
 * lies further in the stack than a new call is open no more: it was left by longjmp, or its return
 * was lost.
 */
#ifndef HF_ATTACH_CALLS_H
#define HF_ATTACH_CALLS_H

#include "attach/images.h"
#include "attach/perf/perf_source.h"
#include "attach/perf/touched_pages.h"
#include "attach/saved_stack.h"
#include "attach/session/backend.h"
#include "attach/tracker/tracker.h"
#include "base/containers/map.h"

struct hf_open_call {
    struct hf_replaced_return replaced;
    uint32_t probe;
    uint64_t arguments[HF_SPEC_ARGUMENTS];
};

/* Of one thread, outermost first. As deep as the kernel goes: MAX_URETPROBE_DEPTH. */
#define HF_OPEN_CALLS_MAX 64
struct hf_open_calls {
    size_t count;
    struct hf_open_call items[HF_OPEN_CALLS_MAX];
};

struct hf_calls {
    uint32_t pid;
    const struct hf_probe *probes; /* these three are borrowed */
    struct hf_images *images;
    struct hf_tracker *tracker;
    bool sees_all;        /* entries; else there are returns without one, which mean nothing */
    struct hf_map by_tid; /* -> threads */
    struct hf_open_calls *threads;
    size_t thread_count, thread_capacity;
    struct hf_saved_stack walked;
    struct hf_touched_pages touched;
    struct hf_backend_progress progress;
};

void hf_calls_init(struct hf_calls *calls, uint32_t pid, const struct hf_probe *probes,
    struct hf_images *images, struct hf_tracker *tracker);
void hf_calls_done(struct hf_calls *calls);

/* `take` of a struct hf_half_sink with the calls. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_calls_take(
    void *calls, const struct hf_half *half, struct hf_error *err);

/* The end: pages that were touched and are not there any more are gone. */
void hf_calls_end(struct hf_calls *calls);

#endif
