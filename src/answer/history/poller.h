/*
 * poller.h: reads a running process at regular intervals, until it ends or the time is over.
 *
 * A poller is part of a loop (capture/loop.h); the loop's other sources may end it earlier.
 */
#ifndef HF_ANSWER_HISTORY_POLLER_H
#define HF_ANSWER_HISTORY_POLLER_H

#include "capture/loop.h"
#include "live/layout.h"

/* The default interval, and the minimum number of readings if there is a duration. */
#define HF_POLLER_EVERY_NS UINT64_C(5000000000)
#define HF_POLLER_TIMES 12u

enum hf_poller_event {
    HF_POLLER_BEGINS,  /* the process has a live table; reading starts */
    HF_POLLER_ENDED,   /* the process ended */
    HF_POLLER_ANOTHER, /* the process now runs another program, with another table; polling ends */
};

struct hf_poller {
    uint32_t pid;
    uint64_t every_ns;    /* 0: the default */
    uint64_t duration_ns; /* 0: until the process ends */
    enum hf_status (*look)(void *context, struct hf_error *err);
    void *context;
    void (*tell)(void *teller, enum hf_poller_event event); /* NULL: do not report events */
    void *teller;
    /* Its own. */
    struct hf_loop *loop;
    struct hf_loop_source ticking, process;
    uint64_t due_ns, until_ns;
    struct hf_live_head head; /* of the table that it found first */
};

/*
 * Reads immediately, and then at each interval while the loop runs; ends the loop when polling is
 * over. Do not move `poller` before hf_poller_end, and call that also after an error.
 * HF_ERR_SYSTEM if there is no such process, or it has no live table.
 */
HF_MUST_CHECK enum hf_status hf_poller_begin(
    struct hf_poller *poller, struct hf_loop *loop, struct hf_error *err);
void hf_poller_end(struct hf_poller *poller);

/* Of one that began: the process runs, and is the same program still. */
bool hf_poller_is_same(const struct hf_poller *poller);

#endif
