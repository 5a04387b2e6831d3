#include "capture/policy.h"

#include "base/attr.h"

#define LOW_PERCENT 70u

static bool has_grown(uint64_t now, uint64_t from, uint64_t by)
{
    return by != 0 && now >= from && now - from >= by;
}

static bool is_interval_due(struct hf_policy *p, const struct hf_reading *r)
{
    if (!has_grown(r->allocated_bytes, p->interval_from, p->rules.interval_bytes))
        return false;
    p->interval_from = r->allocated_bytes;
    return true;
}

static bool is_high_water_due(struct hf_policy *p, const struct hf_reading *r)
{
    uint64_t by = p->rules.high_water_bytes;
    if (!has_grown(r->in_use_bytes, p->high_water, by) &&
        !has_grown(r->resident_bytes, p->resident_high_water, by))
        return false;
    if (r->in_use_bytes > p->high_water)
        p->high_water = r->in_use_bytes;
    if (r->resident_bytes > p->resident_high_water)
        p->resident_high_water = r->resident_bytes;
    return true;
}

static bool is_time_due(struct hf_policy *p, const struct hf_reading *r)
{
    if (!has_grown(r->at_ns, p->time_from, p->rules.every_ns))
        return false;
    p->time_from = r->at_ns;
    return true;
}

static unsigned level_of(const struct hf_memory_reading *memory)
{
    unsigned level = 0;
    for (size_t i = 0; memory->limit_bytes != 0 && i < HF_COUNT(hf_memory_levels); i++)
        level += memory->current_bytes >= memory->limit_bytes / 100 * hf_memory_levels[i];
    return level;
}

static bool is_pressure_due(struct hf_policy *p, const struct hf_reading *r)
{
    const struct hf_memory_reading *memory = &r->memory;
    unsigned level = level_of(memory);
    bool is_due = level > p->level;
    uint64_t since_ns = r->at_ns - p->pressure_from;
    if (is_due)
        p->level = level;
    else if (memory->current_bytes < memory->limit_bytes / 100 * LOW_PERCENT)
        p->level = 0;
    if (since_ns < HF_POLICY_PRESSURE_NS)
        return p->rules.by_pressure && is_due;
    is_due = is_due || memory->refusals > p->refusals ||
             has_grown(memory->stall_us, p->stall_us, since_ns / 1000 / 10);
    p->refusals = memory->refusals;
    p->stall_us = memory->stall_us;
    p->pressure_from = r->at_ns;
    return p->rules.by_pressure && is_due;
}

enum hf_dump_reason hf_policy_next(struct hf_policy *policy, const struct hf_reading *reading)
{
    if (!policy->has_started) {
        policy->has_started = true;
        policy->time_from = policy->pressure_from = reading->at_ns;
        policy->resident_high_water = reading->resident_bytes;
        policy->refusals = reading->memory.refusals;
        policy->stall_us = reading->memory.stall_us;
    }
    /* Each rule has its own past, so none is skipped for another's sake. */
    bool by_interval = is_interval_due(policy, reading);
    bool by_high_water = is_high_water_due(policy, reading);
    bool by_time = is_time_due(policy, reading);
    if (is_pressure_due(policy, reading))
        return HF_DUMP_PRESSURE;
    return by_high_water ? HF_DUMP_HIGH_WATER
           : by_interval ? HF_DUMP_INTERVAL
           : by_time     ? HF_DUMP_TIME
                         : HF_DUMP_NOT;
}

/* True if dump `index` and the one before it are neighbours as they were written, and some grew. */
static bool is_grown_pair(const struct hf_kept_dump *dumps, size_t count, size_t index)
{
    return index != 0 && index < count && dumps[index].number == dumps[index - 1].number + 1 &&
           dumps[index].growth_bytes != 0;
}

/* True if that pair is among those that grew most; of equal ones the older. */
static bool is_kept_pair(const struct hf_kept_dump *dumps, size_t count, size_t index)
{
    size_t above = 0;
    for (size_t i = 1; i < count; i++)
        above += is_grown_pair(dumps, count, i) &&
                 (dumps[i].growth_bytes > dumps[index].growth_bytes ||
                     (dumps[i].growth_bytes == dumps[index].growth_bytes && i < index));
    return above < HF_KEEP_PAIRS;
}

static bool is_in_pair(const struct hf_kept_dump *dumps, size_t count, size_t index)
{
    return is_grown_pair(dumps, count, index) && is_kept_pair(dumps, count, index);
}

size_t hf_keep_excess(const struct hf_kept_dump *dumps, size_t count, size_t last)
{
    size_t peak = 0;
    for (size_t i = 1; i < count; i++)
        peak = dumps[i].in_use_bytes > dumps[peak].in_use_bytes ? i : peak;
    for (size_t i = 1; last != 0 && i + last < count; i++) {
        if (i != peak && !is_in_pair(dumps, count, i) && !is_in_pair(dumps, count, i + 1))
            return i;
    }
    return count;
}
