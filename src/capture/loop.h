/*
 * loop.h: one thread waits for several things: descriptors that become ready, and points in time.
 *
 * A source lies in whatever it is part of, and is the loop's from hf_loop_add to hf_loop_remove,
 * which may be called at any time, also by what the loop wakes.
 */
#ifndef HF_CAPTURE_LOOP_H
#define HF_CAPTURE_LOOP_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define HF_LOOP_NEVER UINT64_MAX

struct hf_loop_source {
    int fd;          /* -1: none */
    short events;    /* as of poll(2) */
    uint64_t due_ns; /* of hf_loop_now_ns, HF_LOOP_NEVER again when it is woken */
    /* An error ends hf_loop_run, not the source. */
    enum hf_status (*wake)(void *context, struct hf_error *err);
    void *context;
    struct hf_loop_source *next; /* the loop's own */
};

/* All-zero: no sources. */
struct hf_loop {
    struct hf_loop_source *first;
    bool is_over; /* set by what is woken: hf_loop_run returns */
    uint64_t removals;
};

void hf_loop_add(struct hf_loop *loop, struct hf_loop_source *source);

/* Nothing happens if it is not there. */
void hf_loop_remove(struct hf_loop *loop, const struct hf_loop_source *source);

/* Until it is over, or an error; it may be called again then. */
HF_MUST_CHECK enum hf_status hf_loop_run(struct hf_loop *loop, struct hf_error *err);

/* Monotonic. */
uint64_t hf_loop_now_ns(void);

#endif
