#include "formats/folded.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/vec.h"
#include "formats/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct count {
    uint64_t grew, released;
    uint64_t before, after; /* of two counts */
    bool is_rounded, is_cut;
};

struct reader {
    struct hf_input *input;
    struct hf_profile *profile;
    const struct hf_folded_how *how; /* NULL: two counts are a difference */
    bool has_two_counts;
    bool is_column; /* counts are "before" and "after" */
    bool has_rounded, has_cut;
    uint64_t left_out, first_left_out; /* lines of another form; number of the first */
    uint32_t *frames;                  /* by string: the frame of that name, plus one; 0: none */
    size_t frame_capacity;
    uint32_t *last; /* of a chart: nodes of the stack before, root first */
    size_t last_depth, last_capacity;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct hf_text trim_end(struct hf_text text)
{
    while (text.size != 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* Splits "stack 12" at its last blank. False if there is no blank. */
static bool split_last(struct hf_text line, struct hf_text *out_before, struct hf_text *out_word)
{
    size_t at = line.size;
    while (at != 0 && !is_blank(line.data[at - 1]))
        at--;
    if (at == 0)
        return false;
    *out_before = hf_text_first(line, at - 1);
    *out_word = hf_text_from(line, at);
    return true;
}

static bool parse_count(struct hf_text word, struct count *out)
{
    *out = (struct count){0};
    bool is_negative = word.size > 1 && word.data[0] == '-';
    if (is_negative)
        word = hf_text_from(word, 1);
    uint64_t value;
    if (!hf_num_u64(word, &value)) {
        double real;
        if (!hf_num_real(word, &real))
            return false;
        double rounded = nearbyint(real);
        out->is_cut = rounded >= 0x1p64;
        value = out->is_cut ? UINT64_MAX : (uint64_t)rounded;
        out->is_rounded = rounded != real;
    }
    *(is_negative ? &out->released : &out->grew) = value;
    return true;
}

static bool split_line(
    bool has_two_counts, struct hf_text line, struct hf_text *out_stack, struct count *out)
{
    struct hf_text word;
    if (!split_last(trim_end(line), out_stack, &word) || !parse_count(word, out))
        return false;
    if (!has_two_counts)
        return true;
    struct count after = *out, before;
    if (!split_last(trim_end(*out_stack), out_stack, &word) || !parse_count(word, &before))
        return false;
    *out = (struct count){
        .grew = after.grew > before.grew ? after.grew - before.grew : 0,
        .released = before.grew > after.grew ? before.grew - after.grew : 0,
        .before = before.grew,
        .after = after.grew,
        .is_rounded = after.is_rounded || before.is_rounded,
        .is_cut = after.is_cut || before.is_cut,
    };
    return true;
}

/* The frame of a name. */
static enum hf_status frame_of(
    struct reader *r, struct hf_text name, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    enum hf_status status = hf_profile_string(r->profile, name, &frame.name, err);
    if (status != HF_OK)
        return status;
    size_t known = r->frame_capacity;
    if (!hf_vec_reserve(&r->frames, &r->frame_capacity, frame.name + 1, sizeof *r->frames))
        return hf_error_memory(err);
    memset(r->frames + known, 0, (r->frame_capacity - known) * sizeof *r->frames);
    if (r->frames[frame.name] == 0) {
        status = hf_profile_frame(r->profile, &frame, out_frame, err);
        if (status == HF_OK)
            r->frames[frame.name] = *out_frame + 1;
        return status;
    }
    *out_frame = r->frames[frame.name] - 1;
    return HF_OK;
}

/* Takes the first frame off `stack`; *node goes on from the caller to it. */
static enum hf_status take_frame(
    struct reader *r, struct hf_text *stack, uint32_t *node, struct hf_error *err)
{
    const struct hf_profile *profile = r->profile;
    uint32_t next = hf_stacktree_next_child(&profile->stacks, *node), frame;
    if (next != HF_STACK_ROOT) {
        frame = profile->stacks.nodes[next].frame;
        struct hf_text name = hf_profile_text(profile, hf_profile_frame_at(profile, frame)->name);
        if (stack->size >= name.size && memcmp(stack->data, name.data, name.size) == 0 &&
            (stack->size == name.size || stack->data[name.size] == ';')) {
            *stack = hf_text_from(*stack, name.size + 1);
            *node = next;
            return HF_OK;
        }
    }
    struct hf_text name = hf_text_first(*stack, hf_text_find(*stack, ';'));
    *stack = hf_text_from(*stack, name.size + 1);
    enum hf_status status = frame_of(r, name, &frame, err);
    return status == HF_OK ? hf_stacktree_child(&r->profile->stacks, *node, frame, node, err)
                           : status;
}

/* The same in a chart: the frame is new unless the stack before had it here, too. */
static enum hf_status take_chart_frame(
    struct reader *r, struct hf_text *stack, size_t depth, uint32_t *node, struct hf_error *err)
{
    struct hf_profile *profile = r->profile;
    struct hf_text name = hf_text_first(*stack, hf_text_find(*stack, ';'));
    size_t last = hf_text_find_last(*stack, ';');
    if (!r->how->is_reversed) {
        *stack = hf_text_from(*stack, name.size + 1);
    } else {
        name = last < stack->size ? hf_text_from(*stack, last + 1) : *stack;
        *stack = hf_text_first(*stack, last < stack->size ? last : 0);
    }
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    uint32_t id;
    if (!hf_vec_reserve(&r->last, &r->last_capacity, depth + 1, sizeof *r->last))
        return hf_error_memory(err);
    enum hf_status status = hf_profile_string(profile, name, &frame.name, err);
    if (depth < r->last_depth) {
        uint32_t known = profile->stacks.nodes[r->last[depth]].frame;
        if (status == HF_OK && hf_profile_frame_at(profile, known)->name == frame.name) {
            *node = r->last[depth];
            return HF_OK;
        }
        r->last_depth = depth;
    }
    frame.variant = profile->frames.count;
    if (status == HF_OK)
        status = hf_profile_frame(profile, &frame, &id, err);
    if (status == HF_OK)
        status = hf_stacktree_child(&profile->stacks, *node, id, node, err);
    r->last[depth] = *node;
    return status;
}

static enum hf_status add_stack(
    struct reader *r, struct hf_text stack, const struct count *count, struct hf_error *err)
{
    while (hf_text_ends(stack, ";"))
        stack.size--;
    uint32_t node = HF_STACK_ROOT;
    bool is_chart = r->how != NULL && r->how->is_chart;
    size_t depth = 0;
    for (; stack.size != 0; depth++) {
        if (depth == HF_LIMIT_STACK_FRAMES) {
            hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
                "%s: line %" PRIu64 ": more than %u frames (HF_LIMIT_STACK_FRAMES); the leaf is "
                "cut",
                r->input->name, r->input->line, HF_LIMIT_STACK_FRAMES);
            break;
        }
        enum hf_status status = is_chart ? take_chart_frame(r, &stack, depth, &node, err)
                                         : take_frame(r, &stack, &node, err);
        if (status != HF_OK)
            return status;
    }
    r->last_depth = depth;
    uint64_t values[] = {count->grew, count->released};
    if (!r->is_column)
        return hf_profile_add_change(r->profile, node, HF_THREAD_ALL, values, err);
    if (r->has_two_counts) {
        values[0] = count->before;
        values[1] = count->after;
    } else {
        values[2 - r->how->column] = 0;
        values[r->how->column - 1] = count->grew;
    }
    return hf_profile_add_sample(r->profile, node, HF_THREAD_ALL, values, err);
}

static enum hf_status read_line(struct reader *r, struct hf_text line, struct hf_error *err)
{
    struct hf_text stack;
    struct count count;
    if (trim_end(line).size == 0 || line.data[0] == '#')
        return HF_OK;
    bool is_sound = split_line(r->has_two_counts, line, &stack, &count);
    if (!is_sound || (r->is_column && !r->has_two_counts && count.released != 0)) {
        if (r->left_out++ == 0)
            r->first_left_out = r->input->line;
        return HF_OK;
    }
    r->has_rounded = r->has_rounded || count.is_rounded;
    r->has_cut = r->has_cut || count.is_cut;
    if (r->input->last_line_is_cut)
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
            "%s: line %" PRIu64
            " ends without a newline: if the file was cut there, its count is too low",
            r->input->name, r->input->line);
    return add_stack(r, stack, &count, err);
}

/* What the first bytes look like: how many whole lines carry one count, how many two. */
struct shape {
    size_t one, two, other;
};

static struct shape shape_of(struct hf_text bytes)
{
    struct shape shape = {0};
    bool is_whole = bytes.size < HF_FORMAT_PEEK_BYTES;
    while (bytes.size != 0) {
        struct hf_text line = hf_text_first(bytes, hf_text_find(bytes, '\n'));
        if (line.size == bytes.size && !is_whole)
            break; /* its end was not seen */
        bytes = hf_text_from(bytes, line.size + 1);
        struct hf_text stack;
        struct count count;
        if (trim_end(line).size == 0 || line.data[0] == '#')
            continue;
        if (split_line(true, line, &stack, &count) && trim_end(stack).size != 0)
            shape.two++;
        else if (split_line(false, line, &stack, &count))
            shape.one++;
        else
            shape.other++;
    }
    return shape;
}

static void add_notes(struct reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    const char *name = r->input->name;
    if (r->left_out != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: %" PRIu64 " lines are no '%s' and are left out, the first is line %" PRIu64, name,
            r->left_out, r->has_two_counts ? "stack count count" : "stack count",
            r->first_left_out);
    if (r->has_rounded)
        hf_notes_add(notes, HF_NOTE_INFO, "%s: counts with a fraction are rounded", name);
    if (r->has_cut)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: counts above 2^64-1 are taken as 2^64-1", name);
    if (r->has_two_counts && r->how == NULL)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: every line has two counts: read as a difference, before and after", name);
}

/* Of the first input: one value that may be negative, or two columns. */
static enum hf_status add_types(struct reader *r, struct hf_error *err)
{
    r->profile->is_difference = r->has_two_counts && !r->is_column;
    if (!r->is_column)
        return hf_profile_add_type(r->profile, "samples", "count", err);
    enum hf_status status = hf_profile_add_type(r->profile, "before", "count", err);
    if (status == HF_OK)
        status = hf_profile_add_type(r->profile, "after", "count", err);
    r->profile->default_type = 1;
    return status;
}

static enum hf_status read_all(struct reader *r, struct hf_error *err)
{
    struct hf_text first_bytes;
    enum hf_status status = hf_input_peek(r->input, HF_FORMAT_PEEK_BYTES, &first_bytes, err);
    if (status != HF_OK)
        return status;
    struct shape shape = shape_of(first_bytes);
    r->has_two_counts = shape.two != 0 && shape.one == 0;
    if (r->how != NULL && r->how->column != 0)
        r->has_two_counts = false;
    else if (r->how != NULL && r->profile->type_count != 0)
        r->has_two_counts = r->profile->type_count == 2;
    r->is_column = r->how != NULL && (r->how->column != 0 || r->has_two_counts);
    if (r->profile->type_count == 0)
        status = add_types(r, err);
    struct hf_text line;
    while (hf_input_next(r->input, &line, &status, err))
        status = read_line(r, line, err);

    if (status == HF_OK)
        add_notes(r);
    return status;
}

enum hf_status hf_folded_read(struct hf_input *input, const struct hf_folded_how *how,
    struct hf_profile *profile, struct hf_error *err)
{
    struct reader r = {.input = input, .profile = profile, .how = how};
    enum hf_status status = read_all(&r, err);
    free(r.frames);
    free(r.last);
    return status;
}

static enum hf_status read_folded(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    return hf_folded_read(input, NULL, profile, err);
}

static enum hf_bid bid(struct hf_text first_bytes)
{
    struct shape shape = shape_of(first_bytes);
    if (shape.one + shape.two == 0) {
        /* One line longer than what can be looked at: only a folded stack is like that. */
        bool is_one_line = hf_text_find(first_bytes, '\n') == first_bytes.size &&
                           first_bytes.size == HF_FORMAT_PEEK_BYTES &&
                           hf_text_find(first_bytes, '\0') == first_bytes.size;
        return is_one_line ? HF_BID_MAYBE : HF_BID_NO;
    }
    return shape.one + shape.two > shape.other ? HF_BID_LIKELY : HF_BID_MAYBE;
}

const struct hf_format hf_format_folded = {
    .name = "folded stacks",
    .bid = bid,
    .read = read_folded,
};
