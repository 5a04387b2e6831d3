/*
 * cmd_contexts.c: which memory contexts of a PostgreSQL process grow, read from outside: no probe,
 * no restart, no SQL.
 */
#include "answer/operand.h"
#include "attach/postgres/context_growth.h"
#include "attach/postgres/postgres.h"
#include "base/budget.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "cli/command.h"
#include "cli/process/contexts_follow.h"
#include "render/amount.h"

#include <time.h>

#define WAIT_NS (5 * UINT64_C(1000000000))
#define WALKS 5       /* at each time; the least counts */
#define WALKS_LEAST 2 /* of a tree so large that this takes a second or more */
#define WALK_PAUSE_NS UINT64_C(5000000)

struct contexts_options {
    struct hf_common common;
    const char *process;
    uint64_t duration_ns, every_ns, rows; /* times: 0, not given */
    bool is_json, keeps_idents, follows;
    double input_budget; /* base/budget.h; 0: not given */
};

#define AT(field) struct contexts_options, field

static const struct hf_option contexts_options[] = {
    {"duration", 'd', HF_OPT_WAIT(AT(duration_ns), "TIME"),
        "wait TIME between the two readings, or follow for TIME (default: 5s; with --follow, until "
        "the process ends, or Ctrl-C)"},
    {"follow", 0, HF_OPT_FLAG(AT(follows)),
        "read the tree again and again, and report trends and verdicts as heapflame trend does"},
    {"every", 0, HF_OPT_WAIT(AT(every_ns), "TIME"),
        "with --follow, read the tree every TIME (default: 5s)"},
    {"rows", 0, HF_OPT_COUNT(AT(rows), "N"), "print at most N rows; 0: all (default: 20)"},
    {"idents", 0, HF_OPT_FLAG(AT(keeps_idents)),
        "print a row for each ident (e.g. an index), even of small contexts"},
    {"json", 0, HF_OPT_FLAG(AT(is_json)), "print one JSON document instead"},
    {"pid", 'x', HF_OPT_TEXT(AT(process), "PID"), "read process PID, as stap -x does"},
    {"input-budget", 0, HF_OPT_REAL(AT(input_budget), "N"),
        "multiply the limits on memory and work for the process by N (default: 1)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Options", contexts_options},
    {"Help", hf_common_options},
    {0},
};

static void set_defaults(void *options_pointer)
{
    struct contexts_options *options = options_pointer;
    options->rows = 20;
}

static void wait_ns(uint64_t ns)
{
    const uint64_t second = UINT64_C(1000000000);
    struct timespec left = {(time_t)(ns / second), (long)(ns % second)};
    while (nanosleep(&left, &left) != 0)
        continue;
}

/* Reads the tree some times. */
static enum hf_status contexts_look(const struct hf_postgres *postgres, enum hf_context_time when,
    struct hf_context_growth *growth, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    struct timespec start, now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    while (status == HF_OK && (growth->walks[when] < WALKS_LEAST ||
                                  (growth->walks[when] < WALKS && now.tv_sec - start.tv_sec < 2))) {
        struct hf_contexts contexts;
        status = hf_contexts_read_whole(&contexts, &postgres->source, &postgres->layout, err);
        if (status == HF_OK)
            hf_budget_give(contexts.count); /* at least a byte was read of each */
        if (status == HF_OK)
            status = hf_context_growth_add(growth, &contexts, when, err);
        hf_contexts_done(&contexts);
        wait_ns(WALK_PAUSE_NS);
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    }
    return status;
}

static struct hf_context_held sum(const struct hf_context_growth *growth, enum hf_context_time when)
{
    struct hf_context_held all = {0};
    for (size_t i = 0; i < growth->count; i++) {
        all.used_bytes += growth->rows[i].least[when].used_bytes;
        all.held_bytes += growth->rows[i].least[when].held_bytes;
        all.contexts += growth->rows[i].least[when].contexts;
    }
    return all;
}

/* What is printed, and how many rows of it. */
struct report {
    const struct contexts_options *options;
    const struct hf_postgres *postgres;
    const struct hf_context_growth *growth;
    size_t shown;
};

static int64_t grew_in_all(const struct hf_context_growth *growth)
{
    int64_t all = 0;
    for (size_t i = 0; i < growth->count; i++)
        all += hf_context_grew(growth->rows[i].least);
    return all;
}

static const char *contexts_net(int64_t grew, char out[HF_AMOUNT_MAX])
{
    const struct hf_amount_style style = {HF_AMOUNT_HUMAN, true};
    struct hf_total total = {
        grew > 0 ? (uint64_t)grew : 0, grew < 0 ? (uint64_t)0 - (uint64_t)grew : 0};
    return hf_amount_net(style, total, out);
}

static void contexts_put_heading(const struct report *report, struct hf_out *out)
{
    const struct hf_amount_style style = {HF_AMOUNT_HUMAN, true};
    struct hf_context_held before = sum(report->growth, HF_CONTEXT_BEFORE);
    struct hf_context_held after = sum(report->growth, HF_CONTEXT_AFTER);
    char held[HF_AMOUNT_MAX], used[HF_AMOUNT_MAX];
    hf_out_printf(out, "process %u: %s held by %llu %s, %s in use; ", report->postgres->pid,
        hf_amount(style, before.held_bytes, held), (unsigned long long)before.contexts,
        hf_plural(before.contexts, "context", "contexts"),
        hf_amount(style, before.used_bytes, used));
    hf_out_printf(out, "%g s later %s, %s in use: ", (double)report->options->duration_ns / 1e9,
        hf_amount(style, after.held_bytes, held), hf_amount(style, after.used_bytes, used));
    hf_out_printf(out, "%s\n", contexts_net(grew_in_all(report->growth), held));
}

static void contexts_put_table(const struct report *report, struct hf_out *out)
{
    const struct hf_amount_style style = {HF_AMOUNT_HUMAN, true};
    char net[HF_AMOUNT_MAX], held[HF_AMOUNT_MAX], used[HF_AMOUNT_MAX];
    contexts_put_heading(report, out);
    hf_out_printf(out, "%10s  %10s  %10s  %8s  context\n", "grew", "held", "in use", "contexts");
    for (size_t i = 0; i < report->shown; i++) {
        const struct hf_context_row *row = &report->growth->rows[i];
        const struct hf_context_held *after = &row->least[HF_CONTEXT_AFTER];
        hf_out_printf(out, "%10s  %10s  %10s  %8llu  ",
            contexts_net(hf_context_grew(row->least), net),
            hf_amount(style, after->held_bytes, held), hf_amount(style, after->used_bytes, used),
            (unsigned long long)after->contexts);
        hf_escape_terminal(out, row->path);
        if (row->cache != NULL)
            hf_out_printf(out, "  (%s)", row->cache);
        hf_out_char(out, '\n');
    }
}

static void put_json_held(struct hf_out *out, const char *key, struct hf_context_held held)
{
    hf_out_printf(out, "\"%s\": {\"bytes\": %llu, \"held\": %llu, \"contexts\": %llu}", key,
        (unsigned long long)held.used_bytes, (unsigned long long)held.held_bytes,
        (unsigned long long)held.contexts);
}

static void contexts_put_json_row(const struct hf_context_row *row, struct hf_out *out)
{
    hf_out_string(out, "{\"context\": \"");
    hf_escape_json(out, row->path);
    if (row->cache != NULL)
        hf_out_printf(out, "\", \"cache\": \"%s\", ", row->cache);
    else
        hf_out_string(out, "\", \"cache\": null, ");
    hf_out_printf(out, "\"grew\": %lld, ", (long long)hf_context_grew(row->least));
    put_json_held(out, "before", row->least[HF_CONTEXT_BEFORE]);
    hf_out_string(out, ", ");
    put_json_held(out, "after", row->least[HF_CONTEXT_AFTER]);
    hf_out_char(out, '}');
}

static void contexts_put_json(const struct report *report, uint64_t duration_ns, struct hf_out *out)
{
    const struct hf_context_growth *growth = report->growth;
    hf_out_printf(out,
        "{\"schema\": \"heapflame.contexts/1\", \"pid\": %u, \"milliseconds\": %llu, "
        "\"torn\": %llu,\n  ",
        report->postgres->pid, (unsigned long long)(duration_ns / 1000000),
        (unsigned long long)growth->torn);
    put_json_held(out, "before", sum(growth, HF_CONTEXT_BEFORE));
    hf_out_string(out, ", ");
    put_json_held(out, "after", sum(growth, HF_CONTEXT_AFTER));
    hf_out_string(out, ",\n  \"rows\": [");
    for (size_t i = 0; i < report->shown; i++) {
        hf_out_string(out, i == 0 ? "\n    " : ",\n    ");
        contexts_put_json_row(&growth->rows[i], out);
    }
    hf_out_string(out, "]}\n");
}

static enum hf_status print(const struct report *report, uint64_t duration_ns, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    if (report->options->is_json)
        contexts_put_json(report, duration_ns, &output.out);
    else
        contexts_put_table(report, &output.out);
    return hf_output_close(&output, status, err);
}

static void contexts_say_what_is_missing(struct hf_common *common, const struct report *report)
{
    struct hf_notes notes = {0};
    size_t rest = report->growth->count - report->shown;
    if (rest != 0)
        hf_notes_add(&notes, HF_NOTE_INFO, "%zu more %s (--rows 0 prints all)", rest,
            hf_plural(rest, "row", "rows"));
    if (report->growth->torn != 0)
        hf_notes_add(&notes, HF_NOTE_LOSS, "%llu %s read: some contexts are missing",
            (unsigned long long)report->growth->torn,
            hf_plural(report->growth->torn, "list of contexts changed each time it was",
                "lists of contexts changed each time they were"));
    hf_report_notes(common, &notes);
    hf_notes_done(&notes);
}

static enum hf_status contexts_compare(
    struct contexts_options *options, uint32_t pid, uint64_t duration_ns, struct hf_error *err)
{
    struct hf_postgres postgres;
    struct hf_context_growth growth = {.keeps_idents = options->keeps_idents};
    enum hf_status status = hf_postgres_open(&postgres, pid, err);
    struct hf_budget budget = {0}; /* a name that many contexts are in is in all their names */
    struct hf_budget_scope before = hf_budget_enter(&budget);
    if (status == HF_OK)
        status = contexts_look(&postgres, HF_CONTEXT_BEFORE, &growth, err);
    if (status == HF_OK) {
        wait_ns(duration_ns);
        status = contexts_look(&postgres, HF_CONTEXT_AFTER, &growth, err);
    }
    hf_budget_leave(before);
    if (status == HF_OK)
        status = hf_context_growth_rank(&growth, err);
    bool is_cut = options->rows != 0 && options->rows < growth.count;
    struct report report = {
        options, &postgres, &growth, is_cut ? (size_t)options->rows : growth.count};
    if (status == HF_OK)
        status = print(&report, duration_ns, err);
    if (status == HF_OK)
        contexts_say_what_is_missing(&options->common, &report);
    hf_context_growth_done(&growth);
    hf_postgres_close(&postgres);
    return status;
}

static enum hf_status contexts_follow(
    struct contexts_options *options, uint32_t pid, struct hf_error *err)
{
    struct hf_postgres postgres;
    struct hf_budget budget = {0};
    const struct hf_contexts_follow follow = {
        .common = &options->common,
        .postgres = &postgres,
        .every_ns = options->every_ns != 0 ? options->every_ns : WAIT_NS,
        .duration_ns = options->duration_ns,
        .rows = options->rows,
        .is_json = options->is_json,
        .keeps_idents = options->keeps_idents,
    };
    enum hf_status status = hf_postgres_open(&postgres, pid, err);
    struct hf_budget_scope before = hf_budget_enter(&budget);
    if (status == HF_OK)
        status = hf_contexts_follow(&follow, err);
    hf_budget_leave(before);
    hf_postgres_close(&postgres);
    return status;
}

static enum hf_status contexts_run(
    void *options_pointer, struct hf_operands *operands, struct hf_error *err)
{
    struct contexts_options *options = options_pointer;
    uint32_t pid;
    if (options->input_budget != 0)
        hf_budget_set_factor(options->input_budget);
    if (options->process != NULL)
        operands->items[operands->count++] = options->process;
    if (operands->count != 1)
        return hf_error_set(err, HF_ERR_USAGE, "expected one PID; found %zu", operands->count);
    if (!hf_operand_is_pid(operands->items[0], &pid))
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a PID, e.g. 4711; found '%s'", operands->items[0]);
    if (options->follows)
        return contexts_follow(options, pid, err);
    if (options->every_ns != 0)
        return hf_error_set(err, HF_ERR_USAGE, "--every needs --follow");
    if (options->duration_ns == 0)
        options->duration_ns = WAIT_NS;
    return contexts_compare(options, pid, options->duration_ns, err);
}

const struct hf_command hf_cmd_contexts = {
    .name = "contexts",
    .summary = "Report which memory contexts of a PostgreSQL process grow.",
    .operands = "PID",
    .details =
        "Reads the tree of contexts twice, from outside; the process does not notice. Contexts\n"
        "with the same name and the same parents are one row. The rows that grew most come\n"
        "first. With --follow, each row gets its trend and its verdict.",
    .groups = groups,
    .options_size = sizeof(struct contexts_options),
    .defaults = set_defaults,
    .is_reader = hf_command_is_reader,
    .run = contexts_run,
};
