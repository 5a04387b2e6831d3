#include "render/table/check_report.h"

#include "base/strings/escape.h"
#include "base/strings/json.h"
#include "render/table/growth_report.h"
#include "render/table/used_suppressions.h"

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
        if (report->process.size != 0) {
            hf_escape_terminal(out, report->process);
            hf_out_string(out, ": ");
        }
        hf_escape_terminal(out, check->message);
        hf_out_char(out, '\n');
    }
    hf_used_suppressions_text(report->suppressions, out);
}

static void put_unit(
    const struct hf_growth *growth, const struct hf_check_number *number, struct hf_out *out)
{
    static const char *const units[] = {[HF_CHECK_PART] = "part",
        [HF_CHECK_KEPT] = "part",
        [HF_CHECK_BYTES] = "bytes",
        [HF_CHECK_SECONDS] = "seconds",
        [HF_CHECK_ONSET] = "seconds"};
    const struct hf_profile *folded = growth->folded;
    struct hf_out unit = {0};
    if (number->kind == HF_CHECK_RATE || number->kind == HF_CHECK_RATE_BY_LOAD)
        hf_out_text(&unit, hf_profile_text(folded, folded->types[HF_HISTORY_VALUE].unit));
    if (number->kind == HF_CHECK_RATE)
        hf_out_string(&unit, "/second");
    else if (number->kind == HF_CHECK_RATE_BY_LOAD)
        hf_out_printf(&unit, "/1000 %s", growth->load.clock->name);
    else
        hf_out_string(&unit, units[number->kind]);
    hf_json_member(out, ", ", "unit", hf_out_view(&unit));
    if (unit.error.status != HF_OK)
        out->error = unit.error;
    hf_out_done(&unit);
}

/* , "value": ..., "compared": ..., "interval_95": ..., "limit": ..., "unit": ... */
static void put_measure(
    const struct hf_growth *growth, const struct hf_check_number *number, struct hf_out *out)
{
    if (number->kind == HF_CHECK_NO_NUMBER) {
        hf_out_string(out, ", \"value\": null, \"compared\": null, \"interval_95\": null, "
                           "\"limit\": null, \"unit\": null");
        return;
    }
    hf_json_number(out, ", \"value\": ", number->value);
    if (number->is_exact) {
        hf_out_string(out, ", \"compared\": \"exactly\", \"interval_95\": null");
    } else {
        hf_json_number(out, ", \"compared\": \"by interval\", \"interval_95\": [", number->low);
        hf_json_number(out, ", ", number->high);
        hf_out_char(out, ']');
    }
    hf_json_number(out, ", \"limit\": ", number->limit);
    put_unit(growth, number, out);
}

static void check_report_put_place(
    const struct hf_growth *growth, const struct hf_growth_place *place, struct hf_out *out)
{
    hf_out_string(out, ", \"place\": ");
    if (place == NULL) {
        hf_out_string(out, "null");
        return;
    }
    hf_json_member(out, "{", "name", place->name);
    if (place->via.size != 0)
        hf_json_member(out, ", ", "via", place->via);
    hf_growth_stack_json(growth->folded, place, out);
    hf_json_member(out, ", ", "suppression", place->suppression);
    hf_out_char(out, '}');
}

void hf_check_json(const struct hf_check_report *report, struct hf_out *out)
{
    hf_out_printf(out, "{\n  \"schema\": \"%s\",\n  \"passed\": %s,\n  \"checks\": [",
        HF_CHECK_JSON_SCHEMA, hf_check_all_passed(report) ? "true" : "false");
    for (size_t i = 0; i < report->count; i++) {
        const struct hf_check *check = &report->checks[i];
        hf_out_printf(out, "%s\n    {\"name\": \"%s\", \"passed\": %s, \"decided\": %s",
            i == 0 ? "" : ",", check->name, check->is_passed ? "true" : "false",
            check->is_open ? "false" : "true");
        hf_json_member(out, ", ", "message", check->message);
        put_measure(report->growth, &check->number, out);
        check_report_put_place(report->growth, check->place, out);
        hf_out_char(out, '}');
    }
    hf_out_string(out, "],\n  ");
    hf_used_suppressions_json(report->suppressions, out);
    hf_out_string(out, "\n}\n");
}

static void put_suite(const struct hf_check_report *report, struct hf_out *out)
{
    hf_out_string(out, "<testsuite name=\"heapflame check");
    if (report->process.size != 0) {
        hf_out_string(out, ": ");
        hf_escape_xml(out, report->process);
    }
    hf_out_printf(out, "\" tests=\"%zu\" failures=\"%zu\">\n", report->count, count_failed(report));
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

void hf_check_xml(const struct hf_check_report *reports, size_t count, struct hf_out *out)
{
    hf_out_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (count != 1)
        hf_out_string(out, "<testsuites>\n");
    for (size_t i = 0; i < count; i++)
        put_suite(&reports[i], out);
    if (count != 1)
        hf_out_string(out, "</testsuites>\n");
}
