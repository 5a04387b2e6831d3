/*
 * cmd_fleet.c: what the processes of many nodes hold, and how it grows, from a store that ship
 * writes.
 */
#include "answer/fleet/fleet.h"
#include "base/attr.h"
#include "cli/command.h"
#include "cli/fleet/nodes_report.h"

#include <string.h>

struct fleet_options {
    struct hf_common common;
    struct hf_fleet_request request;
    const char *output;
    bool is_json;
};

#define AT(field) struct fleet_options, field

static const struct hf_option fleet_options[] = {
    {"store", 0, HF_OPT_TEXT(AT(request.store), "FILE"), "read this store, which ship wrote"},
    {"service", 0, HF_OPT_TEXT(AT(request.service), "REGEX"), "count only services that match"},
    {"build", 0, HF_OPT_TEXT(AT(request.build), "REGEX"), "count only builds that match"},
    {"node", 0, HF_OPT_TEXT(AT(request.node), "REGEX"), "count only nodes that match"},
    {"since", 0, HF_OPT_TEXT(AT(request.since), "TIME"),
        "count whole hours from TIME, e.g. '2026-11-29 14:00' UTC or 24h (default: 24h)"},
    {"until", 0, HF_OPT_TEXT(AT(request.until), "TIME"),
        "count whole hours up to TIME (default: the newest profile)"},
    {0},
};

static const struct hf_option fleet_output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(AT(output), "FILE"), "write to FILE instead of standard output"},
    {"json", 0, HF_OPT_FLAG(AT(is_json)), "print one JSON document instead"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Question", fleet_options},
    {"Output", fleet_output_options},
    {"Help", hf_common_options},
    {0},
};

/* One of the questions: computes, then writes. */
typedef enum hf_status fleet_question(const struct fleet_options *options,
    const struct hf_fleet *fleet, struct hf_out *out, struct hf_error *err);

static enum hf_status ask_nodes(const struct fleet_options *options, const struct hf_fleet *fleet,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_fleet_nodes nodes = {0};
    enum hf_status status = hf_fleet_nodes_find(&nodes, fleet, err);
    if (status == HF_OK)
        status = options->is_json ? hf_fleet_nodes_json(fleet, &nodes, out, err)
                                  : hf_fleet_nodes_text(fleet, &nodes, out, err);
    hf_fleet_nodes_done(&nodes);
    return status;
}

static const struct {
    const char *name;
    fleet_question *ask;
} questions[] = {{"nodes", ask_nodes}};

static enum hf_status fleet_answer(
    struct fleet_options *options, fleet_question *ask, struct hf_error *err)
{
    struct hf_fleet fleet;
    struct hf_output output;
    enum hf_status status = hf_fleet_open(&fleet, &options->request, err);
    if (status == HF_OK)
        status = hf_output_open(&output, options->output, false, err);
    if (status == HF_OK) {
        status = ask(options, &fleet, &output.out, err);
        status = hf_output_close(&output, status, err);
    }
    if (status == HF_OK)
        hf_report_notes(&options->common, &fleet.notes);
    hf_fleet_close(&fleet);
    return status;
}

static enum hf_status fleet_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct fleet_options *options = all;
    if (options->request.store == NULL)
        return hf_error_set(err, HF_ERR_USAGE, "expected --store FILE, which heapflame ship wrote");
    for (size_t i = 0; operands->count == 1 && i < HF_COUNT(questions); i++) {
        if (strcmp(operands->items[0], questions[i].name) == 0)
            return fleet_answer(options, questions[i].ask, err);
    }
    return hf_error_set(err, HF_ERR_USAGE, "expected fleet nodes");
}

const struct hf_command hf_cmd_fleet = {
    .name = "fleet",
    .summary = "Report what the processes of many nodes hold, and how it grows.",
    .operands = "nodes",
    .words = "nodes",
    .details =
        "Reads a store of profiles, which heapflame ship wrote, by its sums of whole hours.\n"
        "fleet nodes lists the nodes: bytes in use, slope with its 95 % interval, and when\n"
        "each sent its last profile.",
    .groups = groups,
    .options_size = sizeof(struct fleet_options),
    .run = fleet_run,
};
