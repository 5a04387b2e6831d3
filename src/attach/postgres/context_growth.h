/*
 * context_growth.h: what memory contexts hold at two times, by name.
 *
 * At each time the tree is read several times, and the least counts: what a query has for a moment
 * is not there always, and a leak is. Contexts with the same name and ident below the same names
 * are one row: every query has its own ExecutorState, and they follow each other.
 */
#ifndef HF_ATTACH_CONTEXT_GROWTH_H
#define HF_ATTACH_CONTEXT_GROWTH_H

#include "attach/postgres/contexts.h"

enum hf_context_time { HF_CONTEXT_BEFORE, HF_CONTEXT_AFTER, HF_CONTEXT_TIMES };

struct hf_context_held {
    uint64_t bytes, contexts;
};

struct hf_context_row {
    struct hf_text
        path; /* "TopMemoryContext / CacheMemoryContext / index info: pg_class_oid_index" */
    struct hf_context_held least[HF_CONTEXT_TIMES];
    struct hf_context_held now; /* of the tree that is being added */
};

/* All-zero: nothing was added yet. */
struct hf_context_growth {
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
 * Rows that held nothing at both times are dropped.
 */
void hf_context_growth_rank(struct hf_context_growth *growth);
void hf_context_growth_done(struct hf_context_growth *growth);

#endif
