#include "render/table/listing.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/strings/escape.h"
#include "os/file.h"
#include "profile/fold.h"
#include "render/amount.h"
#include "render/tally.h"

#include <stdlib.h>

#define CONTEXT_LINES 5u

struct listing_line {
    struct hf_text name, file;
    uint32_t number;
    bool is_near;   /* what is there has no line; it is near this one */
    uint32_t twins; /* of the function: how many have its bytes; 0: one */
    struct hf_total flat, cum;
};

struct listing_listing {
    const struct hf_profile *profile;
    const struct hf_listing_options *options;
    struct hf_notes *notes;
    struct hf_out *out;
    struct hf_amount_style style;
    struct hf_tally by_line, by_name;
    struct listing_line *lines; /* of the functions that match, by name, file and number */
    size_t line_count, without_lines;
};

static int listing_compare_lines(const void *a, const void *b)
{
    const struct listing_line *x = a, *y = b;
    int order = hf_text_compare(x->name, y->name);
    if (order == 0)
        order = hf_text_compare(x->file, y->file);
    if (order == 0)
        order = (x->number > y->number) - (x->number < y->number);
    return order != 0 ? order : x->is_near - y->is_near;
}

static enum hf_status collect_lines(struct listing_listing *l, struct hf_error *err)
{
    l->lines = hf_budget_calloc(l->by_line.entry_count + 1, sizeof *l->lines);
    if (l->lines == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < l->by_line.entry_count; i++) {
        const struct hf_tally_entry *entry = &l->by_line.entries[i];
        if (entry->frame == HF_TALLY_NONE)
            continue;
        const struct hf_frame *frame = hf_profile_frame_at(l->profile, entry->frame);
        struct hf_text name = hf_profile_text(l->profile, frame->name);
        if (name.size == 0 || !hf_regex_matches(l->options->pattern, name))
            continue;
        if (frame->line == 0 || frame->file == HF_NO_STRING)
            l->without_lines++;
        else
            l->lines[l->line_count++] =
                (struct listing_line){name, hf_profile_text(l->profile, frame->file), frame->line,
                    (frame->flags & HF_FRAME_IS_NEAR) != 0, frame->flags >> HF_FRAME_TWINS_SHIFT,
                    entry->flat, entry->cum};
    }
    qsort(l->lines, l->line_count, sizeof *l->lines, listing_compare_lines);
    return HF_OK;
}

static void listing_add(struct hf_total *sum, struct hf_total value)
{
    bool saturated = false;
    sum->value = hf_add_saturating(sum->value, value.value, &saturated);
    sum->released = hf_add_saturating(sum->released, value.released, &saturated);
}

/* What the function holds with all that it called; a stack through several of its lines once. */
static struct hf_total cum_of(
    const struct listing_listing *l, const struct listing_line *lines, size_t count)
{
    struct hf_total sum = {0};
    for (size_t i = 0; i < count; i++)
        listing_add(&sum, lines[i].cum);
    for (size_t i = 0; i < l->by_name.entry_count; i++) {
        const struct hf_tally_entry *entry = &l->by_name.entries[i];
        if (entry->frame == HF_TALLY_NONE)
            continue;
        const struct hf_frame *frame = hf_profile_frame_at(l->profile, entry->frame);
        if (!hf_text_equal(hf_profile_text(l->profile, frame->name), lines[0].name))
            continue;
        sum.value = entry->cum.value < sum.value ? entry->cum.value : sum.value;
        sum.released = entry->cum.released < sum.released ? entry->cum.released : sum.released;
    }
    return sum;
}

static const char *amount(
    const struct listing_listing *l, struct hf_total value, char text[HF_AMOUNT_MAX])
{
    return hf_total_is_zero(value) ? "." : hf_amount_net(l->style, value, text);
}

/* One line; tabs stay. */
static void listing_put_line(struct listing_listing *l, uint32_t number,
    const struct listing_line *line, struct hf_text text)
{
    static const struct listing_line nothing = {0};
    char flat[HF_AMOUNT_MAX], cum[HF_AMOUNT_MAX];
    line = line != NULL ? line : &nothing;
    hf_out_printf(l->out,
        line->is_near ? "%6s %6s ~%3u: " : "%6s %6s %4u: ", amount(l, line->flat, flat),
        amount(l, line->cum, cum), number);
    while (text.size != 0) {
        struct hf_text piece = hf_text_first(text, hf_text_find(text, '\t'));
        hf_escape_terminal(l->out, piece);
        if (piece.size < text.size)
            hf_out_char(l->out, '\t');
        text = hf_text_from(text, piece.size + 1);
    }
    hf_out_char(l->out, '\n');
}

static void listing_put_source(struct listing_listing *l, const struct listing_line *lines,
    size_t count, struct hf_text source)
{
    uint32_t first = lines[0].number, last = lines[count - 1].number;
    const struct listing_line *next = lines;
    for (uint32_t number = 1; source.size != 0 && number <= (uint64_t)last + CONTEXT_LINES;
         number++) {
        struct hf_text text = hf_text_first(source, hf_text_find(source, '\n'));
        source = hf_text_from(source, text.size + 1);
        if (hf_text_ends(text, "\r"))
            text.size--;
        if ((uint64_t)number + CONTEXT_LINES < first)
            continue;
        bool has_line = next < lines + count && next->number == number;
        hf_out_string(l->out, number == first ? "---\n" : "");
        listing_put_line(l, number, has_line ? next : NULL, text);
        hf_out_string(l->out, number == last ? "---\n" : "");
        for (next += has_line; next < lines + count && next->number == number; next++)
            listing_put_line(l, number, next, HF_TEXT(""));
    }
    for (; next < lines + count; next++) /* the file has become shorter */
        listing_put_line(l, next->number, next, HF_TEXT(""));
}

static void listing_put_function(
    struct listing_listing *l, const struct listing_line *lines, size_t count)
{
    struct hf_total flat = {0};
    char flat_text[HF_AMOUNT_MAX], cum_text[HF_AMOUNT_MAX];
    for (size_t i = 0; i < count; i++)
        listing_add(&flat, lines[i].flat);
    hf_out_string(l->out, "ROUTINE ====================== ");
    hf_escape_terminal(l->out, lines[0].name);
    hf_frame_put_twins(lines[0].twins, " [", "]", l->out);
    hf_out_string(l->out, " in ");
    hf_escape_terminal(l->out, lines[0].file);
    hf_out_printf(l->out, "\n%6s %6s Total %s (flat / cumulative)\n",
        hf_amount_net(l->style, flat, flat_text),
        hf_amount_net(l->style, cum_of(l, lines, count), cum_text), hf_amount_unit(l->style));
    struct hf_file_map map;
    struct hf_error why;
    struct hf_text source = {NULL, 0};
    if (hf_file_map_open(&map, lines[0].file.data, &why) == HF_OK)
        source = (struct hf_text){(const char *)map.data, map.size};
    else
        hf_notes_add(l->notes, HF_NOTE_INFO, "%s: its lines have no text", why.text);
    listing_put_source(l, lines, count, source);
    if (!hf_file_map_is_whole(&map))
        hf_notes_add(l->notes, HF_NOTE_INFO,
            "%.*s was cut short while it was read, so the text of its lines is missing or wrong",
            (int)lines[0].file.size, lines[0].file.data);
    hf_file_map_close(&map);
}

static void put_functions(struct listing_listing *l)
{
    for (size_t i = 0; i < l->line_count;) {
        size_t end = i + 1;
        while (end < l->line_count && hf_text_equal(l->lines[i].name, l->lines[end].name) &&
               hf_text_equal(l->lines[i].file, l->lines[end].file))
            end++;
        listing_put_function(l, l->lines + i, end - i);
        i = end;
    }
    if (l->line_count == 0)
        hf_notes_add(l->notes, HF_NOTE_INFO,
            l->without_lines != 0
                ? "the functions that match have no source lines: the binary has no debug "
                  "information"
                : "no function of the profile matches");
}

enum hf_status hf_listing(const struct hf_profile *folded, const struct hf_listing_options *options,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    struct listing_listing l = {
        .profile = folded,
        .options = options,
        .notes = notes,
        .out = out,
        .style = hf_amount_style(folded, options->type, options->is_exact, true),
    };
    struct hf_tally_options tally = {.type = options->type};
    enum hf_status status = hf_tally_init(&l.by_line, folded, &tally, err);
    tally.by_name = true;
    if (status == HF_OK)
        status = hf_tally_init(&l.by_name, folded, &tally, err);
    if (status == HF_OK)
        status = collect_lines(&l, err);
    if (status == HF_OK)
        put_functions(&l);
    hf_notes_given_up(notes, "--list", options->pattern);
    hf_tally_done(&l.by_line);
    hf_tally_done(&l.by_name);
    hf_budget_free(l.lines);
    return status;
}
