#include "formats/folded_stacks.h"

#include "base/limits.h"
#include "base/vec.h"
#include "profile/samples.h"

#include <stdlib.h>

#define LANDMARK_BYTES 128
#define LANDMARKS_MAX 32 /* of one stack: below them it is walked frame by frame */

static void table_done(struct hf_folded_table *table)
{
    free(table->items);
    hf_index_done(&table->index);
    *table = (struct hf_folded_table){0};
}

/* To be asked before a search. */
static bool has_room(struct hf_folded_table *table)
{
    if (table->index.room != 0)
        return true;
    if (!hf_index_reset(&table->index, table->count))
        return false;
    for (uint32_t i = 0; i < table->count; i++)
        hf_index_add(&table->index, hf_fingerprint_hash(table->items[i].print), i);
    return true;
}

/* What is known of `print`, or NULL; then *out_probe is where it is to be put. */
static const struct hf_folded_known *find(const struct hf_folded_table *table,
    struct hf_fingerprint print, struct hf_index_probe *out_probe)
{
    uint32_t at;
    *out_probe = hf_index_start(&table->index, hf_fingerprint_hash(print));
    while (hf_index_next(&table->index, out_probe, &at)) {
        if (hf_fingerprint_equal(table->items[at].print, print))
            return &table->items[at];
    }
    return NULL;
}

static enum hf_status learn(
    struct hf_folded_table *table, struct hf_fingerprint print, uint32_t id, struct hf_error *err)
{
    struct hf_index_probe probe;
    if (!has_room(table) ||
        !hf_vec_reserve(&table->items, &table->capacity, table->count + 1, sizeof *table->items))
        return hf_error_memory(err);
    if (find(table, print, &probe) != NULL)
        return HF_OK;
    hf_index_put(&table->index, &probe, (uint32_t)table->count);
    table->items[table->count++] = (struct hf_folded_known){print, id};
    return HF_OK;
}

enum hf_status hf_folded_stacks_init(struct hf_folded_stacks *stacks, struct hf_profile *profile,
    const struct hf_folded_how *how, struct hf_error *err)
{
    *stacks = (struct hf_folded_stacks){
        .profile = profile,
        .is_chart = how != NULL && how->is_chart,
        .is_reversed = how != NULL && how->is_reversed,
    };
    return hf_fingerprint_key_draw(&stacks->key, err);
}

void hf_folded_stacks_done(struct hf_folded_stacks *stacks)
{
    table_done(&stacks->samples);
    table_done(&stacks->landmarks);
    free(stacks->frames);
    free(stacks->last);
    *stacks = (struct hf_folded_stacks){0};
}

/* The frame of a name. */
static enum hf_status frame_of(
    struct hf_folded_stacks *stacks, struct hf_text name, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    enum hf_status status = hf_profile_string(stacks->profile, name, &frame.name, err);
    if (status != HF_OK)
        return status;
    size_t known = stacks->frame_capacity;
    if (!hf_vec_reserve(
            &stacks->frames, &stacks->frame_capacity, frame.name + 1, sizeof *stacks->frames))
        return hf_error_memory(err);
    memset(stacks->frames + known, 0, (stacks->frame_capacity - known) * sizeof *stacks->frames);
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
    const struct hf_profile *profile = stacks->profile;
    uint32_t next = hf_stacktree_next_child(&profile->stacks, *node), frame;
    if (next != HF_STACK_ROOT) {
        frame = profile->stacks.nodes[next].frame;
        struct hf_text name = hf_profile_text(profile, hf_profile_frame_at(profile, frame)->name);
        if (text->size >= name.size && memcmp(text->data, name.data, name.size) == 0 &&
            (text->size == name.size || text->data[name.size] == ';')) {
            *text = hf_text_from(*text, name.size + 1);
            *node = next;
            return HF_OK;
        }
    }
    struct hf_text name = hf_text_first(*text, hf_text_find(*text, ';'));
    *text = hf_text_from(*text, name.size + 1);
    enum hf_status status = frame_of(stacks, name, &frame, err);
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
        hf_index_prefetch(&stacks->landmarks.index, hf_fingerprint_hash(print));
        path->landmarks[path->count++] = (struct landmark){.end = end, .print = print};
        last = end;
    }
}

/* Goes down to the deepest landmark that is known. Who passed it has passed all before it. */
static void go_to_landmark(const struct hf_folded_stacks *stacks, struct path *path, uint32_t *node)
{
    for (size_t i = path->count; i-- != 0;) {
        struct hf_index_probe probe;
        const struct hf_folded_known *item =
            find(&stacks->landmarks, path->landmarks[i].print, &probe);
        if (item != NULL) {
            path->known = i + 1;
            *node = item->id;
            return;
        }
    }
}

/* The node of a stack that is not known. */
static enum hf_status walk(struct hf_folded_stacks *stacks, struct hf_text text, uint32_t *out_node,
    bool *out_is_cut, struct hf_error *err)
{
    uint32_t node = HF_STACK_ROOT;
    struct path path;
    if (!has_room(&stacks->landmarks))
        return hf_error_memory(err);
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
            status = learn(&stacks->landmarks, next->print, node, err);
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

void hf_folded_stacks_expect(
    const struct hf_folded_stacks *stacks, struct hf_fingerprint print, unsigned step)
{
    const struct hf_folded_table *table = &stacks->samples;
    uint64_t hash = hf_fingerprint_hash(print);
    if (table->index.room == 0)
        return;
    if (step == 0) {
        hf_index_prefetch(&table->index, hash);
        return;
    }
    struct hf_index_probe probe = hf_index_start(&table->index, hash);
    uint32_t at;
    if (!hf_index_next(&table->index, &probe, &at))
        return;
    __builtin_prefetch(&table->items[at]);
    /* Most often samples are as many, and in the same order. */
    if (at < stacks->profile->sample_count)
        __builtin_prefetch(hf_profile_values(stacks->profile, at), 1);
}

enum hf_status hf_folded_stacks_find(struct hf_folded_stacks *stacks, struct hf_text text,
    struct hf_fingerprint print, uint32_t *out_sample, bool *out_is_cut, struct hf_error *err)
{
    struct hf_folded_table *table = &stacks->samples;
    struct hf_index_probe probe;
    uint32_t node;
    if (stacks->is_chart) {
        enum hf_status status = walk_chart(stacks, text, &node, out_is_cut, err);
        return status == HF_OK
                   ? hf_sample_find(stacks->profile, node, HF_THREAD_ALL, out_sample, err)
                   : status;
    }
    if (!has_room(table))
        return hf_error_memory(err);
    const struct hf_folded_known *known = find(table, print, &probe);
    if (known != NULL) {
        *out_sample = known->id;
        *out_is_cut = false;
        return HF_OK;
    }
    enum hf_status status = walk(stacks, text, &node, out_is_cut, err);
    if (status == HF_OK)
        status = hf_sample_find(stacks->profile, node, HF_THREAD_ALL, out_sample, err);
    return status == HF_OK ? learn(table, print, *out_sample, err) : status;
}
