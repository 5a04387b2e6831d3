/*
 * holdings.h: which places hold memory, as `top` ranks them, and what keeps the blocks of each.
 *
 * A *place* is the owner of stacks (analysis/owner.h); a *holding* is what one keeper has of its
 * blocks (heap/graph/keepers.h). The holdings of a place add up to what the place holds. The
 * registers of threads are one keeper of a place, so is what threads have of their own, and so are
 * all frames of one function on their stacks: a pool of two hundred threads is one line.
 *
 * Each holding has a block as an example: the one whose path is as long as they are in the mean.
 *
 * Example:
 *
 *     struct hf_request request = {.fold.owners = HF_OWNERS_IN_HEAPS};
 *     struct hf_live_snapshot table = {0};
 *     struct hf_table_blocks blocks = {0};
 *     struct hf_keepers keepers = {0};
 *     struct hf_holdings holdings;
 *     const struct hf_holdings_of of = {&table, &blocks, &keepers, NULL};
 *     status = hf_holdings_make(&holdings, &request, &of, 20, err);
 *     for (size_t i = 0; status == HF_OK && i < holdings.rows.shown; i++)
 *         hf_out_text(out, holdings.rows.items[i].name);
 *     hf_holdings_done(&holdings);
 */
#ifndef HF_ANSWER_HOLDINGS_H
#define HF_ANSWER_HOLDINGS_H

#include "answer/view.h"
#include "heap/graph/keepers.h"
#include "heap/table_blocks.h"
#include "render/table/rows.h"

#define HF_HOLDING_UNSEEN UINT32_MAX /* a keeper: the blocks are in no heap that can be read */

struct hf_holding {
    uint32_t keeper;         /* of several threads: MANY of their kind */
    struct hf_text function; /* of several stacks: whose frames they are; of what several threads
                                have for themselves: their variable; else empty */
    uint32_t example;        /* a block; HF_BLOCK_NONE: there is none */
    uint64_t bytes, objects; /* estimated, if the table is of samples */
    uint64_t samples;        /* blocks of the table that it is estimated from */
};

/* Those of a place, most bytes first. */
struct hf_holdings_part {
    size_t first, count; /* of items */
};

/* The functions at which memory grows (analysis/growth/growth.h): what a stack has is of the
 * innermost of them. */
struct hf_holdings_places {
    const struct hf_text *names; /* each function once */
    const bool *are_chosen;      /* what is of the others is left out, and so is what is of none */
    size_t count;
};

/* What it is made of; all is borrowed. */
struct hf_holdings_of {
    const struct hf_live_snapshot *table;
    const struct hf_table_blocks *blocks;
    const struct hf_keepers *keepers;
    const struct hf_holdings_places *places; /* NULL: all of it */
};

struct hf_holdings {
    struct hf_view view;
    struct hf_rows rows; /* the places */
    struct hf_holding *items;
    size_t count, capacity;
    struct hf_holdings_part *parts; /* by row; behind them that of all rows together */
    uint64_t damaged;               /* blocks of the table whose stack is not in it */
    uint32_t *tally_of; /* by block of the table: what it was counted in; UINT32_MAX: nowhere */
    uint32_t *row_of;   /* by tally: its row; UINT32_MAX: a filter hides it */
};

/* Of the filters of a request, `focus` is used. `max_rows`: to be shown; 0: all. Do not move
 * `holdings`. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_holdings_make(struct hf_holdings *holdings,
    const struct hf_request *request, const struct hf_holdings_of *of, size_t max_rows,
    struct hf_error *err);
void hf_holdings_done(struct hf_holdings *holdings);

#endif
