#include "store/rollup.h"

#include "base/checked.h"
#include "base/containers/vec.h"

#include <math.h>
#include <stdlib.h>

#define MS_A_SECOND 1000.0
#define QUANTILE 1.96 /* of 95 % */

void hf_rollup_done(struct hf_rollup *rollup)
{
    free(rollup->hours);
    free(rollup->stacks);
    hf_map_done(&rollup->index);
    *rollup = (struct hf_rollup){0};
}

static enum hf_status begin_hour(struct hf_rollup *rollup, int64_t hour_ms, struct hf_error *err)
{
    if (!hf_vec_reserve(
            &rollup->hours, &rollup->hour_capacity, rollup->hour_count + 1, sizeof *rollup->hours))
        return hf_error_memory(err);
    rollup->hours[rollup->hour_count++] = (struct hf_rollup_hour){.hour_ms = hour_ms};
    hf_map_done(&rollup->index);
    rollup->index = (struct hf_map){0};
    return HF_OK;
}

static enum hf_status add_level_to_hour(
    struct hf_rollup *rollup, double t_s, const struct hf_level *level, struct hf_error *err)
{
    bool is_new;
    if (!hf_vec_reserve(&rollup->stacks, &rollup->stack_capacity, rollup->stack_count + 1,
            sizeof *rollup->stacks))
        return hf_error_memory(err);
    uint32_t *at = hf_map_put(&rollup->index, level->stack, (uint32_t)rollup->stack_count, &is_new);
    if (at == NULL)
        return hf_error_memory(err);
    struct hf_rollup_stack *row = &rollup->stacks[*at];
    if (is_new) {
        *row = (struct hf_rollup_stack){.hour_ms = rollup->hours[rollup->hour_count - 1].hour_ms,
            .stack = level->stack,
            .first = level->bytes};
        rollup->stack_count++;
    }
    hf_value_sums_add(&row->values, t_s, (double)level->bytes);
    row->most = level->bytes > row->most ? level->bytes : row->most;
    row->last = level->bytes;
    return HF_OK;
}

static void add_all_to_hour(
    struct hf_rollup_hour *hour, int64_t time_ms, double t_s, const struct hf_levels *levels)
{
    uint64_t all = 0;
    bool ignored = false;
    for (size_t i = 0; i < levels->count; i++)
        all = hf_add_saturating(all, levels->items[i].bytes, &ignored);
    if (hour->times.n == 0)
        hour->first_ms = time_ms;
    hour->last_ms = time_ms;
    hour->most = all > hour->most ? all : hour->most;
    hour->last = all;
    hf_time_sums_add(&hour->times, t_s);
    hf_value_sums_add(&hour->values, t_s, (double)all);
}

enum hf_status hf_rollup_add(
    struct hf_rollup *rollup, int64_t time_ms, const struct hf_levels *levels, struct hf_error *err)
{
    int64_t rest = time_ms % HF_STORE_HOUR_MS;
    int64_t hour_ms = time_ms - rest - (rest < 0 ? HF_STORE_HOUR_MS : 0);
    double t_s = (double)(time_ms - hour_ms) / MS_A_SECOND;
    int64_t last_ms =
        rollup->hour_count != 0 ? rollup->hours[rollup->hour_count - 1].hour_ms : INT64_MIN;
    if (hour_ms < last_ms)
        return hf_error_set(err, HF_ERR_INPUT,
            "a profile is of an hour before that of the last one; the clock may have been set "
            "back");
    enum hf_status status = hour_ms != last_ms ? begin_hour(rollup, hour_ms, err) : HF_OK;
    for (size_t i = 0; status == HF_OK && i < levels->count; i++) {
        if (levels->items[i].bytes != 0)
            status = add_level_to_hour(rollup, t_s, &levels->items[i], err);
    }
    if (status != HF_OK)
        return status;
    add_all_to_hour(&rollup->hours[rollup->hour_count - 1], time_ms, t_s, levels);
    return HF_OK;
}

static double part_later_s(const struct hf_rollup_part *part, int64_t origin_ms)
{
    return (double)(part->hour_ms - origin_ms) / MS_A_SECOND;
}

/* Student's quantile of 95 %, as a part of the normal one; Cornish and Fisher 1938, two terms. */
static double student_factor(double freedom)
{
    return 1 + 1.21 / freedom + 1.43 / (freedom * freedom);
}

/* The variance of the slope if each hour is one observation: by leaving out each, the jackknife. */
static double variance_of_hours(const struct hf_rollup_part *parts, size_t count, int64_t origin_ms,
    const struct hf_time_sums *times, const struct hf_value_sums *values)
{
    double squares = 0, tt = times->tt - times->t * times->t / times->n;
    double factor = student_factor((double)count - 2);
    for (size_t i = 0; i < count; i++) {
        struct hf_time_sums part_times = {0};
        struct hf_value_sums part_values = {0};
        double later_s = part_later_s(&parts[i], origin_ms);
        hf_time_sums_merge(&part_times, &parts[i].times, later_s);
        hf_value_sums_merge(&part_values, &parts[i].values, later_s);
        double pull = hf_line_pull(times, values, &part_times, &part_values);
        squares += pull * pull;
    }
    return squares / (tt * tt) * factor * factor;
}

static void set_interval(struct hf_rollup_slope *slope)
{
    double half = QUANTILE * sqrt(slope->variance);
    slope->low = slope->slope - half;
    slope->high = slope->slope + half;
}

struct hf_rollup_slope hf_rollup_slope_of(const struct hf_rollup_part *parts, size_t count)
{
    struct hf_time_sums times = {0};
    struct hf_value_sums values = {0};
    struct hf_rollup_slope slope = {.is_rough = count < HF_ROLLUP_HOURS_MIN};
    int64_t origin_ms = count != 0 ? parts[count / 2].hour_ms : 0;
    for (size_t i = 0; i < count; i++) {
        double later_s = part_later_s(&parts[i], origin_ms);
        hf_time_sums_merge(&times, &parts[i].times, later_s);
        hf_value_sums_merge(&values, &parts[i].values, later_s);
    }
    struct hf_line_slope line = hf_line_slope_of(&times, &values);
    slope.is_known = line.is_known;
    slope.slope = line.slope;
    slope.variance = line.variance;
    if (line.is_known && !slope.is_rough)
        slope.variance =
            fmax(slope.variance, variance_of_hours(parts, count, origin_ms, &times, &values));
    set_interval(&slope);
    return slope;
}

void hf_rollup_slope_add(struct hf_rollup_slope *sum, const struct hf_rollup_slope *slope)
{
    if (!slope->is_known)
        return;
    sum->is_known = true;
    sum->is_rough |= slope->is_rough;
    sum->slope += slope->slope;
    sum->variance += slope->variance;
    set_interval(sum);
}
