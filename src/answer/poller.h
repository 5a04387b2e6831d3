/*
 * poller.h: a process that runs is looked at again and again, at even intervals, until it has
 * ended or the time is over: who looks then says what was seen.
 *
 * It is part of a loop (capture/loop.h), whose other sources may end it, too.
 */
#ifndef HF_ANSWER_POLLER_H
#define HF_ANSWER_POLLER_H

#include "capture/loop.h"
#include "live/layout.h"

/* How often, unless somebody says so; and the least number of times, if there is a duration. */
#define HF_POLLER_EVERY_NS UINT64_C(5000000000)
#define HF_POLLER_TIMES 12u

enum hf_poller_event {
    HF_POLLER_BEGINS,  /* it has a live table, and will be looked at */
    HF_POLLER_ENDED,   /* the process has */
    HF_POLLER_ANOTHER, /* it became another program, with another table: so it is over, too */
};

struct hf_poller {
    uint32_t pid;
    uint64_t every_ns;    /* 0: as above */
    uint64_t duration_ns; /* 0: until it has ended */
    enum hf_status (*look)(void *context, struct hf_error *err);
    void *context;
    void (*tell)(void *teller, enum hf_poller_event event); /* NULL: nobody wants to know */
    void *teller;
    /* Its own. */
    struct hf_loop *loop;
    struct hf_loop_source ticking, process;
    uint64_t due_ns, until_ns;
    struct hf_live_head head; /* of the table that was there at first */
};

/*
 * Looks at once, and then whenever it is time, while the loop runs; ends the loop when it is over.
 * `poller` stays where it is until hf_poller_end, which is called also after an error.
 * HF_ERR_SYSTEM: there is no such process, or it has no live table.
 */
HF_MUST_CHECK enum hf_status hf_poller_begin(
    struct hf_poller *poller, struct hf_loop *loop, struct hf_error *err);
void hf_poller_end(struct hf_poller *poller);

#endif
