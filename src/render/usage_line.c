#include "render/usage_line.h"

#include "analysis/verdict.h"
#include "base/strings/units.h"

#define COLUMNS 32u
#define HEIGHTS 8u
#define LITTLE_BYTES (UINT64_C(1) << 20)

static double usage_seconds(const struct hf_usage_curve *curve)
{
    return (double)curve->count * (double)(UINT64_C(1) << curve->shift) / 1e9;
}

/* True if it changes by an eighth of its maximum once the first eighth of the time is over. */
static bool usage_changes(const struct hf_usage_curve *curve, uint64_t most)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = curve->count / 8; i < curve->count; i++) {
        uint64_t bytes = curve->in_use_bytes[i];
        low = bytes < low ? bytes : low;
        high = bytes > high ? bytes : high;
    }
    return high > low && high - low >= most / 8;
}

/* The highest of the points that fall into a column. */
static void usage_put_columns(const struct hf_usage_curve *curve, uint64_t most, struct hf_out *out)
{
    static const char *const heights[HEIGHTS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint32_t columns = curve->count < COLUMNS ? curve->count : COLUMNS;
    for (uint32_t column = 0; column < columns; column++) {
        uint64_t high = 0;
        for (uint32_t i = curve->count * column / columns;
             i < curve->count * (column + 1) / columns; i++)
            high = curve->in_use_bytes[i] > high ? curve->in_use_bytes[i] : high;
        double share = (double)high / (double)most;
        size_t height = (size_t)((share < 1 ? share : 1) * (HEIGHTS - 1) + 0.5);
        hf_out_string(out, heights[height]);
    }
}

void hf_usage_line_put(const struct hf_capture_facts *capture, struct hf_out *out)
{
    char most[HF_UNITS_MAX], allocated[HF_UNITS_MAX], rate[HF_UNITS_MAX];
    const struct hf_usage_curve *curve = &capture->curve;
    if (curve->count < HEIGHTS || usage_seconds(curve) < 1 || capture->peak_bytes < LITTLE_BYTES ||
        !usage_changes(curve, capture->peak_bytes))
        return;
    uint64_t bytes = curve->allocated_bytes[curve->count - 1];
    hf_out_string(out, "in use over ");
    hf_verdict_duration(usage_seconds(curve), out);
    hf_out_string(out, ": ");
    usage_put_columns(curve, capture->peak_bytes, out);
    hf_out_printf(out, ", at most %s; %s allocated, %s/s",
        hf_units_bytes(capture->peak_bytes, most), hf_units_bytes(bytes, allocated),
        hf_units_bytes((uint64_t)((double)bytes / usage_seconds(curve)), rate));
}

static void usage_put_numbers(
    const char *name, const uint64_t *values, uint32_t count, struct hf_out *out)
{
    hf_out_printf(out, ", \"%s\": [", name);
    for (uint32_t i = 0; i < count; i++) {
        hf_out_string(out, i != 0 ? ", " : "");
        hf_out_u64(out, values[i]);
    }
    hf_out_char(out, ']');
}

void hf_usage_line_json(const struct hf_usage_curve *curve, struct hf_out *out)
{
    hf_out_string(out, "{\"span_ns\": ");
    hf_out_u64(out, UINT64_C(1) << curve->shift);
    usage_put_numbers("inuse_bytes", curve->in_use_bytes, curve->count, out);
    usage_put_numbers("allocated_bytes", curve->allocated_bytes, curve->count, out);
    hf_out_char(out, '}');
}
