/*
 * held_places.h: what keeps the blocks of the places that are called a leak, for who reports how
 * memory grows (render/table/growth_report.h).
 */
#ifndef HF_CLI_HELD_PLACES_H
#define HF_CLI_HELD_PLACES_H

#include "analysis/growth/growth.h"
#include "cli/heap_reader.h"
#include "heap/table_blocks.h"
#include "render/table/growth_report.h"

struct hf_held_places {
    struct hf_growth_held *items; /* by place of the growth; without keepers: it is no leak */
    size_t count;
};

/* `blocks` and `table`: of the live table, as read for the snapshot; joined here. Call done in any
 * case. */
HF_MUST_CHECK enum hf_status hf_held_places_find(struct hf_held_places *held,
    const struct hf_growth *growth, const struct hf_request *request,
    const struct hf_heap_reading *reading, struct hf_table_blocks *blocks,
    const struct hf_live_snapshot *table, struct hf_error *err);
void hf_held_places_done(struct hf_held_places *held);

#endif
