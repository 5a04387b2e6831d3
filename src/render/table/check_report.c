#include "render/table/check_report.h"

#include "base/strings/escape.h"
#include "render/table/suppressed.h"

static size_t count_failed(const struct hf_check_report *report)
{
    size_t failed = 0;
    for (size_t i = 0; i < report->count; i++)
        failed += !report->checks[i].is_passed;
    return failed;
}

bool hf_check_all_passed(const struct hf_check_report *report)
{
    return count_failed(report) == 0;
}

void hf_check_text(const struct hf_check_report *report, struct hf_out *out)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct hf_check *check = &report->checks[i];
        const char *outcome = check->is_open ? "?   " : check->is_passed ? "ok  " : "FAIL";
        hf_out_printf(out, "%s  %-8s  ", outcome, check->name);
        hf_escape_terminal(out, check->message);
        hf_out_char(out, '\n');
    }
    hf_suppressed_text(report->suppressions, out);
}

void hf_check_json(const struct hf_check_report *report, struct hf_out *out)
{
    hf_out_printf(out, "{\n  \"schema\": \"%s\",\n  \"passed\": %s,\n  \"checks\": [",
        HF_CHECK_JSON_SCHEMA, hf_check_all_passed(report) ? "true" : "false");
    for (size_t i = 0; i < report->count; i++) {
        const struct hf_check *check = &report->checks[i];
        hf_out_printf(out, "%s\n    {\"name\": \"%s\", \"passed\": %s, \"message\": \"",
            i == 0 ? "" : ",", check->name, check->is_passed ? "true" : "false");
        hf_escape_json(out, check->message);
        hf_out_string(out, "\"}");
    }
    hf_out_string(out, "],\n  ");
    hf_suppressed_json(report->suppressions, out);
    hf_out_string(out, "\n}\n");
}

void hf_check_xml(const struct hf_check_report *report, struct hf_out *out)
{
    hf_out_printf(out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"heapflame check\" tests=\"%zu\" failures=\"%zu\">\n",
        report->count, count_failed(report));
    for (size_t i = 0; i < report->count; i++) {
        const struct hf_check *check = &report->checks[i];
        hf_out_printf(out, "  <testcase classname=\"heapflame.check\" name=\"%s\">", check->name);
        hf_out_string(out, check->is_passed ? "<system-out>" : "<failure message=\"");
        hf_escape_xml(out, check->message);
        hf_out_string(out, check->is_passed ? "</system-out>" : "\"/>");
        hf_out_string(out, "</testcase>\n");
    }
    hf_out_string(out, "</testsuite>\n");
}
