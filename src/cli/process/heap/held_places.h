/*
 * held_places.h: what keeps the blocks of the places that are called a leak, or of owners, for who
 * reports how memory grows (render/table/growth_report.h).
 */
#ifndef HF_CLI_HELD_PLACES_H
#define HF_CLI_HELD_PLACES_H

#include "analysis/growth/growth.h"
#include "cli/heap_reader.h"
#include "heap/table_blocks.h"
#include "render/table/growth_report.h"

struct hf_held_places {
    struct hf_growth_held *items; /* by place or name; without keepers: it is no leak, or unknown */
    size_t count;
};

/* What was read of a process: its heaps, and of its live table the blocks, which are joined here.
 */
struct hf_held_reading {
    const struct hf_heap_reading *reading;
    struct hf_table_blocks *blocks;
    const struct hf_live_snapshot *table;
};

/* Call done in any case. */
HF_MUST_CHECK enum hf_status hf_held_places_find(struct hf_held_places *held,
    const struct hf_growth *growth, const struct hf_request *request,
    const struct hf_held_reading *from, struct hf_error *err);

/* The same of all that these owners hold (answer/heap/holdings.h). */
HF_MUST_CHECK enum hf_status hf_held_places_find_owners(struct hf_held_places *held,
    const struct hf_text *names, size_t count, const struct hf_request *request,
    const struct hf_held_reading *from, struct hf_error *err);
void hf_held_places_done(struct hf_held_places *held);

#endif
