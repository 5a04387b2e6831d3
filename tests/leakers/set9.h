/*
 * set9.h: what the programs of LABELS-9.md have in common, beside set8.h.
 */
#ifndef SET9_H
#define SET9_H

#include "set8.h"

#include <string.h>

/* An array that moves to larger room when it is full. All-zero is empty. */
struct growing {
    struct block array;
    size_t used_bytes;
};

/* Adds so many bytes; where they do not fit, there is `percent` of the old room, or `first`. */
static inline void append(
    struct growing *to, const struct step *path, size_t bytes, size_t first, unsigned percent)
{
    to->used_bytes += bytes;
    while (to->used_bytes > to->array.size) {
        struct block old = to->array;
        take(path, &to->array, old.size != 0 ? old.size / 100 * percent : first);
        if (old.size != 0)
            give(path, &old);
    }
}

/* Any one of the queue goes. */
static inline void give_by_chance(struct queue *q, const struct step *path)
{
    give_any(q, (size_t)chance(count_of(q)), path);
}

/* From 0 at `from` to 1 at `to`, which are hours of the day, and 0 or 1 before and after. */
static inline double risen(unsigned second, double from, double to)
{
    double hour = second % (24 * HOUR) / (double)HOUR;
    return fmin(1, fmax(0, (hour - from) / (to - from)));
}

/* `count` blocks at once. */
static inline void push_many(
    struct queue *q, const struct step *path, unsigned count, size_t low, size_t high)
{
    for (; count != 0; count--)
        push(q, path, size_between(low, high));
}

#endif
