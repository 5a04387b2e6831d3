/*
 * rollup.h: what a store keeps of an hour when its profiles are gone: sums from which the slope of
 * every stack follows, over any span of hours and any set of instances.
 *
 * An *instance* is one run of a process. Its hours begin at multiples of HF_STORE_HOUR_MS; times in
 * the sums are seconds since the hour's start, so they are small and no digit is lost (statistics/
 * line_sums.h has the mathematics). Of an hour there are
 *
 *     the instance's row     n, sum t, sum t^2 of its snapshots; of all its bytes in use sum y,
 *                            sum t y, sum y^2, and the most and the last of them
 *     a row for each stack   sum y, sum t y, sum y^2 of its bytes in use, and the most, first and
 *                            last of them; only of the snapshots in which it held anything
 *
 * Absent means zero: a stack without a row held nothing in that hour, and in a snapshot without a
 * level it was 0. So n, t and t^2 are the instance's alone, and sparse stacks come out right.
 *
 * Two roll-ups of parts of an hour add up to that of all, whichever comes first.
 *
 * The slope of several instances is the sum of their slopes, each with its own times, and its
 * variance the sum of theirs. Memory at one minute is like that at the minute before, so errors of
 * neighbouring points are not independent. The interval is therefore that of hours, each of which
 * counts as one: by how much the slope changes when it is left out (the jackknife, Tukey 1958; its
 * hours are clusters, Liang and Zeger 1986), with Student's quantile, where there are
 * HF_ROLLUP_HOURS_MIN or more and it is the wider one. With fewer hours it is that of independent
 * points, and likely too narrow: is_rough.
 *
 * Example:
 *
 *     struct hf_rollup rollup = {0};
 *     struct hf_levels levels = {0};
 *     for (int64_t ms = 0; status == HF_OK && ms < 600000; ms += 60000)
 *         status = hf_rollup_add(&rollup, ms, &levels, err);
 *     hf_out_u64(out, rollup.hour_count);
 *     hf_rollup_done(&rollup);
 *     hf_levels_done(&levels);
 */
#ifndef HF_STORE_ROLLUP_H
#define HF_STORE_ROLLUP_H

#include "base/containers/map.h"
#include "statistics/line_sums.h"
#include "store/change_coding.h"

#define HF_ROLLUP_HOURS_MIN 6

/* Of an instance. */
struct hf_rollup_hour {
    int64_t hour_ms;           /* its start */
    int64_t first_ms, last_ms; /* of its snapshots */
    struct hf_time_sums times;
    struct hf_value_sums values; /* of all stacks together */
    uint64_t most, last;         /* of these; last: in the last snapshot */
};

/* Of a stack of it. */
struct hf_rollup_stack {
    int64_t hour_ms;
    uint64_t stack;
    struct hf_value_sums values;
    uint64_t most, first, last; /* first and last: of those above 0 */
};

/* The hours of one instance, of one or more snapshots. All-zero: of none. */
struct hf_rollup {
    struct hf_rollup_hour *hours; /* rising */
    size_t hour_count, hour_capacity;
    struct hf_rollup_stack *stacks; /* of the first hour, of the second ... */
    size_t stack_count, stack_capacity;
    struct hf_map index; /* of the stacks of the last hour */
};

void hf_rollup_done(struct hf_rollup *rollup);

/* Adds a snapshot, of the last hour or a later one. HF_ERR_INPUT: it is of an hour before. */
HF_MUST_CHECK enum hf_status hf_rollup_add(struct hf_rollup *rollup, int64_t time_ms,
    const struct hf_levels *levels, struct hf_error *err);

/* One hour of one stack of one instance; all-zero `values` if the stack has no row. */
struct hf_rollup_part {
    int64_t hour_ms;
    struct hf_time_sums times;
    struct hf_value_sums values;
};

struct hf_rollup_slope {
    double slope;     /* bytes a second */
    double low, high; /* 95 % */
    double variance;
    bool is_known; /* of a sum: one or more of them are */
    bool is_rough; /* the interval may be too narrow: there were too few hours */
};

/* Of one stack of one instance, over all hours of the instance in the span, also those in which the
 * stack held nothing. */
struct hf_rollup_slope hf_rollup_slope_of(const struct hf_rollup_part *parts, size_t count);

/* Adds that of another instance; *sum is all-zero at first. One that is not known adds nothing. */
void hf_rollup_slope_add(struct hf_rollup_slope *sum, const struct hf_rollup_slope *slope);

#endif
