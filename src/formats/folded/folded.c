#include "formats/folded/folded.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/num.h"
#include "formats/folded/folded_stacks.h"
#include "formats/format.h"
#include "formats/skipped_lines.h"
#include "os/ordered_workers.h"
#include "profile/merge.h"
#include "profile/samples.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define LINE_STEPS 100 /* to split and to find one */
/* So many lines ahead what a stack's look-up needs is fetched, it is looked up, and the steps of a
 * new one are made (struct hf_folded_walk). */
#define LINES_EXPECTED 16
#define LINES_LOOKED_UP 8
#define LINES_AIMED 7
#define LINES_BEGUN 4
#define LINES_APPROACHED 2
#define WALKS 8 /* under way; a power of two above LINES_AIMED */

struct count {
    uint64_t grew, released;
    uint64_t before, after; /* of two counts */
    bool is_rounded, is_cut;
};

struct folded_line {
    struct hf_text stack; /* without empty frames at the end */
    struct hf_fingerprint print;
    struct count count;
    uint32_t number; /* of those of its piece, from 1 */
    uint32_t sample; /* plus one, if it was known when it was looked up; else 0 */
    bool is_sound;   /* else the rest is not there */
    bool is_cut;     /* it ends without LF */
};

/* Some lines of the input, as they go through os/ordered_workers.h. */
struct piece {
    struct hf_input_lines text;
    struct folded_line *lines; /* but for blank ones and comments */
    size_t count, capacity;
    uint32_t lines_seen;
    enum hf_status status;
    struct hf_error err;
};

struct folded_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    const struct hf_folded_how *how; /* NULL: two counts are a difference */
    enum hf_folded_side side;
    bool has_two_counts;
    bool has_failed; /* to read; nothing more is taken */
    /* What applying uses */
    struct hf_folded_stacks *stacks;
    uint64_t lines_done;
    bool has_rounded, has_cut;
    struct hf_skipped_lines skipped; /* lines of another form */
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

static bool folded_parse_count(struct hf_text word, struct count *out)
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
    if (!split_last(trim_end(line), out_stack, &word) || !folded_parse_count(word, out))
        return false;
    if (!has_two_counts)
        return true;
    struct count after = *out, before;
    if (!split_last(trim_end(*out_stack), out_stack, &word) || !folded_parse_count(word, &before))
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

/* True for a blank line and a comment. */
static bool says_nothing(struct hf_text line)
{
    return trim_end(line).size == 0 || line.data[0] == '#';
}

static bool folded_take(void *context, void *item)
{
    struct folded_reader *r = context;
    struct piece *piece = item;
    if (r->has_failed)
        return false;
    piece->status = hf_input_take_lines(r->input, &piece->text, &piece->err);
    r->has_failed = piece->status != HF_OK;
    return r->has_failed || piece->text.bytes.size != 0;
}

static void digest_line(
    const struct folded_reader *r, struct hf_text text, struct folded_line *line)
{
    line->is_sound = split_line(r->has_two_counts, text, &line->stack, &line->count) &&
                     (r->side == HF_FOLDED_ALONE || r->how->is_plain || line->count.released == 0);
    if (!line->is_sound)
        return;
    while (hf_text_ends(line->stack, ";"))
        line->stack.size--;
    line->print = hf_folded_stacks_print(r->stacks, line->stack);
}

static void digest(const void *context, void *item)
{
    const struct folded_reader *r = context;
    struct piece *piece = item;
    struct hf_text rest = piece->text.bytes;
    piece->count = 0;
    piece->lines_seen = piece->status != HF_OK; /* the one that could not be taken */
    while (piece->status == HF_OK && rest.size != 0) {
        size_t end = hf_text_find(rest, '\n');
        struct hf_text text = hf_text_first(rest, end);
        struct folded_line line = {.number = ++piece->lines_seen, .is_cut = end == rest.size};
        rest = hf_text_from(rest, end + 1);
        if (text.size > HF_LIMIT_LINE_BYTES) {
            piece->status = hf_input_refuse_line(&piece->err);
            break;
        }
        if (says_nothing(text))
            continue;
        digest_line(r, text, &line);
        if (!hf_vec_reserve(
                &piece->lines, &piece->capacity, piece->count + 1, sizeof *piece->lines))
            piece->status = hf_error_memory(&piece->err);
        else
            piece->lines[piece->count++] = line;
    }
}

/* True if counts are "before" and "after". */
static bool keeps_columns(const struct folded_reader *r)
{
    return r->has_two_counts && r->how != NULL;
}

static enum hf_status refuse_difference(const struct folded_reader *r, struct hf_error *err)
{
    enum hf_status status = hf_profile_refuse_difference(err);
    hf_error_in(err, r->input->name);
    return status;
}

static enum hf_status add_count(
    struct folded_reader *r, uint32_t sample, const struct count *count, struct hf_error *err)
{
    uint64_t values[] = {count->grew, count->released};
    enum hf_status status = HF_OK;
    if (r->side != HF_FOLDED_ALONE) {
        if (count->released != 0)
            return refuse_difference(r, err);
        values[0] = r->side == HF_FOLDED_CURRENT ? count->grew : 0;
        values[1] = r->side == HF_FOLDED_BASE ? count->grew : 0;
    } else if (keeps_columns(r)) {
        values[0] = count->before;
        values[1] = count->after;
    } else if (count->released != 0) {
        status = hf_samples_become_difference(r->profile, err);
    }
    if (status == HF_OK)
        hf_sample_add(r->profile, sample, values);
    return status;
}

static enum hf_status apply_line(struct folded_reader *r, const struct folded_line *line,
    struct hf_folded_walk *walk, struct hf_error *err)
{
    struct hf_notes *notes = &r->profile->notes;
    uint64_t number = r->lines_done + line->number;
    uint32_t sample = line->sample - 1;
    bool is_deep = false;
    if (!line->is_sound) {
        hf_skipped_lines_add(&r->skipped, number);
        return HF_OK;
    }
    r->has_rounded = r->has_rounded || line->count.is_rounded;
    r->has_cut = r->has_cut || line->count.is_cut;
    if (line->is_cut)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: line %" PRIu64
            " ends without a newline: if the file was cut there, its count is too low",
            r->input->name, number);
    enum hf_status status = HF_OK;
    if (line->sample == 0)
        status = hf_folded_stacks_find(
            r->stacks, line->stack, line->print, walk, &sample, &is_deep, err);
    if (status != HF_OK)
        return status;
    if (is_deep)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: line %" PRIu64 ": more than %u frames (HF_LIMIT_STACK_FRAMES); the leaf is cut",
            r->input->name, number, HF_LIMIT_STACK_FRAMES);
    return add_count(r, sample, &line->count, err);
}

/* What is done for the lines behind one; `left` are there, itself with them. */
static void look_ahead(struct folded_reader *r, struct folded_line *line, size_t left, size_t at,
    struct hf_folded_walk walks[WALKS])
{
    struct hf_folded_stacks *stacks = r->stacks;
    if (left > LINES_EXPECTED)
        hf_folded_stacks_expect(stacks, line[LINES_EXPECTED].print);
    if (left > LINES_LOOKED_UP)
        line[LINES_LOOKED_UP].sample = hf_folded_stacks_known(stacks, line[LINES_LOOKED_UP].print);
    if (left > LINES_AIMED) {
        struct hf_folded_walk *walk = &walks[(at + LINES_AIMED) % WALKS];
        const struct folded_line *aimed = &line[LINES_AIMED];
        walk->step = HF_FOLDED_WALK_NONE;
        if (aimed->is_sound && aimed->sample == 0)
            hf_folded_stacks_aim(stacks, aimed->stack, walk);
    }
    if (left > LINES_BEGUN)
        hf_folded_stacks_begin(stacks, line[LINES_BEGUN].stack, &walks[(at + LINES_BEGUN) % WALKS]);
    if (left > LINES_APPROACHED)
        hf_folded_stacks_approach(stacks, &walks[(at + LINES_APPROACHED) % WALKS]);
}

static enum hf_status folded_apply(void *context, void *item, struct hf_error *err)
{
    struct folded_reader *r = context;
    struct piece *piece = item;
    if (piece->status != HF_OK) {
        if (err != NULL)
            *err = piece->err;
        if (piece->status == HF_ERR_LIMIT)
            hf_error_at_line(err, r->input->name, r->lines_done + piece->lines_seen);
        return piece->status;
    }
    if (!hf_budget_step(piece->count * LINE_STEPS))
        return hf_budget_refuse(err);
    struct hf_folded_walk walks[WALKS];
    for (size_t i = 0; i < WALKS; i++)
        walks[i].step = HF_FOLDED_WALK_NONE;
    for (size_t i = 0; i < piece->count; i++) {
        struct folded_line *line = &piece->lines[i];
        look_ahead(r, line, piece->count - i, i, walks);
        enum hf_status status = apply_line(r, line, &walks[i % WALKS], err);
        if (status != HF_OK)
            return status;
    }
    r->lines_done += piece->lines_seen;
    return HF_OK;
}

static bool folded_is_alone(const void *context)
{
    const struct folded_reader *r = context;
    return atomic_load_explicit(&r->stacks->are_distinct, memory_order_relaxed);
}

static enum hf_status read_lines(struct folded_reader *r, struct hf_error *err)
{
    const struct hf_ordered_workers ordered = {
        r, folded_take, digest, folded_apply, folded_is_alone};
    struct piece pieces[HF_ORDERED_WORKERS_MAX] = {0};
    void *items[HF_ORDERED_WORKERS_MAX];
    for (size_t i = 0; i < HF_COUNT(pieces); i++)
        items[i] = &pieces[i];
    enum hf_status status =
        hf_ordered_workers_run(&ordered, items, hf_processors(HF_COUNT(items)), err);
    for (size_t i = 0; i < HF_COUNT(pieces); i++) {
        hf_input_lines_done(&pieces[i].text);
        free(pieces[i].lines);
    }
    return status;
}

/* What the first bytes look like: how many whole lines carry one count, how many two. */
struct shape {
    size_t one, two, other;
};

static struct shape folded_shape_of(struct hf_text bytes)
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
        if (says_nothing(line))
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

static void folded_add_notes(struct folded_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    const char *name = r->input->name;
    hf_skipped_lines_note(&r->skipped, HF_NOTE_LOSS,
        r->has_two_counts ? "line that is not 'stack count count'"
                          : "line that is not 'stack count'",
        r->has_two_counts ? "lines that are not 'stack count count'"
                          : "lines that are not 'stack count'",
        name, notes);
    if (r->has_rounded)
        hf_notes_add(notes, HF_NOTE_INFO, "%s: counts with a fraction are rounded", name);
    if (r->has_cut)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: counts above 2^64-1 are taken as 2^64-1", name);
    if (r->has_two_counts && r->how == NULL)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: every line has two counts: read as a difference, before and after", name);
}

/* Of the first input: one value that may be negative, or two columns. */
static enum hf_status folded_add_types(struct folded_reader *r, struct hf_error *err)
{
    r->profile->is_difference = r->side != HF_FOLDED_ALONE || (r->has_two_counts && r->how == NULL);
    if (!keeps_columns(r))
        return hf_profile_add_type(r->profile, "samples", "count", err);
    enum hf_status status = hf_profile_add_type(r->profile, "before", "count", err);
    if (status == HF_OK)
        status = hf_profile_add_type(r->profile, "after", "count", err);
    r->profile->default_type = 1;
    return status;
}

static enum hf_status folded_read_all(struct folded_reader *r, struct hf_error *err)
{
    struct hf_text first_bytes;
    enum hf_status status = hf_input_peek(r->input, HF_FORMAT_PEEK_BYTES, &first_bytes, err);
    if (status != HF_OK)
        return status;
    struct shape shape = folded_shape_of(first_bytes);
    r->has_two_counts = shape.two != 0 && shape.one == 0;
    if (r->side != HF_FOLDED_ALONE && r->has_two_counts && r->how->is_plain)
        return refuse_difference(r, err);
    if (r->side != HF_FOLDED_ALONE)
        r->has_two_counts = false;
    else if (r->how != NULL && r->profile->type_count != 0)
        r->has_two_counts = r->profile->type_count == 2;
    if (r->profile->type_count == 0)
        status = folded_add_types(r, err);
    if (status == HF_OK)
        status = read_lines(r, err);
    if (status == HF_OK)
        folded_add_notes(r);
    return status;
}

enum hf_status hf_folded_read(struct hf_input *input, const struct hf_folded_how *how,
    struct hf_profile *profile, struct hf_error *err)
{
    struct hf_folded_stacks stacks = {0};
    struct folded_reader r = {.input = input, .profile = profile, .how = how, .stacks = &stacks};
    enum hf_status status = HF_OK;
    r.side = how != NULL ? how->side : HF_FOLDED_ALONE;
    if (how != NULL && how->stacks != NULL)
        r.stacks = how->stacks;
    else
        status = hf_folded_stacks_init(&stacks, profile, how, err);
    if (status == HF_OK)
        status = folded_read_all(&r, err);
    hf_folded_stacks_done(&stacks);
    return status;
}

static enum hf_status read_folded(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    return hf_folded_read(input, NULL, profile, err);
}

static enum hf_bid folded_bid(struct hf_text first_bytes)
{
    struct shape shape = folded_shape_of(first_bytes);
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
    .bid = folded_bid,
    .read = read_folded,
};
