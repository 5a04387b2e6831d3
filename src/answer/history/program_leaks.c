#include "answer/history/program_leaks.h"

#include "analysis/growth/growth_place.h"
#include "base/containers/vec.h"

#include <math.h>
#include <string.h>

#define Z_ONE_SIDED 1.645 /* 5 % */

/* Looks at one place in all processes of a program. */
struct program_leaks_finder {
    const struct hf_process_histories *processes;
    struct hf_shared_leaks *leaks;
    const struct hf_process_history *first; /* of the program */
};

static const char *program_leaks_of(const struct hf_process_history *process)
{
    return hf_process_identity_program(&process->identity);
}

/* It has a growth, and enough points for any verdict. */
static bool has_verdicts(const struct hf_process_history *process)
{
    return process->history.profile_count >= 2 &&
           process->growth.point_count >= HF_TREND_POINTS_MIN;
}

static bool is_judged(
    const struct program_leaks_finder *f, const struct hf_process_history *process)
{
    return has_verdicts(process) &&
           strcmp(program_leaks_of(process), program_leaks_of(f->first)) == 0;
}

static bool are_namesakes(const struct hf_growth_place *a, const struct hf_growth_place *b)
{
    return hf_text_equal(a->name, b->name) && hf_text_equal(a->via, b->via);
}

/* The same place in another process: a leak, if one of its name is; NULL: none. */
static const struct hf_growth_place *program_leaks_find_place(
    const struct hf_process_history *process, const struct hf_growth_place *place)
{
    const struct hf_growth_place *found = NULL;
    for (size_t i = 0; i < process->growth.count; i++) {
        const struct hf_growth_place *other = &process->growth.places[i];
        if (are_namesakes(place, other) &&
            (found == NULL ||
                (other->verdict.kind == HF_VERDICT_LEAK && found->verdict.kind != HF_VERDICT_LEAK)))
            found = other;
    }
    return found;
}

/* Its rates times that are those of a shared leak: by the second, or by a thousand of what counts;
 * 0: nothing of that came, so there is no rate. */
static double shared_unit_of(const struct hf_growth *growth)
{
    return growth->load.clock != NULL ? hf_growth_thousand_s(growth) : 1;
}

static void add_rate(struct hf_shared_rate *shared, const struct hf_growth_place *place, double by)
{
    const struct hf_survival *survival = &place->survival;
    if (survival->kind == HF_SURVIVAL_LEAK && survival->has_onset)
        hf_pooled_rate_add(
            &shared->rate, survival->rate * by, survival->rate_low * by, survival->rate_high * by);
    else
        hf_pooled_rate_add(
            &shared->rate, place->trend.slope * by, place->trend.low * by, place->trend.high * by);
}

static void count_process(struct hf_shared_rate *shared, const struct hf_growth_place *place,
    double by, bool is_only_together)
{
    bool is_leak = place != NULL && place->verdict.kind == HF_VERDICT_LEAK;
    bool is_open = place != NULL && (place->verdict.kind == HF_VERDICT_UNDECIDED ||
                                        place->verdict.kind == HF_VERDICT_TOO_LITTLE);
    shared->judged++;
    shared->leaks += is_leak;
    shared->open += is_open;
    if (by > 0 && (is_leak || (is_only_together && place != NULL)))
        add_rate(shared, place, by);
}

/* The build of a process among those of the leak, which has room for it. */
static struct hf_shared_rate *find_build(struct program_leaks_finder *f,
    struct hf_shared_leak *leak, const struct hf_process_history **of_builds,
    const struct hf_process_history *process, struct hf_error *err)
{
    char name[HF_BUILD_NAME_MAX];
    for (size_t i = 0; i < leak->build_count; i++) {
        if (hf_process_identity_same_build(&of_builds[i]->identity, &process->identity))
            return &leak->builds[i];
    }
    hf_process_identity_build(&process->identity, name);
    const char *copy = hf_arena_copy(&f->leaks->arena, name, strlen(name));
    if (copy == NULL) {
        (void)hf_error_memory(err);
        return NULL;
    }
    of_builds[leak->build_count] = process;
    leak->builds[leak->build_count] = (struct hf_shared_rate){.build = hf_text_of(copy)};
    return &leak->builds[leak->build_count++];
}

static enum hf_status count_builds(struct program_leaks_finder *f, struct hf_shared_leak *leak,
    const struct hf_growth_place *place, struct hf_error *err)
{
    size_t count = f->processes->count;
    const struct hf_process_history **of_builds =
        hf_arena_alloc(&f->leaks->arena, count * sizeof(void *));
    leak->builds = hf_arena_alloc(&f->leaks->arena, count * sizeof *leak->builds);
    if (of_builds == NULL || leak->builds == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        const struct hf_process_history *process = f->processes->items[i];
        if (!is_judged(f, process))
            continue;
        struct hf_shared_rate *build = find_build(f, leak, of_builds, process, err);
        if (build == NULL)
            return HF_ERR_MEMORY;
        const struct hf_growth_place *same = program_leaks_find_place(process, place);
        double by = shared_unit_of(&process->growth);
        count_process(build, same, by, leak->is_only_together);
        count_process(&leak->all, same, by, leak->is_only_together);
        leak->are_restarts &= process->start == 1 || process->is_restart;
    }
    for (size_t i = 0; i < leak->build_count; i++)
        hf_pooled_rate_find(&leak->builds[i].rate);
    hf_pooled_rate_find(&leak->all.rate);
    return HF_OK;
}

/* It is surely no leak in the build `at` and its neighbours before or behind it that have none. */
static bool is_clear(const struct hf_shared_leak *leak, size_t at, bool is_before)
{
    size_t end = is_before ? 0 : leak->build_count - 1;
    while (leak->builds[at].open == 0 && leak->builds[at].leaks == 0 && at != end)
        at += is_before ? (size_t)-1 : 1;
    return leak->builds[at].open == 0 || leak->builds[at].leaks != 0;
}

/* With which build it began, ended or became another. */
static void find_since(struct hf_shared_leak *leak)
{
    size_t last = leak->build_count - 1, since = last;
    const struct hf_shared_rate *builds = leak->builds;
    bool is_leak = builds[last].leaks != 0;
    while (since != 0 && (builds[since - 1].leaks != 0) == is_leak)
        since--;
    if (since != 0 && !is_clear(leak, is_leak ? since - 1 : since, is_leak))
        since = 0;
    else if (since == 0 && is_leak && last != 0 &&
             hf_pooled_rates_differ(&builds[last].rate, &builds[last - 1].rate))
        since = last;
    leak->has_ended = !is_leak && since != 0;
    leak->since = leak->is_only_together || builds[since].build.size == 0 ? 0 : since;
}

/* Whether a process would have shown the leak at the least of its rates: as many samples as are
 * sure, and it has less than half of that. Tells so of the last one. */
static bool would_have_shown(const struct hf_process_history *process, struct hf_shared_leak *leak)
{
    const struct hf_growth *growth = &process->growth;
    const struct hf_growth_place *same = program_leaks_find_place(process, leak->place);
    double sample = fmax(leak->place->sample, leak->place->noise);
    leak->gone_s = growth->times_s[growth->point_count - 1] - growth->times_s[0];
    leak->gone_due = leak->gone_s * leak->all.rate.least;
    leak->gone_has = same != NULL ? same->values[growth->point_count - 1] : 0;
    bool is_open = same != NULL && (same->verdict.kind == HF_VERDICT_LEAK ||
                                       same->verdict.kind == HF_VERDICT_UNDECIDED ||
                                       same->verdict.kind == HF_VERDICT_TOO_LITTLE);
    return !is_open && leak->gone_due >= HF_SURVIVAL_SAMPLES_SURE * sample && leak->gone_due > 0 &&
           leak->gone_has < leak->gone_due / 2;
}

/* Whether it leaks no more, by processes that were started when those that leak had ended. Nothing
 * is said by requests: their rate need not be that of the leaking process. */
static bool has_gone(const struct program_leaks_finder *f, struct hf_shared_leak *leak)
{
    const struct hf_process_history *last = NULL;
    bool is_gone = false;
    for (size_t i = 0; i < f->processes->count; i++) {
        const struct hf_process_history *process = f->processes->items[i];
        if (!is_judged(f, process))
            continue;
        const struct hf_growth_place *same = program_leaks_find_place(process, leak->place);
        if (same != NULL && same->verdict.kind == HF_VERDICT_LEAK) {
            last = process;
            is_gone = true;   /* unless one of those behind it says otherwise, */
            leak->gone_s = 0; /* or there is none */
        } else if (last != NULL) {
            is_gone = is_gone && process->history.first_ms > last->history.last_ms &&
                      would_have_shown(process, leak);
        }
    }
    return is_gone && leak->gone_s > 0 && leak->counted == NULL && !leak->is_only_together;
}

/* By the tests for one process, of all together. Births are not known: they decide alone. */
static bool is_leak_together(
    const struct program_leaks_finder *f, const struct hf_growth_place *place)
{
    struct hf_pooled_rate slope = {.count = 0}, bend = {.count = 0};
    for (size_t i = 0; i < f->processes->count; i++) {
        const struct hf_process_history *process = f->processes->items[i];
        if (!is_judged(f, process))
            continue;
        const struct hf_growth_place *same = program_leaks_find_place(process, place);
        if (same == NULL || same->verdict.kind != HF_VERDICT_UNDECIDED || same->course != NULL ||
            same->trend.shape != HF_TREND_GROWING || same->trend.has_stopped ||
            same->ages.old_freed >= HF_VERDICT_OLD_FREED || process->growth.lost_samples > 0)
            return false;
        double error = 1.96 * same->trend.bend_error, by = shared_unit_of(&process->growth);
        hf_pooled_rate_add(
            &slope, same->trend.slope * by, same->trend.low * by, same->trend.high * by);
        hf_pooled_rate_add(
            &bend, same->trend.bend, same->trend.bend - error, same->trend.bend + error);
    }
    hf_pooled_rate_find(&slope);
    hf_pooled_rate_find(&bend);
    double bend_error = (bend.high - bend.low) / 2 / 1.96;
    return slope.count > 1 && slope.is_same && bend.is_same && slope.low > 0 &&
           (HF_VERDICT_CACHE_BEND - bend.rate) / bend_error > Z_ONE_SIDED;
}

/* NULL: time counts. */
static const char *counted_of(const struct hf_growth *growth)
{
    return growth->load.clock != NULL ? growth->load.clock->name : NULL;
}

static bool program_leaks_has(
    const struct program_leaks_finder *f, const struct hf_growth_place *place)
{
    for (size_t i = 0; i < f->leaks->count; i++) {
        const struct hf_shared_leak *leak = &f->leaks->items[i];
        if (are_namesakes(leak->place, place) &&
            hf_text_is(leak->program, program_leaks_of(f->first)))
            return true;
    }
    return false;
}

static enum hf_status consider(
    struct program_leaks_finder *f, const struct hf_growth_place *place, struct hf_error *err)
{
    struct hf_shared_leaks *leaks = f->leaks;
    bool is_leak = place->verdict.kind == HF_VERDICT_LEAK;
    if (program_leaks_has(f, place) || (!is_leak && !is_leak_together(f, place)))
        return HF_OK;
    if (!hf_vec_reserve(&leaks->items, &leaks->capacity, leaks->count + 1, sizeof *leaks->items))
        return hf_error_memory(err);
    struct hf_shared_leak *leak = &leaks->items[leaks->count++];
    *leak = (struct hf_shared_leak){
        .place = place,
        .program = hf_text_of(program_leaks_of(f->first)),
        .is_bytes = f->first->growth.is_bytes,
        .counted = counted_of(&f->first->growth),
        .are_restarts = true,
        .is_only_together = !is_leak,
    };
    enum hf_status status = count_builds(f, leak, place, err);
    if (status == HF_OK)
        find_since(leak);
    leak->is_gone = status == HF_OK && has_gone(f, leak);
    return status;
}

/* Leaks first: a place that is undecided in one process may be a leak in the next. */
static enum hf_status find_of_program(
    struct program_leaks_finder *f, bool are_leaks, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = f->processes->count; i-- != 0;) {
        const struct hf_process_history *process = f->processes->items[i];
        if (!is_judged(f, process))
            continue;
        for (size_t p = 0; status == HF_OK && p < process->growth.count; p++) {
            const struct hf_growth_place *place = &process->growth.places[p];
            if ((place->verdict.kind == HF_VERDICT_LEAK) == are_leaks)
                status = consider(f, place, err);
        }
    }
    return status;
}

/* The first process of its program that has verdicts, and is not the only one. */
static bool is_first_of_several(struct program_leaks_finder *f, size_t at)
{
    size_t count = 0;
    f->first = f->processes->items[at];
    for (size_t i = 0; i < f->processes->count; i++) {
        bool is_same = is_judged(f, f->processes->items[i]);
        if (is_same && i < at)
            return false;
        count += is_same;
    }
    return count > 1 && has_verdicts(f->first);
}

enum hf_status hf_program_leaks_find(struct hf_shared_leaks *out_leaks,
    const struct hf_process_histories *processes, struct hf_error *err)
{
    *out_leaks = (struct hf_shared_leaks){0};
    struct program_leaks_finder f = {.processes = processes, .leaks = out_leaks};
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < processes->count; i++) {
        if (!is_first_of_several(&f, i))
            continue;
        status = find_of_program(&f, true, err);
        if (status == HF_OK)
            status = find_of_program(&f, false, err);
    }
    return status;
}
