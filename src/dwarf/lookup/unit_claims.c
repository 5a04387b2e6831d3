#include "dwarf/lookup/unit_claims.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "dwarf/lookup/line.h"
#include "dwarf/ranges.h"

#include <stdlib.h>

/* Units that claim an address, without a look at the effort that is left. */
#define FREE_CLAIMS 64

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

/* Gives out the ranges of a unit whose root is read. */
static enum hf_status claims_each_range(const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, hf_range_fn visit, void *context,
    struct hf_error *err)
{
    if (!unit->has_root)
        return HF_OK;
    if (unit->ranges_form != 0)
        hf_ranges_walk(unit, sections, unit->ranges_form, unit->ranges, visit, context);
    else if (unit->has_low_high && unit->low_pc != 0)
        visit(context, unit->low_pc, unit->high_pc);
    return says_too_little(unit) ? hf_unit_line_ranges(unit, sections, visit, context, err) : HF_OK;
}

enum hf_status hf_unit_claim(struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    const struct hf_queries *queries, struct hf_error *err)
{
    enum hf_status status = hf_unit_read_root(unit, sections, err);
    if (status != HF_OK)
        return status;
    unit->has_root = true;
    struct claim claim = {unit, queries, false};
    status = claims_each_range(unit, sections, claim_range, &claim, err);
    if (!hf_dwarf_spend(sections, unit->query_count * sizeof *unit->queries, err))
        return HF_ERR_LIMIT;
    sort_unique(unit);
    return claim.has_no_memory ? hf_error_memory(err) : status;
}

/* A unit whose ranges are listed. */
struct listing {
    struct hf_claims *claims;
    uint32_t unit;
    bool has_no_memory;
};

static bool list_claim(void *context, uint64_t low, uint64_t high)
{
    struct listing *listing = context;
    if (low >= high)
        return true;
    listing->has_no_memory = !hf_spans_add(&listing->claims->ranges, low, high, listing->unit);
    return !listing->has_no_memory;
}

enum hf_status hf_claims_list(struct hf_claims *claims, const struct hf_units *units,
    const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct listing listing = {.claims = claims};
    for (; listing.unit < units->count && !listing.has_no_memory; listing.unit++)
        /* Damage was met, and told, when the unit claimed for the first time. */
        (void)!claims_each_range(&units->items[listing.unit], sections, list_claim, &listing, NULL);
    if (listing.has_no_memory)
        return hf_error_memory(err);
    if (!hf_dwarf_spend(sections, claims->ranges.count * sizeof *claims->ranges.items, err))
        return HF_ERR_LIMIT;
    hf_spans_sort(&claims->ranges);
    claims->is_listed = true;
    return HF_OK;
}

static bool add_query(struct hf_unit *unit, uint32_t query)
{
    if (unit->query_count != 0 && unit->queries[unit->query_count - 1] == query)
        return true;
    if (!hf_vec_reserve(
            &unit->queries, &unit->query_capacity, unit->query_count + 1, sizeof *unit->queries))
        return false;
    unit->queries[unit->query_count++] = query;
    return true;
}

enum hf_status hf_claims_give(const struct hf_claims *claims, struct hf_units *units,
    const struct hf_dwarf_sections *sections, const struct hf_queries *queries,
    struct hf_error *err)
{
    for (size_t i = 0; i < queries->count; i++) {
        uint64_t address = queries->addresses[i], seen = 0;
        size_t at = hf_spans_start(&claims->ranges, address);
        const struct hf_span *range;
        while ((range = hf_spans_next(&claims->ranges, address, &at)) != NULL) {
            seen++;
            if (!add_query(&units->items[range->id], (uint32_t)i))
                return hf_error_memory(err);
        }
        if (seen > FREE_CLAIMS && !hf_dwarf_spend(sections, seen * sizeof *range, err))
            return HF_ERR_LIMIT;
    }
    return HF_OK;
}

void hf_claims_done(struct hf_claims *claims)
{
    hf_spans_done(&claims->ranges);
    *claims = (struct hf_claims){0};
}

enum hf_status hf_unit_claims_next(const struct hf_units *units, struct hf_queries *queries,
    size_t *out_given, struct hf_error *err)
{
    size_t given = 0;
    bool *is_given = calloc(queries->count + 1, sizeof *is_given);
    if (is_given == NULL)
        return hf_error_memory(err);
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
    *out_given = given;
    return HF_OK;
}
