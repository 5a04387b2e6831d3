#include "dwarf/lookup/unit_claims.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "dwarf/lookup/line.h"
#include "dwarf/ranges.h"

#include <stdlib.h>

struct claim {
    struct hf_unit *unit;
    const struct hf_queries *queries;
    bool has_no_memory;
};

static bool claim_range(void *context, uint64_t low, uint64_t high)
{
    struct claim *claim = context;
    struct hf_unit *unit = claim->unit;
    const struct hf_queries *q = claim->queries;
    if (!hf_queries_maybe(q, low, high))
        return true;
    size_t at = hf_lower_bound_u64(q->addresses, q->count, low);
    for (; at < q->count && q->addresses[at] < high; at++) {
        if (!hf_vec_reserve(&unit->queries, &unit->query_capacity, unit->query_count + 1,
                sizeof *unit->queries)) {
            claim->has_no_memory = true;
            return false;
        }
        unit->queries[unit->query_count++] = (uint32_t)at;
    }
    /* Hostile lists may name a range again and again: no sound one holds an address twice. */
    return unit->query_count <= 4 * q->count;
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void sort_unique(struct hf_unit *unit)
{
    if (unit->query_count < 2)
        return;
    qsort(unit->queries, unit->query_count, sizeof *unit->queries, compare_u32);
    size_t kept = 1;
    for (size_t i = 1; i < unit->query_count; i++) {
        if (unit->queries[i] != unit->queries[kept - 1])
            unit->queries[kept++] = unit->queries[i];
    }
    unit->query_count = kept;
}

/*
 * DWARF 2 has no list of ranges: the root entry says nothing of code in several sections (clang),
 * or names the one that has most (GCC).
 */
static bool says_too_little(const struct hf_unit *unit)
{
    return unit->is_compiled && unit->ranges_form == 0 &&
           (!unit->has_low_high || unit->encoding.version == 2);
}

enum hf_status hf_unit_claim(struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    const struct hf_queries *queries, struct hf_error *err)
{
    enum hf_status status = hf_unit_read_root(unit, sections, err);
    if (status != HF_OK)
        return status;
    struct claim claim = {unit, queries, false};
    if (unit->ranges_form != 0)
        hf_ranges_walk(unit, sections, unit->ranges_form, unit->ranges, claim_range, &claim);
    else if (unit->has_low_high && unit->low_pc != 0)
        claim_range(&claim, unit->low_pc, unit->high_pc);
    if (says_too_little(unit))
        status = hf_unit_line_ranges(unit, sections, claim_range, &claim, err);
    if (!hf_dwarf_spend(sections, unit->query_count * sizeof *unit->queries, err))
        return HF_ERR_LIMIT;
    sort_unique(unit);
    return claim.has_no_memory ? hf_error_memory(err) : status;
}

size_t hf_unit_claims_next(const struct hf_units *units, struct hf_queries *queries)
{
    size_t given = 0;
    bool *is_given = calloc(queries->count + 1, sizeof *is_given);
    if (is_given == NULL)
        return 0;
    for (size_t u = 0; u < units->count; u++) {
        const struct hf_unit *unit = &units->items[u];
        for (size_t i = 0; i < unit->query_count; i++) {
            struct hf_answer *answer = &queries->answers[unit->queries[i]];
            bool is_behind = answer->owner == HF_NO_UNIT || u > answer->owner;
            if (answer->innermost != NULL || is_given[unit->queries[i]] || !is_behind)
                continue;
            answer->owner = (uint32_t)u;
            answer->has_line = false;
            is_given[unit->queries[i]] = true;
            given++;
        }
    }
    free(is_given);
    return given;
}
