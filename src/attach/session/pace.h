/*
 * pace.h: how much the probes slow a process down while they are in it, and how that is kept within
 * the limit.
 *
 * All is counted in processor time of the process, in 1/1000 of what it would need without probes
 * (attach/perf/cost.h), so it does not matter how much of a processor it gets. What a stop takes is
 * nearly all time in the kernel, so what the process does there beyond its habit is the probes'.
 * Over less time than clock ticks are good for, stops are counted instead, each at its price. This
 * process's own comes of two means, of what it computes from one stop to the next: c1 while stops
 * were only counted, c2 while they are followed. The process's own part is the same in both, so
 * where prices say t1 and t2, they are right if multiplied by (c2 - c1) / (t2 - t1). On a busy
 * machine that part is not the same from one second to the next, so a second of ticks is better.
 *
 * In windows, means are those of two kinds of time and say nothing; and as that may go on for hours
 * in which the process changes its habits, clock ticks correct the prices only as far as machines
 * differ.
 *
 * Too much of it is held back by following births for a part of the time alone. If what ends
 * blocks, which must always be followed, is too much alone, or a backend cannot choose, only
 * detaching helps.
 */
#ifndef HF_ATTACH_PACE_H
#define HF_ATTACH_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* What adds less than so many 1/1000 of one processor is never too much. */
#define HF_PACE_FREE_LOAD 5

struct hf_pace_options {
    uint64_t most_per_mille;   /* that may be added */
    uint64_t kernel_per_mille; /* time in the kernel for 1000 outside of it, without probes */
    uint64_t birth_ns, end_ns; /* what a stop is thought to take */
    uint64_t counted_ns, counting_ns; /* of struct hf_cost */
    bool knows_stops, can_thin;
    bool is_in_windows; /* births are followed a part of the time anyway: duty.h */
};

/* Everything since some moment, the same for all. */
struct hf_pace_seen {
    uint64_t now_ns, computed_ns, user_ns, system_ns;
    uint64_t births, ends; /* stops of each */
};

enum hf_pace_step { HF_PACE_FOLLOW, HF_PACE_THIN, HF_PACE_TOO_MUCH };

struct hf_pace {
    struct hf_pace_options options;
    struct hf_pace_seen begin, base, next; /* judged since base; next is to be it */
    struct hf_pace_seen changed;           /* when it last began, or ceased, to be thin */
    bool is_thin;
    uint64_t thin_ns;         /* how long it was, before that */
    uint64_t price_per_mille; /* what a stop takes, of what it was thought to take */
    bool is_learned;          /* by what this process showed */
};

void hf_pace_begin(
    struct hf_pace *pace, const struct hf_pace_options *options, const struct hf_pace_seen *seen);

/* What to do from now on. */
enum hf_pace_step hf_pace_look(struct hf_pace *pace, const struct hf_pace_seen *seen);

/* Births are followed since now: their probes take a while to go in. */
void hf_pace_resumed(struct hf_pace *pace, uint64_t now_ns);

/* What was added from the beginning on, 0 of what is hardly anything; how long births were
 * not followed. */
uint64_t hf_pace_added(const struct hf_pace *pace, const struct hf_pace_seen *seen);
uint64_t hf_pace_thin_ns(const struct hf_pace *pace, uint64_t now_ns);

#endif
