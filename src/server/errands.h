/*
 * errands.h: the profiles of processes, which another heapflame makes: the same command that a
 * person would give, e.g. `heapflame flame PID`, which reads in a process without rights
 * (os/process/sandbox.h).
 *
 * One runs at a time; those who ask for the same get the same, also for RESULT_KEPT_NS after it. It
 * keeps nothing: neither the cache of symbols nor that of debuginfod is used, and no server is
 * asked. It is bounded in time (HF_LIMIT_SERVED_SECONDS) and size (HF_LIMIT_SERVED_BYTES), and ends
 * when the server does, of whatever.
 */
#ifndef HF_SERVER_ERRANDS_H
#define HF_SERVER_ERRANDS_H

#include "server/connections.h"
#include "server/recorded_processes.h"
#include "server/route.h"

#define HF_ERRAND_SAID_MAX 512

/* What came of it. */
struct hf_errand_result {
    enum hf_route_kind kind; /* FLAME, HEAP, ALLOCS */
    bool is_made;
    int fd; /* if it is made: a file, which stays the errand's */
    uint64_t size;
    char said[HF_ERRAND_SAID_MAX]; /* else: why not, one sentence */
};

struct hf_errands {
    /* The caller's: answers a visit. */
    void (*reply)(void *context, struct hf_visit *visit, const struct hf_errand_result *result);
    void *context;
    bool keeps_rights; /* who makes them reads with all rights */
    /* Its own. */
    struct hf_loop *loop;
    struct hf_loop_source source;
    struct errand *first; /* those that wait, in their order; those that are made */
};

/* From here on the loop runs them. `errands` may not move until end. */
void hf_errands_begin(struct hf_errands *errands, struct hf_loop *loop);

/* Ends what runs, and answers all who wait. */
void hf_errands_end(struct hf_errands *errands);

/* Answers the visit, now or later. `kind`: one that has a result. */
void hf_errands_ask(struct hf_errands *errands, enum hf_route_kind kind,
    const struct hf_recorded_process *process, struct hf_visit *visit);

#endif
