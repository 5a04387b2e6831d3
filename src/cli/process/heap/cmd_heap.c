/*
 * cmd_heap.c: every block of a running process's heaps, what holds them, and what nothing holds
 * any more.
 */
#include "answer/heap/block_stacks.h"
#include "answer/operand.h"
#include "cli/heap_reader.h"
#include "cli/process/heap/heap_report.h"
#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>

struct heap_options {
    struct hf_report_options report; /* of the picture */
    bool is_json, wants_lost, never_stops;
    uint64_t rows;
};

#define AT(field) struct heap_options, field

static const struct hf_option heap_option_table[] = {
    {"lost", 0, HF_OPT_FLAG(AT(wants_lost)), "show only sizes and classes that have lost blocks"},
    {"rows", 'n', HF_OPT_COUNT(AT(rows), "N"),
        "print at most N holders, N sizes and N classes; 0: all (default: 20)"},
    {"no-stop", 0, HF_OPT_FLAG(AT(never_stops)),
        "do not stop the process: read it several times while it runs, and guess more"},
    {"json", 0, HF_OPT_FLAG(AT(is_json)), "print one JSON document instead"},
    {"output", 'o', HF_OPT_OUTPUT(AT(report.view.output), "FILE"),
        "draw what holds the memory as FILE.svg or FILE.html, or write folded stacks to FILE"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", heap_option_table},
    {"", hf_input_budget_options},
    {"Names", hf_binary_options},
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

/* ---- The picture ---- */

static enum hf_status draw_profile(
    struct heap_options *options, struct hf_profile *profile, uint32_t pid, struct hf_error *err)
{
    char title[64];
    struct hf_report_options *report = &options->report;
    bool is_picture =
        hf_report_ends(report->view.output, ".svg") || hf_report_ends(report->view.output, ".html");
    (void)snprintf(title, sizeof title, "What holds the memory of process %" PRIu32, pid);
    report->picture.title = title;
    report->view.request.given = profile;
    report->view.request.fold.keep_allocator = true; /* no code is in it */
    return is_picture ? hf_report_picture(report, NULL, 0, err)
                      : hf_report_folded(report, NULL, 0, err);
}

static enum hf_status draw_blocks(struct heap_options *options,
    const struct hf_heap_reading *reading, const struct hf_keepers *keepers, struct hf_error *err)
{
    struct hf_dominators tree = {0};
    struct hf_object_classes classes;
    struct hf_profile *profile = NULL;
    enum hf_status status = hf_object_classes_init(&classes, reading->heap, reading->image, err);
    if (status == HF_OK)
        status = hf_dominators_make(&tree, reading->heap, reading->graph, err);
    const struct hf_block_stacks_of of = {reading->heap, &tree, keepers, &classes};
    if (status == HF_OK)
        status = hf_block_stacks_make(&of, &profile, err);
    if (status == HF_OK)
        status = draw_profile(options, profile, reading->pid, err);
    hf_profile_free(profile);
    hf_dominators_done(&tree);
    hf_object_classes_done(&classes);
    return status;
}

static enum hf_status draw_heap(
    void *context, const struct hf_heap_reading *reading, struct hf_error *err)
{
    struct heap_options *options = context;
    struct hf_variables variables;
    struct hf_keepers keepers = {0};
    struct hf_heap_symbols symbols;
    hf_heap_symbols_init(&symbols, &options->report.view.request.names);
    enum hf_status status =
        hf_variables_read(&variables, reading->image, reading->graph, &symbols.options, err);
    if (status == HF_OK)
        status = hf_keepers_make(&keepers, reading->heap, reading->graph, &variables, err);
    if (status == HF_OK)
        status = draw_blocks(options, reading, &keepers, err);
    hf_keepers_done(&keepers);
    hf_variables_done(&variables);
    return status;
}

/* ---- The report ---- */

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
    struct hf_resident_parts resident = {0};
    const struct hf_class_census_of of = {
        .heap = heap, .image = reading->image, .graph = graph, .tree = &tree};
    enum hf_status status = hf_dominators_make(&tree, heap, graph, err);
    if (status == HF_OK)
        status = hf_holders_make(&holders, heap, graph, &tree, err);
    if (status == HF_OK)
        status = hf_heap_census_make(&census, heap, graph, err);
    if (status == HF_OK)
        status = hf_class_census_make(&classes, &of, err);
    if (status == HF_OK)
        status = hf_resident_parts_make(&resident, reading->places, heap, reading->image, err);
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
        .resident = &resident,
        .rows = options->rows != 0 ? (size_t)options->rows : SIZE_MAX,
    };
    if (status == HF_OK)
        status = write_report(options, &report, err);
    hf_resident_parts_done(&resident);
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
    struct hf_view_options *view = &options->report.view;
    hf_view_options_budget(view);
    if (view->output != NULL && (options->is_json || options->wants_lost))
        return hf_error_set(err, HF_ERR_USAGE,
            "--output draws everything that is held: leave out %s",
            options->is_json ? "--json" : "--lost");
    if (operands->count != 1)
        return hf_error_set(err, HF_ERR_USAGE, "expected one PID; found %zu", operands->count);
    if (!hf_operand_is_pid(operands->items[0], &pid))
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a PID, e.g. 4711; found '%s'", operands->items[0]);
    const struct hf_heap_reader_task task = {.common = &view->common,
        .report = view->output != NULL ? draw_heap : report_heap,
        .context = options,
        .outputs = {view->output},
        .never_stops = options->never_stops,
        .wants_places = view->output == NULL,
        .takes_no_heap = view->output == NULL};
    return hf_heap_reader_run_recorded(&task, pid, err);
}

const struct hf_command hf_cmd_heap = {
    .name = "heap",
    .summary = "Report what holds the memory of a running process, and what is lost.",
    .operands = "PID",
    .details =
        "Reads every block of the heaps of glibc, jemalloc 5.3, mimalloc 2.0, gperftools'\n"
        "tcmalloc and CPython from outside, and follows all pointers to them: from globals,\n"
        "thread-local storage, stacks, registers and other mappings. A block that none of these\n"
        "reaches is lost: a proven leak. The process needs no preparation. Its threads stop for\n"
        "some milliseconds, while the kernel copies the process. With -o, heap draws a flame\n"
        "graph: first what holds the memory, then containers and what is in them.",
    .groups = groups,
    .options_size = sizeof(struct heap_options),
    .defaults = heap_defaults,
    .run = heap_run,
};
