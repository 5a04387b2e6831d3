#include "dwarf/lookup/unit_index.h"

#include "base/budget.h"
#include "base/containers/sorted.h"
#include "base/containers/spans.h"
#include "dwarf/lookup/function.h"
#include "dwarf/lookup/line.h"

#include <stdlib.h>

/* Parts that a range may cover without a look at the effort that is left. */
#define FREE_PARTS 64

/* The code of a unit, cut where anything begins or ends. */
struct hf_unit_index {
    struct hf_call_list list; /* whose calls the parts have */
    uint64_t base;
    uint32_t *starts;               /* from `base`; a part reaches to the next */
    struct hf_inlined_call **calls; /* by part: the innermost; NULL: in no function */
    size_t part_count;
    struct hf_line_list lines;
    struct hf_spans runs; /* by number, of `lines` */
};

void hf_unit_index_free(struct hf_unit_index *index)
{
    if (index == NULL)
        return;
    hf_call_list_done(&index->list);
    hf_budget_free(index->starts);
    hf_budget_free(index->calls);
    hf_line_list_done(&index->lines);
    hf_spans_done(&index->runs);
    free(index);
}

size_t hf_unit_index_bytes(const struct hf_unit_index *index)
{
    return sizeof *index + index->list.arena.total_bytes +
           index->part_count * (sizeof *index->starts + sizeof(*index->calls)) +
           index->lines.row_capacity * sizeof *index->lines.rows +
           index->lines.column_capacity * sizeof *index->lines.columns +
           index->lines.run_capacity * sizeof *index->lines.runs +
           index->runs.capacity * sizeof *index->runs.items;
}

/* While parts are made. */
struct painting {
    const struct hf_dwarf_sections *sections;
    uint64_t *bounds;             /* sorted, distinct */
    struct hf_inlined_call **now; /* by bound: the innermost call from there to the next */
    size_t count;
    size_t last; /* where the range before began */
};

/* Where `low`, one of the bounds, is: mostly a little behind the one before. */
static size_t find_bound(struct painting *p, uint64_t low)
{
    size_t from = p->bounds[p->last] <= low ? p->last : 0;
    size_t reach = from == 0 ? p->count : 1;
    while (reach < p->count - from && p->bounds[from + reach] <= low)
        reach *= 2;
    if (reach > p->count - from)
        reach = p->count - from;
    p->last = from + hf_lower_bound_u64(p->bounds + from, reach, low);
    return p->last;
}

/* Gives the parts that are in the call around it to the call; those of another keep theirs. */
static bool paint_range(struct painting *p, const struct hf_listed_range *range)
{
    size_t first = find_bound(p, range->low), at = first;
    for (; p->bounds[at] < range->high; at++) {
        if (p->now[at] == range->around)
            p->now[at] = range->call;
    }
    return at - first <= FREE_PARTS || hf_dwarf_spend(p->sections, at - first, NULL);
}

/* Parts of the same call that follow one another are one. */
static enum hf_status keep_parts(
    struct hf_unit_index *index, const struct painting *p, struct hf_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++)
        count += i == 0 || p->now[i] != p->now[i - 1];
    index->base = p->count != 0 ? p->bounds[0] : 0;
    if (p->count != 0 && p->bounds[p->count - 1] - index->base > UINT32_MAX)
        return hf_error_set(err, HF_ERR_INPUT, "the code of a unit spans more than 4 GiB");
    index->starts = hf_budget_calloc(count + 1, sizeof *index->starts);
    index->calls = hf_budget_calloc(count + 1, sizeof(*index->calls));
    if (index->starts == NULL || index->calls == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < p->count; i++) {
        if (i != 0 && p->now[i] == p->now[i - 1])
            continue;
        index->starts[index->part_count] = (uint32_t)(p->bounds[i] - index->base);
        index->calls[index->part_count++] = p->now[i];
    }
    return HF_OK;
}

static enum hf_status make_parts(
    struct hf_unit_index *index, const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    const struct hf_call_list *list = &index->list;
    struct painting p = {.sections = sections};
    enum hf_status status = HF_OK;
    p.bounds = hf_budget_calloc(2 * list->count + 1, sizeof *p.bounds);
    p.now = hf_budget_calloc(2 * list->count + 1, sizeof(*p.now));
    if (p.bounds == NULL || p.now == NULL) {
        status = hf_error_memory(err);
    } else {
        for (size_t i = 0; i < list->count; i++) {
            p.bounds[2 * i] = list->ranges[i].low;
            p.bounds[2 * i + 1] = list->ranges[i].high;
        }
        hf_sort_u64(p.bounds, 2 * list->count);
        p.count = hf_unique_u64(p.bounds, 2 * list->count);
    }
    for (size_t i = 0; i < list->count && status == HF_OK; i++) {
        if (!paint_range(&p, &list->ranges[i]))
            status = hf_error_set(err, HF_ERR_LIMIT, "the ranges of a unit overlap");
    }
    if (status == HF_OK)
        status = keep_parts(index, &p, err);
    hf_budget_free(p.bounds);
    hf_budget_free(p.now);
    return status;
}

static enum hf_status list_runs(struct hf_unit_index *index, struct hf_error *err)
{
    for (size_t i = 0; i < index->lines.run_count; i++) {
        const struct hf_line_run *run = &index->lines.runs[i];
        if (!hf_spans_add(&index->runs, run->start, run->end, (uint32_t)i))
            return hf_error_memory(err);
    }
    hf_spans_sort(&index->runs);
    return HF_OK;
}

static enum hf_status fill_index(struct hf_unit_index *index, const struct hf_unit_parts *parts,
    bool is_thorough, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (int pass = 0; pass < (is_thorough ? 2 : 1) && status == HF_OK; pass++)
        status = hf_unit_list_functions(
            parts->functions, parts->function_sections, pass == 1, &index->list, err);
    if (status == HF_OK)
        status = make_parts(index, parts->function_sections, err);
    index->lines.has_columns = parts->has_columns;
    if (status == HF_OK)
        status = hf_unit_list_lines(parts->lines, parts->line_sections, &index->lines, err);
    if (status == HF_OK)
        status = list_runs(index, err);
    hf_call_list_forget_ranges(&index->list);
    return status;
}

enum hf_status hf_unit_index_new(const struct hf_unit_parts *parts, bool is_thorough,
    struct hf_unit_index **out_index, struct hf_error *err)
{
    struct hf_unit_index *index = calloc(1, sizeof *index);
    if (index == NULL)
        return hf_error_memory(err);
    enum hf_status status = fill_index(index, parts, is_thorough, err);
    if (status == HF_OK)
        *out_index = index;
    else
        hf_unit_index_free(index);
    return status;
}

static void find_calls(
    const struct hf_unit_index *index, uint64_t address, struct hf_answer *answer)
{
    uint64_t offset = address - index->base;
    size_t low = 0, high = index->part_count;
    if (address < index->base)
        return;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->starts[middle] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    answer->innermost = low != 0 ? index->calls[low - 1] : NULL;
    for (const struct hf_inlined_call *c = answer->innermost; c != NULL; c = c->outer)
        answer->depth++;
}

/* Of several runs the first in the program. */
static void find_line(const struct hf_unit_index *index, uint64_t address, struct hf_answer *answer)
{
    const struct hf_line_run *run = NULL;
    const struct hf_span *found;
    size_t at = hf_spans_start(&index->runs, address);
    while ((found = hf_spans_next(&index->runs, address, &at)) != NULL && hf_budget_step(10)) {
        if (run == NULL || &index->lines.runs[found->id] < run)
            run = &index->lines.runs[found->id];
    }
    if (run == NULL)
        return;
    const struct hf_line_row *rows = index->lines.rows + run->first;
    size_t low = 0, high = run->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run->start + rows[middle].offset <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return;
    answer->file = rows[low - 1].file;
    answer->line = rows[low - 1].line;
    answer->is_near = rows[low - 1].is_near;
    answer->column = index->lines.has_columns ? index->lines.columns[run->first + low - 1] : 0;
    answer->has_line = true;
}

void hf_unit_index_answer(const struct hf_unit_index *index, const struct hf_unit *unit,
    uint32_t unit_index, struct hf_queries *queries)
{
    for (size_t i = 0; i < unit->query_count; i++) {
        struct hf_answer *answer = &queries->answers[unit->queries[i]];
        uint64_t address = queries->addresses[unit->queries[i]];
        if (answer->owner != unit_index || answer->innermost != NULL)
            continue;
        find_calls(index, address, answer);
        if (!answer->has_line)
            find_line(index, address, answer);
    }
}
