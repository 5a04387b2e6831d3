/*
 * cmd_trend.c: what grows over many profiles of one process, how fast, and whether it is a leak.
 */
#include "answer/operand.h"
#include "base/strings/units.h"
#include "capture/memory_group.h"
#include "cli/heap_reader.h"
#include "cli/history_options.h"
#include "cli/process/heap/held_places.h"
#include "cli/report.h"
#include "render/table/growth_report.h"

struct trend_options {
    struct hf_history_options history;
    uint64_t rows;
    const char *limit;
    bool explains, wants_who;
    /* The worker's, of --who: what it has seen of the live table. */
    struct hf_process_history process;
    struct hf_live_snapshot table;
    struct hf_table_blocks blocks;
};

#define AT(field) struct trend_options, field

static const struct hf_option table_options[] = {
    {"rows", 'n', HF_OPT_COUNT(AT(rows), "N"), "print at most N places"},
    {"limit", 0, HF_OPT_TEXT(AT(limit), "BYTES|cgroup|DIR"),
        "say when memory would reach BYTES, e.g. 4GiB, or the limit of a memory cgroup"},
    {"explain", 0, HF_OPT_FLAG(AT(explains)),
        "add the figures behind each verdict: bends, samples, lifetimes"},
    {"who", 0, HF_OPT_FLAG(AT(wants_who)),
        "with a PID: read its heaps at the end, and say what holds the blocks of each leak"},
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
    const struct limit *limit, const struct hf_growth_held *held, struct hf_out *out)
{
    struct hf_growth_report report = {
        .growth = &process->growth,
        .suppressions = &process->suppressions,
        .limit_bytes = limit->bytes,
        .limit_used = hf_memory_read(&limit->group).current_bytes,
        .max_rows = (size_t)options->rows,
        .pid = process->identity.pid,
        .held = held,
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
        trend_put(options, process, limit, NULL, out);
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
        trend_put(options, processes->items[0], limit, NULL, &output.out);
    else
        status = trend_put_all(options, processes, limit, &output.out, err);
    return hf_output_close(&output, status, err);
}

/* ---- With what holds the leaks ---- */

static bool trend_is_reader(const void *all)
{
    return !((const struct trend_options *)all)->wants_who;
}

static enum hf_status trend_look(void *all, int table, const char *name, struct hf_error *err)
{
    struct trend_options *options = all;
    return hf_process_history_add_table(
        &options->process, &options->history.view.request, table, name, err);
}

static enum hf_status trend_see_table(
    void *all, const int *table, uint64_t asked_ns, struct hf_error *err)
{
    struct trend_options *options = all;
    return hf_table_blocks_read(
        &options->blocks, &options->table, hf_live_source_of(table, "live table"), asked_ns, err);
}

static enum hf_status write_held(const struct trend_options *options,
    struct hf_process_history *process, const struct hf_held_places *held, struct hf_error *err)
{
    static const struct limit no_limit;
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, options->history.view.output, false, err);
    if (status != HF_OK)
        return status;
    trend_put(options, process, &no_limit, held->items, &output.out);
    return hf_output_close(&output, status, err);
}

/* In the worker. Without a reading the process has ended, and nobody can look. */
static enum hf_status trend_report_held(
    void *all, const struct hf_heap_reading *reading, struct hf_error *err)
{
    struct trend_options *options = all;
    struct hf_process_history *process = &options->process;
    const struct hf_request *request = &options->history.view.request;
    const struct hf_held_reading from = {reading, &options->blocks, &options->table};
    struct hf_held_places held = {0};
    enum hf_status status = hf_process_history_judge_looks(process, request, err);
    if (status == HF_OK && reading != NULL)
        status = hf_held_places_find(&held, &process->growth, request, &from, err);
    if (status == HF_OK && reading == NULL)
        hf_notes_add(&process->view.folded->notes, HF_NOTE_INFO,
            "the process has ended, so nothing is known about what held its blocks");
    if (status == HF_OK)
        status = write_held(options, process, &held, err);
    const struct hf_notes *notes = hf_process_history_notes(process);
    if (notes != NULL)
        hf_report_notes(&options->history.view.common, notes);
    hf_held_places_done(&held);
    return status;
}

/* What needs files, or another question than that of the whole process, now. */
static enum hf_status refuse_with_who(const struct trend_options *options, struct hf_error *err)
{
    const struct hf_history_options *history = &options->history;
    const struct hf_request *request = &history->view.request;
    const struct {
        const char *name;
        bool is_given;
    } others[] = {
        {"per", history->per != NULL},
        {"suppressions", history->suppressions.count != 0},
        {"since", request->comparison.since != NULL},
        {"at", request->times.at != NULL},
        {"skip", request->times.skip_ns != 0},
        {"thread", request->fold.thread != NULL},
        {"limit", options->limit != NULL},
    };
    for (size_t i = 0; i < HF_COUNT(others); i++) {
        if (others[i].is_given)
            return hf_error_set(err, HF_ERR_USAGE, "--who excludes --%s", others[i].name);
    }
    return HF_OK;
}

static enum hf_status trend_with_who(
    struct trend_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    uint32_t pid;
    struct hf_found_table table;
    enum hf_status status = refuse_with_who(options, err);
    if (status != HF_OK)
        return status;
    if (operands->count != 1 || !hf_operand_is_pid(operands->items[0], &pid))
        return hf_error_set(err, HF_ERR_USAGE,
            "--who: expected one PID: profiles do not contain what holds a block");
    status = hf_found_table_of(&table, pid, NULL, err);
    if (status != HF_OK)
        return status;
    const struct hf_heap_reader_task task = {.common = &options->history.view.common,
        .report = trend_report_held,
        .see_table = trend_see_table,
        .context = options,
        .table = table.fd,
        .outputs = {options->history.view.output},
        .watch = &options->history,
        .look = trend_look,
        .takes_no_process = true};
    status = hf_heap_reader_run(&task, pid, err);
    hf_table_blocks_done(&options->blocks); /* of one that worked here */
    hf_live_snapshot_done(&options->table);
    hf_process_history_done(&options->process);
    hf_found_table_close(&table);
    return status;
}

static enum hf_status trend_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct trend_options *options = all;
    struct hf_process_histories processes = {0};
    struct limit limit = {0};
    enum hf_status status =
        options->wants_who ? HF_OK : parse_limit(&limit, options->limit, operands, err);
    if (status == HF_OK)
        status = hf_view_options_choose_places(&options->history.view, err);
    if (status == HF_OK && options->wants_who)
        return trend_with_who(options, operands, err);
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
    .is_reader = trend_is_reader,
    .run = trend_run,
};
