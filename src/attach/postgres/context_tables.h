/*
 * context_tables.h: the functions that contexts are called through: tables of methods, one for each
 * kind of context (AllocSet, Slab, Generation, Bump). Which function is in which slot:
 * presets/postgres.spec.
 *
 * Contexts of some kinds live for a moment, as that of a sort, so looking at those that there are
 * is not enough. But the functions that make contexts are exported, and their code names the table:
 * an instruction with the distance to it, or with its address. From 16 on all tables are in one
 * array, whose start MemoryContextCreate names.
 */
#ifndef HF_ATTACH_CONTEXT_TABLES_H
#define HF_ATTACH_CONTEXT_TABLES_H

#include "attach/postgres/contexts.h"

#define HF_CONTEXT_SLOTS 6u
#define HF_CONTEXT_TABLES_MAX 16u

struct hf_context_tables {
    uint64_t addresses[HF_CONTEXT_TABLES_MAX];
    uint64_t functions[HF_CONTEXT_TABLES_MAX][HF_CONTEXT_SLOTS];
    size_t count;
};

/* Adds those of the contexts of a tree; a table with the same functions as another is not added. */
void hf_context_tables_add(struct hf_context_tables *tables, const struct hf_context_source *source,
    const struct hf_contexts *contexts);

/* Adds those that the code of a function names. Those of contexts come before. */
void hf_context_tables_add_named(struct hf_context_tables *tables,
    const struct hf_context_source *source, struct hf_code_range function);

#endif
