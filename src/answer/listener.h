/*
 * listener.h: reports the progress of an answer to whoever asked for it.
 *
 * This floor prints nothing: a command shows progress on its terminal, a server may count it. All
 * calls come from the thread that asked for the answer, for one piece of work at a time.
 */
#ifndef HF_ANSWER_LISTENER_H
#define HF_ANSWER_LISTENER_H

#include "base/watch.h"

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
