/*
 * massif.c: what Valgrind massif writes, massif.out.PID.
 *
 *     file     = "desc: " ... LF "cmd: " ... LF "time_unit: " ... LF { snapshot }
 *     snapshot = "#-----------" LF "snapshot=" n LF "#-----------" LF "time=" n LF
 *                "mem_heap_B=" n LF "mem_heap_extra_B=" n LF "mem_stacks_B=" n LF
 *                "heap_tree=" ( "empty" LF | ( "detailed" | "peak" ) LF tree )
 *     tree     = { blank } "n" children ": " bytes " " place LF { tree }      children of them
 *     place    = "(heap allocation functions) ..." at the top | text_frame.h, Valgrind's
 *              | "in " n " places, all below massif's threshold (1.00%)"
 *
 * Source: Valgrind manual, "Massif: a heap profiler"; recorded from 3.19. A tree goes from the
 * allocation to its callers, and a node is the sum of its children, so its leaves are the stacks.
 * What massif left out of a tree is a stack under `[below threshold]`.
 *
 * Two snapshots are read: `peak_space`, shown by default, is the one that massif marked as the peak
 * (the largest with a tree if none is), `inuse_space` the last one with a tree. Stacks of threads
 * (--stacks) and the heap's own overhead have no call stacks in massif, and are told in a note.
 * The file has no end mark: one that is cut between two snapshots reads like a shorter run.
 */
#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "formats/reports/text_frame.h"
#include "formats/skipped_lines.h"

#include <inttypes.h>
#include <stdlib.h>

#define RULE "#-----------"
#define COMMAND "cmd: "
#define BELOW HF_TEXT("[below threshold]")

enum massif_value { PEAK_SPACE, INUSE_SPACE };

struct massif_stack {
    uint32_t node;
    uint64_t bytes;
};

struct snapshot {
    uint64_t number, heap_bytes, extra_bytes, stacks_bytes;
    bool is_peak;
    struct massif_stack *stacks;
    size_t count, capacity;
};

/* An inner node of the tree whose children are still to come. */
struct open_node {
    uint64_t children_left;
    uint64_t bytes_left; /* of it, not yet seen in children */
    size_t depth;        /* of the stack below it */
};

/* The lines of a snapshot in their order; from the last on, its tree. */
enum step { RULE_BEFORE, NUMBER, RULE_AFTER, TIME, HEAP, EXTRA, STACKS, TREE, STEP_COUNT };
static const char *const steps[STEP_COUNT] = {
    [RULE_BEFORE] = RULE,
    [NUMBER] = "snapshot=",
    [RULE_AFTER] = RULE,
    [TIME] = "time=",
    [HEAP] = "mem_heap_B=",
    [EXTRA] = "mem_heap_extra_B=",
    [STACKS] = "mem_stacks_B=",
    [TREE] = "heap_tree=",
};

struct massif_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    struct snapshot now, peak, last; /* `peak` and `last` are whole */
    bool has_peak, has_last;
    enum step step;       /* what the next line must be */
    bool is_in_snapshots; /* false in the head, and from damage to the next snapshot */
    bool is_in_tree, is_damaged;
    uint64_t snapshot_count;
    struct open_node *open; /* from the top of the tree */
    size_t open_count, open_capacity;
    struct hf_text_stack stack; /* frames of the open nodes, leaf first */
};

static void note_damage(struct massif_reader *r, const char *expected, struct hf_text line)
{
    hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
        "%s: line %" PRIu64 ": expected %s, found '%.*s'; snapshot %" PRIu64 " is skipped",
        r->input->name, r->input->line, expected, (int)hf_text_first(line, 60).size, line.data,
        r->now.number);
    r->is_damaged = true;
    r->is_in_snapshots = false;
}

/* A snapshot is whole: is it one of the two that are kept? */
static enum hf_status keep_snapshot(struct massif_reader *r, struct hf_error *err)
{
    bool is_better = !r->has_peak || (r->now.is_peak && !r->peak.is_peak) ||
                     (r->now.is_peak == r->peak.is_peak && r->now.heap_bytes > r->peak.heap_bytes);
    if (is_better) {
        struct snapshot copy = r->now;
        copy.stacks = r->peak.stacks;
        copy.capacity = r->peak.capacity;
        if (!hf_vec_reserve(&copy.stacks, &copy.capacity, copy.count, sizeof *copy.stacks))
            return hf_error_memory(err);
        if (copy.count != 0)
            memcpy(copy.stacks, r->now.stacks, copy.count * sizeof *copy.stacks);
        r->peak = copy;
        r->has_peak = true;
    }
    struct snapshot old = r->last;
    r->last = r->now;
    r->now = old;
    r->has_last = true;
    return HF_OK;
}

static enum hf_status end_tree(struct massif_reader *r, struct hf_error *err)
{
    r->is_in_tree = false;
    return r->is_damaged ? HF_OK : keep_snapshot(r, err);
}

/* The stack of the open nodes, whose outermost caller is known. */
static enum hf_status massif_add_leaf(struct massif_reader *r, uint64_t bytes, struct hf_error *err)
{
    struct snapshot *now = &r->now;
    struct massif_stack stack = {.bytes = bytes};
    enum hf_status status =
        hf_stacktree_add(&r->profile->stacks, r->stack.frames, r->stack.depth, &stack.node, err);
    if (status != HF_OK || bytes == 0)
        return status;
    if (!hf_vec_reserve(&now->stacks, &now->capacity, now->count + 1, sizeof *now->stacks))
        return hf_error_memory(err);
    now->stacks[now->count++] = stack;
    return HF_OK;
}

/* Closes what has all its children; each must be the sum of them. */
static void close_nodes(struct massif_reader *r, struct hf_text line)
{
    while (r->open_count != 0 && r->open[r->open_count - 1].children_left == 0) {
        if (r->open[--r->open_count].bytes_left != 0 && !r->is_damaged)
            note_damage(r, "a tree in which each node is the sum of its children", line);
    }
    r->stack.depth = r->open_count != 0 ? r->open[r->open_count - 1].depth : 0;
}

/* Puts the place of a node on the stack. *out_is_place is false if the line is damaged. */
static enum hf_status push_place(
    struct massif_reader *r, struct hf_text place, bool *out_is_place, struct hf_error *err)
{
    struct hf_text_frame frame;
    *out_is_place = true;
    if (r->open_count == 0)
        return HF_OK; /* the top: "(heap allocation functions) malloc/new/new[], ..." */
    if (hf_text_starts(place, "in ") && memmem(place.data, place.size, " place", 6) != NULL)
        return hf_text_stack_push_label(&r->stack, r->profile, BELOW, err);
    *out_is_place = hf_text_frame_valgrind(place, &frame);
    return *out_is_place ? hf_text_stack_push(&r->stack, r->profile, &frame, err) : HF_OK;
}

/* Takes "1234" and what follows it off the front. */
static bool massif_take_number(struct hf_text *text, const char *end, uint64_t *out_number)
{
    return hf_num_take_u64(text, out_number) && hf_text_take(text, end);
}

/* " n2: 1234 0x1091A5: lose (leaks.c:10)", as deep as nodes are open. */
static bool parse_node(
    struct massif_reader *r, struct hf_text line, struct open_node *out, struct hf_text *out_place)
{
    size_t blanks = 0;
    while (blanks < line.size && line.data[blanks] == ' ')
        blanks++;
    struct hf_text rest = hf_text_from(line, blanks);
    if (blanks != r->open_count || !hf_text_take(&rest, "n"))
        return false;
    bool is_node = massif_take_number(&rest, ": ", &out->children_left) &&
                   massif_take_number(&rest, " ", &out->bytes_left) && rest.size != 0;
    *out_place = rest;
    return is_node;
}

static enum hf_status read_node(struct massif_reader *r, struct hf_text line, struct hf_error *err)
{
    struct open_node node = {0};
    struct hf_text place;
    bool is_place = parse_node(r, line, &node, &place);
    uint64_t bytes = node.bytes_left;
    struct open_node *parent = r->open_count != 0 ? &r->open[r->open_count - 1] : NULL;
    enum hf_status status = HF_OK;
    if (is_place && parent != NULL)
        is_place = bytes <= parent->bytes_left;
    else if (is_place)
        is_place = bytes == r->now.heap_bytes;
    if (is_place)
        status = push_place(r, place, &is_place, err);
    if (status != HF_OK)
        return status;
    if (!is_place) {
        note_damage(r, "a node ' n1: 4096 0x...: name (file:line)' of the tree", line);
        r->is_in_tree = false;
        return HF_OK;
    }
    if (parent != NULL) {
        parent->bytes_left -= bytes;
        parent->children_left--;
    }
    node.depth = r->stack.depth;
    if (node.children_left != 0) {
        if (!hf_vec_reserve(&r->open, &r->open_capacity, r->open_count + 1, sizeof *r->open))
            return hf_error_memory(err);
        r->open[r->open_count++] = node;
        return HF_OK;
    }
    status = massif_add_leaf(r, bytes, err);
    close_nodes(r, line);
    return status == HF_OK && r->open_count == 0 ? end_tree(r, err) : status;
}

/* "heap_tree=peak" */
static bool begin_tree(struct massif_reader *r, struct hf_text kind)
{
    r->now.is_peak = hf_text_is(kind, "peak");
    r->is_in_tree = r->now.is_peak || hf_text_is(kind, "detailed");
    r->now.count = 0;
    r->open_count = 0;
    r->stack.depth = 0;
    return r->is_in_tree || hf_text_is(kind, "empty");
}

/* "snapshot=12", one more than the last */
static bool begin_snapshot(struct massif_reader *r, struct hf_text number)
{
    if (!hf_num_u64(number, &r->now.number))
        return false;
    if (r->now.number != r->snapshot_count)
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: line %" PRIu64 ": expected snapshot %" PRIu64 ", found snapshot %" PRIu64,
            r->input->name, r->input->line, r->snapshot_count, r->now.number);
    r->snapshot_count = r->now.number + 1;
    return true;
}

static bool read_step(struct massif_reader *r, struct hf_text line)
{
    uint64_t ignored;
    if (!hf_text_take(&line, steps[r->step]))
        return false;
    switch (r->step) {
    case NUMBER: return begin_snapshot(r, line);
    case TIME: return hf_num_u64(line, &ignored);
    case HEAP: return hf_num_u64(line, &r->now.heap_bytes);
    case EXTRA: return hf_num_u64(line, &r->now.extra_bytes);
    case STACKS: return hf_num_u64(line, &r->now.stacks_bytes);
    case TREE: return begin_tree(r, line);
    default: return line.size == 0;
    }
}

static enum hf_status massif_read_line(
    struct massif_reader *r, struct hf_text line, struct hf_error *err)
{
    if (r->is_in_tree)
        return read_node(r, line, err);
    if (!r->is_in_snapshots) {
        if (hf_text_starts(line, COMMAND))
            return hf_profile_string(
                r->profile, hf_text_from(line, strlen(COMMAND)), &r->profile->capture.command, err);
        if (!hf_text_starts(line, steps[NUMBER]))
            return HF_OK;
        r->is_in_snapshots = true;
        r->step = NUMBER;
    }
    r->is_damaged = false;
    if (r->step == NUMBER)
        r->now.number = r->snapshot_count;
    if (!read_step(r, line)) {
        note_damage(r, steps[r->step], line);
        r->step = RULE_BEFORE;
        return HF_OK;
    }
    r->step = (enum step)((r->step + 1) % STEP_COUNT);
    return HF_OK;
}

static enum hf_status add_snapshot(struct massif_reader *r, const struct snapshot *snapshot,
    enum massif_value value, struct hf_error *err)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        uint64_t values[] = {[PEAK_SPACE] = 0, [INUSE_SPACE] = 0};
        values[value] = snapshot->stacks[i].bytes;
        enum hf_status status =
            hf_profile_add_sample(r->profile, snapshot->stacks[i].node, HF_THREAD_ALL, values, err);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

static enum hf_status massif_end_file(struct massif_reader *r, struct hf_error *err)
{
    struct hf_notes *notes = &r->profile->notes;
    const char *name = r->input->name;
    if (r->is_in_tree || r->step != RULE_BEFORE)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: ends inside snapshot %" PRIu64 ", which is skipped: the file is cut", name,
            r->now.number);
    if (!r->has_last) {
        if (notes->has_loss)
            return HF_OK;
        return hf_error_set(err, HF_ERR_INPUT,
            "has %" PRIu64 " %s, but none with a tree of stacks: run massif with "
            "--detailed-freq=1",
            r->snapshot_count, hf_plural(r->snapshot_count, "snapshot", "snapshots"));
    }
    hf_notes_add(notes, HF_NOTE_INFO,
        "%s: peak_space is snapshot %" PRIu64 " of %" PRIu64 "%s; in addition, %" PRIu64
        " %s of heap overhead and %" PRIu64 " of thread stacks have no call stack; inuse_space "
        "is snapshot %" PRIu64 ", the last with a tree",
        name, r->peak.number, r->snapshot_count,
        r->peak.is_peak ? "" : ", the largest with a tree, because none is marked as the peak",
        r->peak.extra_bytes, hf_plural(r->peak.extra_bytes, "byte", "bytes"), r->peak.stacks_bytes,
        r->last.number);
    enum hf_status status = add_snapshot(r, &r->peak, PEAK_SPACE, err);
    return status == HF_OK ? add_snapshot(r, &r->last, INUSE_SPACE, err) : status;
}

static enum hf_status massif_read_all(struct massif_reader *r, struct hf_error *err)
{
    enum hf_status status = hf_profile_add_type(r->profile, "peak_space", "bytes", err);
    if (status == HF_OK)
        status = hf_profile_add_type(r->profile, "inuse_space", "bytes", err);
    struct hf_text line;
    while (hf_input_next(r->input, &line, &status, err)) {
        if (r->input->last_line_is_cut) {
            hf_skipped_cut_line(r->input, r->profile);
            break;
        }
        status = massif_read_line(r, line, err);
    }
    return status == HF_OK ? massif_end_file(r, err) : status;
}

static enum hf_status read_massif(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct massif_reader r = {.input = input, .profile = profile};
    enum hf_status status = massif_read_all(&r, err);
    free(r.now.stacks);
    free(r.peak.stacks);
    free(r.last.stacks);
    free(r.open);
    hf_text_stack_done(&r.stack);
    return status;
}

static enum hf_bid massif_bid(struct hf_text first_bytes)
{
    static const char start[] = RULE "\nsnapshot=";
    bool has_snapshot = first_bytes.size != 0 &&
                        memmem(first_bytes.data, first_bytes.size, start, strlen(start)) != NULL;
    if (!has_snapshot)
        return HF_BID_NO;
    return hf_text_starts(first_bytes, "desc: ") || hf_text_starts(first_bytes, RULE)
               ? HF_BID_SURE
               : HF_BID_LIKELY;
}

const struct hf_format hf_format_massif = {
    .name = "Valgrind massif",
    .bid = massif_bid,
    .read = read_massif,
};
