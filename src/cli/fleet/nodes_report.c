#include "cli/fleet/nodes_report.h"

#include "analysis/verdict.h"
#include "base/attr.h"
#include "base/containers/map.h"
#include "base/strings/escape.h"
#include "base/strings/json.h"
#include "cli/fleet/columns.h"
#include "cli/fleet/fleet_words.h"

#define MS_A_SECOND 1000.0

/* What the instances of a node have of one kind: its services, or its builds, each once. */
typedef uint32_t text_of_instance(const struct hf_fleet_instance *instance);

static uint32_t service_of(const struct hf_fleet_instance *instance)
{
    return instance->service;
}

static uint32_t build_of(const struct hf_fleet_instance *instance)
{
    return instance->build;
}

/* For a terminal, or as an array. Of builds without a name nothing is put for people. */
static enum hf_status put_names(const struct hf_fleet *fleet, const struct hf_fleet_node *node,
    text_of_instance *text_of, bool is_json, struct hf_out *out, struct hf_error *err)
{
    struct hf_map seen = {0};
    bool is_first = true, is_new = false;
    enum hf_status status = HF_OK;
    for (size_t i = node->first; status == HF_OK && i < node->first + node->count; i++) {
        uint32_t text = text_of(&fleet->instances[i]);
        struct hf_text name = hf_fleet_text(fleet, text);
        if (hf_map_put(&seen, text, 0, &is_new) == NULL)
            status = hf_error_memory(err);
        if (status != HF_OK || !is_new || (name.size == 0 && !is_json))
            continue;
        if (is_json) {
            hf_json_string(out, is_first ? "" : ", ", name);
        } else {
            hf_out_string(out, is_first ? "" : ", ");
            hf_escape_terminal(out, name);
        }
        is_first = false;
    }
    hf_map_done(&seen);
    return status;
}

static enum hf_status node_put_row(const struct hf_fleet *fleet, const struct hf_fleet_node *node,
    const struct hf_fleet_node_facts *facts, struct hf_columns *columns, struct hf_error *err)
{
    struct hf_out *text = &columns->text;
    if (facts->is_in_span)
        hf_verdict_amount((double)facts->bytes, true, text);
    else
        hf_out_char(text, '?');
    hf_columns_end_cell(columns);
    hf_fleet_put_slope(&facts->slope, text);
    hf_columns_end_cell(columns);
    hf_verdict_duration((double)(fleet->newest_ms - node->last_ms) / MS_A_SECOND, text);
    hf_out_string(text, node->is_silent ? " silent" : "");
    hf_columns_end_cell(columns);
    hf_out_u64(text, node->count);
    hf_columns_end_cell(columns);
    hf_escape_terminal(text, node->name);
    hf_columns_end_cell(columns);
    enum hf_status status = put_names(fleet, node, service_of, false, text, err);
    hf_columns_end_cell(columns);
    if (status == HF_OK)
        status = put_names(fleet, node, build_of, false, text, err);
    hf_columns_end_cell(columns);
    return status;
}

enum hf_status hf_fleet_nodes_text(const struct hf_fleet *fleet, const struct hf_fleet_nodes *nodes,
    struct hf_out *out, struct hf_error *err)
{
    static const struct hf_column titles[] = {{"in use", true}, {"slope", true}, {"last", true},
        {"instances", true}, {"node", false}, {"services", false}, {"builds", false}};
    struct hf_columns columns = {.titles = titles, .count = HF_COUNT(titles)};
    enum hf_status status = HF_OK;
    hf_fleet_put_head(fleet, out);
    hf_out_string(out, "in use: ");
    hf_verdict_amount((double)nodes->total.bytes, true, out);
    hf_out_string(out, ", slope: ");
    hf_fleet_put_slope(&nodes->total.slope, out);
    hf_out_string(out, "\n\n");
    for (size_t i = 0; status == HF_OK && i < fleet->node_count; i++)
        status = node_put_row(fleet, &fleet->nodes[i], &nodes->items[i], &columns, err);
    if (status == HF_OK)
        status = hf_columns_put(&columns, out, err);
    hf_fleet_put_rough(nodes->total.slope.is_rough, out);
    hf_columns_done(&columns);
    return status;
}

static enum hf_status put_node_json(const struct hf_fleet *fleet, size_t index,
    const struct hf_fleet_node_facts *facts, struct hf_out *out, struct hf_error *err)
{
    const struct hf_fleet_node *node = &fleet->nodes[index];
    hf_json_member(out, index != 0 ? ",\n  {" : "\n  {", "name", node->name);
    hf_fleet_json_time(out, ", \"last\": ", node->last_ms);
    hf_json_number(out, ", \"interval\": ", node->interval_s);
    hf_out_printf(out, ", \"silent\": %s", node->is_silent ? "true" : "false");
    hf_out_string(out, ", \"bytes\": ");
    if (facts->is_in_span)
        hf_out_u64(out, facts->bytes);
    else
        hf_out_string(out, "null");
    hf_fleet_json_slope(&facts->slope, out);
    hf_out_printf(out, ", \"instances\": %zu, \"services\": [", node->count);
    enum hf_status status = put_names(fleet, node, service_of, true, out, err);
    hf_out_string(out, "], \"builds\": [");
    if (status == HF_OK)
        status = put_names(fleet, node, build_of, true, out, err);
    hf_out_string(out, "]}");
    return status;
}

enum hf_status hf_fleet_nodes_json(const struct hf_fleet *fleet, const struct hf_fleet_nodes *nodes,
    struct hf_out *out, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    hf_fleet_json_head(fleet, HF_FLEET_NODES_SCHEMA, out);
    hf_out_string(out, ",\n \"bytes\": ");
    hf_out_u64(out, nodes->total.bytes);
    hf_fleet_json_slope(&nodes->total.slope, out);
    hf_out_string(out, ",\n \"nodes\": [");
    for (size_t i = 0; status == HF_OK && i < fleet->node_count; i++)
        status = put_node_json(fleet, i, &nodes->items[i], out, err);
    hf_out_string(out, "]}\n");
    return status;
}
