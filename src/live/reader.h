/*
 * reader.h: reads a live table of another process, while it is written or afterwards.
 *
 * The table is hostile input: it is copied piece by piece into memory of the reader's own, never
 * mapped (its owner may cut it short), and every number in it is bounded. It is not stopped either:
 * records that are only ever added are read up to the count that publishes them; a block is read
 * with its word before and after (layout.h), again if they differ, and after three tries counted as
 * in flight.
 *
 * Blocks are read first, stacks and their totals afterwards, so that every block's stack is there
 * and no stack has more alive than it ever allocated.
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

/* A table that is an open file; both are borrowed. */
struct hf_live_source hf_live_source_of(const int *fd, const char *name);

/* A table in memory, which is read as if it were another's; both are borrowed. */
struct hf_live_source hf_live_source_in(const struct hf_text *bytes, const char *name);

/* A block that was read whole; its stack and thread may be beyond what the table has. */
struct hf_live_seen_block {
    uint64_t address, size, birth;
    uint32_t stack, thread;
};

/* Told of every block; an error ends the reading. */
struct hf_live_visitor {
    enum hf_status (*see)(
        void *context, const struct hf_live_seen_block *block, struct hf_error *err);
    void *context;
};

/* Copies of what the table holds, blocks apart. */
struct hf_live_snapshot {
    struct hf_live_head head;
    struct hf_live_state state;
    void *records[HF_LIVE_KINDS]; /* of this version's size each; NULL: none, and for blocks */
    size_t counts[HF_LIVE_KINDS];
    uint64_t in_flight; /* slots that changed each of three times they were read */
};

/* Reads the head alone; errors as of hf_live_read. */
HF_MUST_CHECK enum hf_status hf_live_read_head(
    struct hf_live_source source, struct hf_live_head *out_head, struct hf_error *err);

/* Reads the state alone; false if it is not there. */
HF_MUST_CHECK bool hf_live_read_state(
    struct hf_live_source source, struct hf_live_state *out_state);

/*
 * Reads the head alone, then blocks (told to the visitor), then the rest. HF_ERR_INPUT: it is no
 * live table, cut short, or of a newer major version; HF_ERR_LIMIT: HF_LIMIT_LIVE_BYTES.
 * Call done in either case.
 */
HF_MUST_CHECK enum hf_status hf_live_read(struct hf_live_snapshot *snapshot,
    struct hf_live_source source, struct hf_live_visitor visitor, struct hf_error *err);

/* The same of blocks and stacks only, without names and frames: for who wants sums, and often. */
HF_MUST_CHECK enum hf_status hf_live_read_totals(struct hf_live_snapshot *snapshot,
    struct hf_live_source source, struct hf_live_visitor visitor, struct hf_error *err);
void hf_live_snapshot_done(struct hf_live_snapshot *snapshot);

/* Tells of every block, or of every mapping, of which there are none before version 1.6. Errors as
 * of hf_live_read. */
HF_MUST_CHECK enum hf_status hf_live_read_slots(struct hf_live_source source,
    enum hf_live_kind kind, struct hf_live_visitor visitor, struct hf_error *err);

/* What somebody found resident. */
struct hf_live_resident_memory {
    bool is_known;                 /* false: nobody looked, and all else is 0 */
    uint64_t parts[HF_LIVE_PARTS]; /* bytes */
    struct hf_live_resident *residents;
    size_t count;
};

/* How a part is called, e.g. "[thread stacks]"; NULL: what it has is of the residents. */
const char *hf_live_part_name(enum hf_live_part part);

/* Reads what is in the table of that. Its stacks may be beyond what the table has. Call done in
 * either case. */
HF_MUST_CHECK enum hf_status hf_live_read_resident(struct hf_live_source source,
    const struct hf_live_head *head, struct hf_live_resident_memory *out_memory,
    struct hf_error *err);
void hf_live_resident_memory_done(struct hf_live_resident_memory *memory);

/* True if the first bytes of a file are those of a live table. */
bool hf_live_is_table(struct hf_text first_bytes);

/* Bytes [at, at + size) of the table's text, borrowed; empty if they are not all there. */
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

/* The frames of a stack, leaf first; NULL, and *out_count is 0, if they are not all there. */
const uint64_t *hf_live_stack_frames(
    const struct hf_live_snapshot *snapshot, const struct hf_live_stack *stack, size_t *out_count);

#endif
