#include "cli/fleet/fleet_words.h"

#include "analysis/verdict.h"
#include "answer/fleet/fleet_time.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/json.h"

#include <inttypes.h>
#include <math.h>

void hf_fleet_put_head(const struct hf_fleet *fleet, struct hf_out *out)
{
    if (fleet->silent_count != 0)
        hf_out_printf(out, "%zu of ", fleet->node_count - fleet->silent_count);
    hf_out_printf(out, "%zu %s, %zu %s, ", fleet->node_count,
        hf_plural(fleet->node_count, "node", "nodes"), fleet->instance_count,
        hf_plural(fleet->instance_count, "instance", "instances"));
    hf_fleet_time_put(fleet->since_ms, out);
    hf_out_string(out, " to ");
    hf_fleet_time_put(fleet->newest_ms, out);
    hf_out_string(out, " UTC\n\n");
}

void hf_fleet_put_slope(const struct hf_rollup_slope *slope, struct hf_out *out)
{
    if (!slope->is_known)
        hf_out_char(out, '?');
    else
        hf_verdict_rate_between(slope->slope, slope->low, slope->high, true, out);
    if (slope->is_rough)
        hf_out_string(out, " rough");
}

void hf_fleet_put_rough(bool is_rough, struct hf_out *out)
{
    if (is_rough)
        hf_out_printf(out,
            "\nrough: an instance has profiles of fewer than %d hours, so the interval is likely "
            "too narrow\n",
            HF_ROLLUP_HOURS_MIN);
}

size_t hf_fleet_rows(size_t count, uint64_t wanted)
{
    return wanted != 0 && wanted < count ? (size_t)wanted : count;
}

void hf_fleet_put_more(size_t count, uint64_t wanted, struct hf_out *out)
{
    size_t more = count - hf_fleet_rows(count, wanted);
    if (more != 0)
        hf_out_printf(out, "and %zu more %s\n", more, hf_plural(more, "row", "rows"));
}

void hf_fleet_put_place(const struct hf_fleet_places *places, uint32_t place, struct hf_out *out)
{
    struct hf_text name = hf_intern_at(&places->names, place);
    hf_escape_terminal(out, name.size != 0 ? name : HF_TEXT("?"));
}

void hf_fleet_json_time(struct hf_out *out, const char *before, int64_t ms)
{
    hf_out_printf(out, "%s%" PRId64 ".%03u", before, ms / 1000, (unsigned)(ms % 1000));
}

void hf_fleet_json_head(const struct hf_fleet *fleet, const char *schema, struct hf_out *out)
{
    bool is_first = true;
    hf_json_member(out, "{", "schema", hf_text_of(schema));
    hf_fleet_json_time(out, ",\n \"since\": ", fleet->since_ms);
    hf_fleet_json_time(out, ", \"until\": ", fleet->until_ms);
    hf_fleet_json_time(out, ", \"newest\": ", fleet->newest_ms);
    hf_out_printf(out, ",\n \"node_count\": %zu, \"instance_count\": %zu, \"silent\": [",
        fleet->node_count, fleet->instance_count);
    for (size_t i = 0; i < fleet->node_count; i++) {
        if (!fleet->nodes[i].is_silent)
            continue;
        hf_json_string(out, is_first ? "" : ", ", fleet->nodes[i].name);
        is_first = false;
    }
    hf_out_char(out, ']');
}

void hf_fleet_json_slope(const struct hf_rollup_slope *slope, struct hf_out *out)
{
    double unknown = slope->is_known ? 0 : NAN;
    hf_json_number(out, ", \"per_second\": ", slope->slope + unknown);
    hf_json_number(out, ", \"per_second_95\": [", slope->low + unknown);
    hf_json_number(out, ", ", slope->high + unknown);
    hf_out_printf(out, "], \"rough\": %s", slope->is_rough ? "true" : "false");
}
