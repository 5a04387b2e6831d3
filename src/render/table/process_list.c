#include "render/table/process_list.h"

#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/json.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

void hf_process_list_name(const struct hf_listed_process *process, struct hf_out *out)
{
    bool has_number = process->start_count > 1;
    bool is_named = process->program[0] != '\0';
    hf_out_string(out, process->program);
    if (process->pid == 0 && !has_number) {
        hf_out_string(out, is_named ? "" : "a process");
        return;
    }
    hf_out_string(out, is_named ? ", process" : "process");
    if (process->pid != 0)
        hf_out_printf(out, " %" PRIu32, process->pid);
    if (has_number)
        hf_out_printf(out, process->pid != 0 ? " (%zu of %zu)" : " %zu of %zu", process->start,
            process->start_count);
}

static void process_list_put_program(const char *program, struct hf_out *out)
{
    hf_escape_terminal(out, hf_text_of(program[0] != '\0' ? program : "the program"));
}

static size_t restarts_of(
    const struct hf_listed_process *processes, size_t count, const char *program)
{
    size_t restarts = 0;
    for (size_t i = 0; i < count; i++)
        restarts += processes[i].is_restart && strcmp(processes[i].program, program) == 0;
    return restarts;
}

void hf_process_list_summary(
    const struct hf_listed_process *processes, size_t count, struct hf_out *out)
{
    hf_out_printf(out, "%zu %s", count, hf_plural(count, "process", "processes"));
    for (size_t i = 0; i < count; i++) {
        size_t restarts = restarts_of(processes, count, processes[i].program);
        if (processes[i].start != 1 || restarts == 0)
            continue;
        hf_out_string(out, ". ");
        process_list_put_program(processes[i].program, out);
        hf_out_printf(
            out, " was started again %zu %s", restarts, hf_plural(restarts, "time", "times"));
    }
    hf_out_string(out, "\n\n");
}

/* The date, too, unless it is that of `before`. */
static void put_time(int64_t ms, const struct tm *before, struct tm *out_when, struct hf_out *out)
{
    char text[32];
    time_t seconds = (time_t)(ms / 1000);
    *out_when = (struct tm){0};
    if (gmtime_r(&seconds, out_when) == NULL)
        return;
    bool is_same_day = before != NULL && before->tm_year == out_when->tm_year &&
                       before->tm_yday == out_when->tm_yday;
    if (strftime(text, sizeof text, is_same_day ? "%T" : "%F %T", out_when) != 0)
        hf_out_string(out, text);
}

void hf_process_list_heading(const struct hf_listed_process *process, struct hf_out *out)
{
    struct hf_out name = {0};
    hf_process_list_name(process, &name);
    hf_escape_terminal(out, hf_out_view(&name));
    hf_out_done(&name);
    hf_out_printf(out, ", %zu %s", process->profile_count,
        hf_plural(process->profile_count, "profile", "profiles"));
    if (process->has_times) {
        struct tm first, last;
        hf_out_string(out, ", ");
        put_time(process->first_ms, NULL, &first, out);
        if (process->last_ms != process->first_ms) {
            hf_out_string(out, " to ");
            put_time(process->last_ms, &first, &last, out);
        }
        hf_out_string(out, " UTC");
    }
    hf_out_char(out, '\n');
}

void hf_process_list_json_begin(
    const struct hf_listed_process *process, bool is_first, const char *member, struct hf_out *out)
{
    if (is_first)
        hf_out_string(
            out, "{\n  \"schema\": \"" HF_PROCESS_LIST_JSON_SCHEMA "\",\n  \"processes\": [");
    hf_out_string(out, is_first ? "\n" : ",\n");
    hf_json_member(out, "{", "program", hf_text_of(process->program));
    if (process->pid != 0)
        hf_out_printf(out, ", \"id\": %" PRIu32, process->pid);
    else
        hf_out_string(out, ", \"id\": null");
    hf_out_printf(out,
        ", \"start\": %zu, \"starts\": %zu, \"restart\": %s, \"profiles\": %zu, \"from\": %" PRId64
        ".%03u, \"to\": %" PRId64 ".%03u, \"%s\": ",
        process->start, process->start_count, process->is_restart ? "true" : "false",
        process->profile_count, process->first_ms / 1000, (unsigned)(process->first_ms % 1000),
        process->last_ms / 1000, (unsigned)(process->last_ms % 1000), member);
}

void hf_process_list_json_end(
    bool is_last, const struct hf_shared_leaks *together, struct hf_out *out)
{
    hf_out_string(out, is_last ? "}]" : "}");
    if (is_last) {
        hf_shared_leaks_json(together, out);
        hf_out_string(out, "}\n");
    }
}
