/*
 * flame_rows.h: which levels of the tree have a row in a picture that folds what says nothing.
 *
 * Two kinds of levels have none of their own:
 *
 *  - *chains*: levels on which every box that can be read only continues the one below it. Four or
 *    more of them become one row, a *fold*, whose boxes say "24 frames: first ... last". A level
 *    where something begins, ends or owns memory keeps its row.
 *  - the *tail*: the deepest levels, which together hold next to nothing, or where no box can be
 *    read and the picture is high already.
 *
 * web/src/svg/rows.ts decides the same for the frame that is zoomed: there they have rows again.
 */
#ifndef HF_RENDER_FLAME_ROWS_H
#define HF_RENDER_FLAME_ROWS_H

#include "render/flame/flame_owners.h"
#include "render/flame/flame_tree.h"

#define HF_FLAME_WIDE 0.03      /* of the width: a box that can be read */
#define HF_FLAME_CHAIN 0.99     /* of a frame: so much of it goes on in one child */
#define HF_FLAME_CHAIN_MIN 4    /* levels */
#define HF_FLAME_ROWS_ENOUGH 40 /* from here on a row needs a box of ... */
#define HF_FLAME_WIDER 0.1      /* ... this width */

struct hf_flame_rows {
    uint32_t *row_of;      /* by level; NULL: each level has its row */
    uint32_t *last_of;     /* by level with a row: the last level that it shows */
    uint32_t levels;       /* of the tree, as far as it is drawn */
    uint32_t drawn;        /* levels before the tail */
    uint32_t count;        /* rows */
    uint64_t folded_count; /* frames without a row */
};

#define HF_FLAME_NO_ROW UINT32_MAX

struct hf_flame_layout;

/* Fills layout->rows, and hides what has none in layout->drawn. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_flame_rows_init(struct hf_flame_layout *layout,
    const struct hf_flame_tree *tree, const struct hf_flame_owners *owners, struct hf_error *err);
void hf_flame_rows_done(struct hf_flame_rows *rows);

static inline bool hf_flame_rows_has(const struct hf_flame_rows *rows, uint32_t level)
{
    return rows->row_of == NULL || (level < rows->drawn && rows->row_of[level] != HF_FLAME_NO_ROW);
}

/* The frames that the box of `node` stands for, and the last of them; 1 and itself: no fold. */
uint32_t hf_flame_rows_chain(const struct hf_flame_layout *layout, const struct hf_flame_tree *tree,
    uint32_t node, uint32_t *out_last);

#endif
