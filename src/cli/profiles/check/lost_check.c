#include "cli/profiles/check/lost_check.h"

#include "base/plural.h"
#include "cli/heap_reader.h"
#include "render/amount.h"
#include "render/table/check_report.h"

#include <inttypes.h>

/* One look; the worker's. */
struct lost_look {
    const struct hf_lost_check *check;
    bool is_last; /* it is reported even if it fails */
};

static void lost_put_bytes(uint64_t bytes, struct hf_out *out)
{
    char text[HF_AMOUNT_MAX];
    const struct hf_amount_style style = {HF_AMOUNT_HUMAN, true};
    hf_out_string(out, hf_amount(style, bytes, text));
}

/* "3.1 MiB in 2,014 blocks, of 64.0 KiB; see heapflame heap --lost 4711" */
static void put_message(const struct lost_look *look, struct hf_heap_sum lost, struct hf_out *out)
{
    char count[HF_AMOUNT_MAX];
    const struct hf_amount_style style = {HF_AMOUNT_HUMAN, false};
    lost_put_bytes(lost.bytes, out);
    hf_out_printf(out, " in %s %s, of ", hf_amount(style, lost.count, count),
        hf_plural(lost.count, "block", "blocks"));
    lost_put_bytes(look->check->limit_bytes, out);
    if (lost.bytes > look->check->limit_bytes)
        hf_out_printf(out, "; see heapflame heap --lost %" PRIu32, look->check->pid);
}

static enum hf_status lost_write(const struct hf_check_report *report, const char *path,
    bool is_junit, bool is_json, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, path, false, err);
    if (status != HF_OK)
        return status;
    if (is_junit)
        hf_check_xml(report, 1, &output.out);
    else if (is_json)
        hf_check_json(report, &output.out);
    else
        hf_check_text(report, &output.out);
    return hf_output_close(&output, status, err);
}

static enum hf_status lost_report(
    void *context, const struct hf_heap_reading *reading, struct hf_error *err)
{
    static const struct hf_growth no_growth;
    static const struct hf_suppressions no_suppressions;
    const struct lost_look *look = context;
    const struct hf_lost_check *check = look->check;
    const struct hf_block_graph *graph = reading->graph;
    const struct hf_heap_sum lost = {
        graph->lost.bytes + graph->lost_with.bytes, graph->lost.count + graph->lost_with.count};
    bool is_passed = lost.bytes <= check->limit_bytes;
    check->common->has_code = !is_passed;
    check->common->code = HF_EXIT_EXCEEDED;
    if (!is_passed && !look->is_last)
        return HF_OK;
    struct hf_out message = {0};
    put_message(look, lost, &message);
    double bytes = (double)lost.bytes;
    const struct hf_check row = {.name = "lost",
        .is_passed = is_passed,
        .message = hf_out_view(&message),
        .number = {HF_CHECK_BYTES, true, bytes, bytes, bytes, (double)check->limit_bytes}};
    const struct hf_check_report report = {
        .checks = &row, .count = 1, .growth = &no_growth, .suppressions = &no_suppressions};
    enum hf_status status = hf_out_finish(&message, err);
    if (status == HF_OK)
        status = lost_write(&report, check->output, false, check->is_json, err);
    if (status == HF_OK && check->junit != NULL)
        status = lost_write(&report, check->junit, true, false, err);
    hf_out_done(&message);
    return status;
}

enum hf_status hf_lost_check_run(const struct hf_lost_check *check, struct hf_error *err)
{
    struct lost_look look = {.check = check};
    const struct hf_heap_reader_task task = {.common = check->common,
        .report = lost_report,
        .context = &look,
        .table = -1,
        .outputs = {check->output, check->junit}};
    enum hf_status status = hf_heap_reader_run_recorded(&task, check->pid, err);
    if (status != HF_OK || !check->common->has_code)
        return status;
    check->common->has_code = false;
    look.is_last = true;
    return hf_heap_reader_run_recorded(&task, check->pid, err);
}
