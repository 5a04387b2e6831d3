#include "analysis/growth/growth_cohorts.h"

#include "analysis/growth/growth_place.h"
#include "analysis/verdict_course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COHORTS_PART 0.7 /* of what a place holds must be known by births */

bool hf_growth_is_of_cohort(const struct hf_growth *growth, size_t sample)
{
    uint32_t thread = growth->folded->samples[sample].thread;
    return thread >= HF_HISTORY_COHORTS && thread < HF_HISTORY_THREADS;
}

enum hf_status hf_growth_cohorts_add(const struct hf_growth *growth,
    struct hf_growth_cohorts **cohorts, size_t sample, struct hf_error *err)
{
    const struct hf_profile *folded = growth->folded;
    uint32_t number = folded->samples[sample].thread - HF_HISTORY_COHORTS;
    if (*cohorts == NULL)
        *cohorts = calloc(1, sizeof **cohorts);
    struct hf_growth_cohorts *to = *cohorts;
    if (to == NULL)
        return hf_error_memory(err);
    double bytes = (double)hf_profile_value(folded, sample, HF_HISTORY_SPACE);
    to->table.in_use[number / HF_LIFETIMES_EPOCHS][number % HF_LIFETIMES_EPOCHS] += bytes;
    to->bytes += bytes;
    to->squares +=
        (double)hf_profile_value(folded, sample, HF_HISTORY_OBJECTS) * HF_HISTORY_SQUARES;
    return HF_OK;
}

/* What is in use at the last look is most of what the place holds. */
static bool cohorts_are_whole(const struct hf_growth *growth, const struct hf_growth_place *place,
    const struct hf_growth_cohorts *cohorts)
{
    double sum = 0;
    for (size_t i = 0; i < HF_LIFETIMES_EPOCHS; i++)
        sum += cohorts->table.in_use[growth->point_count - 1][i];
    return sum >= COHORTS_PART * place->values[growth->point_count - 1];
}

/*
 * Epochs become as long as the time between looks, or longer: so the cohorts of the first looks
 * stay what they are when the epochs of a history become longer, and so does what they say.
 */
static void cohorts_widen_epochs(struct hf_survival_table *table)
{
    double between_s = table->look_count > 1
                           ? (table->looks_s[table->look_count - 1] - table->looks_s[0]) /
                                 (double)(table->look_count - 1)
                           : 0;
    for (; table->epoch_s < between_s; table->epoch_s *= 2) {
        for (size_t look = 0; look < table->look_count; look++) {
            double *in_use = table->in_use[look];
            for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++) {
                double both = 2 * e < HF_LIFETIMES_EPOCHS ? in_use[2 * e] + in_use[2 * e + 1] : 0;
                in_use[e] = both;
            }
        }
    }
}

/* A piece of clock time: what was allocated within it is spread over its epochs. */
struct clock_epoch {
    double from_s, to_s;
};

static void spread(
    const struct hf_survival_table *table, struct clock_epoch epoch, double samples, double *in_use)
{
    double span_s = epoch.to_s - epoch.from_s;
    for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++) {
        double from_s = (double)e * table->epoch_s, to_s = from_s + table->epoch_s;
        bool is_last = e + 1 == HF_LIFETIMES_EPOCHS;
        if (span_s <= 0 && (epoch.from_s < to_s || is_last)) {
            in_use[e] += samples;
            return;
        }
        double common_s = fmin(epoch.to_s, is_last ? INFINITY : to_s) - fmax(epoch.from_s, from_s);
        if (common_s > 0)
            in_use[e] += samples * common_s / span_s;
    }
}

/* Looks and epochs by the clock of the load; epochs are equally long by that. */
static void follow_load(const struct hf_growth *growth, struct hf_survival_table *table)
{
    const struct hf_load_window *load = &growth->load;
    double began_s = hf_growth_began_s(growth), began = hf_load_window_at(load, began_s);
    double real_s = table->epoch_s, used = 0;
    struct clock_epoch epochs[HF_LIFETIMES_EPOCHS];
    for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++) {
        double from_s = began_s + (double)e * real_s;
        epochs[e].from_s = hf_load_window_at(load, from_s) - began;
        epochs[e].to_s = hf_load_window_at(load, from_s + real_s) - began;
        if ((double)e * real_s <= table->looks_s[table->look_count - 1])
            used = (double)(e + 1);
    }
    table->epoch_s = fmax(epochs[(size_t)used - 1].to_s / used, real_s / HF_LIFETIMES_EPOCHS);
    for (size_t look = 0; look < table->look_count; look++) {
        double moved[HF_LIFETIMES_EPOCHS] = {0};
        for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++)
            spread(table, epochs[e], table->in_use[look][e], moved);
        memcpy(table->in_use[look], moved, sizeof moved);
        table->looks_s[look] = hf_load_window_at(load, began_s + table->looks_s[look]) - began;
    }
}

/* When survivors began, in times that people know. */
static void survival_back(const struct hf_growth *growth, struct hf_survival *survival)
{
    const struct hf_load_window *load = &growth->load;
    double began_s = hf_growth_began_s(growth), began = hf_load_window_at(load, began_s);
    double *const times[] = {&survival->onset_s, &survival->onset_low_s, &survival->onset_high_s};
    for (size_t i = 0; survival->onset_high_s > 0 && i < HF_COUNT(times); i++)
        *times[i] = hf_load_window_time(load, began + *times[i]) - began_s;
}

/* The same of what is kept; rates stay those of the clock. */
static void retention_back(const struct hf_growth *growth, struct hf_retention *kept)
{
    const struct hf_load_window *load = &growth->load;
    double began_s = hf_growth_began_s(growth), began = hf_load_window_at(load, began_s);
    kept->from_s = hf_load_window_time(load, began + kept->from_s) - began_s;
    kept->to_s = hf_load_window_time(load, began + kept->to_s) - began_s;
}

/* What a place had allocated until a time since the recording began: a line through its points. */
static double allocated_at(const struct hf_growth *growth, const double *allocated, double time_s)
{
    double began = hf_load_window_at(&growth->load, hf_growth_began_s(growth));
    double before_s = 0, before = 0, after_s = 0, after = 0;
    for (size_t i = 0; i < growth->point_count && (i == 0 || after_s < time_s); i++) {
        before_s = after_s;
        before = after;
        after_s = growth->clock_s[i] - began;
        after = fmax(before, allocated[i]);
    }
    return after_s > before_s
               ? before + (after - before) * (time_s - before_s) / (after_s - before_s)
               : after;
}

/* What was allocated in each epoch, as far as profiles count that. */
static void measure_births(const struct hf_growth *growth, const struct hf_growth_place *place,
    struct hf_survival_table *table)
{
    if (place->allocated == NULL || growth->point_count < 2)
        return;
    double last = 0;
    for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++) {
        double now = allocated_at(growth, place->allocated, (double)(e + 1) * table->epoch_s);
        table->born[e] = (now - last) / table->sample;
        last = now;
    }
}

/* The rows of points become those of looks, in samples. Returns the same by the epochs of the
 * history, where those are shorter; NULL: they are not. */
static struct hf_survival_table *make_looks(const struct hf_growth *growth,
    const struct hf_growth_place *place, struct hf_growth_cohorts *cohorts)
{
    const struct hf_history *history = growth->history;
    struct hf_survival_table *table = &cohorts->table;
    table->sample = cohorts->squares / cohorts->bytes;
    table->epoch_s = ldexp(1e-9, (int)history->epoch_shift);
    for (size_t i = 0; i < growth->point_count; i++) {
        if (history->points[i].look_ms < 0)
            continue;
        size_t look = table->look_count++;
        table->looks_s[look] = (double)history->points[i].look_ms / 1000;
        for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++)
            table->in_use[look][e] = table->in_use[i][e] / table->sample;
    }
    if (growth->load.clock != NULL && table->look_count != 0)
        follow_load(growth, table);
    cohorts->fine = *table;
    cohorts_widen_epochs(table);
    measure_births(growth, place, table);
    if (cohorts->fine.epoch_s >= table->epoch_s)
        return NULL;
    measure_births(growth, place, &cohorts->fine);
    return &cohorts->fine;
}

enum hf_status hf_growth_cohorts_judge(struct hf_growth *growth, struct hf_growth_place *place,
    struct hf_growth_cohorts *cohorts, struct hf_error *err)
{
    place->survival = (struct hf_survival){.kind = HF_SURVIVAL_UNKNOWN};
    place->kept = (struct hf_retention){.is_known = false};
    place->course = NULL;
    place->sample = 0;
    if (growth->history->epoch_shift == 0 || !growth->is_in_use || cohorts == NULL ||
        cohorts->squares <= 0 || !cohorts_are_whole(growth, place, cohorts))
        return HF_OK;
    struct hf_survival_course *course = hf_arena_alloc(&growth->arena, sizeof *course);
    if (course == NULL)
        return hf_error_memory(err);
    struct hf_survival_table *fine = make_looks(growth, place, cohorts);
    hf_survival_course_of(&cohorts->table, fine, course);
    bool has_onset = course->last.kind == HF_SURVIVAL_LEAK && course->last.has_onset;
    place->kept = hf_retention_of(
        &cohorts->table, has_onset ? course->last.onset_high_s : 0, growth->is_exact);
    if (growth->load.clock != NULL) {
        retention_back(growth, &place->kept);
        survival_back(growth, &course->last);
        survival_back(growth, &course->leak);
    }
    place->course = course;
    place->sample = cohorts->table.sample;
    if (course->last.kind == HF_SURVIVAL_RENEWED &&
        hf_verdict_moves(
            place->values, place->objects, growth->point_count, course->last.lengthens))
        place->survival.moves = true;
    else
        place->survival = course->last;
    return HF_OK;
}

enum hf_status hf_growth_measure_survival(
    struct hf_growth *growth, const uint32_t *owners, struct hf_error *err)
{
    const struct hf_profile *folded = growth->folded;
    struct hf_growth_cohorts **cohorts =
        calloc(growth->count + 1, sizeof *cohorts); /* the whole's */
    enum hf_status status = cohorts != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < folded->sample_count; i++) {
        uint32_t owner = owners[folded->samples[i].node];
        if (!hf_growth_is_of_cohort(growth, i))
            continue;
        status = hf_growth_cohorts_add(growth, &cohorts[growth->count], i, err);
        if (status == HF_OK && owner < growth->count)
            status = hf_growth_cohorts_add(growth, &cohorts[owner], i, err);
    }
    for (size_t i = 0; cohorts != NULL && i <= growth->count; i++) {
        struct hf_growth_place *place = i < growth->count ? &growth->places[i] : &growth->whole;
        if (status == HF_OK)
            status = hf_growth_cohorts_judge(growth, place, cohorts[i], err);
        free(cohorts[i]);
    }
    free(cohorts);
    return status;
}
