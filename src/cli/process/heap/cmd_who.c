/*
 * cmd_who.c: what keeps the memory that places of a program allocated: the live table says which
 * code allocated a block, the snapshot says what leads to it.
 */
#include "answer/operand.h"
#include "cli/heap_reader.h"
#include "cli/process/heap/who_report.h"
#include "cli/view_options.h"

struct who_options {
    struct hf_view_options view;
    bool is_json;
    uint64_t rows;
    /* The worker's: what it has of the live table. */
    struct hf_live_snapshot table;
    struct hf_table_blocks blocks;
};

#define AT(field) struct who_options, field

static const struct hf_option who_option_table[] = {
    {"rows", 'n', HF_OPT_COUNT(AT(rows), "N"), "print at most N owners; 0: all (default: 20)"},
    {"json", 0, HF_OPT_FLAG(AT(is_json)), "print one JSON document instead"},
    {0},
};

static const struct hf_option who_name_options[] = {
    {"full-names", 0, HF_OPT_FLAG(AT(view.request.names.full_names)),
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
        status = options->is_json ? hf_who_json(report, &output.out, err)
                                  : hf_who_text(report, &output.out, err);
    return hf_output_close(&output, status, err);
}

/* Who keeps what is known: what the places hold of it. */
static enum hf_status report_holdings(struct who_options *options,
    const struct hf_heap_reading *reading, const struct hf_keepers *keepers, struct hf_error *err)
{
    struct hf_holdings holdings;
    struct hf_block_paths paths = {0};
    const struct hf_holdings_of of = {&options->table, &options->blocks, keepers};
    enum hf_status status =
        hf_holdings_make(&holdings, &options->view.request, &of, (size_t)options->rows, err);
    if (status == HF_OK)
        status = hf_block_paths_init(&paths, reading->heap, reading->image, &of, &holdings, err);
    const struct hf_who_report report = {.pid = reading->pid,
        .stopped_ns = reading->stopped_ns,
        .of = &of,
        .holdings = &holdings,
        .paths = &paths};
    if (status == HF_OK)
        status = who_write(options, &report, err);
    const struct hf_notes *notes = hf_view_notes(&holdings.view);
    if (notes != NULL)
        hf_report_notes(&options->view.common, notes);
    hf_block_paths_done(&paths);
    hf_holdings_done(&holdings);
    return status;
}

static enum hf_status who_report(
    void *context, const struct hf_heap_reading *reading, struct hf_error *err)
{
    struct who_options *options = context;
    struct hf_variables variables;
    struct hf_keepers keepers = {0};
    struct hf_heap_symbols symbols;
    hf_heap_symbols_init(&symbols, &options->view.request.names);
    enum hf_status status = hf_table_blocks_join(&options->blocks, reading->heap, err);
    if (status != HF_OK)
        return status;
    status = hf_variables_read(&variables, reading->image, reading->graph, &symbols.options, err);
    if (status == HF_OK)
        status = hf_keepers_make(&keepers, reading->heap, reading->graph, &variables, err);
    if (status == HF_OK)
        status = report_holdings(options, reading, &keepers, err);
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
    const struct hf_heap_reader_task task = {.common = &options->view.common,
        .report = who_report,
        .see_table = who_see_table,
        .context = options,
        .table = table.fd};
    status = hf_heap_reader_run(&task, pid, err);
    hf_table_blocks_done(&options->blocks); /* of one that worked here */
    hf_live_snapshot_done(&options->table);
    hf_found_table_close(&table);
    return status;
}

static enum hf_status who_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct who_options *options = all;
    struct hf_request_fold *fold = &options->view.request.fold;
    uint32_t pid;
    hf_view_options_budget(&options->view);
    if (operands->count != 1 && operands->count != 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected one PID, and perhaps a regular expression; found %zu", operands->count);
    if (!hf_operand_is_pid(operands->items[0], &pid))
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a PID, e.g. 4711; found '%s'", operands->items[0]);
    if (operands->count == 2)
        fold->focus = operands->items[1];
    enum hf_status status = hf_view_options_choose_rows(&options->view, err);
    return status == HF_OK ? who_of(options, pid, err) : status;
}

const struct hf_command hf_cmd_who = {
    .name = "who",
    .summary = "Report what keeps the memory that each place of a running process allocated.",
    .operands = "PID [STACK-REGEX]",
    .details = "For each owner that top names, what its blocks are kept by: a global variable, a "
               "thread's\n"
               "stack, nothing at all. The process has to be recorded (heapflame run, or env); its "
               "threads\n"
               "stand still for some milliseconds, while the kernel makes a copy of it. "
               "STACK-REGEX keeps\n"
               "stacks with a function, module or source file that matches.",
    .groups = groups,
    .options_size = sizeof(struct who_options),
    .defaults = who_defaults,
    .run = who_run,
};
