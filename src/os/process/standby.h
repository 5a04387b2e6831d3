/*
 * standby.h: a worker without rights (sandbox.h) that stays, and is given one order after another:
 * for a command that goes on for hours and now and then has bytes of a stranger to read.
 *
 * The worker asks its broker for the next order as it asks for files, and with that question comes
 * the reply to the last one. A descriptor goes with the order; what else the work needs is the
 * worker's from its start, or asked for.
 *
 * A worker that dies, talks nonsense or takes more than HF_LIMIT_ORDER_SECONDS for an order costs
 * that order; the next one starts another worker. Of what a reply holds nothing is to be believed:
 * the worker may be somebody else's by then.
 *
 * The worker neither reads standard input nor, unless it is said to, writes standard output: both
 * may be another program's. It is killed when the command dies, of whatever.
 *
 * Example:
 *
 *     hf_standby_work *count = NULL; // what the worker does with an order
 *     static const struct hf_broker_rules rules = {0};
 *     struct hf_standby standby = {.work = count};
 *     struct hf_standby_ending ending;
 *     uint64_t reply;
 *     status = hf_standby_init(&standby, &rules, err);
 *     struct hf_standby_order order = {.bytes = HF_TEXT("the second"), .fd = -1};
 *     if (status == HF_OK && hf_standby_do(&standby, &order, &reply, sizeof reply, &ending))
 *         hf_out_u64(out, reply);
 *     hf_standby_done(&standby);
 */
#ifndef HF_OS_STANDBY_H
#define HF_OS_STANDBY_H

#include "os/process/sandbox.h"

#include <stddef.h>
#include <stdint.h>

struct hf_standby_order {
    uint32_t kind;
    struct hf_text bytes; /* at most HF_BROKER_TEXT_MAX */
    int fd;               /* -1: none; stays the caller's */
};

/* In the worker: does what the order says. Returns the bytes of the reply. */
typedef size_t hf_standby_work(
    void *context, const struct hf_standby_order *order, char reply[HF_BROKER_TEXT_MAX]);

struct hf_standby {
    hf_standby_work *work;
    void *context; /* of the work: as it is when a worker starts */
    bool keeps_output;
    bool keeps_state; /* what an order left behind is for the next: the worker stays however long */
    bool is_inside;   /* no worker: the work is done here, with all rights */
    /* What else becomes ready while an order is worked on; fd -1: nothing. */
    struct {
        int fd;
        void (*wake)(void *context);
        void *context;
    } meanwhile;
    /* Its own. */
    struct hf_sandbox sandbox;
    pid_t worker; /* 0: none */
    int channel;
    bool is_waiting; /* it has asked for an order */
    uint64_t started_ns;
};

/* How an order ended that was not carried out. */
struct hf_standby_ending {
    struct hf_worker_ending worker;
    bool is_late;         /* it was killed for that */
    bool was_not_started; /* then `error` says why */
    struct hf_error error;
};

/* What comes before "its own" is the caller's to set, then or later. */
HF_MUST_CHECK enum hf_status hf_standby_init(
    struct hf_standby *standby, const struct hf_broker_rules *rules, struct hf_error *err);

/*
 * Has an order carried out: `size` bytes of reply came, no more and no less. Else false, and
 * *out_ending says why none did.
 */
HF_MUST_CHECK bool hf_standby_do(struct hf_standby *standby, const struct hf_standby_order *order,
    void *out_reply, size_t size, struct hf_standby_ending *out_ending);

/* Processor time of this process and of the worker that it has now. */
uint64_t hf_standby_spent_ns(const struct hf_standby *standby);

/* "crashed (signal 11)", as a sentence about its reader ends. */
void hf_standby_put_cause(const struct hf_standby_ending *ending, char *out, size_t size);

/* Ends the worker, and gives back what it held; the next order starts another. */
void hf_standby_rest(struct hf_standby *standby);

/* Also of one that is all-zero. */
void hf_standby_done(struct hf_standby *standby);

#endif
