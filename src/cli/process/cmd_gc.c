/*
 * cmd_gc.c: removes the live tables of dead processes that nobody asks for.
 */
#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "capture/found_table.h"
#include "capture/leftover_tables.h"
#include "cli/command.h"

#include <inttypes.h>

struct gc_options {
    struct hf_common common;
    uint64_t older_ns;
    bool is_trial;
};

#define AT(field) struct gc_options, field

static const struct hf_option gc_options[] = {
    {"dry-run", 'n', HF_OPT_FLAG(AT(is_trial)), "print what would be removed, and remove nothing"},
    {"older", 0, HF_OPT_WAIT(AT(older_ns), "TIME"),
        "remove only tables last written more than TIME ago, e.g. 10m or 24h"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Tables", gc_options},
    {"Help", hf_common_options},
    {0},
};

struct collecting {
    const struct gc_options *options;
    struct hf_out *out;
    uint64_t count, bytes;
    enum hf_status status;
    struct hf_error *err; /* the first that went wrong */
};

/* "removed  196.0 KiB  process 4711  ./server" */
static bool gc_collect(void *context, const char *path)
{
    struct collecting *collecting = context;
    struct hf_leftover_table leftover;
    struct hf_error later;
    char size[HF_UNITS_MAX];
    if (!hf_leftover_table_at(path, &leftover) || leftover.age_ns < collecting->options->older_ns)
        return true;
    bool is_first = collecting->status == HF_OK;
    enum hf_status status = HF_OK;
    if (!collecting->options->is_trial)
        status = hf_leftover_table_remove(path, is_first ? collecting->err : &later);
    if (is_first)
        collecting->status = status;
    if (status != HF_OK)
        return true;
    collecting->count++;
    collecting->bytes += leftover.bytes;
    hf_out_printf(collecting->out, "%s  %10s  process %" PRIu32 "  ",
        collecting->options->is_trial ? "would be removed" : "removed",
        hf_units_bytes(leftover.bytes, size), leftover.pid);
    hf_escape_terminal(collecting->out, leftover.is_unborn
                                            ? HF_TEXT("killed before anything was recorded")
                                            : hf_text_of(leftover.command));
    hf_out_char(collecting->out, '\n');
    return true;
}

static enum hf_status gc_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_output output;
    char size[HF_UNITS_MAX];
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    struct collecting collecting = {.options = all, .out = &output.out, .err = err};
    for (size_t i = 0; i < operands->count; i++)
        hf_found_tables_in(operands->items[i], gc_collect, &collecting);
    if (operands->count == 0)
        hf_found_tables_everywhere(NULL, gc_collect, &collecting);
    hf_out_printf(&output.out, "%" PRIu64 " live %s of dead processes %s, %s\n", collecting.count,
        hf_plural(collecting.count, "table", "tables"),
        collecting.options->is_trial ? "would be removed" : "removed",
        hf_units_bytes(collecting.bytes, size));
    return hf_output_close(&output, collecting.status, err);
}

const struct hf_command hf_cmd_gc = {
    .name = "gc",
    .summary = "Remove live tables that dead processes left behind.",
    .operands = "[DIR]...",
    .details =
        "Without DIR, looks in $XDG_RUNTIME_DIR, /dev/shm and /tmp. A table stays while its\n"
        "process runs, while heapflame watch or run uses it, and if its process belongs to\n"
        "another container, where it may still run.",
    .groups = groups,
    .options_size = sizeof(struct gc_options),
    .run = gc_run,
};
