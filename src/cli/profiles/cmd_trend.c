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
};

#define AT(field) offsetof(struct trend_options, field)

static const struct hf_option table_options[] = {
    {"rows", 'n', HF_OPTION_COUNT, 0, AT(rows), "N", "print at most N places"},
    {"limit", 0, HF_OPTION_TEXT, 0, AT(limit), "BYTES|cgroup|DIR",
        "say when the whole would reach so much, as 4GiB, or what its memory cgroup may have"},
    {"json", 0, HF_OPTION_FLAG, 0, AT(history.is_json), NULL, "print one JSON document instead"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", hf_output_options},
    {"Report", table_options},
    {"", hf_suppression_options},
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
            "--limit cgroup: expected a process among the operands; of others, give the folder of "
            "the group");
    limit->group = hf_memory_group_of(pid, folder);
    limit->bytes = hf_memory_read(&limit->group).limit_bytes;
    if (limit->bytes != 0)
        return HF_OK;
    if (!limit->group.is_known && folder != NULL)
        return hf_error_set(err, HF_ERR_SYSTEM, "--limit: %s is no memory cgroup", folder);
    if (!limit->group.is_known)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "--limit: the memory cgroup of process %u is not to be seen", pid);
    return hf_error_set(err, HF_ERR_SYSTEM,
        "--limit: the memory cgroup %s has no limit: give bytes, as 4GiB", limit->group.folder);
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
        "--limit: expected bytes, as '4GiB', 'cgroup', or the folder of a memory cgroup, found "
        "'%s'",
        text);
}

static enum hf_status trend_write(const struct trend_options *options,
    const struct hf_process_history *process, const struct limit *limit, struct hf_error *err)
{
    struct hf_output output;
    struct hf_growth_report report = {
        .growth = &process->growth,
        .suppressions = &process->suppressions,
        .limit_bytes = limit->bytes,
        .limit_used = hf_memory_read(&limit->group).current_bytes,
        .max_rows = (size_t)options->rows,
    };
    enum hf_status status = hf_output_open(&output, options->history.view.output, false, err);
    if (status != HF_OK)
        return status;
    if (options->history.is_json)
        hf_growth_json(&report, &output.out);
    else
        hf_growth_text(&report, &output.out);
    return hf_output_close(&output, HF_OK, err);
}

static enum hf_status trend_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct trend_options *options = all;
    struct hf_process_history process = {0};
    struct limit limit = {0};
    enum hf_status status = parse_limit(&limit, options->limit, operands, err);
    if (status == HF_OK)
        status = hf_history_options_judge(&options->history, operands, &process, err);
    if (status == HF_OK)
        status = trend_write(options, &process, &limit, err);
    hf_history_options_finish(&options->history, &process);
    return status;
}

const struct hf_command hf_cmd_trend = {
    .name = "trend",
    .summary = "Say what grows over many profiles, how fast, and whether it is a leak.",
    .operands = "PROFILE...|DIR|PID",
    .details =
        "Profiles of one process at several times; the time is in the name, or that of the last\n"
        "change. A process by its number is looked at every 5 s, until it ends or Ctrl-C. Each\n"
        "place where memory changes has a slope with its 95 % interval, a shape and a verdict:\n"
        "leak, filling cache, full cache, steady, burst, undecided, too little data.",
    .groups = groups,
    .options_size = sizeof(struct trend_options),
    .is_reader = hf_command_is_reader,
    .run = trend_run,
};
