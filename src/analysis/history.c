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

/* Makes neighbours one. */
static enum hf_status halve(struct hf_history *history, struct hf_error *err)
{
    struct hf_profile *stacks = history->stacks;
    uint32_t *same = calloc(stacks->stacks.count, sizeof *same);
    if (same == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 0; i < stacks->stacks.count; i++)
        same[i] = i;
    for (size_t i = 0; i < stacks->sample_count; i++)
        stacks->samples[i].thread /= 2;
    enum hf_status status = hf_samples_move(stacks, same, err);
    free(same);
    for (size_t i = 0; i < history->count; i += 2) {
        const struct hf_history_point *from = &history->points[i];
        history->points[i / 2] = (struct hf_history_point){
            from[0].time_ms + from[1].time_ms, from[0].profiles + from[1].profiles};
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
        if (stacks->samples[i].thread >= HF_HISTORY_BIRTHS)
            memset(hf_profile_values(stacks, i), 0,
                hf_profile_stride(stacks) * sizeof *stacks->values);
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
        history->points[history->count++] = (struct hf_history_point){0};
    status = history_add_values(history, profile, nodes, err);
    if (status == HF_OK && lifetimes != NULL && lifetimes->is_known)
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
