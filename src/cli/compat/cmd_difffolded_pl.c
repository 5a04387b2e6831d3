/*
 * cmd_difffolded_pl.c: two files of folded stacks become one with two columns of counts.
 */
#include "base/budget.h"
#include "cli/command.h"
#include "formats/folded/folded_stacks.h"
#include "profile/samples.h"

#include <stdlib.h>

struct difffolded_pl_options {
    struct hf_common common;
    const char *output;
    bool is_normalized, strips_hex;
    double input_budget; /* base/budget.h; 0: not given */
};

#define AT(field) struct difffolded_pl_options, field

static const struct hf_option options_of_difference[] = {
    {"normalize", 'n', HF_OPT_FLAG(AT(is_normalized)), "scale the counts of A to the sum of B"},
    {"strip-hex", 's', HF_OPT_FLAG(AT(strips_hex)), "write addresses in names as 0x..."},
    {"input-budget", 0, HF_OPT_REAL(AT(input_budget), "N"),
        "multiply the limits on memory and work for an input by N (default: 1)"},
    {0},
};

static const struct hf_option output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(AT(output), "FILE"), "write to FILE instead of standard output"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Difference", options_of_difference},
    {"Output", output_options},
    {"Help", hf_common_options},
    {0},
};

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Writes `name` with "0x..." for each 0x1f2e. */
static void strip_hex(struct hf_text name, struct hf_out *out)
{
    for (size_t i = 0; i < name.size; i++) {
        struct hf_text rest = hf_text_from(name, i);
        if (!hf_text_starts(rest, "0x") || rest.size == 2 || !is_hex(rest.data[2])) {
            hf_out_char(out, name.data[i]);
            continue;
        }
        hf_out_string(out, "0x...");
        i += 2;
        while (i + 1 < name.size && is_hex(name.data[i + 1]))
            i++;
    }
}

static enum hf_status strip_all(struct hf_profile *profile, struct hf_error *err)
{
    uint32_t count = profile->frames.count;
    uint32_t *stripped = calloc((size_t)count + 1, sizeof *stripped);
    struct hf_out name = {0};
    enum hf_status status = stripped != NULL ? HF_OK : hf_error_memory(err);
    for (uint32_t i = 0; i < count && status == HF_OK; i++) {
        struct hf_frame frame = *hf_profile_frame_at(profile, i);
        name.size = 0;
        strip_hex(hf_profile_text(profile, frame.name), &name);
        status = name.error.status == HF_OK
                     ? hf_profile_string(profile, hf_out_view(&name), &frame.name, err)
                     : hf_error_memory(err);
        if (status == HF_OK)
            status = hf_profile_frame(profile, &frame, &stripped[i], err);
    }
    if (status == HF_OK)
        status = hf_samples_map_frames(profile, stripped, err);
    hf_out_done(&name);
    free(stripped);
    return status;
}

static enum hf_status read_side(const char *path, enum hf_folded_side side,
    struct hf_folded_stacks *stacks, struct hf_error *err)
{
    const struct hf_folded_how how = {.side = side, .stacks = stacks};
    struct hf_input input;
    enum hf_status status = hf_input_open(&input, path, err);
    if (status != HF_OK)
        return status;
    status = hf_folded_read(&input, &how, stacks->profile, err);
    hf_input_close(&input);
    return status;
}

static enum hf_status difffolded_pl_write(const struct difffolded_pl_options *options,
    const struct hf_profile *profile, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open_data(&output, options->output, false, err);
    if (status != HF_OK)
        return status;
    status = hf_folded_write_pair(profile, options->is_normalized, &output.out, err);
    return hf_output_close(&output, status, err);
}

static enum hf_status read_sides(
    const char *const paths[2], struct hf_profile *profile, struct hf_error *err)
{
    struct hf_folded_stacks stacks;
    enum hf_status status = hf_folded_stacks_init(&stacks, profile, NULL, err);
    if (status == HF_OK)
        status = read_side(paths[0], HF_FOLDED_BASE, &stacks, err);
    if (status == HF_OK)
        status = read_side(paths[1], HF_FOLDED_CURRENT, &stacks, err);
    hf_folded_stacks_done(&stacks);
    return status;
}

/* One budget for all that is done. */
static enum hf_status difffolded(const struct difffolded_pl_options *o, const char *const paths[2],
    struct hf_profile *profile, struct hf_error *err)
{
    struct hf_budget budget = {0};
    if (o->input_budget != 0)
        hf_budget_set_factor(o->input_budget);
    struct hf_budget_scope before = hf_budget_enter(&budget);
    enum hf_status status = read_sides(paths, profile, err);
    if (status == HF_OK && o->strips_hex)
        status = strip_all(profile, err);
    if (status == HF_OK)
        status = difffolded_pl_write(o, profile, err);
    hf_budget_leave(before);
    return status;
}

static enum hf_status difffolded_pl_run(
    void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct difffolded_pl_options *o = options;
    struct hf_profile *profile;
    if (operands->count != 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected two files of folded stacks, the older one first: difffolded.pl A B; found "
            "%zu",
            operands->count);
    enum hf_status status = hf_profile_new(&profile, err);
    if (status != HF_OK)
        return status;
    status = difffolded(o, operands->items, profile, err);
    if (status == HF_OK)
        hf_report_notes(&o->common, &profile->notes);
    hf_profile_free(profile);
    return status;
}

const struct hf_command hf_cmd_difffolded_pl = {
    .name = "difffolded.pl",
    .summary = "Replace difffolded.pl: merge two folded files into one with two counts.",
    .operands = "A B",
    .details = "heapflame flamegraph.pl draws the result. Stacks that are only in A have no width\n"
               "there; heapflame diff shows them, too.",
    .groups = groups,
    .options_size = sizeof(struct difffolded_pl_options),
    .is_reader = hf_command_is_reader,
    .run = difffolded_pl_run,
};
