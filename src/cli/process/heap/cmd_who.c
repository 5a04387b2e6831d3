/*
 * cmd_who.c: what keeps the memory that places of a program allocated: the live table says which
 * code allocated a block, the snapshot says what leads to it.
 */
#include "answer/heap/growth_choice.h"
#include "answer/operand.h"
#include "cli/heap_reader.h"
#include "cli/process/heap/who_report.h"
#include "cli/view_options.h"

#include <string.h>

struct who_options {
    struct hf_history_options history;
    bool is_growing, never_stops;
    const char *verdict;
    uint64_t rows;
    enum hf_verdict_kind kind; /* of `verdict` */
    /* The worker's: what it has of the live table. */
    struct hf_process_history process;
    struct hf_live_snapshot table;
    struct hf_table_blocks blocks;
    const struct hf_symbol_options *symbols; /* of the report that is made */
};

#define AT(field) struct who_options, field
#define WATCHED_NS UINT64_C(60000000000) /* if nobody says how long */

static const struct hf_option who_option_table[] = {
    {"rows", 'n', HF_OPT_COUNT(AT(rows), "N"), "print at most N owners; 0: all (default: 20)"},
    {"growing", 0, HF_OPT_FLAG(AT(is_growing)),
        "watch the process first, and show only what grows"},
    {"verdict", 0, HF_OPT_TEXT(AT(verdict), "NAME"),
        "watch the process first, and show only what has this verdict: leak, 'filling cache' ..."},
    {"every", 0, HF_OPT_WAIT(AT(history.every_ns), "TIME"),
        "read the watched process every TIME (default: 5s)"},
    {"duration", 'd', HF_OPT_WAIT(AT(history.duration_ns), "TIME"),
        "watch the process for TIME, or until Ctrl-C (default: 1m)"},
    {"no-stop", 0, HF_OPT_FLAG(AT(never_stops)),
        "do not stop the process: read it several times while it runs, and guess more"},
    {"json", 0, HF_OPT_FLAG(AT(history.is_json)), "print one JSON document instead"},
    {0},
};

static const struct hf_option who_name_options[] = {
    {"full-names", 0, HF_OPT_FLAG(AT(history.view.request.names.full_names)),
        "show C++ and Rust names with parameters and template arguments"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", who_option_table},
    {"", hf_owner_options},
    {"", hf_input_budget_options},
    {"Names", hf_binary_options},
    {"", who_name_options},
    {"Help", hf_common_options},
    {0},
};

static void who_defaults(void *options)
{
    ((struct who_options *)options)->rows = 20;
}

static enum hf_status who_see_table(
    void *context, const int *table, uint64_t asked_ns, struct hf_error *err)
{
    struct who_options *options = context;
    return hf_table_blocks_read(
        &options->blocks, &options->table, hf_live_source_of(table, "live table"), asked_ns, err);
}

static enum hf_status who_write(
    const struct who_options *options, const struct hf_who_report *report, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status == HF_OK)
        status = options->history.is_json ? hf_who_json(report, &output.out, err)
                                          : hf_who_text(report, &output.out, err);
    return hf_output_close(&output, status, err);
}

static enum hf_status who_look(void *context, int table, const char *name, struct hf_error *err)
{
    struct who_options *options = context;
    return hf_process_history_add_table(
        &options->process, &options->history.view.request, table, name, err);
}

/* ---- What grows ---- */

static bool who_watches(const struct who_options *options)
{
    return options->is_growing || options->verdict != NULL;
}

/* All that grows, or has the verdict, of what was seen. */
static enum hf_status who_choose(
    struct who_options *options, struct hf_growth_choice *choice, struct hf_error *err)
{
    struct hf_process_history *process = &options->process;
    struct hf_request of_places = options->history.view.request;
    of_places.fold.owners = HF_OWNERS_KNOWN;
    of_places.fold.focus = NULL;
    enum hf_status status = hf_process_history_judge_looks(process, &of_places, err);
    if (status != HF_OK)
        return status;
    return options->verdict != NULL
               ? hf_growth_choice_make(
                     choice, &process->growth, hf_growth_place_is_called, &options->kind, err)
               : hf_growth_choice_make(choice, &process->growth, hf_growth_place_grows, NULL, err);
}

/* ---- The report ---- */

/* Who keeps what is known: what the places hold of it. `choice`: NULL: all of them. */
static enum hf_status report_holdings(struct who_options *options,
    const struct hf_heap_reading *reading, const struct hf_keepers *keepers,
    const struct hf_growth_choice *choice, struct hf_error *err)
{
    struct hf_holdings holdings;
    struct hf_block_paths paths = {0};
    const struct hf_request *request = &options->history.view.request;
    const struct hf_holdings_of of = {
        &options->table, &options->blocks, keepers, choice != NULL ? &choice->places : NULL};
    enum hf_status status = hf_holdings_make(&holdings, request, &of, (size_t)options->rows, err);
    if (status == HF_OK)
        status = hf_block_paths_init(&paths,
            &(struct hf_block_paths_of){
                reading->heap, reading->graph, reading->image, options->symbols, &of, &holdings},
            err);
    const struct hf_who_report report = {.pid = reading->pid,
        .stopped_ns = reading->stopped_ns,
        .of = &of,
        .holdings = &holdings,
        .paths = &paths,
        .growth = choice != NULL ? &options->process.growth : NULL,
        .verdict = options->verdict,
        .chosen_count = choice != NULL ? choice->chosen_count : 0};
    if (status == HF_OK)
        status = who_write(options, &report, err);
    const struct hf_notes *notes = hf_view_notes(&holdings.view);
    if (notes != NULL)
        hf_report_notes(&options->history.view.common, notes);
    hf_block_paths_done(&paths);
    hf_holdings_done(&holdings);
    return status;
}

static enum hf_status report_chosen(struct who_options *options,
    const struct hf_heap_reading *reading, const struct hf_keepers *keepers, struct hf_error *err)
{
    struct hf_growth_choice choice = {0};
    if (!who_watches(options))
        return report_holdings(options, reading, keepers, NULL, err);
    enum hf_status status = who_choose(options, &choice, err);
    if (status == HF_OK)
        status = report_holdings(options, reading, keepers, &choice, err);
    hf_growth_choice_done(&choice);
    return status;
}

static enum hf_status who_report(
    void *context, const struct hf_heap_reading *reading, struct hf_error *err)
{
    struct who_options *options = context;
    struct hf_variables variables;
    struct hf_keepers keepers = {0};
    struct hf_heap_symbols symbols;
    hf_heap_symbols_init(&symbols, &options->history.view.request.names);
    options->symbols = &symbols.options;
    enum hf_status status = hf_table_blocks_join(&options->blocks, reading->heap, err);
    if (status != HF_OK)
        return status;
    status = hf_variables_read(&variables, reading->image, reading->graph, &symbols.options, err);
    if (status == HF_OK)
        status = hf_keepers_make(&keepers, reading->heap, reading->graph, &variables, err);
    if (status == HF_OK)
        status = report_chosen(options, reading, &keepers, err);
    hf_keepers_done(&keepers);
    hf_variables_done(&variables);
    return status;
}

static enum hf_status who_of(struct who_options *options, uint32_t pid, struct hf_error *err)
{
    struct hf_found_table table;
    enum hf_status status = hf_found_table_of(&table, pid, NULL, err);
    if (status != HF_OK) {
        struct hf_error why = *err;
        return hf_error_set(err, status,
            "%s; to see what holds its memory, without the code that allocated it: heapflame heap "
            "%u",
            why.text, pid);
    }
    const struct hf_heap_reader_task task = {.common = &options->history.view.common,
        .report = who_report,
        .see_table = who_see_table,
        .context = options,
        .table = table.fd,
        .watch = who_watches(options) ? &options->history : NULL,
        .look = who_look,
        .never_stops = options->never_stops};
    status = hf_heap_reader_run(&task, pid, err);
    hf_process_history_done(&options->process);
    hf_table_blocks_done(&options->blocks); /* of one that worked here */
    hf_live_snapshot_done(&options->table);
    hf_found_table_close(&table);
    return status;
}

static enum hf_status parse_verdict(struct who_options *options, struct hf_error *err)
{
    for (unsigned kind = 0; kind <= HF_VERDICT_TOO_LITTLE; kind++) {
        if (strcmp(hf_verdict_name((enum hf_verdict_kind)kind), options->verdict) == 0) {
            options->kind = (enum hf_verdict_kind)kind;
            return HF_OK;
        }
    }
    return hf_error_set(err, HF_ERR_USAGE,
        "--verdict: expected leak, filling cache, full cache, steady, burst, undecided or too "
        "little data, found '%s'",
        options->verdict);
}

static enum hf_status check_watch(struct who_options *options, struct hf_error *err)
{
    struct hf_history_options *history = &options->history;
    if (options->is_growing && options->verdict != NULL)
        return hf_error_set(err, HF_ERR_USAGE, "--growing and --verdict exclude each other");
    if (!who_watches(options) && (history->every_ns != 0 || history->duration_ns != 0))
        return hf_error_set(err, HF_ERR_USAGE, "--%s needs --growing or --verdict",
            history->every_ns != 0 ? "every" : "duration");
    if (history->duration_ns == 0)
        history->duration_ns = WATCHED_NS;
    return options->verdict != NULL ? parse_verdict(options, err) : HF_OK;
}

static enum hf_status who_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct who_options *options = all;
    struct hf_request_fold *fold = &options->history.view.request.fold;
    uint32_t pid;
    hf_view_options_budget(&options->history.view);
    if (operands->count != 1 && operands->count != 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected one PID, and perhaps a regular expression; found %zu", operands->count);
    if (!hf_operand_is_pid(operands->items[0], &pid))
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a PID, e.g. 4711; found '%s'", operands->items[0]);
    if (operands->count == 2)
        fold->focus = operands->items[1];
    enum hf_status status = hf_view_options_choose_rows(&options->history.view, err);
    if (status == HF_OK)
        status = check_watch(options, err);
    return status == HF_OK ? who_of(options, pid, err) : status;
}

const struct hf_command hf_cmd_who = {
    .name = "who",
    .summary = "Report what keeps the memory that each place of a running process allocated.",
    .operands = "PID [STACK-REGEX]",
    .details =
        "For each owner that top names, who reports what keeps its blocks: a global variable,\n"
        "a thread's stack, or nothing at all. The process must be recorded (heapflame run, or\n"
        "env). Its threads stop for some milliseconds, while the kernel copies the process.\n"
        "STACK-REGEX keeps stacks with a function, module or source file that matches. With\n"
        "--growing or --verdict, who first watches the process, as trend does, and shows only\n"
        "what grows, or only what has that verdict.",
    .groups = groups,
    .options_size = sizeof(struct who_options),
    .defaults = who_defaults,
    .run = who_run,
};
