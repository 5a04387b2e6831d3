/*
 * cmd_fleet.c: what the processes of many nodes hold, and how it grows, from a store that ship
 * writes.
 */
#include "answer/fleet/fleet.h"
#include "base/attr.h"
#include "cli/command.h"
#include "cli/fleet/nodes_report.h"
#include "cli/fleet/outliers_report.h"
#include "cli/fleet/top_report.h"
#include "cli/fleet/trend_report.h"

#include <string.h>

struct fleet_options {
    struct hf_common common;
    struct hf_fleet_request request;
    const char *output;
    uint64_t rows, least_bytes;
    double rate;
    const char *by;
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
    {"by", 0, HF_OPT_TEXT(AT(by), "build"),
        "compare builds in trend, by the mean slope on each node that runs them"},
    {"rate", 0, HF_OPT_REAL(AT(rate), "P"),
        "report false outliers in at most this share of answers (default: 0.01)"},
    {"least", 0, HF_OPT_BYTES(AT(least_bytes), "BYTES"),
        "leave out outliers that differ by less than BYTES (default: 1MiB)"},
    {0},
};

static const struct hf_option fleet_output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(AT(output), "FILE"), "write to FILE instead of standard output"},
    {"rows", 'n', HF_OPT_COUNT(AT(rows), "N"),
        "print at most N places or outliers; 0: all (default: 20)"},
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
typedef enum hf_status fleet_question(const struct fleet_options *options, struct hf_fleet *fleet,
    struct hf_out *out, struct hf_error *err);

static enum hf_status ask_nodes(const struct fleet_options *options, struct hf_fleet *fleet,
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

static enum hf_status ask_top(const struct fleet_options *options, struct hf_fleet *fleet,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_fleet_top top = {0};
    enum hf_status status = hf_fleet_top_find(&top, fleet, err);
    if (status == HF_OK && options->is_json)
        hf_fleet_top_json(fleet, &top, options->rows, out);
    else if (status == HF_OK)
        status = hf_fleet_top_text(fleet, &top, options->rows, out, err);
    hf_fleet_top_done(&top);
    return status;
}

static enum hf_status ask_trend(const struct fleet_options *options, struct hf_fleet *fleet,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_fleet_trend trend = {0};
    enum hf_status status = hf_fleet_trend_find(&trend, fleet, options->by != NULL, err);
    if (status == HF_OK && options->is_json)
        hf_fleet_trend_json(fleet, &trend, options->rows, out);
    else if (status == HF_OK)
        status = hf_fleet_trend_text(fleet, &trend, options->rows, out, err);
    hf_fleet_trend_done(&trend);
    return status;
}

static enum hf_status ask_outliers(const struct fleet_options *options, struct hf_fleet *fleet,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_fleet_outliers outliers = {
        .rate = options->rate, .least_bytes = options->least_bytes};
    enum hf_status status = hf_fleet_outliers_find(&outliers, fleet, err);
    if (status == HF_OK && options->is_json)
        hf_fleet_outliers_json(fleet, &outliers, options->rows, out);
    else if (status == HF_OK)
        status = hf_fleet_outliers_text(fleet, &outliers, options->rows, out, err);
    hf_fleet_outliers_done(&outliers);
    return status;
}

static const struct {
    const char *name;
    fleet_question *ask;
} questions[] = {
    {"nodes", ask_nodes}, {"top", ask_top}, {"trend", ask_trend}, {"outliers", ask_outliers}};

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
    if (options->by != NULL && strcmp(options->by, "build") != 0)
        return hf_error_set(err, HF_ERR_USAGE, "--by: expected build, found '%s'", options->by);
    if (!(options->rate > 0 && options->rate <= 1))
        return hf_error_set(err, HF_ERR_USAGE, "--rate: expected a share above 0, up to 1");
    for (size_t i = 0; operands->count == 1 && i < HF_COUNT(questions); i++) {
        if (strcmp(operands->items[0], questions[i].name) == 0)
            return fleet_answer(options, questions[i].ask, err);
    }
    return hf_error_set(
        err, HF_ERR_USAGE, "expected fleet nodes, fleet top, fleet trend or fleet outliers");
}

static void fleet_defaults(void *all)
{
    struct fleet_options *options = all;
    options->rows = 20;
    options->rate = 0.01;
    options->least_bytes = 1 << 20;
}

const struct hf_command hf_cmd_fleet = {
    .name = "fleet",
    .summary = "Report what the processes of many nodes hold, and how it grows.",
    .operands = "nodes|top|trend|outliers",
    .words = "nodes top trend outliers",
    .details =
        "Reads a store that heapflame ship wrote, in whole hours.\n"
        "fleet nodes lists the nodes: bytes in use, slope with its 95 % interval, and when\n"
        "each sent its last profile. fleet top lists the places that hold the memory, fleet\n"
        "trend those that grow, with their slopes over all nodes, and fleet outliers the nodes\n"
        "on which a place grows otherwise than on the other nodes of its service.",
    .groups = groups,
    .options_size = sizeof(struct fleet_options),
    .defaults = fleet_defaults,
    .run = fleet_run,
};
