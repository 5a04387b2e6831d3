/*
 * stacks.h: small profiles for tests, written down as they are meant.
 *
 *     const struct stacks_row rows[] = {{"main@a.c:10;leak@a.c:41", 100}, {"main@a.c:12", 7}};
 *     struct hf_profile *p = stacks_profile("bytes", rows);
 *
 * A frame is "name" or "name@file:line", root first; "name[keeps]" is a helper that may keep what
 * it makes, "name in /path" is of that module. stacks_difference has a second value, what was
 * released. The profiles are folded ones: names, no addresses.
 */
#ifndef HF_TESTS_UNIT_STACKS_H
#define HF_TESTS_UNIT_STACKS_H

#include "base/strings/num.h"
#include "check.h"
#include "profile/profile.h"

struct stacks_row {
    const char *stack;
    uint64_t grew, released;
};

static inline uint32_t stacks_frame(struct hf_profile *profile, struct hf_text text)
{
    struct hf_error err;
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    struct hf_text name = hf_text_first(text, hf_text_find(text, '@'));
    struct hf_text place = hf_text_from(text, name.size + 1);
    if (hf_text_ends(name, "[keeps]")) {
        name.size -= strlen("[keeps]");
        frame.flags |= HF_FRAME_IS_HELPER | HF_FRAME_MAY_KEEP;
    }
    size_t module = hf_text_find_string(name, " in /");
    if (module != name.size) {
        struct hf_text path = hf_text_from(name, module + strlen(" in "));
        name.size = module;
        check_ok(hf_profile_module(profile, path, HF_TEXT(""), &frame.module, &err), &err);
    }
    struct hf_text file = hf_text_first(place, hf_text_find_last(place, ':'));
    uint64_t line;
    if (hf_num_u64(hf_text_from(place, file.size + 1), &line))
        frame.line = (uint32_t)line;
    uint32_t id;
    check_ok(hf_profile_string(profile, name, &frame.name, &err), &err);
    check_ok(hf_profile_string(profile, file, &frame.file, &err), &err);
    check_ok(hf_profile_frame(profile, &frame, &id, &err), &err);
    return id;
}

static inline uint32_t stacks_node(struct hf_profile *profile, const char *stack)
{
    struct hf_error err;
    uint32_t node = HF_STACK_ROOT;
    struct hf_text rest = hf_text_of(stack);
    while (rest.size != 0) {
        struct hf_text frame = hf_text_first(rest, hf_text_find(rest, ';'));
        rest = hf_text_from(rest, frame.size + 1);
        check_ok(
            hf_stacktree_child(&profile->stacks, node, stacks_frame(profile, frame), &node, &err),
            &err);
    }
    return node;
}

static inline struct hf_profile *stacks_new(const char *unit, bool is_difference)
{
    struct hf_error err;
    struct hf_profile *profile;
    check_ok(hf_profile_new(&profile, &err), &err);
    const char *name = strcmp(unit, "bytes") == 0 ? "inuse_space" : "inuse_objects";
    check_ok(hf_profile_add_type(profile, name, unit, &err), &err);
    profile->is_difference = is_difference;
    return profile;
}

static inline void stacks_add(struct hf_profile *profile, const struct stacks_row *row)
{
    struct hf_error err;
    uint64_t values[2] = {row->grew, row->released};
    check_ok(hf_profile_add_sample(
                 profile, stacks_node(profile, row->stack), HF_THREAD_ALL, values, &err),
        &err);
}

static inline struct hf_profile *stacks_make(
    const char *unit, bool is_difference, const struct stacks_row *rows, size_t count)
{
    struct hf_profile *profile = stacks_new(unit, is_difference);
    for (size_t i = 0; i < count; i++)
        stacks_add(profile, &rows[i]);
    return profile;
}

#define stacks_profile(unit, rows) stacks_make(unit, false, rows, HF_COUNT(rows))
#define stacks_difference(unit, rows) stacks_make(unit, true, rows, HF_COUNT(rows))

/* The stack of a sample as text, root first, in `out`. */
static inline void stacks_write(const struct hf_profile *profile, uint32_t node, struct hf_out *out)
{
    size_t depth = hf_stacktree_depth(&profile->stacks, node);
    uint32_t *frames = calloc(depth + 1, sizeof *frames);
    assert_non_null(frames);
    for (size_t i = depth; i-- != 0; node = profile->stacks.nodes[node].parent)
        frames[i] = profile->stacks.nodes[node].frame;
    for (size_t i = 0; i < depth; i++) {
        const struct hf_frame *frame = hf_profile_frame_at(profile, frames[i]);
        hf_out_string(out, i != 0 ? ";" : "");
        hf_out_text(out, hf_profile_text(profile, frame->name));
    }
    free(frames);
}

/* The values of the sample with this stack of names, or {0, 0}. */
static inline struct hf_total stacks_value(
    const struct hf_profile *profile, const char *stack, size_t type)
{
    struct hf_total total = {0};
    struct hf_out text = {0};
    for (size_t i = 0; i < profile->sample_count; i++) {
        text.size = 0;
        stacks_write(profile, profile->samples[i].node, &text);
        if (profile->samples[i].thread == HF_THREAD_ALL && hf_text_is(hf_out_view(&text), stack)) {
            total.value += hf_profile_value(profile, i, type);
            total.released += hf_profile_released(profile, i, type);
        }
    }
    hf_out_done(&text);
    return total;
}

#endif
