#include "formats/folded/folded_stacks.h"

#include "base/containers/hash.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "profile/samples.h"

#include <stdlib.h>

#define LOOKED_FIRST 2048 /* so many lines show whether stacks occur twice */
#define LOOKED_AGAIN                                                                               \
    65536             /* and so many, once they did: what was not looked for is not known yet */
#define ONE_IN 16     /* is looked for where they do not */
#define DOUBTED 4096  /* stacks in a row of which none was chosen: they end alike */
#define TAIL_BYTES 64 /* of a stack: they choose which */
#define LANDMARK_BYTES 192

/* Makes *numbers reach to `index`; what is new is 0. */
static bool reach(uint32_t **numbers, size_t *capacity, size_t index)
{
    size_t known = *capacity;
    if (index < known)
        return true;
    if (!hf_vec_grow(numbers, capacity, index + 1, sizeof **numbers))
        return false;
    memset(*numbers + known, 0, (*capacity - known) * sizeof **numbers);
    return true;
}

enum hf_status hf_folded_stacks_init(struct hf_folded_stacks *stacks, struct hf_profile *profile,
    const struct hf_folded_how *how, struct hf_error *err)
{
    *stacks = (struct hf_folded_stacks){
        .profile = profile,
        .is_chart = how != NULL && how->is_chart,
        .is_reversed = how != NULL && how->is_reversed,
        .ends_in_separator = how != NULL && how->ends_in_separator,
        .until = LOOKED_FIRST,
    };
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        uint32_t node = profile->samples[i].node;
        if (!reach(&stacks->by_node, &stacks->by_node_capacity, node))
            return hf_error_memory(err);
        stacks->by_node[node] = i + 1;
    }
    return hf_fingerprint_key_draw(&stacks->key, err);
}

void hf_folded_stacks_done(struct hf_folded_stacks *stacks)
{
    hf_print_map_done(&stacks->samples);
    hf_print_map_done(&stacks->landmarks);
    free(stacks->by_node);
    free(stacks->frames);
    free(stacks->last);
    hf_out_done(&stacks->separated);
    *stacks = (struct hf_folded_stacks){0};
}

struct hf_fingerprint hf_folded_stacks_print(
    const struct hf_folded_stacks *stacks, struct hf_text text)
{
    struct hf_fingerprint none = {{0, 0}};
    if (stacks->is_chart)
        return none;
    /* One that may be cut is looked for in any case: else it is reported each time. */
    if (atomic_load_explicit(&stacks->are_distinct, memory_order_relaxed) &&
        text.size <= HF_LIMIT_STACK_FRAMES) {
        struct hf_text tail =
            hf_text_from(text, text.size > TAIL_BYTES ? text.size - TAIL_BYTES : 0);
        if (hf_hash_bytes(tail.data, tail.size) % ONE_IN != 0)
            return none;
    }
    return hf_fingerprint_of(&stacks->key, text);
}

static bool is_looked_for(struct hf_fingerprint print)
{
    return (print.halves[0] | print.halves[1]) != 0;
}

/* Whoever is looked for while few are was chosen by its text, so all that are like it have been. */
static void judge_whether_distinct(struct hf_folded_stacks *stacks, bool is_found)
{
    stacks->found += is_found;
    stacks->passed = 0;
    if (++stacks->looked < stacks->until)
        return;
    bool were_distinct = atomic_load_explicit(&stacks->are_distinct, memory_order_relaxed);
    bool are_distinct = stacks->found < stacks->looked / (were_distinct ? 8 : 16);
    atomic_store_explicit(&stacks->are_distinct, are_distinct, memory_order_relaxed);
    stacks->looked = stacks->found = 0;
    stacks->until = are_distinct ? LOOKED_FIRST / ONE_IN : LOOKED_AGAIN;
}

/* Stacks that all end in one long frame are chosen together or not at all. */
static void doubt_that_distinct(struct hf_folded_stacks *stacks)
{
    if (++stacks->passed < DOUBTED)
        return;
    atomic_store_explicit(&stacks->are_distinct, false, memory_order_relaxed);
    stacks->looked = stacks->found = stacks->passed = 0;
    stacks->until = LOOKED_FIRST;
}

/* The frame of a name that is new. */
static HF_APART enum hf_status folded_stacks_add_frame(
    struct hf_folded_stacks *stacks, uint32_t name, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame frame = {.name = name, .flags = HF_FRAME_NAMED};
    if (!reach(&stacks->frames, &stacks->frame_capacity, name))
        return hf_error_memory(err);
    enum hf_status status = hf_profile_frame(stacks->profile, &frame, out_frame, err);
    if (status == HF_OK)
        stacks->frames[name] = *out_frame + 1;
    return status;
}

/* The frame of a name. */
static enum hf_status folded_stacks_frame_of(
    struct hf_folded_stacks *stacks, struct hf_text text, uint32_t *out_frame, struct hf_error *err)
{
    uint32_t name;
    enum hf_status status = hf_profile_string(stacks->profile, text, &name, err);
    if (status != HF_OK)
        return status;
    if (name >= stacks->frame_capacity || stacks->frames[name] == 0)
        return folded_stacks_add_frame(stacks, name, out_frame, err);
    *out_frame = stacks->frames[name] - 1;
    return HF_OK;
}

/* Takes the first frames below `node` off `rest`, the end of `text`; at most so many. */
static enum hf_status folded_stacks_take_frames(struct hf_folded_stacks *stacks,
    struct hf_text text, struct hf_text *rest, uint32_t node, size_t most,
    struct hf_folded_frames *taken, struct hf_error *err)
{
    if (most > HF_STACKTREE_EXPECTED_MAX)
        most = HF_STACKTREE_EXPECTED_MAX;
    for (taken->count = 0; rest->size != 0 && taken->count < most; taken->count++) {
        struct hf_text name = hf_text_first(*rest, hf_text_find(*rest, ';'));
        *rest = hf_text_from(*rest, name.size + 1);
        taken->ends[taken->count] = (size_t)(name.data - text.data) + name.size;
        enum hf_status status =
            folded_stacks_frame_of(stacks, name, &taken->frames[taken->count], err);
        if (status != HF_OK)
            return status;
    }
    hf_stacktree_expect(&stacks->profile->stacks, node, taken->frames, taken->count, taken->paths);
    return HF_OK;
}

/* The same in a chart: the frame is new unless the stack before had it here, too. */
static enum hf_status take_chart_frame(struct hf_folded_stacks *stacks, struct hf_text *text,
    size_t depth, uint32_t *node, struct hf_error *err)
{
    struct hf_profile *profile = stacks->profile;
    struct hf_text name = hf_text_first(*text, hf_text_find(*text, ';'));
    size_t last = hf_text_find_last(*text, ';');
    if (!stacks->is_reversed) {
        *text = hf_text_from(*text, name.size + 1);
    } else {
        name = last < text->size ? hf_text_from(*text, last + 1) : *text;
        *text = hf_text_first(*text, last < text->size ? last : 0);
    }
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    uint32_t id;
    if (!hf_vec_reserve(&stacks->last, &stacks->last_capacity, depth + 1, sizeof *stacks->last))
        return hf_error_memory(err);
    enum hf_status status = hf_profile_string(profile, name, &frame.name, err);
    if (depth < stacks->last_depth) {
        uint32_t known = profile->stacks.nodes[stacks->last[depth]].frame;
        if (status == HF_OK && hf_profile_frame_at(profile, known)->name == frame.name) {
            *node = stacks->last[depth];
            return HF_OK;
        }
        stacks->last_depth = depth;
    }
    frame.variant = profile->frames.count;
    if (status == HF_OK)
        status = hf_profile_frame(profile, &frame, &id, err);
    if (status == HF_OK)
        status = hf_stacktree_child(&profile->stacks, *node, id, node, err);
    stacks->last[depth] = *node;
    return status;
}

static void find_landmarks(
    const struct hf_folded_stacks *stacks, struct hf_text text, struct hf_folded_path *path)
{
    struct hf_fingerprint_run run;
    size_t last = 0;
    path->count = path->known = 0;
    hf_fingerprint_start(&run, &stacks->key, text);
    for (size_t i = 1; i <= HF_FOLDED_LANDMARKS_MAX && i * LANDMARK_BYTES <= text.size; i++) {
        struct hf_text start = hf_text_first(text, i * LANDMARK_BYTES);
        size_t end = hf_text_find_last(start, ';');
        if (end == start.size || end == last)
            continue;
        struct hf_fingerprint print = hf_fingerprint_next(&run, end);
        hf_print_map_prefetch(&stacks->landmarks, print);
        path->landmarks[path->count++] = (struct hf_folded_landmark){.end = end, .print = print};
        last = end;
    }
}

/* Goes down to the deepest landmark that is known. Who passed it has passed all before it. */
static void go_to_landmark(
    const struct hf_folded_stacks *stacks, struct hf_folded_path *path, uint32_t *node)
{
    for (size_t i = path->count; i-- != 0;) {
        const uint32_t *known = hf_print_map_find(&stacks->landmarks, path->landmarks[i].print);
        if (known != NULL) {
            path->known = i + 1;
            *node = *known;
            return;
        }
    }
}

void hf_folded_stacks_aim(
    const struct hf_folded_stacks *stacks, struct hf_text text, struct hf_folded_walk *walk)
{
    if (stacks->is_chart || stacks->ends_in_separator)
        return;
    find_landmarks(stacks, text, &walk->path);
    walk->step = HF_FOLDED_WALK_AIMED;
}

/* Goes to the landmark, and finds out which frames are below it. */
static enum hf_status begin_walk(struct hf_folded_stacks *stacks, struct hf_text text,
    struct hf_folded_walk *walk, struct hf_error *err)
{
    struct hf_folded_path *path = &walk->path;
    walk->node = HF_STACK_ROOT;
    if (text.size <= HF_LIMIT_STACK_FRAMES) /* so it has fewer frames */
        go_to_landmark(stacks, path, &walk->node);
    size_t start = path->known != 0 ? path->landmarks[path->known - 1].end + 1 : 0;
    walk->rest = hf_text_from(text, start);
    walk->step = HF_FOLDED_WALK_BEGUN;
    return folded_stacks_take_frames(
        stacks, text, &walk->rest, walk->node, HF_LIMIT_STACK_FRAMES, &walk->taken, err);
}

void hf_folded_stacks_begin(
    struct hf_folded_stacks *stacks, struct hf_text text, struct hf_folded_walk *walk)
{
    if (walk->step != HF_FOLDED_WALK_AIMED)
        return;
    if (begin_walk(stacks, text, walk, NULL) != HF_OK)
        walk->step = HF_FOLDED_WALK_NONE; /* when it is its turn, it is said why */
}

void hf_folded_stacks_approach(
    const struct hf_folded_stacks *stacks, const struct hf_folded_walk *walk)
{
    if (walk->step == HF_FOLDED_WALK_BEGUN)
        hf_stacktree_expect_nodes(&stacks->profile->stacks, walk->taken.paths, walk->taken.count);
}

/* Goes down by the frames that were taken, and leaves landmarks. */
static enum hf_status go_down(
    struct hf_folded_stacks *stacks, struct hf_folded_walk *walk, struct hf_error *err)
{
    struct hf_folded_path *path = &walk->path;
    const struct hf_folded_frames *taken = &walk->taken;
    uint32_t nodes[HF_STACKTREE_EXPECTED_MAX];
    enum hf_status status = hf_stacktree_go(&stacks->profile->stacks, walk->node, taken->frames,
        taken->paths, taken->count, nodes, err);
    if (status != HF_OK || taken->count == 0)
        return status;
    walk->node = nodes[taken->count - 1];
    for (size_t i = 0; i < taken->count && path->known < path->count; i++) {
        const struct hf_folded_landmark *next = &path->landmarks[path->known];
        if (next->end != taken->ends[i])
            continue;
        if (!hf_print_map_put(&stacks->landmarks, next->print, nodes[i]))
            return hf_error_memory(err);
        path->known++;
    }
    return HF_OK;
}

/* The node of a stack that is not known. */
static enum hf_status folded_stacks_walk(struct hf_folded_stacks *stacks, struct hf_text text,
    struct hf_folded_walk *walk, uint32_t *out_node, bool *out_is_cut, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    size_t depth = 0;
    if (walk->step == HF_FOLDED_WALK_NONE)
        find_landmarks(stacks, text, &walk->path);
    if (walk->step != HF_FOLDED_WALK_BEGUN)
        status = begin_walk(stacks, text, walk, err);
    while (status == HF_OK) {
        status = go_down(stacks, walk, err);
        depth += walk->taken.count;
        if (walk->rest.size == 0 || depth == HF_LIMIT_STACK_FRAMES || status != HF_OK)
            break;
        status = folded_stacks_take_frames(stacks, text, &walk->rest, walk->node,
            HF_LIMIT_STACK_FRAMES - depth, &walk->taken, err);
    }
    *out_node = walk->node;
    *out_is_cut = walk->rest.size != 0;
    return status;
}

static enum hf_status walk_chart(struct hf_folded_stacks *stacks, struct hf_text text,
    uint32_t *out_node, bool *out_is_cut, struct hf_error *err)
{
    uint32_t node = HF_STACK_ROOT;
    size_t depth = 0;
    for (; text.size != 0 && depth < HF_LIMIT_STACK_FRAMES; depth++) {
        enum hf_status status = take_chart_frame(stacks, &text, depth, &node, err);
        if (status != HF_OK)
            return status;
    }
    stacks->last_depth = depth;
    *out_node = node;
    *out_is_cut = text.size != 0;
    return HF_OK;
}

/* What the text of a stack reads as where stacks end in a separator. */
static enum hf_status separate(
    struct hf_folded_stacks *stacks, struct hf_text *text, struct hf_error *err)
{
    if (!stacks->ends_in_separator || text->size == 0 || hf_text_has(*text, ";--;"))
        return HF_OK;
    stacks->separated.size = 0;
    if (stacks->is_reversed)
        hf_out_string(&stacks->separated, "--;");
    hf_out_text(&stacks->separated, *text);
    if (!stacks->is_reversed)
        hf_out_string(&stacks->separated, ";--");
    *text = hf_out_view(&stacks->separated);
    return hf_out_finish(&stacks->separated, err);
}

/* The sample of a node; in a chart each line has its own: when it was counts, too. */
static enum hf_status sample_of(
    struct hf_folded_stacks *stacks, uint32_t node, uint32_t *out_sample, struct hf_error *err)
{
    if (!reach(&stacks->by_node, &stacks->by_node_capacity, node))
        return hf_error_memory(err);
    if (stacks->by_node[node] == 0 || stacks->is_chart) {
        enum hf_status status =
            hf_sample_append(stacks->profile, node, HF_THREAD_ALL, out_sample, err);
        if (status == HF_OK)
            stacks->by_node[node] = *out_sample + 1;
        return status;
    }
    *out_sample = stacks->by_node[node] - 1;
    return HF_OK;
}

uint32_t hf_folded_stacks_known(struct hf_folded_stacks *stacks, struct hf_fingerprint print)
{
    const uint32_t *sample =
        is_looked_for(print) ? hf_print_map_find(&stacks->samples, print) : NULL;
    if (sample == NULL)
        return 0;
    judge_whether_distinct(stacks, true);
    __builtin_prefetch(hf_profile_values(stacks->profile, *sample), 1);
    return *sample + 1;
}

enum hf_status hf_folded_stacks_find(struct hf_folded_stacks *stacks, struct hf_text text,
    struct hf_fingerprint print, struct hf_folded_walk *walk, uint32_t *out_sample,
    bool *out_is_cut, struct hf_error *err)
{
    uint32_t node;
    bool is_wanted = is_looked_for(print);
    const uint32_t *known = is_wanted ? hf_print_map_find(&stacks->samples, print) : NULL;
    if (is_wanted)
        judge_whether_distinct(stacks, known != NULL);
    else if (!stacks->is_chart)
        doubt_that_distinct(stacks);
    if (known != NULL) {
        *out_sample = *known;
        *out_is_cut = false;
        return HF_OK;
    }
    enum hf_status status = separate(stacks, &text, err);
    if (status == HF_OK)
        status = stacks->is_chart ? walk_chart(stacks, text, &node, out_is_cut, err)
                                  : folded_stacks_walk(stacks, text, walk, &node, out_is_cut, err);
    if (status == HF_OK)
        status = sample_of(stacks, node, out_sample, err);
    if (status == HF_OK && is_wanted && !hf_print_map_put(&stacks->samples, print, *out_sample))
        status = hf_error_memory(err);
    return status;
}
