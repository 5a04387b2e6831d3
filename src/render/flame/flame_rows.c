#include "render/flame/flame_rows.h"

#include "base/budget.h"
#include "render/flame/flame_layout.h"

#include <stdlib.h>

/* What is known of a level. */
struct flame_level {
    double sum, widest; /* of its boxes, in units of the value */
    bool is_told;       /* something begins, ends or owns memory here */
};

static double units_of(
    const struct hf_flame_layout *layout, const struct hf_flame_tree *tree, size_t node)
{
    return (double)hf_flame_layout_width(layout, tree, node);
}

/* The child in which a frame goes on; 0: in none. */
static uint32_t next_of(
    const struct hf_flame_layout *layout, const struct hf_flame_tree *tree, uint32_t node)
{
    double least = HF_FLAME_CHAIN * units_of(layout, tree, node);
    for (size_t at = tree->order.first_children[node]; at < tree->order.first_children[node + 1];
         at++) {
        if (units_of(layout, tree, tree->order.children[at]) >= least)
            return tree->order.children[at];
    }
    return 0;
}

static bool has_readable_child(const struct hf_flame_layout *layout,
    const struct hf_flame_tree *tree, uint32_t node, double wide)
{
    for (size_t at = tree->order.first_children[node]; at < tree->order.first_children[node + 1];
         at++) {
        if (units_of(layout, tree, tree->order.children[at]) >= wide)
            return true;
    }
    return false;
}

static void look_at_levels(const struct hf_flame_layout *layout, const struct hf_flame_tree *tree,
    const struct hf_flame_owners *owners, struct flame_level *levels)
{
    double wide = HF_FLAME_WIDE * (double)layout->total;
    levels[0] = (struct flame_level){(double)layout->total, (double)layout->total, true};
    for (uint32_t i = 1; i < tree->count; i++) {
        if (layout->drawn[i] == HF_FLAME_NOT_DRAWN)
            continue;
        struct flame_level *level = &levels[tree->depth[i]];
        double width = units_of(layout, tree, i);
        level->sum += width;
        if (width > level->widest)
            level->widest = width;
        if (width >= wide && !level->is_told)
            level->is_told =
                width < HF_FLAME_CHAIN * units_of(layout, tree, tree->nodes[i].parent) ||
                hf_flame_owners_marks(owners, i) || !has_readable_child(layout, tree, i, wide);
    }
    if (layout->no_stack_width != 0)
        levels[1] = levels[0];
}

static void flame_rows_add(struct hf_flame_rows *rows, uint32_t first, uint32_t last)
{
    rows->last_of[first] = last;
    rows->row_of[first] = rows->count++;
}

/* Gives rows to the levels below `drawn`. */
static void give_rows(
    struct hf_flame_rows *rows, const struct flame_level *levels, double wide, uint32_t drawn)
{
    uint32_t at = 0;
    rows->count = 0;
    while (at < drawn) {
        uint32_t end = at;
        while (end < drawn && !levels[end].is_told && levels[end].widest >= wide)
            end++;
        if (end - at >= HF_FLAME_CHAIN_MIN) {
            flame_rows_add(rows, at, end - 1);
            at = end;
        } else {
            flame_rows_add(rows, at, at);
            at++;
        }
    }
    rows->drawn = drawn;
}

static void flame_rows_choose(
    struct hf_flame_rows *rows, const struct flame_level *levels, double total)
{
    uint32_t end = rows->levels;
    while (end > 1 && levels[end - 1].sum < HF_FLAME_WIDE * total)
        end--;
    if (rows->levels - end < HF_FLAME_CHAIN_MIN)
        end = rows->levels;
    give_rows(rows, levels, HF_FLAME_WIDE * total, end);
    uint32_t more = rows->count;
    while (more > HF_FLAME_ROWS_ENOUGH && levels[end - 1].widest < HF_FLAME_WIDER * total) {
        more--; /* what is so narrow at the end hardly ever continues for long: a level, a row */
        end--;
    }
    give_rows(rows, levels, HF_FLAME_WIDE * total, end);
}

static void hide(struct hf_flame_layout *layout, const struct hf_flame_tree *tree)
{
    for (size_t i = 1; i < tree->count; i++) {
        if (layout->drawn[i] == HF_FLAME_NOT_DRAWN ||
            hf_flame_rows_has(&layout->rows, tree->depth[i]))
            continue;
        layout->rows.folded_count++;
        if (tree->depth[i] >= layout->rows.drawn)
            layout->drawn[i] = HF_FLAME_NOT_DRAWN;
    }
}

enum hf_status hf_flame_rows_init(struct hf_flame_layout *layout, const struct hf_flame_tree *tree,
    const struct hf_flame_owners *owners, struct hf_error *err)
{
    struct hf_flame_rows *rows = &layout->rows;
    uint32_t count = layout->max_depth + 1;
    if (layout->total == 0)
        return HF_OK; /* a picture with a sentence in it */
    struct flame_level *levels = hf_budget_calloc(count, sizeof *levels);
    *rows = (struct hf_flame_rows){.levels = count};
    rows->row_of = hf_budget_calloc(count, sizeof *rows->row_of);
    rows->last_of = hf_budget_calloc(count, sizeof *rows->last_of);
    bool has_memory = levels != NULL && rows->row_of != NULL && rows->last_of != NULL;
    if (has_memory) {
        for (uint32_t i = 0; i < count; i++)
            rows->row_of[i] = HF_FLAME_NO_ROW;
        look_at_levels(layout, tree, owners, levels);
        flame_rows_choose(rows, levels, (double)layout->total);
        hide(layout, tree);
    }
    hf_budget_free(levels);
    return has_memory ? HF_OK : hf_error_memory(err);
}

void hf_flame_rows_done(struct hf_flame_rows *rows)
{
    hf_budget_free(rows->row_of);
    hf_budget_free(rows->last_of);
    *rows = (struct hf_flame_rows){0};
}

uint32_t hf_flame_rows_chain(const struct hf_flame_layout *layout, const struct hf_flame_tree *tree,
    uint32_t node, uint32_t *out_last)
{
    const struct hf_flame_rows *rows = &layout->rows;
    uint32_t count = 1;
    *out_last = node;
    if (rows->row_of == NULL)
        return count;
    for (uint32_t last = rows->last_of[tree->depth[node]]; tree->depth[*out_last] < last; count++) {
        uint32_t next = next_of(layout, tree, *out_last);
        if (next == 0)
            break;
        *out_last = next;
    }
    return count;
}
