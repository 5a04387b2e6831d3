#include "server/process_page.h"

#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"

#include <inttypes.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>heapflame</title>\n<style>\n"
    ":root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }\n"
    "body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }\n"
    "table { border-collapse: collapse; width: 100%; }\n"
    "th, td { border-bottom: 1px solid #8884; padding: .3rem .6rem; text-align: left; }\n"
    "td:nth-child(1), td:nth-child(3), th:nth-child(1), th:nth-child(3) { text-align: right; }\n"
    "td { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }\n"
    "</style>\n</head>\n<body>\n<h1>Recorded processes</h1>\n";

static const char page_table[] =
    "<table>\n<thead><tr><th>PID</th><th>Program</th><th>In use</th><th>Recorded since</th>"
    "<th>Profile</th></tr></thead>\n<tbody>\n";

static void put_recorded_since(struct hf_out *out, uint64_t realtime_ns)
{
    struct tm when;
    char text[64];
    time_t seconds = (time_t)(realtime_ns / SECOND_NS);
    if (localtime_r(&seconds, &when) != NULL && strftime(text, sizeof text, "%F %T %z", &when) != 0)
        hf_out_string(out, text);
}

static void put_process(struct hf_out *out, const struct hf_recorded_process *process)
{
    struct hf_recorded_usage usage;
    char size[HF_UNITS_MAX];
    uint32_t pid = process->pid;
    bool is_known = hf_recorded_process_usage(process, &usage) && usage.has_usage;
    hf_out_printf(out, "<tr><td>%" PRIu32 "</td><td>", pid);
    hf_escape_xml(out, hf_text_of(process->program));
    hf_out_printf(
        out, "</td><td>%s</td><td>", is_known ? hf_units_bytes(usage.in_use_bytes, size) : "?");
    put_recorded_since(out, process->table.head.realtime_ns);
    hf_out_printf(out,
        "</td><td><a href=\"/process/%" PRIu32 "/flame\">flame graph</a> &middot; pprof: "
        "<a href=\"/process/%" PRIu32 "/debug/pprof/heap\">heap</a>, "
        "<a href=\"/process/%" PRIu32 "/debug/pprof/allocs\">allocs</a></td></tr>\n",
        pid, pid, pid);
}

void hf_process_page_write(struct hf_out *out, const struct hf_recorded_processes *processes)
{
    hf_out_string(out, page_head);
    if (processes->count == 0)
        hf_out_string(out,
            "<p>There is none. Start a program with <code>heapflame run</code>, or with the "
            "environment that <code>heapflame env</code> prints.</p>\n");
    else
        hf_out_string(out, page_table);
    for (size_t i = 0; i < processes->count; i++)
        put_process(out, processes->items[i]);
    if (processes->count != 0)
        hf_out_string(out, "</tbody>\n</table>\n");
    if (processes->left_out != 0)
        hf_out_printf(out, "<p>%zu more %s not listed (HF_LIMIT_SERVED_PROCESSES).</p>\n",
            processes->left_out, hf_plural(processes->left_out, "process is", "processes are"));
    hf_out_string(out, "<p><a href=\"/metrics\">metrics</a></p>\n</body>\n</html>\n");
}
