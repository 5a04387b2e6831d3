/*
 * watch.h: a callback that learns how far a long piece of work has come.
 *
 * Called by whoever does the work, often, on its own thread: an update must be cheap.
 *
 * Example:
 *
 *     const struct hf_watch *watch = &(struct hf_watch){0};
 *     for (uint64_t done = 0; done < 1048576; done += 4096)
 *         hf_watch_update(watch, done, 1048576);
 */
#ifndef HF_BASE_WATCH_H
#define HF_BASE_WATCH_H

#include <stddef.h>
#include <stdint.h>

struct hf_watch {
    /* `done` of `all` bytes; `all` is 0 if it is not known. NULL: nobody watches. */
    void (*update)(void *context, uint64_t done, uint64_t all);
    void *context;
};

static inline void hf_watch_update(const struct hf_watch *watch, uint64_t done, uint64_t all)
{
    if (watch->update != NULL)
        watch->update(watch->context, done, all);
}

#endif
