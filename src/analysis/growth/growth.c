#include "analysis/growth/growth.h"

#include "analysis/growth/growth_ages.h"
#include "analysis/growth/growth_cohorts.h"
#include "analysis/growth/growth_place.h"
#include "analysis/suspects.h"
#include "analysis/verdict_course.h"
#include "profile/unbias.h"

#include <math.h>
#include <stdlib.h>

#define NOBODY HF_GROWTH_PLACES
#define PASSES 4   /* for what grew; one more for what is there */
#define WORTH 0.01 /* of the growth or of the memory: a place beside the large ones */

struct growth_finder {
    struct hf_growth *growth;
    const struct hf_history *history;
    struct hf_profile *folded;
    struct hf_owners *known; /* NULL: owners are not known */
    uint32_t *counted;       /* by node: where its memory counts: at its owner, or there */
    uint32_t *owners;        /* by node: the place it belongs to, or NOBODY */
    double *first, *last;    /* by node: means of the first and the last quarter of the points */
    double *mean;
    uint64_t *weights;
};

static double of_point(const struct growth_finder *f, size_t sample, size_t type)
{
    uint32_t point = f->folded->samples[sample].thread;
    return (double)hf_profile_value(f->folded, sample, type) /
           (double)f->history->points[point].profiles;
}

static bool is_of_point(const struct growth_finder *f, size_t sample)
{
    return f->folded->samples[sample].thread < f->history->count;
}

static void growth_measure(struct growth_finder *f)
{
    size_t points = f->history->count, part = points / 4 != 0 ? points / 4 : 1;
    for (size_t i = 0; i < f->folded->sample_count; i++) {
        if (!is_of_point(f, i))
            continue;
        const struct hf_sample *sample = &f->folded->samples[i];
        double value = of_point(f, i, HF_HISTORY_VALUE);
        f->mean[sample->node] += value / (double)points;
        if (sample->thread < part)
            f->first[sample->node] += value / (double)part;
        if (sample->thread >= points - part)
            f->last[sample->node] += value / (double)part;
    }
}

/* The weights become the values of the process. */
static enum hf_status show_weights(struct growth_finder *f, struct hf_error *err)
{
    struct hf_profile *p = f->folded;
    for (size_t i = 0; i < p->sample_count; i++) {
        if (p->samples[i].thread == HF_THREAD_ALL)
            hf_profile_values(p, i)[HF_HISTORY_VALUE] = 0;
    }
    enum hf_status status = HF_OK;
    for (uint32_t node = 0; status == HF_OK && node < p->stacks.count; node++) {
        uint64_t values[HF_HISTORY_VALUES] = {f->weights[node]};
        if (values[0] != 0)
            status = hf_profile_add_sample(p, node, HF_THREAD_ALL, values, err);
    }
    return status;
}

/* Gives every stack that is nobody's its weight among the suspects. */
static enum hf_status growth_weigh(struct growth_finder *f, bool by_growth, struct hf_error *err)
{
    for (uint32_t node = 0; node < f->folded->stacks.count; node++) {
        double weight = by_growth ? f->last[node] - f->first[node] : f->mean[node];
        f->weights[node] = weight > 0 && f->owners[node] == NOBODY ? hf_unbias_round(weight) : 0;
    }
    return show_weights(f, err);
}

/* What the process held at last: what there is to say of the whole (what has no name) is of that.
 */
static enum hf_status show_last(struct growth_finder *f, struct hf_error *err)
{
    for (uint32_t node = 0; node < f->folded->stacks.count; node++)
        f->weights[node] = hf_unbias_round(f->last[node]);
    return show_weights(f, err);
}

/* Takes over what outlives the suspects. */
static enum hf_status add_place(
    struct growth_finder *f, const struct hf_suspect *suspect, struct hf_error *err)
{
    struct hf_growth *g = f->growth;
    struct hf_growth_place *place = &g->places[g->count];
    uint32_t *frames = hf_arena_alloc(&g->arena, suspect->depth * sizeof *frames);
    char *name = hf_arena_copy(&g->arena, suspect->name.data, suspect->name.size);
    char *suppression =
        hf_arena_copy(&g->arena, suspect->suppression.data, suspect->suppression.size);
    if (frames == NULL || name == NULL || suppression == NULL)
        return hf_error_memory(err);
    memcpy(frames, suspect->frames, suspect->depth * sizeof *frames);
    *place = (struct hf_growth_place){.node = suspect->node,
        .frames = frames,
        .depth = suspect->depth,
        .name = {name, suspect->name.size},
        .suppression = {suppression, suspect->suppression.size}};
    g->count++;
    return HF_OK;
}

/* Every node below a place is its own, unless it is another's. Parents come first. */
static void own(struct growth_finder *f, size_t first)
{
    const struct hf_stacktree *tree = &f->folded->stacks;
    for (size_t i = first; i < f->growth->count; i++)
        f->owners[f->growth->places[i].node] = (uint32_t)i;
    for (uint32_t node = 1; node < tree->count; node++) {
        uint32_t above = f->owners[tree->nodes[node].parent];
        if (f->owners[node] == NOBODY && above != NOBODY && above >= first)
            f->owners[node] = above;
    }
}

static enum hf_status growth_find_places(
    struct growth_finder *f, bool by_growth, struct hf_error *err)
{
    struct hf_suspects suspects;
    size_t first = f->growth->count;
    enum hf_status status = growth_weigh(f, by_growth, err);
    if (status != HF_OK)
        return status;
    const struct hf_suspects_options how = {
        .type = HF_HISTORY_VALUE, .owners = f->known, .owner_nodes = f->counted};
    status = hf_suspects_find(&suspects, f->folded, &how, err);
    for (size_t i = 0; status == HF_OK && i < suspects.count && f->growth->count < NOBODY; i++) {
        if (f->owners[suspects.items[i].node] == NOBODY)
            status = add_place(f, &suspects.items[i], err);
    }
    hf_suspects_done(&suspects);
    own(f, first);
    return status;
}

static void add_to_point(
    const struct growth_finder *f, struct hf_growth_place *place, size_t sample)
{
    uint32_t point = f->folded->samples[sample].thread;
    place->values[point] += of_point(f, sample, HF_HISTORY_VALUE);
    place->objects[point] += of_point(f, sample, HF_HISTORY_OBJECTS);
    place->allocated[point] += of_point(f, sample, HF_HISTORY_ALLOCATED);
}

static enum hf_status make_points(struct growth_finder *f, struct hf_error *err)
{
    struct hf_growth *g = f->growth;
    size_t points = f->history->count;
    for (size_t i = 0; i <= g->count; i++) {
        struct hf_growth_place *place = i < g->count ? &g->places[i] : &g->whole;
        place->values = hf_arena_alloc(&g->arena, points * sizeof(double));
        place->objects = hf_arena_alloc(&g->arena, points * sizeof(double));
        place->allocated = hf_arena_alloc(&g->arena, points * sizeof(double));
        if (place->values == NULL || place->objects == NULL || place->allocated == NULL)
            return hf_error_memory(err);
    }
    for (size_t i = 0; i < f->folded->sample_count; i++) {
        const struct hf_sample *sample = &f->folded->samples[i];
        if (!is_of_point(f, i))
            continue;
        add_to_point(f, &g->whole, i);
        if (f->owners[sample->node] != NOBODY)
            add_to_point(f, &g->places[f->owners[sample->node]], i);
    }
    return HF_OK;
}

/* What sampling adds to a place: by the size of its blocks. */
static double noise_of(const struct hf_growth *g, const struct hf_growth_place *place)
{
    double bytes = 0, objects = 0;
    for (size_t i = 0; i < g->point_count; i++) {
        bytes += place->values[i];
        objects += place->objects[i];
    }
    return hf_trend_noise(g->folded->capture.period_bytes, objects > 0 ? bytes / objects : 0);
}

/* From the clock of the load to times that people know. */
static void judge_back(const struct hf_growth *growth, struct hf_growth_place *place)
{
    double last_s = growth->clock_s[growth->point_count - 1];
    double held_s = place->verdict.held_s;
    place->trend.break_s = hf_load_window_time(&growth->load, place->trend.break_s);
    if (place->verdict.full_s > 0)
        place->verdict.full_s = hf_load_window_time(&growth->load, place->verdict.full_s);
    if (held_s > 0)
        place->verdict.held_s = growth->times_s[growth->point_count - 1] -
                                hf_load_window_time(&growth->load, last_s - held_s);
}

void hf_growth_judge(const struct hf_growth *growth, struct hf_growth_place *place)
{
    place->noise = noise_of(growth, place);
    struct hf_trend_points points = {
        growth->clock_s, place->values, growth->point_count, place->noise};
    place->trend = hf_trend_of(&points);
    place->share = growth->grew > 0 ? fmax(place->trend.rise, 0) / growth->grew : 0;
    struct hf_verdict_facts facts = hf_growth_facts(growth, place);
    facts.times_s = growth->clock_s;
    place->verdict = place->course != NULL
                         ? hf_verdict_of_course(&facts, place->course, place->noise)
                         : hf_verdict_of(&facts);
    if (place->verdict.kind == HF_VERDICT_LEAK && place->course != NULL)
        place->survival = place->verdict.is_by_shape
                              ? (struct hf_survival){.kind = HF_SURVIVAL_UNKNOWN, .moves = true}
                              : place->course->leak;
    if (growth->load.clock != NULL)
        judge_back(growth, place);
}

void hf_growth_judge_whole(struct hf_growth *growth)
{
    const struct hf_growth_place *leak = NULL;
    hf_growth_judge(growth, &growth->whole);
    for (size_t i = 0; i < growth->count; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        if (place->verdict.kind == HF_VERDICT_LEAK &&
            (leak == NULL || place->verdict.confidence > leak->verdict.confidence))
            leak = place;
    }
    if (leak != NULL && growth->whole.verdict.kind != HF_VERDICT_LEAK)
        growth->whole.verdict = leak->verdict;
}

static bool is_worth_a_line(const struct hf_growth *g, const struct hf_growth_place *place)
{
    bool is_still =
        place->verdict.kind != HF_VERDICT_LEAK &&
        (place->trend.shape == HF_TREND_STEADY || place->trend.shape == HF_TREND_TOO_LITTLE);
    double peak = 0;
    for (size_t i = 0; i < g->point_count; i++)
        peak = fmax(peak, place->values[i] / g->whole.values[i]);
    return peak >= (is_still ? 5 * WORTH : WORTH);
}

static void growth_finish(struct growth_finder *f)
{
    struct hf_growth *g = f->growth;
    size_t kept = 0;
    for (uint32_t node = 0; node < f->folded->stacks.count; node++)
        g->grew += fmax(f->last[node] - f->first[node], 0);
    for (size_t i = 0; i < g->count; i++) {
        hf_growth_judge(g, &g->places[i]);
        if (is_worth_a_line(g, &g->places[i]))
            g->places[kept++] = g->places[i];
    }
    g->count = kept;
    hf_growth_judge_whole(g);
    for (size_t i = 1; i < g->count; i++) { /* few: by insertion, which keeps ties in order */
        struct hf_growth_place moved = g->places[i];
        size_t to = i;
        for (; to != 0 && hf_growth_urgency(&moved, &g->places[to - 1]) < 0; to--)
            g->places[to] = g->places[to - 1];
        g->places[to] = moved;
    }
}

/* Where the memory of each node counts. */
static enum hf_status find_counted(struct growth_finder *f, struct hf_error *err)
{
    for (uint32_t node = 0; node < f->folded->stacks.count; node++)
        f->counted[node] = node;
    return f->known != NULL ? hf_owners_find(f->known, f->folded, HF_HISTORY_VALUE, f->counted, err)
                            : HF_OK;
}

/* What each place owns its memory via: of what it held at last, which is shown now. */
static enum hf_status name_ways(struct growth_finder *f, struct hf_error *err)
{
    enum hf_status status = f->known != NULL ? find_counted(f, err) : HF_OK;
    for (size_t i = 0; status == HF_OK && f->known != NULL && i < f->growth->count; i++) {
        struct hf_growth_place *place = &f->growth->places[i];
        const struct hf_frame *frame = hf_profile_frame_at(f->folded, place->frames[0]);
        place->via = hf_owners_via(f->known, hf_profile_text(f->folded, frame->name));
    }
    return status;
}

#define SEVERAL UINT32_MAX

/*
 * By node: the only one that it calls in the same place and that holds something; 0: none; SEVERAL,
 * if it has more, or holds something itself. Callees come behind their callers.
 */
static void find_only_callees(const struct growth_finder *f, uint32_t *callees)
{
    const struct hf_stacktree *tree = &f->folded->stacks;
    for (uint32_t node = (uint32_t)tree->count; node-- > 1;) {
        uint32_t above = tree->nodes[node].parent;
        if (f->mean[node] > 0)
            callees[node] = SEVERAL;
        bool holds = callees[node] != 0;
        if (holds && f->owners[node] != NOBODY && f->owners[node] == f->owners[above])
            callees[above] = callees[above] == 0 ? node : SEVERAL;
    }
}

/* The frames that all stacks of a place have below it. */
static enum hf_status find_inner_frames(struct growth_finder *f, struct hf_error *err)
{
    const struct hf_stacktree *tree = &f->folded->stacks;
    uint32_t *callees = calloc(tree->count, sizeof *callees);
    enum hf_status status = callees != NULL ? HF_OK : hf_error_memory(err);
    if (status == HF_OK)
        find_only_callees(f, callees);
    for (size_t i = 0; status == HF_OK && i < f->growth->count; i++) {
        struct hf_growth_place *place = &f->growth->places[i];
        size_t depth = 0;
        for (uint32_t at = callees[place->node]; at != 0 && at != SEVERAL; at = callees[at])
            depth++;
        uint32_t *frames = hf_arena_alloc(&f->growth->arena, (depth + 1) * sizeof *frames);
        if (frames == NULL)
            status = hf_error_memory(err);
        for (uint32_t at = callees[place->node]; frames != NULL && at != 0 && at != SEVERAL;
             at = callees[at])
            frames[place->inner_depth++] = tree->nodes[at].frame;
        place->inner = frames;
    }
    free(callees);
    return status;
}

static enum hf_status growth_find(struct growth_finder *f, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (uint32_t node = 0; node < f->folded->stacks.count; node++)
        f->owners[node] = NOBODY;
    growth_measure(f);
    status = find_counted(f, err);
    for (int pass = 0; status == HF_OK && pass < PASSES; pass++)
        status = growth_find_places(f, true, err);
    if (status == HF_OK)
        status = growth_find_places(f, false, err);
    if (status == HF_OK)
        status = make_points(f, err);
    if (status == HF_OK)
        status =
            hf_growth_measure_ages(f->growth, f->history, f->folded, f->owners, f->counted, err);
    if (status == HF_OK)
        status = hf_growth_measure_survival(f->growth, f->owners, err);
    if (status == HF_OK)
        status = find_inner_frames(f, err);
    if (status == HF_OK)
        growth_finish(f);
    if (status == HF_OK)
        status = show_last(f, err);
    return status == HF_OK ? name_ways(f, err) : status;
}

enum hf_status hf_growth_find(struct hf_growth *growth, const struct hf_history *history,
    struct hf_profile *folded, struct hf_owners *owners, struct hf_error *err)
{
    size_t nodes = folded->stacks.count;
    struct growth_finder f = {
        .growth = growth,
        .history = history,
        .folded = folded,
        .known = owners,
        .counted = calloc(nodes, sizeof *f.counted),
        .owners = calloc(nodes, sizeof *f.owners),
        .first = calloc(nodes, sizeof *f.first),
        .last = calloc(nodes, sizeof *f.last),
        .mean = calloc(nodes, sizeof *f.mean),
        .weights = calloc(nodes, sizeof *f.weights),
    };
    *growth = (struct hf_growth){
        .point_count = history->count,
        .lost_samples = !folded->notes.has_loss      ? 0
                        : history->lost_objects != 0 ? (double)history->lost_objects
                                                     : INFINITY,
        .is_bytes =
            hf_text_is(hf_profile_text(folded, folded->types[HF_HISTORY_VALUE].unit), "bytes"),
        .is_in_use = hf_text_is(
            hf_profile_text(folded, folded->types[HF_HISTORY_VALUE].name), "inuse_space"),
        .is_exact = folded->capture.period_bytes == 1 && !folded->notes.has_loss,
        .whole.name = HF_TEXT("the whole"),
        .history = history,
        .folded = folded,
    };
    for (size_t i = 0; i < history->count; i++)
        growth->times_s[i] = hf_history_time_s(history, i);
    growth->load = hf_load_window_of(history->load, (double)history->first_ms / 1000,
        history->count != 0 ? growth->times_s[history->count - 1] : 0);
    for (size_t i = 0; i < history->count; i++)
        growth->clock_s[i] = hf_load_window_at(&growth->load, growth->times_s[i]);
    bool has_memory = f.counted != NULL && f.owners != NULL && f.first != NULL && f.last != NULL &&
                      f.mean != NULL && f.weights != NULL;
    enum hf_status status = has_memory ? growth_find(&f, err) : hf_error_memory(err);
    free(f.counted);
    free(f.owners);
    free(f.first);
    free(f.last);
    free(f.mean);
    free(f.weights);
    return status;
}

void hf_growth_done(struct hf_growth *growth)
{
    hf_arena_done(&growth->arena);
}
