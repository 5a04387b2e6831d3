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

/*
 * Who makes watches: told of each piece of work, one at a time, by the thread that asked for it. A
 * command shows progress on its terminal, a server may count it.
 */
struct hf_listener {
    /* Work begins, e.g. "reading", "heap.1". The result receives the progress of that work. */
    struct hf_watch (*begin)(void *context, const char *verb, const char *name);
    void (*end)(void *context);
    void *context;
};

/* `listener` may be NULL. `verb` and `name` are borrowed until hf_listener_end. */
static inline struct hf_watch hf_listener_begin(
    const struct hf_listener *listener, const char *verb, const char *name)
{
    return listener != NULL ? listener->begin(listener->context, verb, name) : (struct hf_watch){0};
}

static inline void hf_listener_end(const struct hf_listener *listener)
{
    if (listener != NULL)
        listener->end(listener->context);
}

#endif
