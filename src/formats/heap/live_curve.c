#include "formats/heap/live_curve.h"

#include <stdatomic.h>

#define CURVES_SINCE 7 /* minor version */

/* Nothing was allocated since its last point, so the spans up to now are missing. */
static void live_extend_curve(
    struct hf_usage_curve *curve, const struct hf_live_usage *usage, uint32_t spans, uint64_t after)
{
    uint64_t in_use = atomic_load_explicit(&usage->bytes, memory_order_relaxed);
    uint64_t allocated = atomic_load_explicit(&usage->allocated_bytes, memory_order_relaxed);
    for (; after >> curve->shift >= HF_USAGE_CURVE_POINTS; curve->shift++) {
        for (uint32_t i = 0; i < spans; i += 2) { /* each two become one */
            bool is_known = i + 1 < spans;
            curve->in_use_bytes[i / 2] = is_known ? curve->in_use_bytes[i + 1] : in_use;
            curve->allocated_bytes[i / 2] = is_known ? curve->allocated_bytes[i + 1] : allocated;
        }
        spans = (spans + 1) / 2;
    }
    curve->count = (uint32_t)(after >> curve->shift) + 1;
    for (uint32_t i = spans; i < curve->count; i++) {
        curve->in_use_bytes[i] = in_use;
        curve->allocated_bytes[i] = allocated;
    }
}

/* Points of the curve, and the last: what the table says now. */
struct hf_usage_curve hf_live_curve_read(const struct hf_live_snapshot *table, uint64_t after_ns)
{
    const struct hf_live_curve *from = &table->state.curve;
    const struct hf_live_usage *usage = &table->state.usage;
    struct hf_usage_curve curve = {0};
    uint32_t shift = atomic_load_explicit(&from->shift, memory_order_relaxed);
    uint32_t count = atomic_load_explicit(&from->count, memory_order_relaxed);
    if (table->head.minor < CURVES_SINCE || shift == 0 || shift > HF_USAGE_CURVE_SHIFT_MAX ||
        count > HF_LIVE_CURVE_POINTS)
        return curve;
    curve.shift = shift;
    curve.count = count < HF_USAGE_CURVE_POINTS ? count + 1 : count;
    for (uint32_t i = 0; i < curve.count; i++) {
        bool is_last = i == count;
        curve.in_use_bytes[i] = atomic_load_explicit(
            is_last ? &usage->bytes : &from->points[i].in_use_bytes, memory_order_relaxed);
        curve.allocated_bytes[i] = atomic_load_explicit(
            is_last ? &usage->allocated_bytes : &from->points[i].allocated_bytes,
            memory_order_relaxed);
    }
    if (after_ns >> shift > count && after_ns < UINT64_C(1) << (HF_USAGE_CURVE_SHIFT_MAX + 6))
        live_extend_curve(&curve, usage, count, after_ns);
    return curve;
}
