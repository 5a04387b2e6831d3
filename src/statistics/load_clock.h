/*
 * load_clock.h: a clock that runs by load, e.g. by the requests that a server answered, so that
 * what grows with them grows in a straight line, however they came.
 *
 * A *window* is a piece of time, from 0 to its end, in which clock time runs from 0 to the same
 * end: a second of it is as many requests as there are in a second on average. What is said of
 * rates is said at this mean load. Before the first count and after the last, the load is that of
 * all.
 */
#ifndef HF_STATISTICS_LOAD_CLOCK_H
#define HF_STATISTICS_LOAD_CLOCK_H

#include <stddef.h>

/* All zero has no counts. */
struct hf_load_clock {
    double *times_s; /* rising */
    double *sums;    /* how much had come by then; never falling */
    size_t count, time_capacity, sum_capacity;
    const char *name; /* of what is counted, "requests": printable; borrowed */
};

/* How much had come by that time. */
double hf_load_clock_sum(const struct hf_load_clock *clock, double time_s);

struct hf_load_window {
    const struct hf_load_clock *clock; /* borrowed; NULL: its time is that of every clock */
    double from_s;                     /* of the clock's times: the window's 0 */
    double end_s;                      /* of the window */
    double from, total;                /* what had come by then, and comes within the window */
};

/* `total` is 0 if nothing comes within it: then its time stands still, and it is of no use. */
struct hf_load_window hf_load_window_of(
    const struct hf_load_clock *clock, double from_s, double end_s);

/* From time to clock time, and back: to the first time at which it is so late. */
double hf_load_window_at(const struct hf_load_window *window, double time_s);
double hf_load_window_time(const struct hf_load_window *window, double clock_s);

#endif
