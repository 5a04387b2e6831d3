/*
 * live.c: a live table (live/layout.h) to a profile: while its process runs, or after it died.
 *
 * A sampled block of S bytes stands for 1 / (1 - exp(-S / period)) objects of that size, block by
 * block; the estimates of one stack and thread are summed and then rounded, once. What was ever
 * allocated was estimated by the writer in the same way. Values of the process are sums of its
 * threads' integers, so they add up.
 *
 * A table that is a file is read as it is written to; other input is read whole first.
 */
#include "formats/heap/live.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "formats/format.h"
#include "formats/heap/live_classes.h"
#include "formats/heap/live_curve.h"
#include "formats/heap/live_nodes.h"
#include "formats/heap/live_notes.h"
#include "live/chunk.h"
#include "live/start_moment.h"
#include "live/usage.h"
#include "profile/interval.h"
#include "profile/lifetimes.h"
#include "profile/samples.h"
#include "profile/unbias.h"

#include <stdlib.h>

#define INUSE_SAMPLES 4 /* the type HF_INUSE_SAMPLES, if not every allocation was recorded */
#define HELD_SPACE 5 /* HF_HELD_SPACE, of contexts; it is in the place of that which is missing */

/* Blocks of one stack and thread. */
struct live_tally {
    uint32_t stack, thread;
    uint64_t objects, bytes; /* of blocks, as seen */
    struct hf_live_age age;  /* its node is not known yet */
    uint64_t held_bytes;
    double estimated_objects, estimated_bytes, estimated_held;
};

struct live_reader {
    struct hf_profile *profile;
    uint64_t born_until;
    uint32_t chunk_head_bytes;         /* 0: nothing is said of what is held */
    double young_objects, young_bytes; /* of blocks that were born later */
    struct hf_map by_stack;            /* stack << 32 | thread -> tally */
    struct live_tally *tallies;
    size_t count, capacity;
    struct hf_live_snapshot table;
    struct hf_live_nodes nodes;
    struct hf_lifetimes *lifetimes; /* NULL: not wanted */
    struct hf_live_classes classes; /* filled if the lifetimes want them */
    bool has_peak;
    const struct hf_live_start *start; /* NULL: nobody took it */
    uint64_t now_ns;                   /* as in struct hf_input */
    size_t start_type;                 /* HF_START_OBJECTS, HF_START_SPACE; 0: there are none */
    size_t peak_type;      /* HF_PEAK_OBJECTS, HF_PEAK_SPACE, HF_TEMPORARY_OBJECTS, one by one */
    bool has_peak_samples; /* HF_PEAK_SAMPLES comes behind them */
    struct hf_live_resident_memory noted;           /* in the table */
    const struct hf_live_resident_memory *resident; /* what is known of it */
    size_t resident_type;                           /* HF_RESIDENT_SPACE, if something is */
};

static void live_widen(struct hf_live_age *age, uint64_t first_birth, uint64_t last_birth)
{
    if (first_birth < age->first_birth)
        age->first_birth = first_birth;
    if (last_birth > age->last_birth)
        age->last_birth = last_birth;
}

/* What its blocks stand for; its stack is one of the table. */
static void estimate(const struct live_reader *r, struct live_tally *tally)
{
    bool is_whole = (hf_live_stacks(&r->table)[tally->stack].flags & HF_LIVE_IS_WHOLE) != 0;
    bool is_exact = r->table.head.period_bytes <= 1;
    struct hf_live_age *age = &tally->age;
    age->objects = is_exact ? tally->objects : hf_unbias_round(tally->estimated_objects);
    age->bytes = is_exact ? tally->bytes : hf_unbias_round(tally->estimated_bytes);
    age->held_bytes = is_whole   ? age->bytes
                      : is_exact ? tally->held_bytes
                                 : hf_unbias_round(tally->estimated_held);
    age->samples = is_exact ? 0 : tally->objects;
}

/* Since 1970. */
static int64_t birth_ms(const struct hf_live_head *head, uint64_t birth)
{
    return (int64_t)(head->realtime_ns / 1000000) + (int64_t)(birth - head->monotonic_ns) / 1000000;
}

/* Since the table was made. */
static uint64_t born_after_ns(const struct hf_live_head *head, uint64_t birth)
{
    return birth > head->monotonic_ns ? birth - head->monotonic_ns : 0;
}

static enum hf_status see_block(
    void *context, const struct hf_live_seen_block *block, struct hf_error *err)
{
    struct live_reader *r = context;
    bool is_new;
    double weight = hf_unbias_weight(r->table.head.period_bytes, block->size);
    if (block->birth > r->born_until) {
        r->young_objects += weight;
        r->young_bytes += weight * (double)block->size;
        return HF_OK;
    }
    uint32_t *number = hf_map_put(
        &r->by_stack, (uint64_t)block->stack << 32 | block->thread, (uint32_t)r->count, &is_new);
    if (number == NULL)
        return hf_error_memory(err);
    if (is_new) {
        if (r->count == HF_LIMIT_SAMPLES)
            return hf_error_set(err, HF_ERR_LIMIT,
                "the live table has more than %u stacks (HF_LIMIT_SAMPLES)", HF_LIMIT_SAMPLES);
        if (!hf_vec_reserve(&r->tallies, &r->capacity, r->count + 1, sizeof *r->tallies))
            return hf_error_memory(err);
        r->tallies[r->count++] = (struct live_tally){.stack = block->stack,
            .thread = block->thread,
            .age = {.first_birth = block->birth, .last_birth = block->birth}};
    }
    struct live_tally *tally = &r->tallies[*number];
    tally->objects++;
    tally->bytes += block->size;
    tally->held_bytes += hf_chunk_held(r->chunk_head_bytes, block->size);
    tally->estimated_held += weight * (double)hf_chunk_held(r->chunk_head_bytes, block->size);
    live_widen(&tally->age, block->birth, block->birth);
    tally->estimated_objects += weight;
    tally->estimated_bytes += weight * (double)block->size;
    if (r->lifetimes != NULL && r->lifetimes->wants_classes)
        return hf_live_classes_see(&r->classes, block->stack, block->size,
            born_after_ns(&r->table.head, block->birth), weight, err);
    if (r->lifetimes == NULL)
        return HF_OK;
    int64_t began_ms = birth_ms(&r->table.head, r->table.head.monotonic_ns);
    r->lifetimes->began_ms =
        began_ms > r->lifetimes->born_from_ms ? began_ms : r->lifetimes->born_from_ms;
    return hf_lifetimes_add(r->lifetimes, block->stack, birth_ms(&r->table.head, block->birth),
        weight * (double)block->size, err);
}

/* Below 0 is what was freed between two readings. */
static void live_put_held(uint64_t objects, uint64_t bytes, uint64_t out_values[2])
{
    out_values[0] = (int64_t)objects > 0 ? hf_unbias_round((double)objects / HF_LIVE_OBJECT) : 0;
    out_values[1] = (int64_t)bytes > 0 ? bytes : 0;
}

/* The stacks are as the largest estimate has them: each loses the same share of it. */
static void live_unchoose(const struct live_reader *r, uint64_t *values)
{
    const struct hf_capture_facts *capture = &r->profile->capture;
    if (capture->peak_most_bytes == 0)
        return;
    double share = (double)capture->peak_bytes / (double)capture->peak_most_bytes;
    static const size_t types[] = {0, 1, 3}; /* objects, space, samples */
    for (size_t i = 0; i < HF_COUNT(types); i++) {
        uint64_t *value = &values[r->peak_type + types[i]];
        *value = hf_unbias_round((double)*value * share);
    }
}

/* What a stack held at the crest: its copy, or what it holds now if nothing happened since. */
static void live_put_peak(
    const struct live_reader *r, const struct hf_live_stack *stack, uint64_t *values)
{
    uint64_t objects = atomic_load_explicit(&stack->objects, memory_order_relaxed) -
                       atomic_load_explicit(&stack->freed_objects, memory_order_relaxed);
    uint64_t bytes = atomic_load_explicit(&stack->bytes, memory_order_relaxed) -
                     atomic_load_explicit(&stack->freed_bytes, memory_order_relaxed);
    uint32_t samples = atomic_load_explicit(&stack->samples, memory_order_relaxed);
    if (atomic_load_explicit(&stack->crest, memory_order_relaxed) ==
        atomic_load_explicit(&r->table.state.usage.crest, memory_order_relaxed)) {
        objects = atomic_load_explicit(&stack->crest_objects, memory_order_relaxed);
        bytes = atomic_load_explicit(&stack->crest_bytes, memory_order_relaxed);
        samples = atomic_load_explicit(&stack->crest_samples, memory_order_relaxed);
    }
    live_put_held(objects, bytes, values + r->peak_type);
    if (r->has_peak_samples)
        values[r->peak_type + 3] = samples;
    live_unchoose(r, values);
}

/* What was freed at once. */
static uint64_t live_temporary(const struct live_reader *r, const struct hf_live_stack *stack)
{
    uint32_t number = atomic_load_explicit(&stack->frees, memory_order_relaxed);
    if (number == 0 || number > r->table.counts[HF_LIVE_FREES])
        return 0;
    const struct hf_live_frees *frees = &hf_live_frees(&r->table)[number - 1];
    uint64_t objects = atomic_load_explicit(&frees->temporary_objects, memory_order_relaxed);
    return hf_unbias_round((double)objects / HF_LIVE_OBJECT);
}

/* What was ever allocated at one stack, and what it held at the peak. */
static enum hf_status add_totals(
    struct live_reader *r, size_t index, uint32_t node, struct hf_error *err)
{
    const struct hf_live_stack *stack = &hf_live_stacks(&r->table)[index];
    uint64_t objects = atomic_load_explicit(&stack->objects, memory_order_relaxed);
    uint64_t values[HF_VALUE_TYPES_MAX] = {
        [HF_ALLOC_OBJECTS] = hf_unbias_round((double)objects / HF_LIVE_OBJECT),
        [HF_ALLOC_SPACE] = atomic_load_explicit(&stack->bytes, memory_order_relaxed),
    };
    if (r->has_peak)
        live_put_peak(r, stack, values);
    if (r->has_peak)
        values[r->peak_type + 2] = live_temporary(r, stack);
    if (r->start_type != 0 && index < r->start->stack_count && index < HF_LIVE_START_STACKS)
        live_put_held(
            r->start->stacks[index].objects, r->start->stacks[index].bytes, values + r->start_type);
    return hf_profile_add_sample(r->profile, node, HF_THREAD_ALL, values, err);
}

static enum hf_status add_tally(
    struct live_reader *r, struct live_tally *tally, struct hf_error *err)
{
    if (tally->stack >= r->table.counts[HF_LIVE_STACKS]) {
        r->nodes.damaged++;
        return HF_OK;
    }
    estimate(r, tally);
    bool is_exact = r->table.head.period_bytes <= 1; /* there is no INUSE_SAMPLES */
    uint64_t values[HF_VALUE_TYPES_MAX] = {
        [HF_INUSE_OBJECTS] = tally->age.objects,
        [HF_INUSE_SPACE] = tally->age.bytes,
        [INUSE_SAMPLES] = is_exact ? 0 : tally->objects,
    };
    if (r->chunk_head_bytes != 0)
        values[is_exact ? INUSE_SAMPLES : HELD_SPACE] = tally->age.held_bytes;
    r->profile->capture.sampled_objects += tally->objects;
    uint32_t node = r->nodes.of[tally->stack];
    enum hf_status status = hf_profile_add_sample(r->profile, node, HF_THREAD_ALL, values, err);
    if (status != HF_OK || tally->thread >= r->table.counts[HF_LIVE_THREADS])
        return status;
    const struct hf_live_thread *from = &hf_live_threads(&r->table)[tally->thread];
    struct hf_text name = {from->name, strnlen(from->name, sizeof from->name)};
    uint32_t thread;
    status =
        hf_profile_thread(r->profile, hf_lifetimes_uid_of_thread(from->tid), name, &thread, err);
    return status == HF_OK ? hf_profile_add_sample(r->profile, node, thread, values, err) : status;
}

/* Where the recorded blocks of one stack were freed. */
static enum hf_status add_frees(struct live_reader *r, size_t stack, struct hf_error *err)
{
    uint32_t number =
        atomic_load_explicit(&hf_live_stacks(&r->table)[stack].frees, memory_order_relaxed);
    if (number == 0 || number > r->table.counts[HF_LIVE_FREES])
        return HF_OK;
    const struct hf_live_frees *frees = &hf_live_frees(&r->table)[number - 1];
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < HF_LIVE_FREE_SITES; i++) {
        uint32_t at = atomic_load_explicit(&frees->stacks[i], memory_order_relaxed);
        uint32_t count = atomic_load_explicit(&frees->counts[i], memory_order_relaxed);
        if (at != 0 && at <= r->table.counts[HF_LIVE_STACKS] && count != 0)
            status = hf_lifetimes_add_freed(
                r->lifetimes, r->nodes.of[stack], r->nodes.of[at - 1], count, err);
    }
    return status;
}

/* Births have the table's numbers of their stacks until these are nodes. */
static enum hf_status live_add_lifetimes(struct live_reader *r, struct hf_error *err)
{
    struct hf_lifetimes *lifetimes = r->lifetimes;
    size_t stacks = r->table.counts[HF_LIVE_STACKS];
    enum hf_status status = HF_OK;
    lifetimes->is_known = true;
    r->profile->capture.has_no_freed = !r->has_peak; /* by whoever does not keep the usage either */
    if (lifetimes->wants_classes)
        return hf_live_classes_add(&r->classes, &r->table, r->nodes.of, r->profile, err);
    for (size_t i = 0; i < lifetimes->birth_count; i++) {
        struct hf_births *births = &lifetimes->births[i];
        births->node = births->stack < stacks ? r->nodes.of[births->stack] : HF_STACK_ROOT;
    }
    for (size_t i = 0; status == HF_OK && !lifetimes->wants_epochs_only && i < stacks; i++)
        status = add_frees(r, i, err);
    for (size_t i = 0; i < HF_LIVE_LOSSES; i++)
        lifetimes->lost_objects +=
            atomic_load_explicit(&r->table.state.lost_objects[i], memory_order_relaxed);
    return status;
}

static enum hf_status add_resident(
    struct live_reader *r, uint32_t node, uint64_t bytes, struct hf_error *err)
{
    uint64_t values[HF_VALUE_TYPES_MAX] = {[HF_INUSE_OBJECTS] = 0};
    values[r->resident_type] = bytes;
    return bytes != 0 ? hf_profile_add_sample(r->profile, node, HF_THREAD_ALL, values, err) : HF_OK;
}

/* What is resident by cause is a stack of one frame, which says so. */
static enum hf_status add_part(
    struct live_reader *r, enum hf_live_part part, uint64_t bytes, struct hf_error *err)
{
    uint32_t frame, node;
    enum hf_status status =
        hf_live_add_name(r->profile, hf_text_of(hf_live_part_name(part)), &frame, err);
    if (status == HF_OK)
        status = hf_stacktree_child(&r->profile->stacks, HF_STACK_ROOT, frame, &node, err);
    return status == HF_OK ? add_resident(r, node, bytes, err) : status;
}

/* A mapping whose stack is not there is nobody's. */
static enum hf_status live_add_residents(struct live_reader *r, struct hf_error *err)
{
    const struct hf_live_resident_memory *memory = r->resident;
    uint64_t unknown = memory->parts[HF_LIVE_PART_UNKNOWN];
    bool is_saturated = false; /* which the profile says of its own sums */
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < memory->count; i++) {
        const struct hf_live_resident *resident = &memory->residents[i];
        if (resident->stack < r->table.counts[HF_LIVE_STACKS])
            status = add_resident(r, r->nodes.of[resident->stack], resident->bytes, err);
        else
            unknown = hf_add_saturating(unknown, resident->bytes, &is_saturated);
    }
    for (enum hf_live_part part = 0; status == HF_OK && part < HF_LIVE_PARTS; part++) {
        uint64_t bytes = part == HF_LIVE_PART_UNKNOWN ? unknown : memory->parts[part];
        if (bytes != 0 && hf_live_part_name(part) != NULL)
            status = add_part(r, part, bytes, err);
    }
    return status;
}

static enum hf_status live_add_start(struct live_reader *r, struct hf_error *err)
{
    if (r->start == NULL || !hf_live_start_is_of(r->start, &r->table.head))
        return HF_OK;
    r->start_type = r->profile->type_count;
    r->profile->capture.start_after_ms = r->start->after_ns / 1000000;
    enum hf_status status = hf_profile_add_type(r->profile, HF_START_OBJECTS, "objects", err);
    return status == HF_OK ? hf_profile_add_type(r->profile, HF_START_SPACE, "bytes", err) : status;
}

/* How much was in use at the peak, and when. */
static void live_tell_peak(struct live_reader *r)
{
    const struct hf_live_usage *usage = &r->table.state.usage;
    struct hf_capture_facts *capture = &r->profile->capture;
    uint64_t most = atomic_load_explicit(&usage->peak_bytes, memory_order_relaxed);
    uint64_t peak_ns = atomic_load_explicit(&usage->peak_ns, memory_order_relaxed);
    bool has_halves = r->table.head.minor >= HF_LIVE_HALVES_SINCE && r->has_peak_samples;
    capture->peak_bytes = has_halves ? hf_usage_peak(usage) : most;
    capture->peak_most_bytes = capture->peak_bytes < most ? most : 0;
    capture->peak_after_ms =
        peak_ns > r->table.head.monotonic_ns ? (peak_ns - r->table.head.monotonic_ns) / 1000000 : 0;
}

/* The kinds of values that this table has. */
static enum hf_status live_add_types(struct live_reader *r, struct hf_error *err)
{
    const struct hf_live_usage *usage = &r->table.state.usage;
    enum hf_status status = hf_profile_add_heap_types(r->profile, err);
    if (status == HF_OK && r->table.head.period_bytes > 1)
        status = hf_profile_add_type(r->profile, HF_INUSE_SAMPLES, "count", err);
    if (status == HF_OK && r->chunk_head_bytes != 0)
        status = hf_profile_add_type(r->profile, HF_HELD_SPACE, "bytes", err);
    r->has_peak = r->table.head.minor >= HF_LIVE_PEAKS_SINCE && r->chunk_head_bytes == 0 &&
                  atomic_load_explicit(&usage->crest, memory_order_relaxed) != 0;
    if (status != HF_OK || !r->has_peak)
        return status;
    r->peak_type = r->profile->type_count;
    status = hf_profile_add_type(r->profile, HF_PEAK_OBJECTS, "objects", err);
    if (status == HF_OK)
        status = hf_profile_add_type(r->profile, HF_PEAK_SPACE, "bytes", err);
    if (status == HF_OK)
        status = hf_profile_add_type(r->profile, HF_TEMPORARY_OBJECTS, "objects", err);
    r->has_peak_samples =
        r->table.head.minor >= HF_LIVE_SAMPLES_SINCE && r->table.head.period_bytes > 1;
    if (status == HF_OK && r->has_peak_samples)
        status = hf_profile_add_type(r->profile, HF_PEAK_SAMPLES, "count", err);
    if (status == HF_OK)
        status = live_add_start(r, err);
    r->profile->capture.curve =
        hf_live_curve_read(&r->table, born_after_ns(&r->table.head, r->now_ns));
    live_tell_peak(r);
    return status;
}

static enum hf_status live_fill(struct live_reader *r, struct hf_error *err)
{
    r->profile->capture.period_bytes = r->table.head.period_bytes;
    r->profile->capture.process_id = r->table.head.pid;
    r->profile->capture.process_start = r->table.head.start_ticks;
    r->profile->has_addresses = true;
    r->profile->capture.is_no_heap =
        (atomic_load_explicit(&r->table.state.bounds, memory_order_relaxed) &
            HF_LIVE_BOUND_MALLOC) != 0;
    r->profile->capture.began_ms = r->table.head.realtime_ns / 1000000;
    struct hf_text command = {r->table.head.command, sizeof r->table.head.command};
    command = hf_text_first(command, hf_text_find(command, '\0'));
    enum hf_status status =
        hf_profile_string(r->profile, command, &r->profile->capture.command, err);
    if (status == HF_OK)
        status = live_add_types(r, err);
    if (status == HF_OK && r->resident->is_known) {
        r->resident_type = r->profile->type_count;
        status = hf_profile_add_type(r->profile, HF_RESIDENT_SPACE, "bytes", err);
        if (r->profile->capture.is_no_heap) /* nothing else is known */
            r->profile->default_type = r->resident_type;
    }
    if (status == HF_OK)
        status = hf_live_nodes_add(&r->nodes, &r->table, r->profile, err);
    for (size_t i = 0; i < r->table.counts[HF_LIVE_STACKS] && status == HF_OK; i++)
        status = add_totals(r, i, r->nodes.of[i], err);
    for (size_t i = 0; i < r->count && status == HF_OK; i++)
        status = add_tally(r, &r->tallies[i], err);
    if (status == HF_OK && r->resident->is_known)
        status = live_add_residents(r, err);
    if (status == HF_OK && r->lifetimes != NULL)
        status = live_add_lifetimes(r, err);
    if (status == HF_OK)
        hf_live_note(&r->table, r->nodes.damaged, &r->profile->notes);
    return status;
}

static int by_node(const void *a, const void *b)
{
    const struct hf_live_age *left = a, *right = b;
    return (left->node > right->node) - (left->node < right->node);
}

/* Of each stack, threads together. */
static enum hf_status tell_ages(
    const struct live_reader *r, struct hf_live_ages *out_ages, struct hf_error *err)
{
    struct hf_live_age *items = malloc((r->count + 1) * sizeof *items);
    if (items == NULL)
        return hf_error_memory(err);
    size_t count = 0, last = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (r->tallies[i].stack >= r->table.counts[HF_LIVE_STACKS])
            continue;
        items[count] = r->tallies[i].age;
        items[count++].node = r->nodes.of[r->tallies[i].stack];
    }
    qsort(items, count, sizeof *items, by_node);
    for (size_t i = 1; i < count; i++) {
        if (items[i].node != items[last].node) {
            items[++last] = items[i];
            continue;
        }
        live_widen(&items[last], items[i].first_birth, items[i].last_birth);
        items[last].objects += items[i].objects;
        items[last].bytes += items[i].bytes;
        items[last].held_bytes += items[i].held_bytes;
        items[last].samples += items[i].samples;
    }
    *out_ages = (struct hf_live_ages){.items = items,
        .count = count != 0 ? last + 1 : 0,
        .young_objects = hf_unbias_round(r->young_objects),
        .young_bytes = hf_unbias_round(r->young_bytes)};
    return HF_OK;
}

/* Reads what `r` wants of the table. */
static enum hf_status read_table(struct live_reader *r, struct hf_live_source source,
    struct hf_live_ages *out_ages, struct hf_error *err)
{
    enum hf_status status =
        hf_live_read(&r->table, source, (struct hf_live_visitor){see_block, r}, err);
    if (status == HF_OK && r->resident == NULL) {
        status = hf_live_read_resident(source, &r->table.head, &r->noted, err);
        r->resident = &r->noted;
    }
    if (status == HF_OK)
        status = live_fill(r, err);
    if (status == HF_OK && out_ages != NULL)
        status = tell_ages(r, out_ages, err);
    hf_live_snapshot_done(&r->table);
    hf_live_resident_memory_done(&r->noted);
    hf_map_done(&r->by_stack);
    hf_live_classes_done(&r->classes);
    free(r->tallies);
    hf_live_nodes_done(&r->nodes);
    return status;
}

enum hf_status hf_live_profile(struct hf_live_source source, uint64_t born_until_ns,
    uint32_t chunk_head_bytes, struct hf_profile *profile, struct hf_live_ages *out_ages,
    struct hf_error *err)
{
    struct live_reader r = {
        .profile = profile, .born_until = born_until_ns, .chunk_head_bytes = chunk_head_bytes};
    return read_table(&r, source, out_ages, err);
}

static enum hf_status read_live(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct live_reader r = {.profile = profile,
        .born_until = UINT64_MAX,
        .lifetimes = input->lifetimes,
        .resident = input->resident,
        .start = input->start,
        .now_ns = input->now_ns};
    struct hf_live_source source = hf_live_source_of(&input->fd, input->name);
    struct hf_text bytes;
    enum hf_status status = HF_OK;
    if (input->size_bytes == 0) { /* no file of its own: a pipe, a packed file, memory */
        source = hf_live_source_in(&bytes, input->name);
        status = hf_input_peek(input, (size_t)HF_LIMIT_LIVE_BYTES, &bytes, err);
    } else if (hf_input_solid_bytes(input) > input->read_bytes) {
        hf_budget_give(hf_input_solid_bytes(input) - input->read_bytes);
    }
    return status == HF_OK ? read_table(&r, source, NULL, err) : status;
}

static enum hf_bid live_bid(struct hf_text first_bytes)
{
    return hf_live_is_table(first_bytes) ? HF_BID_SURE : HF_BID_NO;
}

const struct hf_format hf_format_live = {
    .name = "heapflame's live table",
    .bid = live_bid,
    .read = read_live,
};
