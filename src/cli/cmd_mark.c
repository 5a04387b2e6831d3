/*
 * cmd_mark.c: a moment of a process under a name, for --since: start-up is over now.
 */
#include "answer/names.h"
#include "answer/operand.h"
#include "base/strings/units.h"
#include "capture/mark.h"
#include "capture/table_control.h"
#include "cli/say.h"
#include "cli/view_options.h"
#include "formats/writers.h"

static const struct hf_option_group groups[] = {
    {"Names", hf_binary_options},
    {"Help", hf_common_options},
    {0},
};

/* With the names of its frames: the binaries may be others when it is read. */
static enum hf_status put(const struct hf_found_table *table, const char *name,
    const struct hf_profile *profile, struct hf_error *err)
{
    struct hf_out out = {0};
    struct hf_notes ignored = {0}; /* a bundle has room for all of a profile */
    enum hf_status status =
        hf_writer_bundle.write(profile, profile->default_type, &ignored, &out, err);
    if (status == HF_OK)
        status = hf_out_finish(&out, err);
    if (status == HF_OK)
        status = hf_mark_put(table, name, hf_out_view(&out), err);
    hf_notes_done(&ignored);
    hf_out_done(&out);
    return status;
}

static enum hf_status mark(struct hf_view_options *options, const struct hf_found_table *table,
    uint32_t pid, const char *name, struct hf_error *err)
{
    struct hf_profile *profile;
    char in_use[HF_UNITS_MAX];
    enum hf_status status = hf_found_table_read(table, pid, NULL, &profile, err);
    if (status != HF_OK)
        return status;
    options->request.names.linkage_names = true;
    status = hf_names_add(&options->request.names, profile, err);
    if (status == HF_OK)
        status = put(table, name, profile, err);
    if (status == HF_OK) {
        hf_table_control_keep(table);
        hf_report_notes(&options->common, &profile->notes);
        uint64_t bytes = hf_profile_total(profile, profile->default_type, HF_THREAD_ALL).grew;
        if (!options->common.quiet)
            hf_say("mark '%s': %s in use; heapflame top %u --since %s says what comes "
                   "after",
                name, hf_units_bytes(bytes, in_use), pid, name);
    }
    hf_profile_free(profile);
    return status;
}

static enum hf_status run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_found_table table;
    uint32_t pid;
    if (operands->count != 2 || !hf_operand_is_pid(operands->items[0], &pid))
        return hf_error_set(err, HF_ERR_USAGE,
            "expected the number of a process and a name, as heapflame mark 4711 warm");
    enum hf_status status = hf_found_table_of(&table, pid, NULL, err);
    if (status != HF_OK)
        return status;
    status = mark(options, &table, pid, operands->items[1], err);
    hf_found_table_close(&table);
    return status;
}

const struct hf_command hf_cmd_mark = {
    .name = "mark",
    .summary = "Keep what a process has in use now under a name, for --since.",
    .operands = "PID NAME",
    .details =
        "What is there at the mark does not count: start-up, and what is loaded for good. The\n"
        "mark lies beside the live table of the process and goes with it.",
    .groups = groups,
    .options_size = sizeof(struct hf_view_options),
    .run = run,
};
