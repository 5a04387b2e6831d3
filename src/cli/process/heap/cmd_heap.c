/*
 * cmd_heap.c: every block of a running process's heaps, what holds them, and what nothing holds
 * any more.
 */
#include "answer/operand.h"
#include "base/budget.h"
#include "cli/process/heap/heap_reader.h"
#include "cli/process/heap/heap_report.h"

struct heap_options {
    struct hf_common common;
    bool is_json, wants_lost;
    uint64_t rows;
    double input_budget; /* base/budget.h; 0: not given */
};

#define AT(field) struct heap_options, field

static const struct hf_option heap_option_table[] = {
    {"lost", 0, HF_OPT_FLAG(AT(wants_lost)),
        "show only sizes and classes of which blocks are lost"},
    {"rows", 'n', HF_OPT_COUNT(AT(rows), "N"),
        "print at most N holders, N sizes and N classes; 0: all (default: 20)"},
    {"json", 0, HF_OPT_FLAG(AT(is_json)), "print one JSON document instead"},
    {"input-budget", 0, HF_OPT_REAL(AT(input_budget), "N"),
        "multiply the limits on memory and work for the process by N (default: 1)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", heap_option_table},
    {"Help", hf_common_options},
    {0},
};

static void heap_defaults(void *options)
{
    ((struct heap_options *)options)->rows = 20;
}

static enum hf_status write_report(
    const struct heap_options *options, const struct hf_heap_report *report, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    if (options->is_json)
        hf_heap_json(report, &output.out);
    else
        hf_heap_text(report, &output.out);
    return hf_output_close(&output, status, err);
}

static enum hf_status report_heap(
    void *context, const struct hf_heap_reading *reading, struct hf_error *err)
{
    const struct heap_options *options = context;
    const struct hf_heap *heap = reading->heap;
    const struct hf_block_graph *graph = reading->graph;
    struct hf_dominators tree = {0};
    struct hf_holders holders = {0};
    struct hf_heap_census census = {0};
    struct hf_class_census classes = {0};
    const struct hf_class_census_of of = {
        .heap = heap, .image = reading->image, .graph = graph, .tree = &tree};
    enum hf_status status = hf_dominators_make(&tree, heap, graph, err);
    if (status == HF_OK)
        status = hf_holders_make(&holders, heap, graph, &tree, err);
    if (status == HF_OK)
        status = hf_heap_census_make(&census, heap, graph, err);
    if (status == HF_OK)
        status = hf_class_census_make(&classes, &of, err);
    if (options->wants_lost) {
        hf_heap_census_keep_lost(&census);
        hf_class_census_keep_lost(&classes);
    }
    const struct hf_heap_report report = {
        .pid = reading->pid,
        .stopped_ns = reading->stopped_ns,
        .heap = heap,
        .graph = graph,
        .holders = &holders,
        .census = &census,
        .classes = &classes,
        .rows = options->rows != 0 ? (size_t)options->rows : SIZE_MAX,
    };
    if (status == HF_OK)
        status = write_report(options, &report, err);
    hf_class_census_done(&classes);
    hf_heap_census_done(&census);
    hf_holders_done(&holders);
    hf_dominators_done(&tree);
    return status;
}

static enum hf_status heap_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct heap_options *options = all;
    uint32_t pid;
    if (options->input_budget != 0)
        hf_budget_set_factor(options->input_budget);
    if (operands->count != 1)
        return hf_error_set(err, HF_ERR_USAGE, "expected one PID; found %zu", operands->count);
    if (!hf_operand_is_pid(operands->items[0], &pid))
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a PID, e.g. 4711; found '%s'", operands->items[0]);
    struct hf_found_table table;
    bool is_recorded = hf_found_table_of(&table, pid, NULL, NULL) == HF_OK;
    const struct hf_heap_reader_task task = {.common = &options->common,
        .report = report_heap,
        .context = options,
        .table = is_recorded ? table.fd : -1};
    enum hf_status status = hf_heap_reader_run(&task, pid, err);
    hf_found_table_close(&table);
    return status;
}

const struct hf_command hf_cmd_heap = {
    .name = "heap",
    .summary = "Report what holds the memory of a running process, and what is lost.",
    .operands = "PID",
    .details =
        "Reads every block of the heaps of glibc and jemalloc 5.3 from outside, and follows all\n"
        "pointers to them: from globals, thread-local storage, stacks, registers and other\n"
        "mappings. What none of these reaches is lost: a leak that is proven. The process needs "
        "no\n"
        "preparation; its threads stand still for some milliseconds, while the kernel makes a "
        "copy\n"
        "of it.",
    .groups = groups,
    .options_size = sizeof(struct heap_options),
    .defaults = heap_defaults,
    .run = heap_run,
};
