/*
 * cmd_mark.c: a moment of a process under a name, for --since: start-up is over now.
 */
#include "answer/operand.h"
#include "base/strings/units.h"
#include "capture/mark.h"
#include "capture/table_control.h"
#include "cli/process/recording/table_reader.h"
#include "cli/say.h"

static const struct hf_option_group groups[] = {
    {"Names", hf_binary_options},
    {"", hf_input_budget_options},
    {"Help", hf_common_options},
    {0},
};

/* Read by a process without rights, which writes to `place` alone. */
static enum hf_status mark(struct hf_report_options *options, const struct hf_found_table *table,
    uint32_t pid, const struct hf_mark_place *place, uint64_t *out_in_use_bytes,
    struct hf_error *err)
{
    struct hf_table_reader reader;
    const struct hf_dump_source source = {.fd = table->fd, .path = table->path, .pid = pid};
    enum hf_status status = hf_table_reader_init(&reader, options, NULL, err);
    if (status == HF_OK)
        status = hf_table_reader_mark(&reader, &source, place->path, out_in_use_bytes, err);
    hf_table_reader_done(&reader);
    return status;
}

static enum hf_status mark_table(struct hf_report_options *options,
    const struct hf_found_table *table, uint32_t pid, const char *name, struct hf_error *err)
{
    struct hf_mark_place place;
    uint64_t bytes;
    char in_use[HF_UNITS_MAX];
    enum hf_status status = hf_mark_place_find(&place, table, name, err);
    if (status == HF_OK)
        status = mark(options, table, pid, &place, &bytes, err);
    hf_mark_place_done(&place);
    if (status != HF_OK)
        return status;
    hf_table_control_keep(table);
    if (!options->view.common.quiet)
        hf_say("mark '%s': %s in use; heapflame top %u --since %s shows what was allocated since",
            name, hf_units_bytes(bytes, in_use), pid, name);
    return HF_OK;
}

static enum hf_status mark_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_report_options *options = all;
    struct hf_found_table table;
    uint32_t pid;
    if (operands->count != 2 || !hf_operand_is_pid(operands->items[0], &pid))
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a PID and a name, e.g. heapflame mark 4711 warm");
    enum hf_status status = hf_table_reader_find(&table, pid, operands->items[0], options, err);
    if (status != HF_OK)
        return status;
    status = mark_table(options, &table, pid, operands->items[1], err);
    hf_found_table_close(&table);
    return status;
}

const struct hf_command hf_cmd_mark = {
    .name = "mark",
    .summary = "Save a named mark of what a process has in use, for --since.",
    .operands = "PID NAME",
    .details = "Memory in use at the mark, e.g. from start-up, does not count later. The mark is\n"
               "stored beside the live table of the process and removed with it.",
    .groups = groups,
    .options_size = sizeof(struct hf_report_options),
    .run = mark_run,
};
