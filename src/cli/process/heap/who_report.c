#include "cli/process/heap/who_report.h"

#include "answer/heap/keeper_name.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "cli/process/heap/heap_report.h"
#include "render/amount.h"
#include "render/shares.h"
#include "render/table/shortpath.h"

#include <inttypes.h>
#include <stdlib.h>

#define HOLDINGS_SHOWN 5 /* of a place */
#define OF_ALL_SHOWN 10  /* of all places together */
#define STEPS_SHOWN 7    /* of a path: the first, and the last ones */
#define TYPE_SHOWN 32    /* characters of a type with arguments */

static void who_put_bytes(struct hf_out *out, uint64_t bytes, int width)
{
    char text[HF_AMOUNT_MAX];
    const struct hf_amount_style style = {HF_AMOUNT_HUMAN, true};
    hf_out_printf(out, "%*s", width, hf_amount(style, bytes, text));
}

static void who_put_count(struct hf_out *out, uint64_t count)
{
    char text[HF_AMOUNT_MAX];
    const struct hf_amount_style style = {HF_AMOUNT_HUMAN, false};
    hf_out_string(out, hf_amount(style, count, text));
}

static void put_keeper(
    const struct hf_keepers *keepers, const struct hf_holding *holding, struct hf_out *out)
{
    struct hf_out name = {0};
    if (holding->keeper == HF_HOLDING_UNSEEN)
        hf_out_string(&name, "not known: these blocks are in no heap that can be read");
    else
        hf_keeper_name(keepers, holding->keeper, holding->function, &name);
    hf_escape_terminal(out, hf_out_view(&name));
    hf_out_done(&name);
}

/* ---- Shares ---- */

/* Parts that are shown, and the rest of them as one more. */
struct shown_shares {
    uint64_t *parts;
    unsigned *permille; /* of all parts together */
};

/* Call done in any case. */
static enum hf_status shown_shares_init(
    struct shown_shares *shares, size_t shown, struct hf_error *err)
{
    shares->parts = calloc(shown + 1, sizeof *shares->parts);
    shares->permille = calloc(shown + 1, sizeof *shares->permille);
    return shares->parts != NULL && shares->permille != NULL ? HF_OK : hf_error_memory(err);
}

static enum hf_status shown_shares_find(
    struct shown_shares *shares, size_t shown, struct hf_error *err)
{
    return hf_shares_permille(shares->parts, shown + 1, shares->permille) ? HF_OK
                                                                          : hf_error_memory(err);
}

static void shown_shares_done(struct shown_shares *shares)
{
    free(shares->parts);
    free(shares->permille);
}

static void put_share(struct hf_out *out, unsigned permille, uint64_t bytes)
{
    if (permille == 0 && bytes != 0)
        hf_out_string(out, " <0.1 %");
    else
        hf_out_printf(out, "%3u.%u %%", permille / 10, permille % 10);
}

/* ---- Paths ---- */

/* "sessions (list *)": a long type without its arguments. */
static void who_put_member(const struct hf_member_name *member, struct hf_out *out)
{
    size_t arguments = hf_text_find(member->type, '<');
    bool is_long = member->type.size > TYPE_SHOWN && arguments != 0;
    hf_escape_terminal(out, member->name);
    hf_out_string(out, " (");
    hf_escape_terminal(out, is_long ? hf_text_first(member->type, arguments) : member->type);
    hf_out_string(out, is_long && arguments != member->type.size ? "<...>)" : ")");
}

/* "Session::bufs (buffer *) 40 B" */
static void put_step(const struct hf_who_report *report, const struct hf_block_step *step,
    uint32_t own_row, struct hf_out *out)
{
    struct hf_text class = hf_object_class_name(&report->paths->classes, step->class);
    if (class.size == 0)
        class = step->member.class;
    hf_escape_terminal(out, class);
    if (step->member.name.size != 0) {
        hf_out_string(out, class.size != 0 ? "::" : "");
        who_put_member(&step->member, out);
        hf_out_char(out, ' ');
    } else if (class.size != 0) {
        hf_out_char(out, ' ');
    }
    who_put_count(out, step->bytes);
    hf_out_string(out, " B");
    if (step->count > 1) {
        hf_out_string(out, " ×");
        who_put_count(out, step->count);
    }
    if (step->row != UINT32_MAX && step->row != own_row) {
        hf_out_string(out, " of ");
        hf_escape_terminal(out, report->holdings->rows.items[step->row].name);
    }
}

/* From where a path comes, in a word. */
static void put_start(
    const struct hf_block_keeper *keeper, const struct hf_member_name *member, struct hf_out *out)
{
    static const char *const words[HF_ROOT_KINDS] = {
        [HF_ROOT_DATA] = "data",
        [HF_ROOT_THREAD_LOCAL] = "thread",
        [HF_ROOT_STACK] = "stack",
        [HF_ROOT_REGISTER] = "register",
        [HF_ROOT_MAPPING] = "mapping",
    };
    if (keeper->form != HF_KEEPER_ONE)
        hf_out_string(out, "lost");
    else if (keeper->kind > HF_ROOT_THREAD_LOCAL || keeper->where == NULL)
        hf_out_string(out, words[keeper->kind]);
    if (keeper->form == HF_KEEPER_ONE && keeper->where != NULL) {
        hf_out_string(out, keeper->kind == HF_ROOT_STACK ? " of " : "");
        hf_escape_terminal(out, keeper->where->name);
    }
    if (member->name.size != 0) {
        hf_out_char(out, '.');
        who_put_member(member, out);
    }
}

/* " → 64 B ×14 → 1,000 B" */
static void put_steps(const struct hf_who_report *report, const struct hf_block_path *path,
    uint32_t own_row, struct hf_out *out)
{
    for (size_t i = 0; i < path->count; i++) {
        bool is_left_out = path->count > STEPS_SHOWN && i != 0 && i + STEPS_SHOWN < path->count + 2;
        if (i == 1 && is_left_out)
            hf_out_string(out, " → ...");
        if (is_left_out)
            continue;
        hf_out_string(out, " → ");
        put_step(report, &path->steps[i], own_row, out);
    }
}

/* A block to which the keeper points itself is no path. */
static bool has_path(const struct hf_who_report *report, const struct hf_holding *holding)
{
    return holding->example != HF_BLOCK_NONE && report->of->keepers->depth[holding->example] != 0;
}

/* "e.g. registry → 64 B ×14 → 1,000 B" */
static enum hf_status put_example(const struct hf_who_report *report,
    const struct hf_holding *holding, uint32_t own_row, struct hf_out *out, struct hf_error *err)
{
    struct hf_block_path path = {0};
    enum hf_status status = hf_block_path_read(&path, report->paths, holding->example, err);
    hf_out_printf(out, "%25se.g. ", "");
    if (status == HF_OK) {
        put_start(&report->of->keepers->items[path.keeper], &path.member, out);
        put_steps(report, &path, own_row, out);
    }
    hf_out_char(out, '\n');
    hf_block_path_done(&path);
    return status;
}

/* ---- Places ---- */

static enum hf_status put_holdings(const struct hf_who_report *report, size_t row,
    bool has_examples, struct hf_out *out, struct hf_error *err)
{
    const struct hf_holdings *h = report->holdings;
    const struct hf_holdings_part *part = &h->parts[row];
    /* One more than fits is shown rather than summed up. */
    size_t most = row == h->rows.count ? OF_ALL_SHOWN : HOLDINGS_SHOWN;
    size_t shown = part->count <= most + 1 ? part->count : most;
    struct shown_shares shares;
    enum hf_status status = shown_shares_init(&shares, shown, err);
    for (size_t i = 0; status == HF_OK && i < part->count; i++)
        shares.parts[i < shown ? i : shown] += h->items[part->first + i].bytes;
    if (status == HF_OK)
        status = shown_shares_find(&shares, shown, err);
    for (size_t i = 0; i < shown && status == HF_OK; i++) {
        const struct hf_holding *holding = &h->items[part->first + i];
        hf_out_printf(out, "%13s", "");
        put_share(out, shares.permille[i], holding->bytes);
        hf_out_string(out, "  ");
        put_keeper(report->of->keepers, holding, out);
        hf_out_char(out, '\n');
        if (has_examples && has_path(report, holding))
            status = put_example(report, holding, (uint32_t)row, out, err);
    }
    if (shown < part->count && status == HF_OK) {
        hf_out_printf(out, "%13s", "");
        put_share(out, shares.permille[shown], shares.parts[shown]);
        hf_out_printf(out, "  %zu others\n", /* never 1 */ part->count - shown);
    }
    shown_shares_done(&shares);
    return status;
}

static void put_row(
    const struct hf_row *row, struct hf_text file, unsigned permille, struct hf_out *out)
{
    who_put_bytes(out, row->flat.value, 11);
    hf_out_string(out, "  ");
    put_share(out, permille, row->flat.value);
    hf_out_string(out, "  ");
    hf_escape_terminal(out, row->name);
    if (file.size != 0) {
        hf_out_string(out, "  ");
        hf_escape_terminal(out, file);
        if (row->line != 0)
            hf_out_printf(out, row->is_near ? ":~%u" : ":%u", row->line);
    }
    hf_out_char(out, '\n');
}

static bool who_short_files(const struct hf_rows *rows, struct hf_text **out_files)
{
    struct hf_text *files = calloc(rows->shown + 1, sizeof *files);
    *out_files = calloc(rows->shown + 1, sizeof **out_files);
    for (size_t i = 0; files != NULL && i < rows->shown; i++)
        files[i] = rows->items[i].file;
    bool is_done =
        files != NULL && *out_files != NULL && hf_short_paths(files, rows->shown, *out_files);
    free(files);
    return is_done;
}

/* Their shares are those of all together. */
static enum hf_status find_row_shares(
    struct shown_shares *shares, const struct hf_rows *rows, struct hf_error *err)
{
    enum hf_status status = shown_shares_init(shares, rows->shown, err);
    if (status != HF_OK)
        return status;
    uint64_t *rest = &shares->parts[rows->shown];
    *rest = rows->total.value;
    for (size_t i = 0; i < rows->shown; i++) {
        uint64_t value = rows->items[i].flat.value;
        shares->parts[i] = value;
        *rest -= value < *rest ? value : *rest;
    }
    return shown_shares_find(shares, rows->shown, err);
}

static enum hf_status put_places(
    const struct hf_who_report *report, struct hf_out *out, struct hf_error *err)
{
    const struct hf_rows *rows = &report->holdings->rows;
    struct shown_shares shares = {0};
    struct hf_text *files;
    enum hf_status status = who_short_files(rows, &files) ? HF_OK : hf_error_memory(err);
    if (status == HF_OK)
        status = find_row_shares(&shares, rows, err);
    for (size_t i = 0; i < rows->shown && status == HF_OK; i++) {
        hf_out_char(out, '\n');
        put_row(&rows->items[i], files[i], shares.permille[i], out);
        status = put_holdings(report, i, true, out, err);
    }
    free(files);
    if (rows->shown < rows->count && status == HF_OK) {
        hf_out_string(out, "\nand ");
        who_put_count(out, rows->count - rows->shown);
        hf_out_printf(out, " more %s: ", hf_plural(rows->count - rows->shown, "owner", "owners"));
        who_put_bytes(out, shares.parts[rows->shown], 0);
        hf_out_char(out, '\n');
    }
    shown_shares_done(&shares);
    return status;
}

/* "12,001 of 12,003 recorded blocks were found in its heaps" */
static void put_blocks(const struct hf_who_report *report, struct hf_out *out)
{
    const struct hf_table_blocks *blocks = report->of->blocks;
    bool has_all = blocks->exact == blocks->count;
    if (!has_all) {
        who_put_count(out, blocks->exact);
        hf_out_string(out, " of ");
    }
    who_put_count(out, blocks->count);
    hf_out_printf(out, " recorded %s", hf_plural(blocks->count, "block", "blocks"));
    if (report->of->table->head.period_bytes > 1) {
        hf_out_string(out, " (a sample for each ");
        who_put_bytes(out, report->of->table->head.period_bytes, 0);
        hf_out_string(out, " allocated)");
    }
    hf_out_string(out, has_all ? ", all found in its heaps\n" : " were found in its heaps\n");
}

/* "13 looks over 1.0 min: 2 of 5 places grow" */
static void put_chosen(const struct hf_who_report *report, struct hf_out *out)
{
    const struct hf_growth *growth = report->growth;
    size_t chosen = report->chosen_count;
    hf_out_printf(out, "%zu looks over ", /* never 1 */ growth->history->profile_count);
    hf_verdict_duration(growth->times_s[growth->point_count - 1], out);
    hf_out_printf(out, ": %zu of %zu %s ", chosen, growth->count,
        hf_plural(growth->count, "place", "places"));
    if (report->verdict != NULL)
        hf_out_printf(
            out, "%s the verdict '%s'\n", hf_plural(chosen, "has", "have"), report->verdict);
    else
        hf_out_printf(out, "%s\n", hf_plural(chosen, "grows", "grow"));
}

enum hf_status hf_who_text(
    const struct hf_who_report *report, struct hf_out *out, struct hf_error *err)
{
    const struct hf_holdings *h = report->holdings;
    hf_out_printf(out, "process %" PRIu32 ": ", report->pid);
    who_put_bytes(out, h->rows.total.value, 0);
    hf_out_string(out, " in use, by ");
    who_put_count(out, h->rows.count);
    hf_out_printf(out, " %s; ", hf_plural(h->rows.count, "owner", "owners"));
    hf_heap_put_stop(report->stopped_ns, out);
    hf_out_char(out, '\n');
    put_blocks(report, out);
    if (report->growth != NULL)
        put_chosen(report, out);
    if (h->rows.count == 0)
        return HF_OK;
    hf_out_printf(
        out, "\n%11s    share  owner, what keeps its blocks, and an example path\n", "bytes");
    if (h->rows.count > 1) {
        hf_out_char(out, '\n');
        who_put_bytes(out, h->rows.total.value, 11);
        hf_out_string(out, h->rows.total.value != 0 ? "  100.0 %" : "    0.0 %");
        hf_out_string(out, "  all of them\n");
        enum hf_status status = put_holdings(report, h->rows.count, false, out, err);
        if (status != HF_OK)
            return status;
    }
    return put_places(report, out, err);
}
