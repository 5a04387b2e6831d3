/*
 * ordered_workers.h: a stream worked on in pieces by several threads, with the outcome of one.
 *
 * Each worker, again and again, takes the next piece, digests it, and applies it. One worker at a
 * time takes, and one applies, both in the order of the stream; they digest all at once. So what
 * taking uses and what applying uses needs no lock, as long as these two do not share it, and the
 * outcome does not depend on the number of workers.
 */
#ifndef HF_OS_ORDERED_WORKERS_H
#define HF_OS_ORDERED_WORKERS_H

#include "base/error.h"

#include <stdbool.h>

#define HF_ORDERED_WORKERS_MAX 4

/* The caller's functions; `piece` is that of the worker, and filled anew each time. */
struct hf_ordered_workers {
    void *context;
    /* False at the end. What goes wrong is kept in the piece, for apply to say in its turn. */
    bool (*take)(void *context, void *piece);
    void (*digest)(const void *context, void *piece);
    /* What is not HF_OK ends it all: later pieces are not applied. */
    enum hf_status (*apply)(void *context, void *piece, struct hf_error *err);
    /*
     * Optional, asked at any time: true while this thread should work alone, the others waiting.
     * Where applying is nearly all of the work, it moves from processor to processor for nothing.
     */
    bool (*is_alone)(const void *context);
};

/*
 * Runs until the stream or an error ends it, on this thread and, if there is more than one piece,
 * on one more for each further of the `count` pieces (at most HF_ORDERED_WORKERS_MAX). A thread
 * that cannot start is done without.
 */
HF_MUST_CHECK enum hf_status hf_ordered_workers_run(const struct hf_ordered_workers *ordered,
    void *const *pieces, unsigned count, struct hf_error *err);

/* Processors that this process may use, at least 1 and at most `most`. */
unsigned hf_processors(unsigned most);

#endif
