/* who_json.c: see who_report.h. */
#include "base/strings/escape.h"
#include "cli/process/heap/who_report.h"

#include <inttypes.h>

static const char *const keeper_kinds[HF_ROOT_KINDS] = {
    [HF_ROOT_DATA] = "data",
    [HF_ROOT_THREAD_LOCAL] = "thread_local",
    [HF_ROOT_STACK] = "stack",
    [HF_ROOT_REGISTER] = "register",
    [HF_ROOT_MAPPING] = "mapping",
};
static const char *const keeper_forms[] = {
    [HF_KEEPER_LOST] = "lost",
    [HF_KEEPER_LOST_WITH] = "lost_with",
    [HF_KEEPER_MANY] = "many",
    [HF_KEEPER_TWO] = "two",
    [HF_KEEPER_ONE] = "one",
};

static void put_json_text(struct hf_out *out, const char *key, struct hf_text text)
{
    hf_out_printf(out, "\"%s\": \"", key);
    hf_escape_json(out, text);
    hf_out_char(out, '"');
}

/* Empty texts: not known. */
static void put_json_member(const struct hf_member_name *member, struct hf_out *out)
{
    hf_out_string(out, "\"member\": {");
    put_json_text(out, "class", member->class);
    hf_out_string(out, ", ");
    put_json_text(out, "name", member->name);
    hf_out_string(out, ", ");
    put_json_text(out, "type", member->type);
    hf_out_char(out, '}');
}

static void put_json_keeper(struct hf_out *out, const struct hf_block_keeper *keeper)
{
    hf_out_printf(out, "{\"kind\": \"%s\", ", keeper_kinds[keeper->kind]);
    put_json_text(out, "name", keeper->where != NULL ? keeper->where->name : HF_TEXT(""));
    hf_out_string(out, ", ");
    put_json_text(out, "path", hf_text_of(keeper->holder->path));
    hf_out_printf(out, ", \"thread\": %d}", (int)keeper->holder->thread);
}

/* Of MANY the kind alone is known, and which of them the example has. */
static void put_json_keepers(struct hf_out *out, const struct hf_keepers *keepers, uint32_t number)
{
    if (number == HF_HOLDING_UNSEEN) {
        hf_out_string(out, "\"form\": \"unseen\", \"kind\": \"\", \"keepers\": []");
        return;
    }
    const struct hf_block_keeper *keeper = &keepers->items[number];
    bool is_kept = keeper->form >= HF_KEEPER_MANY;
    hf_out_printf(out, "\"form\": \"%s\", \"kind\": \"%s\", \"keepers\": [",
        keeper_forms[keeper->form], is_kept ? keeper_kinds[keeper->kind] : "");
    if (keeper->form == HF_KEEPER_ONE)
        put_json_keeper(out, keeper);
    if (keeper->form == HF_KEEPER_TWO) {
        put_json_keeper(out, &keepers->items[keeper->first]);
        hf_out_string(out, ", ");
        put_json_keeper(out, &keepers->items[keeper->second]);
    }
    hf_out_char(out, ']');
}

static void put_json_steps(
    const struct hf_who_report *report, const struct hf_block_path *path, struct hf_out *out)
{
    for (size_t i = 0; i < path->count; i++) {
        const struct hf_block_step *step = &path->steps[i];
        struct hf_text owner = {NULL, 0};
        if (step->row != UINT32_MAX)
            owner = report->holdings->rows.items[step->row].name;
        hf_out_printf(out, "%s{\"bytes\": %" PRIu64 ", \"count\": %" PRIu64 ", ",
            i != 0 ? ", " : "", step->bytes, step->count);
        put_json_text(out, "class", hf_object_class_name(&report->paths->classes, step->class));
        hf_out_string(out, ", ");
        put_json_text(out, "owner", owner);
        hf_out_string(out, ", ");
        put_json_member(&step->member, out);
        hf_out_char(out, '}');
    }
}

/* The keeper from which the path comes, if one does, and its blocks. */
static enum hf_status put_json_example(
    const struct hf_who_report *report, uint32_t block, struct hf_out *out, struct hf_error *err)
{
    struct hf_block_path path = {0};
    const struct hf_keepers *keepers = report->of->keepers;
    enum hf_status status = HF_OK;
    hf_out_string(out, ", \"example\": {");
    if (block != HF_BLOCK_NONE)
        status = hf_block_path_read(&path, report->paths, block, err);
    if (path.count != 0 && keepers->items[path.keeper].form == HF_KEEPER_ONE) {
        hf_out_string(out, "\"from\": ");
        put_json_keeper(out, &keepers->items[path.keeper]);
        hf_out_string(out, ", ");
        put_json_member(&path.member, out);
        hf_out_string(out, ", ");
    }
    hf_out_string(out, "\"blocks\": [");
    put_json_steps(report, &path, out);
    hf_out_string(out, "]}");
    hf_block_path_done(&path);
    return status;
}

static enum hf_status put_json_holdings(
    const struct hf_who_report *report, size_t row, struct hf_out *out, struct hf_error *err)
{
    const struct hf_holdings *h = report->holdings;
    const struct hf_holdings_part *part = &h->parts[row];
    enum hf_status status = HF_OK;
    hf_out_string(out, "\"kept_by\": [");
    for (size_t i = 0; i < part->count && status == HF_OK; i++) {
        const struct hf_holding *holding = &h->items[part->first + i];
        hf_out_string(out, i != 0 ? ",\n      {" : "\n      {");
        put_json_keepers(out, report->of->keepers, holding->keeper);
        hf_out_string(out, ", ");
        put_json_text(out, "function", holding->function);
        hf_out_printf(out,
            ", \"bytes\": %" PRIu64 ", \"objects\": %" PRIu64 ", \"samples\": %" PRIu64,
            holding->bytes, holding->objects, holding->samples);
        status = put_json_example(report, holding->example, out, err);
        hf_out_char(out, '}');
    }
    hf_out_char(out, ']');
    return status;
}

static enum hf_status put_json_places(
    const struct hf_who_report *report, struct hf_out *out, struct hf_error *err)
{
    const struct hf_rows *rows = &report->holdings->rows;
    enum hf_status status = HF_OK;
    hf_out_string(out, "  \"owners\": [");
    for (size_t i = 0; i < rows->shown && status == HF_OK; i++) {
        const struct hf_row *row = &rows->items[i];
        hf_out_string(out, i != 0 ? ",\n    {" : "\n    {");
        put_json_text(out, "name", row->name);
        hf_out_string(out, ", ");
        put_json_text(out, "file", row->file);
        hf_out_printf(out, ", \"line\": %u, \"bytes\": %" PRIu64 ", ", row->line, row->flat.value);
        status = put_json_holdings(report, i, out, err);
        hf_out_char(out, '}');
    }
    hf_out_string(out, "]\n");
    return status;
}

/* By which the owners were chosen. */
static void put_json_chosen(const struct hf_who_report *report, struct hf_out *out)
{
    const struct hf_growth *growth = report->growth;
    if (growth == NULL)
        return;
    hf_out_printf(out, "  \"chosen\": {\"looks\": %zu, \"places\": %zu, \"chosen\": %zu, ",
        growth->history->profile_count, growth->count, report->chosen_count);
    put_json_text(out, "verdict", hf_text_of(report->verdict != NULL ? report->verdict : ""));
    hf_out_string(out, "},\n");
}

enum hf_status hf_who_json(
    const struct hf_who_report *report, struct hf_out *out, struct hf_error *err)
{
    const struct hf_table_blocks *blocks = report->of->blocks;
    const struct hf_rows *rows = &report->holdings->rows;
    hf_out_printf(out,
        "{\n  \"schema\": \"heapflame.who/1\",\n  \"pid\": %" PRIu32 ",\n  \"stopped_ns\": %" PRIu64
        ",\n  \"period_bytes\": %" PRIu64 ",\n",
        report->pid, report->stopped_ns, report->of->table->head.period_bytes);
    hf_out_printf(out,
        "  \"table\": {\"blocks\": %zu, \"exact\": %" PRIu64 ", \"inside\": %" PRIu64
        ", \"younger\": %" PRIu64 "},\n",
        blocks->count, blocks->exact, blocks->inside, blocks->younger);
    put_json_chosen(report, out);
    hf_out_printf(out, "  \"bytes\": %" PRIu64 ",\n  \"owner_count\": %zu,\n  ", rows->total.value,
        rows->count);
    enum hf_status status = put_json_holdings(report, rows->count, out, err);
    hf_out_string(out, ",\n");
    if (status == HF_OK)
        status = put_json_places(report, out, err);
    hf_out_string(out, "}\n");
    return status;
}
