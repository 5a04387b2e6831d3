#include "analysis/owner_wrappers.h"

#include "analysis/history.h"
#include "base/budget.h"
#include "base/checked.h"
#include "base/containers/map.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define CALLERS_MIN 3 /* that a wrapper has */
#define ROUNDS_MAX 8  /* so many wrappers lie in each other */
#define DEPTH_MAX 32  /* of a site: below that, calls are not told apart */

/* A node of the sites: the frames of a stack from the leaf to its owner, then who called that. */
struct owner_site {
    bool is_call;
    uint32_t callee;                      /* of a call */
    uint64_t bytes, objects;              /* of a call */
    uint32_t call_count;                  /* of a site */
    uint64_t smallest_mean, largest_mean; /* of a site, by call */
};

/* What is learned of a function in one round. */
struct owner_function {
    uint32_t caller_count;
    bool calls_own, has_varying, has_fixed;
};

struct owner_learner {
    struct hf_owner_stacks *stacks;
    size_t bytes, objects; /* types */
    bool is_history;       /* its values are those of its points */
    struct hf_stacktree tree;
    struct owner_site *sites; /* by node of `tree` */
    size_t capacity;
    struct hf_map callers;            /* caller << 32 | callee */
    struct owner_function *functions; /* by text */
};

/* The types that count bytes and objects: of all that was allocated, if that is known. */
static bool owner_types(const struct hf_profile *profile, size_t *bytes, size_t *objects)
{
    bool has_all = hf_profile_find_type(profile, HF_TEXT("alloc_space"), bytes) &&
                   hf_profile_find_type(profile, HF_TEXT("alloc_objects"), objects);
    if (has_all && hf_profile_total(profile, *objects, HF_THREAD_ALL).value != 0)
        return true;
    return hf_profile_find_type(profile, HF_TEXT("inuse_space"), bytes) &&
           hf_profile_find_type(profile, HF_TEXT("inuse_objects"), objects);
}

static uint32_t function_of(const struct owner_learner *l, uint32_t node)
{
    return hf_owner_stacks_at(l->stacks, node)->function;
}

/* The child of a site's node, with room for what is known of it. */
static enum hf_status site_child(
    struct owner_learner *l, uint32_t *at, uint32_t frame, struct hf_error *err)
{
    size_t before = l->tree.count;
    enum hf_status status = hf_stacktree_child(&l->tree, *at, frame, at, err);
    if (status != HF_OK)
        return status;
    if (!hf_vec_reserve(&l->sites, &l->capacity, l->tree.count, sizeof *l->sites))
        return hf_error_memory(err);
    if (*at >= before)
        l->sites[*at] = (struct owner_site){0};
    return HF_OK;
}

static enum hf_status count_caller(
    struct owner_learner *l, uint32_t caller, uint32_t callee, struct hf_error *err)
{
    bool is_new;
    if (hf_map_put(&l->callers, (uint64_t)caller << 32 | callee, 0, &is_new) == NULL)
        return hf_error_memory(err);
    l->functions[callee].caller_count += is_new;
    return HF_OK;
}

/* Adds what is allocated at a node to the call that its owner was reached by. */
static enum hf_status count_call(
    struct owner_learner *l, uint32_t node, uint64_t bytes, uint64_t objects, struct hf_error *err)
{
    const struct hf_stack_node *stack = l->stacks->folded->stacks.nodes;
    uint32_t own = l->stacks->nodes[node].own, at = HF_STACK_ROOT, leaf = node, depth = 0;
    uint32_t caller = l->stacks->nodes[node].caller;
    enum hf_status status = HF_OK;
    if (caller == 0 || objects == 0)
        return HF_OK;
    for (; status == HF_OK && leaf != stack[own].parent && depth++ < DEPTH_MAX;
         leaf = stack[leaf].parent)
        status = site_child(l, &at, stack[leaf].frame, err);
    /* Functions behind the frames, which come first. */
    if (status == HF_OK)
        status = site_child(
            l, &at, (uint32_t)l->stacks->folded->frames.count + function_of(l, caller), err);
    if (status != HF_OK)
        return status;
    struct owner_site *call = &l->sites[at];
    call->is_call = true;
    call->callee = function_of(l, own);
    call->bytes += bytes;
    call->objects += objects;
    return count_caller(l, function_of(l, caller), call->callee, err);
}

/* The values of the whole process; of a history, which has none, those of its points. */
static bool is_counted(const struct owner_learner *l, uint32_t thread)
{
    return thread == HF_THREAD_ALL || (l->is_history && thread < HF_HISTORY_POINTS);
}

static enum hf_status count_calls(struct owner_learner *l, struct hf_error *err)
{
    const struct hf_profile *folded = l->stacks->folded;
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < folded->sample_count; i++)
        if (is_counted(l, folded->samples[i].thread))
            status = count_call(l, folded->samples[i].node, hf_profile_value(folded, i, l->bytes),
                hf_profile_value(folded, i, l->objects), err);
    for (uint32_t node = 1; node < folded->stacks.count; node++) {
        uint32_t caller = l->stacks->nodes[node].own == node ? l->stacks->nodes[node].caller : 0;
        if (caller != 0)
            l->functions[function_of(l, caller)].calls_own = true;
    }
    return status;
}

/* What each site has by its calls, and by its sites each function. */
static void compare_sites(struct owner_learner *l)
{
    for (size_t i = 1; i < l->tree.count; i++) {
        const struct owner_site *call = &l->sites[i];
        if (!call->is_call)
            continue;
        struct owner_site *site = &l->sites[l->tree.nodes[i].parent];
        uint64_t mean = call->bytes / call->objects;
        if (site->call_count == 0 || mean < site->smallest_mean)
            site->smallest_mean = mean;
        if (site->call_count == 0 || mean > site->largest_mean)
            site->largest_mean = mean;
        site->call_count++;
        site->callee = call->callee;
    }
    for (size_t i = 1; i < l->tree.count; i++) {
        const struct owner_site *site = &l->sites[i];
        if (site->call_count < 2)
            continue;
        if (site->largest_mean - site->smallest_mean > site->smallest_mean / 8)
            l->functions[site->callee].has_varying = true;
        else
            l->functions[site->callee].has_fixed = true;
    }
}

/* One round; *out_has_learned: another may learn more. */
static enum hf_status learn_once(
    struct owner_learner *l, bool *out_has_learned, struct hf_error *err)
{
    struct hf_owner_frames *frames = l->stacks->frames;
    hf_stacktree_clear(&l->tree);
    hf_map_done(&l->callers);
    memset(l->functions, 0, frames->texts.count * sizeof *l->functions);
    *out_has_learned = false;
    enum hf_status status = count_calls(l, err);
    if (status != HF_OK)
        return status;
    compare_sites(l);
    for (uint32_t i = 0; i < frames->texts.count; i++) {
        const struct owner_function *f = &l->functions[i];
        if (!frames->known[i].is_learned && f->caller_count >= CALLERS_MIN && !f->calls_own &&
            f->has_varying && !f->has_fixed)
            frames->known[i].is_learned = *out_has_learned = true;
    }
    if (*out_has_learned)
        hf_owner_stacks_walk(l->stacks);
    return HF_OK;
}

enum hf_status hf_owner_wrappers_learn(struct hf_owner_stacks *stacks, struct hf_error *err)
{
    struct owner_learner l = {.stacks = stacks, .is_history = true};
    const struct hf_profile *folded = stacks->folded;
    bool has_more = owner_types(folded, &l.bytes, &l.objects);
    if (!has_more)
        return HF_OK;
    for (size_t i = 0; i < folded->sample_count; i++)
        l.is_history = l.is_history && folded->samples[i].thread != HF_THREAD_ALL;
    l.functions = calloc((size_t)stacks->frames->texts.count + 1, sizeof *l.functions);
    enum hf_status status =
        l.functions != NULL ? hf_stacktree_init(&l.tree, err) : hf_error_memory(err);
    for (int round = 0; status == HF_OK && has_more && round < ROUNDS_MAX; round++)
        status = learn_once(&l, &has_more, err);
    hf_stacktree_done(&l.tree);
    hf_map_done(&l.callers);
    free(l.functions);
    free(l.sites);
    return status;
}

/* What a helper allocated for one of its callers. */
struct keeper_call {
    uint32_t helper; /* function */
    uint64_t bytes;
};

struct keeper_learner {
    struct hf_owner_stacks *stacks;
    bool is_history;      /* its values are those of its points */
    bool is_too_much;     /* sums are at the end of their range: shares are rough */
    struct hf_map places; /* caller << 32 | helper -> index of `calls` */
    struct keeper_call *calls;
    size_t count, capacity;
};

/* What one caller has at most, and all have, by function. */
struct keeper_sum {
    uint64_t largest, all;
};

static bool count_keeper_call(
    struct keeper_learner *l, uint32_t helper, uint32_t caller, uint64_t bytes)
{
    bool is_new;
    if (!hf_vec_reserve(&l->calls, &l->capacity, l->count + 1, sizeof *l->calls))
        return false;
    const uint32_t *at =
        hf_map_put(&l->places, (uint64_t)caller << 32 | helper, (uint32_t)l->count, &is_new);
    if (at == NULL)
        return false;
    if (is_new)
        l->calls[l->count++] = (struct keeper_call){helper, 0};
    l->calls[*at].bytes = hf_add_saturating(l->calls[*at].bytes, bytes, &l->is_too_much);
    return true;
}

/* Of one sample: the innermost helper that may keep, if another function owns what it makes. */
static bool count_keeper_sample(struct keeper_learner *l, size_t sample)
{
    const struct hf_profile *folded = l->stacks->folded;
    uint32_t node = folded->samples[sample].node, thread = folded->samples[sample].thread;
    uint32_t own = l->stacks->nodes[node].own;
    bool is_counted = thread == HF_THREAD_ALL || (l->is_history && thread < HF_HISTORY_POINTS);
    if (own == 0 || !is_counted)
        return true;
    uint32_t caller = hf_owner_stacks_at(l->stacks, own)->function;
    for (; node != own; node = folded->stacks.nodes[node].parent) {
        const struct hf_owner_frame *frame = hf_owner_stacks_at(l->stacks, node);
        if (frame->may_keep)
            return count_keeper_call(
                l, frame->function, caller, hf_profile_value(folded, sample, folded->default_type));
    }
    return true;
}

/* Marks those of whose callers none has nine tenths. */
static bool mark_keepers(struct keeper_learner *l, struct keeper_sum *sums)
{
    struct hf_owner_frames *frames = l->stacks->frames;
    bool has_any = false;
    for (size_t i = 0; i < l->count; i++) {
        struct keeper_sum *sum = &sums[l->calls[i].helper];
        sum->all = hf_add_saturating(sum->all, l->calls[i].bytes, &l->is_too_much);
        if (l->calls[i].bytes > sum->largest)
            sum->largest = l->calls[i].bytes;
    }
    for (size_t i = 0; i < l->count; i++) {
        const struct keeper_sum *sum = &sums[l->calls[i].helper];
        bool is_keeper = sum->largest < sum->all - sum->all / 10;
        frames->known[l->calls[i].helper].is_keeper |= is_keeper;
        has_any |= is_keeper;
    }
    return has_any;
}

enum hf_status hf_owner_wrappers_learn_keepers(struct hf_owner_stacks *stacks, struct hf_error *err)
{
    struct keeper_learner l = {.stacks = stacks, .is_history = true};
    const struct hf_profile *folded = stacks->folded;
    bool has_memory = true;
    for (size_t i = 0; i < folded->sample_count; i++)
        l.is_history = l.is_history && folded->samples[i].thread != HF_THREAD_ALL;
    for (size_t i = 0; has_memory && i < folded->sample_count; i++)
        has_memory = count_keeper_sample(&l, i);
    struct keeper_sum *sums = NULL;
    if (has_memory && l.count != 0) {
        sums = hf_budget_calloc(stacks->frames->texts.count, sizeof *sums);
        has_memory = sums != NULL;
    }
    if (sums != NULL && mark_keepers(&l, sums))
        hf_owner_stacks_walk(stacks);
    hf_budget_free(sums);
    hf_map_done(&l.places);
    hf_budget_put_back(l.capacity * sizeof *l.calls);
    free(l.calls);
    return has_memory ? HF_OK : hf_error_memory(err);
}
