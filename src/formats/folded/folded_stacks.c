#include "formats/folded/folded_stacks.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "profile/samples.h"

#include <stdlib.h>

#define LANDMARK_BYTES 192
#define LANDMARKS_MAX 32 /* of one stack: below them it is walked frame by frame */

/* Makes *numbers reach to `index`; what is new is 0. */
static bool reach(uint32_t **numbers, size_t *capacity, size_t index)
{
    size_t known = *capacity;
    if (!hf_vec_reserve(numbers, capacity, index + 1, sizeof **numbers))
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

/* The frame of a name. */
static enum hf_status folded_stacks_frame_of(
    struct hf_folded_stacks *stacks, struct hf_text name, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    enum hf_status status = hf_profile_string(stacks->profile, name, &frame.name, err);
    if (status != HF_OK)
        return status;
    if (!reach(&stacks->frames, &stacks->frame_capacity, frame.name))
        return hf_error_memory(err);
    if (stacks->frames[frame.name] == 0) {
        status = hf_profile_frame(stacks->profile, &frame, out_frame, err);
        if (status == HF_OK)
            stacks->frames[frame.name] = *out_frame + 1;
        return status;
    }
    *out_frame = stacks->frames[frame.name] - 1;
    return HF_OK;
}

/* Takes the first frame off `text`; *node goes on from the caller to it. */
static enum hf_status take_frame(
    struct hf_folded_stacks *stacks, struct hf_text *text, uint32_t *node, struct hf_error *err)
{
    uint32_t frame;
    struct hf_text name = hf_text_first(*text, hf_text_find(*text, ';'));
    *text = hf_text_from(*text, name.size + 1);
    enum hf_status status = folded_stacks_frame_of(stacks, name, &frame, err);
    return status == HF_OK ? hf_stacktree_child(&stacks->profile->stacks, *node, frame, node, err)
                           : status;
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

/* The landmarks of one stack, the nearest to the root first. */
struct path {
    struct landmark {
        size_t end; /* of the text up to there */
        struct hf_fingerprint print;
    } landmarks[LANDMARKS_MAX];
    size_t count, known; /* those before `known` are known */
};

static void find_landmarks(
    const struct hf_folded_stacks *stacks, struct hf_text text, struct path *path)
{
    struct hf_fingerprint_run run;
    size_t last = 0;
    path->count = path->known = 0;
    hf_fingerprint_start(&run, &stacks->key, text);
    for (size_t i = 1; i <= LANDMARKS_MAX && i * LANDMARK_BYTES <= text.size; i++) {
        struct hf_text start = hf_text_first(text, i * LANDMARK_BYTES);
        size_t end = hf_text_find_last(start, ';');
        if (end == start.size || end == last)
            continue;
        struct hf_fingerprint print = hf_fingerprint_next(&run, end);
        hf_print_map_prefetch(&stacks->landmarks, print);
        path->landmarks[path->count++] = (struct landmark){.end = end, .print = print};
        last = end;
    }
}

/* Goes down to the deepest landmark that is known. Who passed it has passed all before it. */
static void go_to_landmark(const struct hf_folded_stacks *stacks, struct path *path, uint32_t *node)
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

/* The node of a stack that is not known. */
static enum hf_status folded_stacks_walk(struct hf_folded_stacks *stacks, struct hf_text text,
    uint32_t *out_node, bool *out_is_cut, struct hf_error *err)
{
    uint32_t node = HF_STACK_ROOT;
    struct path path;
    find_landmarks(stacks, text, &path);
    if (text.size <= HF_LIMIT_STACK_FRAMES) /* so it has fewer frames */
        go_to_landmark(stacks, &path, &node);
    size_t start = path.known != 0 ? path.landmarks[path.known - 1].end + 1 : 0;
    struct hf_text rest = hf_text_from(text, start);
    for (size_t depth = 0; rest.size != 0 && depth < HF_LIMIT_STACK_FRAMES; depth++) {
        enum hf_status status = take_frame(stacks, &rest, &node, err);
        size_t end = text.size - rest.size - 1;
        const struct landmark *next = &path.landmarks[path.known];
        if (status == HF_OK && path.known < path.count && next->end == end) {
            if (!hf_print_map_put(&stacks->landmarks, next->print, node))
                status = hf_error_memory(err);
            path.known++;
        }
        if (status != HF_OK)
            return status;
    }
    *out_node = node;
    *out_is_cut = rest.size != 0;
    return HF_OK;
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

uint32_t hf_folded_stacks_known(const struct hf_folded_stacks *stacks, struct hf_fingerprint print)
{
    const uint32_t *sample = stacks->is_chart ? NULL : hf_print_map_find(&stacks->samples, print);
    if (sample == NULL)
        return 0;
    __builtin_prefetch(hf_profile_values(stacks->profile, *sample), 1);
    return *sample + 1;
}

enum hf_status hf_folded_stacks_find(struct hf_folded_stacks *stacks, struct hf_text text,
    struct hf_fingerprint print, uint32_t *out_sample, bool *out_is_cut, struct hf_error *err)
{
    uint32_t node;
    const uint32_t *known = stacks->is_chart ? NULL : hf_print_map_find(&stacks->samples, print);
    if (known != NULL) {
        *out_sample = *known;
        *out_is_cut = false;
        return HF_OK;
    }
    enum hf_status status = separate(stacks, &text, err);
    if (status == HF_OK)
        status = stacks->is_chart ? walk_chart(stacks, text, &node, out_is_cut, err)
                                  : folded_stacks_walk(stacks, text, &node, out_is_cut, err);
    if (status == HF_OK)
        status = sample_of(stacks, node, out_sample, err);
    if (status == HF_OK && !stacks->is_chart &&
        !hf_print_map_put(&stacks->samples, print, *out_sample))
        status = hf_error_memory(err);
    return status;
}
