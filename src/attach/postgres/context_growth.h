/*
 * context_growth.h: what memory contexts hold at two times, by name.
 *
 * At each time the tree is read several times, and the least counts: what a query has for a moment
 * is not there always, and a leak is. Contexts with the same name below the same names are one row:
 * every query has its own ExecutorState, and they follow each other. An ident (an index, a
 * statement) makes a row of its own only where one such context is large, and idents that differ in
 * digits are one: of 2,000 prepared statements the name is all that matters.
 *
 * Two sizes of a context: *held* is what the server gave it, its header and its blocks (the
 * server's own "total"); *in use* is that without what no allocation has reached yet of the block
 * it fills. A row *grew* by what it has more in use, so that growth shows before a block is full;
 * but if contexts came or went, by what it holds more: a new context has its blocks to itself.
 */
#ifndef HF_ATTACH_CONTEXT_GROWTH_H
#define HF_ATTACH_CONTEXT_GROWTH_H

#include "attach/postgres/contexts.h"

enum hf_context_time { HF_CONTEXT_BEFORE, HF_CONTEXT_AFTER, HF_CONTEXT_TIMES };

struct hf_context_held {
    uint64_t used_bytes, held_bytes, contexts;
};

struct hf_context_row {
    struct hf_text
        path; /* "TopMemoryContext / CacheMemoryContext / index info: pg_class_oid_index" */
    const char *cache; /* known_cache.h; NULL: none */
    struct hf_context_held least[HF_CONTEXT_TIMES];
    struct hf_context_held now; /* of the tree that is being added */
    uint32_t name_row;          /* the row of the name alone; itself, if it has no ident */
    uint64_t largest_bytes;     /* that one of its contexts ever held */
};

/* All-zero: nothing was added yet. */
struct hf_context_growth {
    bool keeps_idents; /* as they are, each a row of its own; set before the first tree */
    struct hf_context_row *rows;
    size_t count, capacity;
    struct hf_intern paths; /* until they are ranked, those of rows: by their numbers */
    size_t walks[HF_CONTEXT_TIMES];
    uint64_t torn; /* lists that could not be read to their end */
};

/* Adds a tree. Those of BEFORE come first. */
HF_MUST_CHECK enum hf_status hf_context_growth_add(struct hf_context_growth *growth,
    const struct hf_contexts *contexts, enum hf_context_time time, struct hf_error *err);

/*
 * Puts the rows in order, when all trees are added: those that grew most first, then the larger.
 * Idents of small contexts go. Rows that held nothing at both times are dropped.
 */
HF_MUST_CHECK enum hf_status hf_context_growth_rank(
    struct hf_context_growth *growth, struct hf_error *err);

/* What a row, or the sums of rows, have more than before. */
int64_t hf_context_grew(const struct hf_context_held least[HF_CONTEXT_TIMES]);
void hf_context_growth_done(struct hf_context_growth *growth);

#endif
