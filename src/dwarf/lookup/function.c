#include "dwarf/lookup/function.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "dwarf/constants.h"
#include "dwarf/form.h"
#include "dwarf/ranges.h"

#include <stdlib.h>

/* Addresses that an entry may hold without a look at the effort that is left. */
#define FREE_ADDRESSES 64

/*
 * An inlined call whose list of ranges is empty, see block_may_hold(): it is around an address if
 * a call below it is.
 */
struct unknown_call {
    const struct unknown_call *outer;
    const struct die *die;
};

struct function_walk {
    struct hf_unit *unit;
    uint32_t unit_index;
    const struct hf_dwarf_sections *sections;
    struct hf_queries *queries;
    struct hf_arena *arena;
    struct hf_cursor c;
    struct hf_call_list *list;          /* gets every call; NULL: queries are answered */
    struct hf_inlined_call *around;     /* of the list: the call that the next ones are in */
    const struct unknown_call *unknown; /* around the next call; NULL: none */
    uint32_t unknown_count;
    bool is_thorough; /* look into containers and functions that hold no address too */
    bool has_no_memory, is_too_deep, has_too_many_calls;
};

/* What the walk needs of one entry. */
struct die {
    uint64_t offset;
    uint64_t low, high, ranges, origin, sibling;
    uint32_t call_file, call_line, call_column;
    uint16_t low_form, high_form, ranges_form; /* 0: absent */
};

/* Constants of a hostile file may be of any size: a line or file that fits no uint32_t is 0. */
static uint32_t small(uint64_t value)
{
    return value <= UINT32_MAX ? (uint32_t)value : 0;
}

static void read_die(struct function_walk *w, const struct hf_abbrev *abbrev, struct die *die)
{
    const struct hf_abbrev_attribute *a = hf_abbrev_attributes(&w->unit->abbrevs, abbrev);
    const struct hf_abbrev_attribute *end = a + abbrev->attribute_count;
    for (; a < end; a++) {
        switch (a->name) {
        case DW_AT_low_pc:
            die->low = hf_attribute_read(&w->c, a, &w->unit->encoding);
            die->low_form = a->form;
            break;
        case DW_AT_high_pc:
            die->high = hf_attribute_read(&w->c, a, &w->unit->encoding);
            die->high_form = a->form;
            break;
        case DW_AT_ranges:
            die->ranges = hf_attribute_read(&w->c, a, &w->unit->encoding);
            die->ranges_form = a->form;
            break;
        case DW_AT_abstract_origin:
            die->origin = hf_unit_reference(
                w->unit, a->form, hf_attribute_read(&w->c, a, &w->unit->encoding));
            break;
        case DW_AT_sibling:
            die->sibling = hf_unit_reference(
                w->unit, a->form, hf_attribute_read(&w->c, a, &w->unit->encoding));
            break;
        case DW_AT_call_file:
            die->call_file = small(hf_attribute_read(&w->c, a, &w->unit->encoding));
            break;
        case DW_AT_call_line:
            die->call_line = small(hf_attribute_read(&w->c, a, &w->unit->encoding));
            break;
        case DW_AT_call_column:
            die->call_column = small(hf_attribute_read(&w->c, a, &w->unit->encoding));
            break;
        default: hf_attribute_skip(&w->c, a, &w->unit->encoding);
        }
    }
    if (die->low_form != 0)
        die->low = hf_unit_address(w->unit, w->sections, die->low_form, die->low);
    if (die->high_form == 0)
        return;
    if (hf_form_is_address(die->high_form))
        die->high = hf_unit_address(w->unit, w->sections, die->high_form, die->high);
    else if (!hf_add_u64(die->low, die->high, &die->high))
        die->high = 0;
}

struct cover {
    struct function_walk *walk;
    const struct die *die;
    uint32_t depth; /* of the calls already found for an address that this entry adds to */
    struct hf_inlined_call *call; /* in the list, as soon as there is a range */
    bool is_hit, only_test;
    bool has_range; /* that is not empty */
};

static struct hf_inlined_call *function_new_call(
    struct function_walk *w, struct hf_inlined_call *outer, const struct die *die)
{
    struct hf_inlined_call *call = hf_arena_alloc(w->arena, sizeof *call);
    if (call == NULL) {
        w->has_no_memory = true;
        return NULL;
    }
    /* A function's own entry may have more of a name than its origin: which of the constructors. */
    bool is_function = outer == NULL;
    *call = (struct hf_inlined_call){
        .outer = outer,
        .die = (die->origin != 0 && !is_function ? die->origin : die->offset) & HF_DIE_OFFSET_MASK,
        .call_file = die->call_file,
        .call_line = die->call_line,
        .call_column = (uint16_t)(die->call_column <= UINT16_MAX ? die->call_column : 0),
    };
    return call;
}

static void push_call(struct function_walk *w, struct hf_answer *answer, const struct die *die)
{
    struct hf_inlined_call *call = function_new_call(w, answer->innermost, die);
    if (call == NULL)
        return;
    answer->innermost = call;
    answer->depth++;
}

/* The outermost first. At most HF_LIMIT_INLINE_DEPTH, so the recursion is bounded. */
static void push_unknown_calls(
    struct function_walk *w, struct hf_answer *answer, const struct unknown_call *unknown)
{
    if (unknown == NULL)
        return;
    push_unknown_calls(w, answer, unknown->outer);
    push_call(w, answer, unknown->die);
}

/* As push_unknown_calls(); returns the innermost. */
static struct hf_inlined_call *list_unknown_calls(
    struct function_walk *w, const struct unknown_call *unknown)
{
    if (unknown == NULL)
        return w->around;
    struct hf_inlined_call *outer = list_unknown_calls(w, unknown->outer);
    return w->has_no_memory ? NULL : function_new_call(w, outer, unknown->die);
}

static bool list_range(struct cover *cover, uint64_t low, uint64_t high)
{
    struct function_walk *w = cover->walk;
    struct hf_call_list *list = w->list;
    cover->has_range = cover->is_hit = true;
    if (cover->only_test)
        return false;
    if (cover->call == NULL) {
        struct hf_inlined_call *outer = list_unknown_calls(w, w->unknown);
        cover->call = w->has_no_memory ? NULL : function_new_call(w, outer, cover->die);
    }
    if (cover->call == NULL ||
        !hf_vec_reserve(&list->ranges, &list->capacity, list->count + 1, sizeof *list->ranges)) {
        w->has_no_memory = true;
        return false;
    }
    list->ranges[list->count++] = (struct hf_listed_range){low, high, cover->call, w->around};
    return list->count % FREE_ADDRESSES != 0 ||
           hf_dwarf_spend(w->sections, FREE_ADDRESSES * sizeof *list->ranges, NULL);
}

static bool cover_range(void *context, uint64_t low, uint64_t high)
{
    struct cover *cover = context;
    if (cover->walk->list != NULL)
        return list_range(cover, low, high);
    const struct hf_unit *unit = cover->walk->unit;
    const struct hf_queries *q = cover->walk->queries;
    cover->has_range = true;
    if (!hf_queries_maybe(q, low, high))
        return true;
    size_t from = hf_queries_from(q, unit->queries, unit->query_count, low);
    size_t first = from;
    for (; from < unit->query_count && q->addresses[unit->queries[from]] < high; from++) {
        struct hf_answer *answer = &q->answers[unit->queries[from]];
        /* Of overlapping entries the first one found answers: each depth is taken once. */
        if (answer->owner != cover->walk->unit_index || answer->depth != cover->depth)
            continue;
        cover->is_hit = true;
        if (cover->only_test)
            return false;
        push_unknown_calls(cover->walk, answer, cover->walk->unknown);
        push_call(cover->walk, answer, cover->die);
    }
    /* Entries of a few bytes, each over all addresses. */
    return from - first <= FREE_ADDRESSES ||
           hf_dwarf_spend(cover->walk->sections, from - first, NULL);
}

static void cover_ranges(struct cover *cover)
{
    struct function_walk *w = cover->walk;
    const struct die *die = cover->die;
    if (die->ranges_form != 0)
        hf_ranges_walk(w->unit, w->sections, die->ranges_form, die->ranges, cover_range, cover);
    else if (die->low_form != 0 && die->high_form != 0 && die->low != 0 && die->low < die->high)
        cover_range(cover, die->low, die->high);
}

/*
 * True if there may be an address in the block. One without ranges says nothing. Neither does a
 * list without any: GCC 12 writes empty ranges, and in DWARF 4 one at the start of the unit's code
 * reads as the end of the list.
 */
static bool block_may_hold(struct function_walk *w, const struct die *die, uint32_t depth)
{
    struct cover cover = {.walk = w, .die = die, .depth = depth, .only_test = true};
    cover_ranges(&cover);
    return cover.is_hit || !cover.has_range;
}

/* Jumps forward to a sibling. A jump back would loop. */
static void jump(struct function_walk *w, uint64_t offset)
{
    if (offset <= hf_cursor_offset(&w->c))
        hf_cursor_fail(&w->c);
    else
        hf_cursor_seek(&w->c, offset);
}

/* Reads a ref4 sibling that stands at a known place, without reading what is before it. */
static bool jump_to_fixed_sibling(struct function_walk *w, const struct hf_abbrev *abbrev)
{
    if (abbrev->sibling_offset < 0)
        return false;
    hf_cursor_skip(&w->c, (uint64_t)abbrev->sibling_offset);
    jump(w, w->unit->offset + hf_cursor_u32(&w->c));
    return true;
}

/* Passes over the children of an entry without one look at them, where siblings allow it. */
static void skip_children(struct function_walk *w)
{
    uint64_t depth = 1;
    while (depth != 0 && !hf_cursor_failed(&w->c)) {
        uint64_t code = hf_cursor_uleb(&w->c);
        if (code == 0) {
            depth--;
            continue;
        }
        const struct hf_abbrev *abbrev = hf_abbrev_find(&w->unit->abbrevs, code);
        if (abbrev == NULL) {
            hf_cursor_fail(&w->c);
            return;
        }
        if (abbrev->has_children && jump_to_fixed_sibling(w, abbrev))
            continue;
        hf_abbrev_skip(&w->c, &w->unit->abbrevs, abbrev, &w->unit->encoding);
        depth += abbrev->has_children;
    }
}

/* The cursor stands behind the attributes: passes over the children, if there are any. */
static void skip_below(
    struct function_walk *w, const struct hf_abbrev *abbrev, const struct die *die)
{
    if (!abbrev->has_children)
        return;
    if (die->sibling != 0)
        jump(w, die->sibling);
    else
        skip_children(w);
}

/* The cursor stands before the attributes: passes over everything. */
static void skip_whole(struct function_walk *w, const struct hf_abbrev *abbrev)
{
    if (abbrev->has_children && jump_to_fixed_sibling(w, abbrev))
        return;
    if (abbrev->has_children && abbrev->fixed_size < 0) {
        struct die die = {0};
        read_die(w, abbrev, &die);
        skip_below(w, abbrev, &die);
        return;
    }
    hf_abbrev_skip(&w->c, &w->unit->abbrevs, abbrev, &w->unit->encoding);
    if (abbrev->has_children)
        skip_children(w);
}

static void walk_list(struct function_walk *w, uint32_t depth, unsigned nesting);

/* What is below an inlined call of which is not known where it is. */
static void walk_unknown_call(
    struct function_walk *w, const struct die *die, uint32_t depth, unsigned nesting)
{
    struct unknown_call unknown = {.outer = w->unknown, .die = die};
    w->unknown = &unknown;
    w->unknown_count++;
    walk_list(w, depth, nesting + 1);
    w->unknown = unknown.outer;
    w->unknown_count--;
}

/* What is below a call that holds addresses; all calls around it are known there. */
static void walk_found_call(
    struct function_walk *w, struct hf_inlined_call *call, uint32_t depth, unsigned nesting)
{
    const struct unknown_call *unknown = w->unknown;
    struct hf_inlined_call *around = w->around;
    uint32_t count = w->unknown_count;
    w->unknown = NULL;
    w->unknown_count = 0;
    w->around = call;
    walk_list(w, depth + count + 1, nesting + 1);
    w->unknown = unknown;
    w->unknown_count = count;
    w->around = around;
}

/* Functions that are nested in one that is listed itself. */
static void list_nested(struct function_walk *w, uint64_t below, unsigned nesting)
{
    if (hf_cursor_failed(&w->c) ||
        !hf_dwarf_spend(w->sections, hf_cursor_offset(&w->c) - below, NULL))
        return;
    hf_cursor_seek(&w->c, below);
    walk_list(w, 0, nesting + 1);
}

/* A function or inlined call that may hold asked-for addresses. `depth`: calls around it. */
static void walk_call(struct function_walk *w, const struct hf_abbrev *abbrev, uint64_t offset,
    uint32_t depth, unsigned nesting)
{
    struct die die = {.offset = offset};
    read_die(w, abbrev, &die);
    struct cover cover = {.walk = w, .die = &die, .depth = depth};
    bool is_one_too_many = depth + w->unknown_count >= HF_LIMIT_INLINE_DEPTH;
    if (is_one_too_many)
        w->has_too_many_calls = true;
    else
        cover_ranges(&cover);
    bool is_unknown = depth != 0 && !is_one_too_many && die.ranges_form != 0 && !cover.has_range;
    if (!abbrev->has_children)
        return;
    uint64_t below = hf_cursor_offset(&w->c);
    if (cover.is_hit)
        walk_found_call(w, cover.call, depth, nesting);
    else if (is_unknown)
        walk_unknown_call(w, &die, depth, nesting);
    else if (w->is_thorough && depth == 0)
        walk_list(w, 0, nesting + 1); /* GNU C nested functions are below a function */
    else
        skip_below(w, abbrev, &die);
    if (cover.is_hit && w->list != NULL && w->is_thorough && depth == 0)
        list_nested(w, below, nesting);
}

static void walk_block(
    struct function_walk *w, const struct hf_abbrev *abbrev, uint32_t depth, unsigned nesting)
{
    struct die die = {0};
    read_die(w, abbrev, &die);
    if (!block_may_hold(w, &die, depth) && !(w->is_thorough && depth == 0))
        skip_below(w, abbrev, &die);
    else if (abbrev->has_children)
        walk_list(w, depth, nesting + 1);
}

/* Walks entries up to the null entry that ends the list. */
static void walk_list(struct function_walk *w, uint32_t depth, unsigned nesting)
{
    if (nesting > HF_LIMIT_DIE_DEPTH) {
        w->is_too_deep = true;
        hf_cursor_fail(&w->c);
    }
    while (hf_cursor_left(&w->c) != 0) {
        uint64_t offset = hf_cursor_offset(&w->c);
        uint64_t code = hf_cursor_uleb(&w->c);
        if (code == 0)
            return;
        const struct hf_abbrev *abbrev = hf_abbrev_find(&w->unit->abbrevs, code);
        if (abbrev == NULL) {
            hf_cursor_fail(&w->c);
            return;
        }
        bool is_call = abbrev->kind == HF_DIE_INLINED
                           ? depth != 0
                           : abbrev->kind == HF_DIE_FUNCTION && depth == 0;
        bool is_open = abbrev->kind == HF_DIE_CONTAINER && depth == 0 &&
                       (w->is_thorough || abbrev->sibling_offset < 0);
        if (is_call) {
            walk_call(w, abbrev, offset, depth, nesting);
        } else if (abbrev->kind == HF_DIE_BLOCK && (depth != 0 || w->is_thorough)) {
            walk_block(w, abbrev, depth, nesting);
        } else if (is_open) {
            hf_abbrev_skip(&w->c, &w->unit->abbrevs, abbrev, &w->unit->encoding);
            if (abbrev->has_children)
                walk_list(w, depth, nesting + 1);
        } else {
            skip_whole(w, abbrev);
        }
    }
}

static bool is_all_found(const struct function_walk *w)
{
    for (size_t i = 0; i < w->unit->query_count; i++) {
        const struct hf_answer *answer = &w->queries->answers[w->unit->queries[i]];
        if (answer->owner == w->unit_index && answer->innermost == NULL &&
            !hf_dwarf_is_padding(w->sections, w->queries->addresses[w->unit->queries[i]]))
            return false;
    }
    return true;
}

/* What was not looked at because of a limit, or could not be read. */
static enum hf_status function_check(const struct function_walk *w, struct hf_error *err)
{
    if (w->has_no_memory)
        return hf_error_memory(err);
    if (w->is_too_deep)
        return hf_error_set(err, HF_ERR_LIMIT,
            "entries are nested more than %d deep (HF_LIMIT_DIE_DEPTH)", HF_LIMIT_DIE_DEPTH);
    if (w->has_too_many_calls)
        return hf_error_set(err, HF_ERR_LIMIT,
            "more than %d calls are inlined in one another (HF_LIMIT_INLINE_DEPTH)",
            HF_LIMIT_INLINE_DEPTH);
    if (!hf_dwarf_spend(w->sections, 0, err))
        return HF_ERR_LIMIT;
    return hf_cursor_check(&w->c, "an entry", err);
}

enum hf_status hf_unit_find_functions(struct hf_unit *unit, uint32_t unit_index,
    const struct hf_dwarf_sections *sections, struct hf_queries *queries, struct hf_arena *arena,
    struct hf_error *err)
{
    enum hf_status status = hf_unit_need_abbrevs(unit, sections, err);
    if (status != HF_OK)
        return status;
    struct function_walk w = {.unit = unit,
        .unit_index = unit_index,
        .sections = sections,
        .queries = queries,
        .arena = arena};
    for (int pass = 0; pass < 2 && !is_all_found(&w) && !w.has_no_memory; pass++) {
        w.is_thorough = pass == 1;
        if (!hf_dwarf_spend(sections, unit->end - unit->offset, err))
            return HF_ERR_LIMIT;
        w.c = hf_unit_cursor(unit, sections, unit->first_die);
        walk_list(&w, 0, 0);
    }
    return function_check(&w, err);
}

enum hf_status hf_unit_list_functions(struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, bool is_thorough, struct hf_call_list *list,
    struct hf_error *err)
{
    enum hf_status status = hf_unit_need_abbrevs(unit, sections, err);
    if (status != HF_OK)
        return status;
    struct function_walk w = {.unit = unit,
        .sections = sections,
        .arena = &list->arena,
        .list = list,
        .is_thorough = is_thorough};
    if (!hf_dwarf_spend(sections, unit->end - unit->offset, err))
        return HF_ERR_LIMIT;
    w.c = hf_unit_cursor(unit, sections, unit->first_die);
    walk_list(&w, 0, 0);
    return function_check(&w, err);
}

void hf_call_list_forget_ranges(struct hf_call_list *list)
{
    hf_budget_put_back(list->capacity * sizeof *list->ranges);
    free(list->ranges);
    list->ranges = NULL;
    list->count = list->capacity = 0;
}

void hf_call_list_done(struct hf_call_list *list)
{
    hf_call_list_forget_ranges(list);
    hf_arena_done(&list->arena);
}
