/*
 * cmd_trend.c: what grows over many profiles of one process, how fast, and whether it is a leak.
 */
#include "answer/operand.h"
#include "base/strings/units.h"
#include "capture/memory_group.h"
#include "cli/history_options.h"
#include "cli/report.h"
#include "render/table/growth_report.h"

struct trend_options {
    struct hf_history_options history;
    uint64_t rows;
    const char *limit;
    bool explains;
};

#define AT(field) struct trend_options, field

static const struct hf_option table_options[] = {
    {"rows", 'n', HF_OPT_COUNT(AT(rows), "N"), "print at most N places"},
    {"limit", 0, HF_OPT_TEXT(AT(limit), "BYTES|cgroup|DIR"),
        "say when memory would reach BYTES, e.g. 4GiB, or the limit of a memory cgroup"},
    {"explain", 0, HF_OPT_FLAG(AT(explains)),
        "add the figures behind each verdict: bends, samples, lifetimes"},
    {"json", 0, HF_OPT_FLAG(AT(history.is_json)), "print one JSON document instead"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", hf_output_options},
    {"Report", table_options},
    {"", hf_load_options},
    {"", hf_suppression_options},
    {"", hf_place_options},
    {"", hf_owner_options},
    {"Time", hf_time_options},
    {"", hf_since_options},
    {"", hf_process_options},
    HF_SHOWN_GROUPS,
    {0},
};

/* What the whole would reach, and whose. */
struct limit {
    uint64_t bytes;               /* 0: nobody asked */
    struct hf_memory_group group; /* not known: a number was given */
};

/* Before the profiles are read: the process may have ended then. */
static enum hf_status read_group(struct limit *limit, const char *folder,
    const struct hf_operands *operands, struct hf_error *err)
{
    uint32_t pid = 0;
    for (size_t i = 0; folder == NULL && pid == 0 && i < operands->count; i++)
        (void)!hf_operand_is_process(operands->items[i], &pid);
    if (folder == NULL && pid == 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--limit cgroup: expected a PID among the operands; for other profiles, give the "
            "folder of the memory cgroup");
    limit->group = hf_memory_group_of(pid, folder);
    limit->bytes = hf_memory_read(&limit->group).limit_bytes;
    if (limit->bytes != 0)
        return HF_OK;
    if (!limit->group.is_known && folder != NULL)
        return hf_error_set(err, HF_ERR_SYSTEM, "--limit: %s is not a memory cgroup", folder);
    if (!limit->group.is_known)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "--limit: cannot find the memory cgroup of process %u", pid);
    return hf_error_set(err, HF_ERR_SYSTEM,
        "--limit: the memory cgroup %s has no limit: give bytes, e.g. 4GiB", limit->group.folder);
}

static enum hf_status parse_limit(
    struct limit *limit, const char *text, const struct hf_operands *operands, struct hf_error *err)
{
    if (text == NULL)
        return HF_OK;
    if (strcmp(text, "cgroup") == 0)
        return read_group(limit, NULL, operands, err);
    if (strchr(text, '/') != NULL)
        return read_group(limit, text, operands, err);
    if (hf_units_parse_bytes(hf_text_of(text), &limit->bytes) && limit->bytes != 0)
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "--limit: expected bytes (e.g. '4GiB'), 'cgroup', or the folder of a memory cgroup, found "
        "'%s'",
        text);
}

static void trend_put(const struct trend_options *options, struct hf_process_history *process,
    const struct limit *limit, struct hf_out *out)
{
    struct hf_growth_report report = {
        .growth = &process->growth,
        .suppressions = &process->suppressions,
        .limit_bytes = limit->bytes,
        .limit_used = hf_memory_read(&limit->group).current_bytes,
        .max_rows = (size_t)options->rows,
        .pid = process->identity.pid,
    };
    struct hf_verdict_left left;
    process->growth.is_brief = !options->explains && !options->history.is_json;
    process->growth.left = hf_growth_limit_left(&report, &left) ? &left : NULL;
    struct hf_budget_scope before = hf_budget_enter(&process->view.budget);
    if (options->history.is_json)
        hf_growth_json(&report, out);
    else
        hf_growth_text(&report, out);
    hf_budget_leave(before);
    process->growth.left = NULL;
}

/* One of several, under its name. */
static void trend_put_one_of(const struct trend_options *options,
    const struct hf_process_histories *processes, size_t index, const struct limit *limit,
    struct hf_out *out)
{
    struct hf_process_history *process = processes->items[index];
    struct hf_listed_process listed = hf_history_options_listed(&options->history, process);
    bool is_last = index + 1 == processes->count, is_judged = listed.profile_count >= 2;
    if (options->history.is_json)
        hf_process_list_json_begin(&listed, index == 0, "trend", out);
    else
        hf_process_list_heading(&listed, out);
    if (is_judged)
        trend_put(options, process, limit, out);
    else if (options->history.is_json)
        hf_out_string(out, "null");
    if (options->history.is_json)
        hf_process_list_json_end(is_last, &options->history.together, out);
    else if (!is_last)
        hf_out_char(out, '\n');
}

static enum hf_status trend_put_all(const struct trend_options *options,
    const struct hf_process_histories *processes, const struct limit *limit, struct hf_out *out,
    struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (!options->history.is_json)
        status = hf_history_options_put_summary(&options->history, processes, out, err);
    for (size_t i = 0; status == HF_OK && i < processes->count; i++)
        trend_put_one_of(options, processes, i, limit, out);
    return status;
}

static enum hf_status trend_write(const struct trend_options *options,
    const struct hf_process_histories *processes, const struct limit *limit, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, options->history.view.output, false, err);
    if (status != HF_OK)
        return status;
    if (processes->count == 1)
        trend_put(options, processes->items[0], limit, &output.out);
    else
        status = trend_put_all(options, processes, limit, &output.out, err);
    return hf_output_close(&output, status, err);
}

static enum hf_status trend_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct trend_options *options = all;
    struct hf_process_histories processes = {0};
    struct limit limit = {0};
    enum hf_status status = parse_limit(&limit, options->limit, operands, err);
    if (status == HF_OK)
        status = hf_view_options_choose_places(&options->history.view, err);
    if (status == HF_OK)
        status = hf_history_options_judge(&options->history, operands, &processes, err);
    if (status == HF_OK)
        status = trend_write(options, &processes, &limit, err);
    hf_history_options_finish(&options->history, &processes);
    return status;
}

const struct hf_command hf_cmd_trend = {
    .name = "trend",
    .summary = "Report what grows over many profiles, how fast, and whether it is a leak.",
    .operands = "PROFILE...|DIR|PID",
    .details =
        "Compares profiles of one process at several times. The time of a profile is the one in\n"
        "its file's name, or else that of its last change. Given a PID, trend reads the process\n"
        "every 5 s, until it ends or Ctrl-C. Each place where memory changes gets a slope with\n"
        "its 95 % interval, a shape and a verdict: leak, filling cache, full cache, steady,\n"
        "burst, undecided, too little data.",
    .groups = groups,
    .options_size = sizeof(struct trend_options),
    .is_reader = hf_command_is_reader,
    .run = trend_run,
};
