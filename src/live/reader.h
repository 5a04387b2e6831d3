/*
 * reader.h: reads the live table of another process, while it is written or afterwards.
 *
 * The table is hostile input: it is copied piece by piece into the reader's own memory, never
 * mapped (its owner may cut it short), and every number in it is bounded. The writer is not
 * stopped: records that are only ever added are read up to the count that publishes them. A block
 * is read together with its word before and after (layout.h); if these differ, it is read again,
 * and after three tries it counts as in flight.
 *
 * Blocks are read first, stacks and their totals afterwards. So every block's stack is there, and
 * no stack has more in use than it ever allocated.
 *
 * Example:
 *
 *     int fd = 3; // the table, open
 *     struct hf_live_snapshot snapshot;
 *     status = hf_live_read(
 *         &snapshot, hf_live_source_of(&fd, "a.live"), (struct hf_live_visitor){0}, err);
 *     if (status == HF_OK)
 *         hf_out_u64(out, snapshot.counts[HF_LIVE_STACKS]);
 *     hf_live_snapshot_done(&snapshot);
 */
#ifndef HF_LIVE_READER_H
#define HF_LIVE_READER_H

#include "base/error.h"
#include "base/text.h"
#include "live/layout.h"

#include <stdbool.h>
#include <stddef.h>

/* Copies `size` bytes at `offset` of the table; false if they are not there. */
struct hf_live_source {
    bool (*copy)(void *context, uint64_t offset, void *out, size_t size);
    void *context;
    const char *name; /* for messages */
};

/* A table in an open file; both are borrowed. */
struct hf_live_source hf_live_source_of(const int *fd, const char *name);

/* A table in memory, which is read as if it were another process's; both are borrowed. */
struct hf_live_source hf_live_source_in(const struct hf_text *bytes, const char *name);

/* A block that was read whole. The numbers of its stack and thread may be higher than the table's
 * counts. */
struct hf_live_seen_block {
    uint64_t address, size, birth;
    uint32_t stack, thread;
};

/* Called for every block; an error ends the reading. */
struct hf_live_visitor {
    enum hf_status (*see)(
        void *context, const struct hf_live_seen_block *block, struct hf_error *err);
    void *context;
};

/* Copies of what the table holds, except blocks. */
struct hf_live_snapshot {
    struct hf_live_head head;
    struct hf_live_state state;
    void *
        records[HF_LIVE_KINDS]; /* each of this version's size; NULL: none, and always for blocks */
    size_t counts[HF_LIVE_KINDS];
    uint64_t in_flight; /* slots that changed each time in three readings */
};

/* Reads only the head; errors are those of hf_live_read. */
HF_MUST_CHECK enum hf_status hf_live_read_head(
    struct hf_live_source source, struct hf_live_head *out_head, struct hf_error *err);

/* Reads only the state; false if it is not there. */
HF_MUST_CHECK bool hf_live_read_state(
    struct hf_live_source source, struct hf_live_state *out_state);

/*
 * Reads first the head, then the blocks, which go to the visitor, then the rest. HF_ERR_INPUT: it
 * is not a live table, is cut short, or has a newer major version; HF_ERR_LIMIT:
 * HF_LIMIT_LIVE_BYTES. Call done in either case.
 */
HF_MUST_CHECK enum hf_status hf_live_read(struct hf_live_snapshot *snapshot,
    struct hf_live_source source, struct hf_live_visitor visitor, struct hf_error *err);

/* The same for blocks and stacks only, without names and frames: for callers that need only sums,
 * and often. */
HF_MUST_CHECK enum hf_status hf_live_read_totals(struct hf_live_snapshot *snapshot,
    struct hf_live_source source, struct hf_live_visitor visitor, struct hf_error *err);
void hf_live_snapshot_done(struct hf_live_snapshot *snapshot);

/* Calls the visitor for every block, or for every mapping (tables before version 1.6 have none).
 * Errors are those of hf_live_read. */
HF_MUST_CHECK enum hf_status hf_live_read_slots(struct hf_live_source source,
    enum hf_live_kind kind, struct hf_live_visitor visitor, struct hf_error *err);

/* The resident memory, as it was found from outside. */
struct hf_live_resident_memory {
    bool is_known;                 /* false: it was not looked at, and all else is 0 */
    uint64_t parts[HF_LIVE_PARTS]; /* bytes */
    struct hf_live_resident *residents;
    size_t count;
};

/* The name of a part, e.g. "[thread stacks]"; NULL: the residents have its memory. */
const char *hf_live_part_name(enum hf_live_part part);

/* Reads this from the table. The numbers of stacks may be higher than the table's count. Call done
 * in either case. */
HF_MUST_CHECK enum hf_status hf_live_read_resident(struct hf_live_source source,
    const struct hf_live_head *head, struct hf_live_resident_memory *out_memory,
    struct hf_error *err);
void hf_live_resident_memory_done(struct hf_live_resident_memory *memory);

/* True if the first bytes of a file are those of a live table. */
bool hf_live_is_table(struct hf_text first_bytes);

/* Bytes [at, at + size) of the table's text, borrowed; empty if not all are there. */
struct hf_text hf_live_text(const struct hf_live_snapshot *snapshot, uint32_t at, uint32_t size);

static inline const struct hf_live_module *hf_live_modules(const struct hf_live_snapshot *snapshot)
{
    return snapshot->records[HF_LIVE_MODULES];
}

static inline const struct hf_live_segment *hf_live_segments(
    const struct hf_live_snapshot *snapshot)
{
    return snapshot->records[HF_LIVE_SEGMENTS];
}

static inline const struct hf_live_thread *hf_live_threads(const struct hf_live_snapshot *snapshot)
{
    return snapshot->records[HF_LIVE_THREADS];
}

static inline const struct hf_live_stack *hf_live_stacks(const struct hf_live_snapshot *snapshot)
{
    return snapshot->records[HF_LIVE_STACKS];
}

static inline const struct hf_live_frees *hf_live_frees(const struct hf_live_snapshot *snapshot)
{
    return snapshot->records[HF_LIVE_FREES];
}

/* The frames of a stack, leaf first; NULL, with *out_count 0, if not all are there. */
const uint64_t *hf_live_stack_frames(
    const struct hf_live_snapshot *snapshot, const struct hf_live_stack *stack, size_t *out_count);

#endif
