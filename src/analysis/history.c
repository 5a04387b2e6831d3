#include "analysis/history.h"

#include "profile/merge.h"
#include "profile/samples.h"
#include "profile/unbias.h"

#include <stdlib.h>

/* They are the first threads of the profile. Nobody else's thread has such a number. */
static enum hf_status add_threads(struct hf_profile *stacks, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (uint64_t i = 0; status == HF_OK && i < HF_HISTORY_THREADS; i++) {
        uint32_t ignored;
        status = hf_profile_thread(stacks, UINT64_MAX - i, HF_TEXT(""), &ignored, err);
    }
    return status;
}

enum hf_status hf_history_init(
    struct hf_history *history, const struct hf_profile *first, size_t value, struct hf_error *err)
{
    const struct hf_value_type *type = &first->types[value];
    *history = (struct hf_history){.profiles_per_point = 1};
    enum hf_status status = hf_profile_new(&history->stacks, err);
    if (status == HF_OK)
        status = hf_profile_add_type(history->stacks, hf_profile_text(first, type->name).data,
            hf_profile_text(first, type->unit).data, err);
    if (status == HF_OK)
        status = hf_profile_add_type(history->stacks, "inuse_objects", "objects", err);
    if (status == HF_OK)
        status = hf_profile_add_type(history->stacks, "inuse_space", "bytes", err);
    if (status == HF_OK)
        status = hf_profile_add_type(history->stacks, "alloc_space", "bytes", err);
    return status == HF_OK ? add_threads(history->stacks, err) : status;
}

void hf_history_done(struct hf_history *history)
{
    hf_profile_free(history->stacks);
    *history = (struct hf_history){0};
}

/* Of a thread behind HF_HISTORY_COHORTS. */
static uint32_t look_of(uint32_t thread)
{
    return (thread - HF_HISTORY_COHORTS) / HF_LIFETIMES_EPOCHS;
}

static uint32_t cohort_thread(uint32_t look, uint32_t epoch)
{
    return HF_HISTORY_COHORTS + look * HF_LIFETIMES_EPOCHS + epoch;
}

static void forget_sample(struct hf_profile *stacks, size_t sample)
{
    memset(
        hf_profile_values(stacks, sample), 0, hf_profile_stride(stacks) * sizeof *stacks->values);
}

/* Adds up samples whose threads were changed. */
static enum hf_status add_up_threads(struct hf_profile *stacks, struct hf_error *err)
{
    uint32_t *same = calloc(stacks->stacks.count, sizeof *same);
    if (same == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 0; i < stacks->stacks.count; i++)
        same[i] = i;
    enum hf_status status = hf_samples_move(stacks, same, err);
    free(same);
    return status;
}

/* The thread of a sample when neighbours become one: of two looks, the later one stays. */
static void halve_sample(struct hf_profile *stacks, size_t sample)
{
    uint32_t *thread = &stacks->samples[sample].thread;
    if (*thread < HF_HISTORY_POINTS) {
        *thread /= 2;
    } else if (*thread >= HF_HISTORY_COHORTS) {
        uint32_t look = look_of(*thread),
                 epoch = (*thread - HF_HISTORY_COHORTS) % HF_LIFETIMES_EPOCHS;
        if (look % 2 == 0)
            forget_sample(stacks, sample);
        *thread = cohort_thread(look / 2, epoch);
    }
}

/* Makes neighbours one. */
static enum hf_status halve(struct hf_history *history, struct hf_error *err)
{
    struct hf_profile *stacks = history->stacks;
    for (size_t i = 0; i < stacks->sample_count; i++)
        halve_sample(stacks, i);
    enum hf_status status = add_up_threads(stacks, err);
    for (size_t i = 0; i < history->count; i += 2) {
        const struct hf_history_point *from = &history->points[i];
        history->points[i / 2] = (struct hf_history_point){from[0].time_ms + from[1].time_ms,
            from[0].profiles + from[1].profiles, from[1].look_ms};
    }
    history->count /= 2;
    history->profiles_per_point *= 2;
    return status;
}

static enum hf_status history_add_values(struct hf_history *history,
    const struct hf_profile *profile, const uint32_t *nodes, struct hf_error *err)
{
    size_t types[HF_HISTORY_VALUES];
    bool has[HF_HISTORY_VALUES];
    const struct hf_profile *stacks = history->stacks;
    for (size_t i = 0; i < HF_HISTORY_VALUES; i++)
        has[i] = hf_profile_find_type(
            profile, hf_profile_text(stacks, stacks->types[i].name), &types[i]);
    if (!has[HF_HISTORY_VALUE])
        return hf_error_set(err, HF_ERR_INPUT, "has no '%s', unlike the profiles before it",
            hf_profile_text(stacks, stacks->types[HF_HISTORY_VALUE].name).data);
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < profile->sample_count; i++) {
        uint64_t values[HF_HISTORY_VALUES] = {0}, any = 0;
        const struct hf_sample *sample = &profile->samples[i];
        if (sample->thread != HF_THREAD_ALL)
            continue;
        for (size_t v = 0; v < HF_HISTORY_VALUES; v++) {
            values[v] = has[v] ? hf_profile_value(profile, i, types[v]) : 0;
            any |= values[v];
        }
        if (any != 0)
            status = hf_profile_add_sample(
                history->stacks, nodes[sample->node], (uint32_t)(history->count - 1), values, err);
    }
    return status;
}

/* What was said of lifetimes is so no more. */
static void forget_lifetimes(struct hf_history *history)
{
    struct hf_profile *stacks = history->stacks;
    for (size_t i = 0; i < stacks->sample_count; i++) {
        uint32_t thread = stacks->samples[i].thread;
        if (thread >= HF_HISTORY_BIRTHS && thread < HF_HISTORY_COHORTS)
            forget_sample(stacks, i);
    }
    history->has_lifetimes = false;
    history->lost_objects = 0;
}

static enum hf_status add_births(
    struct hf_history *history, const struct hf_births *births, uint32_t node, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (uint32_t bin = 0; status == HF_OK && bin <= HF_LIFETIMES_BINS + 1; bin++) {
        double bytes = bin <= HF_LIFETIMES_BINS ? births->bytes[bin] : births->old_bytes;
        uint64_t values[HF_HISTORY_VALUES] = {[HF_HISTORY_SPACE] = hf_unbias_round(bytes)};
        if (bytes > 0)
            status =
                hf_profile_add_sample(history->stacks, node, HF_HISTORY_BIRTHS + bin, values, err);
    }
    return status;
}

/* A stack at which blocks were freed, and how many. */
struct free_site {
    uint32_t at;
    uint64_t count;
};

static int compare_at(const void *a, const void *b)
{
    const struct free_site *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static int compare_count(const void *a, const void *b)
{
    const struct free_site *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : compare_at(a, b);
}

/* The sites with most frees first; *out_count of them. NULL: no memory. */
static struct free_site *rank_sites(const struct hf_lifetimes *lifetimes, size_t *out_count)
{
    struct free_site *sites = calloc(lifetimes->freed_count + 1, sizeof *sites);
    size_t count = 0;
    if (sites == NULL)
        return NULL;
    for (size_t i = 0; i < lifetimes->freed_count; i++)
        sites[i] = (struct free_site){lifetimes->freed[i].at, lifetimes->freed[i].count};
    qsort(sites, lifetimes->freed_count, sizeof *sites, compare_at);
    for (size_t i = 0; i < lifetimes->freed_count; i++) {
        if (count != 0 && sites[count - 1].at == sites[i].at)
            sites[count - 1].count += sites[i].count;
        else
            sites[count++] = sites[i];
    }
    qsort(sites, count, sizeof *sites, compare_count);
    *out_count = count < HF_HISTORY_FREES_MAX ? count : HF_HISTORY_FREES_MAX;
    return sites;
}

static enum hf_status add_site(struct hf_history *history, const struct hf_lifetimes *lifetimes,
    const struct free_site *site, uint32_t thread, const uint32_t *nodes, struct hf_error *err)
{
    const uint64_t is_site[HF_HISTORY_VALUES] = {[HF_HISTORY_SPACE] = 1};
    enum hf_status status =
        hf_profile_add_sample(history->stacks, nodes[site->at], thread, is_site, err);
    for (size_t i = 0; status == HF_OK && i < lifetimes->freed_count; i++) {
        const struct hf_freed *freed = &lifetimes->freed[i];
        uint64_t values[HF_HISTORY_VALUES] = {[HF_HISTORY_OBJECTS] = freed->count};
        if (freed->at == site->at)
            status =
                hf_profile_add_sample(history->stacks, nodes[freed->node], thread, values, err);
    }
    return status;
}

static enum hf_status history_add_lifetimes(struct hf_history *history,
    const struct hf_lifetimes *lifetimes, const uint32_t *nodes, struct hf_error *err)
{
    size_t count = 0;
    struct free_site *sites = rank_sites(lifetimes, &count);
    enum hf_status status = sites != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < lifetimes->birth_count; i++) {
        const struct hf_births *births = &lifetimes->births[i];
        status = add_births(history, births, nodes[births->node], err);
    }
    for (size_t i = 0; status == HF_OK && i < count; i++)
        status =
            add_site(history, lifetimes, &sites[i], (uint32_t)(HF_HISTORY_FREES + i), nodes, err);
    free(sites);
    history->has_lifetimes = true;
    history->lost_objects = lifetimes->lost_objects;
    return status;
}

/* Each 2^by epochs become one. */
static enum hf_status widen_epochs(struct hf_history *history, uint32_t by, struct hf_error *err)
{
    struct hf_profile *stacks = history->stacks;
    for (size_t i = 0; i < stacks->sample_count; i++) {
        uint32_t *thread = &stacks->samples[i].thread;
        if (*thread >= HF_HISTORY_COHORTS) {
            uint32_t epoch = (*thread - HF_HISTORY_COHORTS) % HF_LIFETIMES_EPOCHS;
            *thread = cohort_thread(look_of(*thread), by < 32 ? epoch >> by : 0);
        }
    }
    history->epoch_shift += by;
    return add_up_threads(stacks, err);
}

/* A profile takes the place of the one before it in its point, or of all of another recording. */
static void forget_looks(struct hf_history *history, uint32_t from, uint32_t end)
{
    struct hf_profile *stacks = history->stacks;
    for (size_t i = 0; i < stacks->sample_count; i++) {
        uint32_t thread = stacks->samples[i].thread;
        if (thread >= cohort_thread(from, 0) && thread < cohort_thread(end, 0))
            forget_sample(stacks, i);
    }
    for (uint32_t i = from; i < end; i++)
        history->points[i].look_ms = -1;
}

/* By node: whether its cohorts are kept. NULL: no memory. */
static bool *find_cohort_stacks(const struct hf_history *history, size_t *out_count)
{
    const struct hf_profile *stacks = history->stacks;
    bool *is_kept = calloc(stacks->stacks.count, sizeof *is_kept);
    *out_count = 0;
    for (size_t i = 0; is_kept != NULL && i < stacks->sample_count; i++) {
        const struct hf_sample *sample = &stacks->samples[i];
        if (sample->thread < HF_HISTORY_COHORTS || is_kept[sample->node])
            continue;
        is_kept[sample->node] = true;
        ++*out_count;
    }
    return is_kept;
}

static enum hf_status add_cohorts(struct hf_history *history, const struct hf_births *births,
    uint32_t by, uint32_t node, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    double all = 0;
    for (size_t i = 0; i < HF_LIFETIMES_EPOCHS; i++)
        all += births->epochs[i];
    for (uint32_t i = 0; status == HF_OK && i < HF_LIFETIMES_EPOCHS; i++) {
        uint32_t thread = cohort_thread((uint32_t)history->count - 1, by < 32 ? i >> by : 0);
        double squares = births->epochs[i] / all * births->squares;
        const uint64_t values[HF_HISTORY_VALUES] = {
            [HF_HISTORY_SPACE] = hf_unbias_round(births->epochs[i]),
            [HF_HISTORY_OBJECTS] = hf_unbias_round(squares / HF_HISTORY_SQUARES)};
        if (values[HF_HISTORY_SPACE] != 0)
            status = hf_profile_add_sample(history->stacks, node, thread, values, err);
    }
    return status;
}

static double born_bytes_of(const struct hf_births *births)
{
    double sum = 0;
    for (size_t i = 0; i < HF_LIFETIMES_EPOCHS; i++)
        sum += births->epochs[i];
    return sum;
}

static enum hf_status add_all_cohorts(struct hf_history *history,
    const struct hf_lifetimes *lifetimes, const uint32_t *nodes, struct hf_error *err)
{
    size_t count;
    bool *is_kept = find_cohort_stacks(history, &count);
    double all = 0;
    enum hf_status status = is_kept != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; i < lifetimes->birth_count; i++)
        all += born_bytes_of(&lifetimes->births[i]);
    for (size_t i = 0; status == HF_OK && i < lifetimes->birth_count; i++) {
        const struct hf_births *births = &lifetimes->births[i];
        uint32_t node = nodes[births->node];
        bool holds_enough = born_bytes_of(births) * HF_HISTORY_COHORT_PART >= all;
        if (!is_kept[node] && (!holds_enough || count++ >= HF_HISTORY_COHORT_STACKS))
            continue;
        is_kept[node] = true;
        status =
            add_cohorts(history, births, history->epoch_shift - lifetimes->epoch_shift, node, err);
    }
    free(is_kept);
    return status;
}

/* The last point has a look at these births. */
static enum hf_status history_add_look(struct hf_history *history,
    const struct hf_lifetimes *lifetimes, const uint32_t *nodes, int64_t time_ms,
    struct hf_error *err)
{
    uint32_t point = (uint32_t)history->count - 1;
    enum hf_status status = HF_OK;
    bool is_same = history->epoch_shift != 0 && history->began_ms == lifetimes->began_ms;
    if (!is_same)
        forget_looks(history, 0, point + 1);
    else if (history->points[point].look_ms >= 0)
        forget_looks(history, point, point + 1);
    history->began_ms = lifetimes->began_ms;
    if (!is_same)
        history->epoch_shift = lifetimes->epoch_shift;
    else if (history->epoch_shift < lifetimes->epoch_shift)
        status = widen_epochs(history, lifetimes->epoch_shift - history->epoch_shift, err);
    if (status == HF_OK)
        status = add_all_cohorts(history, lifetimes, nodes, err);
    history->points[point].look_ms = time_ms - lifetimes->began_ms;
    return status;
}

/* What is known of all profiles alike. */
static void add_facts(struct hf_history *history, const struct hf_profile *profile)
{
    struct hf_profile *stacks = history->stacks;
    stacks->has_addresses = stacks->has_addresses || profile->has_addresses;
    stacks->capture.is_no_heap = stacks->capture.is_no_heap || profile->capture.is_no_heap;
    if (history->profile_count == 0)
        stacks->capture.process_id = profile->capture.process_id;
    else if (stacks->capture.process_id != profile->capture.process_id)
        stacks->capture.process_id = 0;
    /* The coarsest: none of them is surer than that. */
    if (stacks->capture.period_bytes < profile->capture.period_bytes)
        stacks->capture.period_bytes = profile->capture.period_bytes;
    hf_notes_merge(&stacks->notes, &profile->notes);
}

enum hf_status hf_history_add(struct hf_history *history, const struct hf_profile *profile,
    const struct hf_lifetimes *lifetimes, int64_t time_ms, struct hf_error *err)
{
    uint32_t *nodes = NULL;
    enum hf_status status = HF_OK;
    if (profile->is_difference)
        return hf_profile_refuse_difference(err);
    if (history->has_lifetimes)
        forget_lifetimes(history);
    if (history->count == HF_HISTORY_POINTS &&
        history->points[HF_HISTORY_POINTS - 1].profiles == history->profiles_per_point)
        status = halve(history, err);
    if (status == HF_OK)
        status = hf_profile_merge_stacks(history->stacks, profile, &nodes, err);
    if (status != HF_OK)
        return status;
    if (history->profile_count == 0)
        history->first_ms = time_ms;
    if (history->count == 0 ||
        history->points[history->count - 1].profiles == history->profiles_per_point)
        history->points[history->count++] = (struct hf_history_point){.look_ms = -1};
    status = history_add_values(history, profile, nodes, err);
    bool is_known = lifetimes != NULL && lifetimes->is_known;
    if (status == HF_OK && is_known && lifetimes->epoch_shift != 0)
        status = history_add_look(history, lifetimes, nodes, time_ms, err);
    if (status == HF_OK && is_known && !lifetimes->wants_epochs_only)
        status = history_add_lifetimes(history, lifetimes, nodes, err);
    free(nodes);
    if (status != HF_OK)
        return status;
    add_facts(history, profile);
    struct hf_history_point *point = &history->points[history->count - 1];
    point->time_ms += time_ms - history->first_ms;
    point->profiles++;
    history->profile_count++;
    history->last_ms = time_ms;
    return HF_OK;
}

double hf_history_time_s(const struct hf_history *history, size_t point)
{
    const struct hf_history_point *at = &history->points[point];
    return (double)at->time_ms / (double)at->profiles / 1000;
}
