/*
 * listener.h: somebody who is told what is done while an answer is made, and how far it has come.
 *
 * This floor prints nothing: a command shows it on its terminal, a server may count it. Told on the
 * thread that asked for the answer, of one piece of work at a time.
 */
#ifndef HF_ANSWER_LISTENER_H
#define HF_ANSWER_LISTENER_H

#include "base/watch.h"

struct hf_listener {
    /* "reading", "heap.1": work begins, and whoever does it tells the result how far it is. */
    struct hf_watch (*begin)(void *context, const char *verb, const char *name);
    void (*end)(void *context);
    void *context;
};

/* `listener` may be NULL: nobody listens. Names are borrowed until the end. */
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
