/*
 * mappings.h: which addresses the program got by mmap, brk and sbrk, and which stack asked for
 * each.
 *
 * They are records of the live table, disjoint and as a rule few: what one stack maps piece by
 * piece becomes one record as long as the pieces follow each other, and a record is cut where part
 * of it is unmapped or mapped anew. The order by address is here:
 *
 *     order   slots of the table: `count` in use, by address, then those that are empty
 *
 * Nothing is said of how much memory a mapping takes: a reservation of terabytes takes none. What
 * is resident the reader asks of the kernel (live/residency.h).
 *
 * Any thread; one lock, never waited for without end. What cannot be recorded is counted in the
 * table, and its addresses are nobody's.
 */
#ifndef HF_AGENT_MAPPINGS_H
#define HF_AGENT_MAPPINGS_H

#include "base/attr.h"
#include "base/spinlock.h"
#include "live/writer.h"

#include <stdbool.h>
#include <stdint.h>

/* All-zero is empty. */
struct hf_mappings {
    struct hf_spinlock lock;
    uint32_t *order;
    uint32_t count, slots; /* in use; in the order as a whole */
    uint32_t capacity;
    bool is_changing; /* the order is not sound: it was left in the middle of a change */
};

/* Pieces that were taken out. */
#define HF_MAPPINGS_TAKEN 8
struct hf_mappings_taken {
    uint32_t count;
    struct hf_live_mapped pieces[HF_MAPPINGS_TAKEN];
};

/* For a table with room for so many; without memory for it every mapping is lost. */
void hf_mappings_begin(struct hf_mappings *mappings, struct hf_live_table *table);

/* Whoever holds the lock: a child after fork, before it begins again. */
void hf_mappings_forget(struct hf_mappings *mappings);

/* The calling thread will not come back to what it did here. */
void hf_mappings_mend(struct hf_mappings *mappings);

/* What was at the addresses of `mapped` is not there any more, but this. */
void hf_mappings_add(
    struct hf_mappings *mappings, struct hf_live_table *table, const struct hf_live_mapped *mapped);

/* Nothing is mapped at [start, end). What was is in *out_taken, as far as there is room; it may be
 * NULL. */
void hf_mappings_take(struct hf_mappings *mappings, struct hf_live_table *table, uint64_t start,
    uint64_t end, struct hf_mappings_taken *out_taken);

#endif
