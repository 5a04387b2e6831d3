#include "render/table/survivors.h"

#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "profile/allocator.h"
#include "profile/fold.h"
#include "profile/interval.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NAMES_SHOWN 8u /* inlined copies of a library are four at once */
#define ROWS_SHOWN 5u

static int by_bytes(const void *a, const void *b)
{
    const struct hf_live_age *left = a, *right = b;
    if (left->held_bytes != right->held_bytes)
        return left->held_bytes > right->held_bytes ? -1 : 1;
    return (left->node > right->node) - (left->node < right->node);
}

/* A memory context is a name in brackets that was never an address. */
static bool is_context(const struct hf_profile *profile, const struct hf_frame *frame)
{
    return (frame->flags & HF_FRAME_HAS_OFFSET) == 0 &&
           hf_text_starts(hf_profile_text(profile, frame->name), "[");
}

static struct hf_survivor survivor_of(
    const struct hf_profile *profile, const struct hf_live_age *age)
{
    struct hf_survivor survivor = {.age = *age};
    const struct hf_stacktree *stacks = &profile->stacks;
    for (uint32_t node = age->node; node != HF_STACK_ROOT; node = stacks->nodes[node].parent) {
        const struct hf_frame *frame = hf_profile_frame_at(profile, stacks->nodes[node].frame);
        if (is_context(profile, frame)) { /* those further out are its parents */
            survivor.context = frame->name;
            break;
        }
        if (survivor.frame_count < HF_SURVIVOR_FRAMES)
            survivor.frames[survivor.frame_count++] = stacks->nodes[node].frame;
    }
    return survivor;
}

void hf_survivors_choose(
    struct hf_survivors *out, const struct hf_profile *profile, struct hf_live_ages *ages)
{
    *out = (struct hf_survivors){0};
    if (ages->count != 0)
        qsort(ages->items, ages->count, sizeof *ages->items, by_bytes);
    for (size_t i = 0; i < ages->count; i++) {
        out->has_held |= ages->items[i].held_bytes != ages->items[i].bytes;
        if (out->count < HF_SURVIVOR_STACKS) {
            out->stacks[out->count++] = survivor_of(profile, &ages->items[i]);
        } else {
            out->other++;
            out->other_bytes += ages->items[i].held_bytes;
        }
    }
}

/* Which calls main is the same in every program; functions that threads begin with tell more. */
static bool survivor_is_main(const struct hf_profile *profile, const struct hf_frame *frame)
{
    return (frame->flags & HF_FRAME_NAMED) != 0 &&
           hf_text_is(hf_profile_text(profile, frame->name), "main");
}

/* "psprintf < database_path < truncate_replay in [TopMemoryContext]", without the allocator. */
static void survivors_put_stack(
    const struct hf_survivor *survivor, const struct hf_profile *profile, struct hf_out *out)
{
    size_t shown = 0;
    bool is_main = false;
    struct hf_out name = {0};
    for (size_t i = 0; i < survivor->frame_count && shown < NAMES_SHOWN && !is_main; i++) {
        size_t count;
        const uint32_t *names = hf_profile_expansion(profile, &survivor->frames[i], &count);
        for (size_t n = 0; n < count && shown < NAMES_SHOWN; n++) {
            const struct hf_frame *frame = hf_profile_frame_at(profile, names[n]);
            if (shown == 0 && hf_allocator_is_frame(profile, frame))
                continue;
            is_main = survivor_is_main(profile, frame);
            name.size = 0;
            if ((frame->flags & HF_FRAME_NAMED) != 0)
                hf_frame_name(profile, frame, &name);
            else
                hf_frame_label(profile, frame, &name);
            hf_out_string(out, shown++ != 0 ? " < " : "");
            hf_escape_terminal(out, hf_out_view(&name));
        }
    }
    hf_out_done(&name);
    if (survivor->context == HF_NO_STRING)
        return;
    hf_out_string(out, shown != 0 ? " in " : "");
    hf_escape_terminal(out, hf_profile_text(profile, survivor->context));
}

/* Births may come before the time at which all probes were known to be there. */
static double seconds(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (double)(to_ns - from_ns) / 1e9 : 0;
}

/* Bytes a second of the whole time, in which it was watched. */
static uint64_t survivors_rate_of(uint64_t bytes, uint64_t begin_ns, uint64_t end_ns)
{
    double all = seconds(begin_ns, end_ns);
    return all > 0 ? (uint64_t)((double)bytes / all + 0.5) : 0;
}

/* Stacks that read alike. */
struct survivor_row {
    struct hf_live_age age;
    struct hf_out stack;
    size_t stack_count;
};

static void survivor_row_add(struct survivor_row *row, const struct hf_live_age *age)
{
    struct hf_live_age *sum = &row->age;
    sum->objects += age->objects;
    sum->bytes += age->bytes;
    sum->held_bytes += age->held_bytes;
    sum->samples += age->samples;
    if (age->first_birth < sum->first_birth)
        sum->first_birth = age->first_birth;
    if (age->last_birth > sum->last_birth)
        sum->last_birth = age->last_birth;
    row->stack_count++;
}

/* The heaviest first; returns how many. Their texts are the caller's. */
static size_t survivor_rows(const struct hf_survivors *survivors, const struct hf_profile *profile,
    struct survivor_row rows[HF_SURVIVOR_STACKS])
{
    size_t count = 0, at;
    for (size_t i = 0; i < survivors->count; i++) {
        struct survivor_row row = {.age = survivors->stacks[i].age, .stack_count = 1};
        survivors_put_stack(&survivors->stacks[i], profile, &row.stack);
        for (at = 0; at < count; at++) {
            if (hf_text_equal(hf_out_view(&rows[at].stack), hf_out_view(&row.stack)))
                break;
        }
        if (at < count) {
            survivor_row_add(&rows[at], &row.age);
            hf_out_done(&row.stack);
            row = rows[at];
        } else {
            count++;
        }
        for (; at != 0 && rows[at - 1].age.held_bytes < row.age.held_bytes; at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
    return count;
}

static void survivors_put_row(const struct survivor_row *row, bool has_held, uint64_t begin_ns,
    uint64_t end_ns, struct hf_out *out)
{
    const struct hf_live_age *age = &row->age;
    char bytes[HF_UNITS_MAX], blocks[HF_UNITS_MAX], low[HF_UNITS_MAX], high[HF_UNITS_MAX];
    char interval[2 * HF_UNITS_MAX];
    if (has_held)
        hf_out_printf(out, "%14s", hf_units_bytes(age->held_bytes, bytes));
    hf_out_printf(out, "%14s", hf_units_bytes(age->bytes, bytes));
    if (age->samples != 0) {
        struct hf_interval between = hf_interval_of(age->bytes, age->samples);
        (void)snprintf(interval, sizeof interval, "%s to %s", hf_units_bytes(between.low, low),
            hf_units_bytes(between.high, high));
        hf_out_printf(out, "  %22s", interval);
    }
    hf_out_printf(
        out, "  %10s", hf_units_bytes(survivors_rate_of(age->held_bytes, begin_ns, end_ns), bytes));
    hf_out_printf(out, "  %10s  %9.1f s  %8.1f s  %5.1f s  ",
        hf_units_grouped(age->objects, blocks), seconds(begin_ns, age->first_birth),
        seconds(begin_ns, age->last_birth), seconds(age->first_birth, end_ns));
    hf_out_text(out, hf_out_view(&row->stack));
    hf_out_char(out, '\n');
}

void hf_survivors_text(const struct hf_survivors *survivors, const struct hf_profile *profile,
    uint64_t begin_ns, uint64_t end_ns, struct hf_out *out)
{
    char bytes[HF_UNITS_MAX];
    struct survivor_row rows[HF_SURVIVOR_STACKS];
    uint64_t hidden = survivors->other, hidden_bytes = survivors->other_bytes;
    size_t count = survivor_rows(survivors, profile, rows);
    if (count == 0)
        return;
    if (survivors->has_held)
        hf_out_printf(out, "%14s", "held");
    hf_out_printf(out, "%14s", "in use");
    if (rows[0].age.samples != 0)
        hf_out_printf(out, "  %22s", "95 %");
    hf_out_printf(out, "  %10s", "per second");
    hf_out_printf(
        out, "  %10s  %11s  %10s  %7s  stack\n", "blocks", "first birth", "last birth", "age");
    for (size_t i = 0; i < count; i++) {
        if (i < ROWS_SHOWN) {
            survivors_put_row(&rows[i], survivors->has_held, begin_ns, end_ns, out);
        } else {
            hidden += rows[i].stack_count;
            hidden_bytes += rows[i].age.held_bytes;
        }
        hf_out_done(&rows[i].stack);
    }
    if (hidden != 0)
        hf_out_printf(out, "%14s  at %" PRIu64 " more %s\n", hf_units_bytes(hidden_bytes, bytes),
            hidden, hf_plural(hidden, "stack", "stacks"));
}
