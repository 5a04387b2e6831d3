/*
 * context_layout.h: where the fields of a PostgreSQL memory context lie, found out from the
 * contexts of a process: no debug information, no symbol but TopMemoryContext.
 *
 * Source: src/include/nodes/memnodes.h and src/backend/utils/mmgr/{aset,slab,generation,bump}.c of
 * PostgreSQL 9.4 to 18 and of Greenplum 6 and 7. All of them have, after a tag of 8 bytes or less,
 * and in an order that changes:
 *
 *     allocated     bytes asked of malloc (13, Greenplum 7 and later); in Greenplum 6 two counts,
 *                   ever allocated and ever freed, and both of the context and all below it
 *     methods       a table of functions, in memory of the program; Greenplum 6: the table itself
 *     parent, first_child, next_child
 *     name, ident   texts; ident (11 and later) may be NULL
 *     blocks        of an AllocSet: the block that it fills now, {context, next ..., free, end}
 *
 * The context at TopMemoryContext is known by its name, which is that, and by having no parent.
 * From there one pointer leads to another: its children have its address where it has NULL, and
 * what is found holds for every context or it is not the field.
 */
#ifndef HF_ATTACH_CONTEXT_LAYOUT_H
#define HF_ATTACH_CONTEXT_LAYOUT_H

#include "base/error.h"
#include "os/process/process_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words of a context that are looked at. */
#define HF_CONTEXT_WORDS 32u

/* Number of the word that a field is; HF_CONTEXT_NONE: contexts of this program have no such. */
#define HF_CONTEXT_NONE UINT8_MAX

struct hf_context_layout {
    uint8_t methods, parent, first_child, next_child, name;
    uint8_t ident, allocated, freed, blocks; /* may be HF_CONTEXT_NONE */
    uint8_t free;                            /* of a block; the word after it is its end */
    bool methods_are_inside;                 /* the table begins at `methods` */
    bool counts_children; /* allocated and freed are also of all contexts below */
};

/* An executable mapping of the program: what the functions of a table point into. */
struct hf_code_range {
    uint64_t start, end;
};

/* The process, as far as it is needed to read its contexts. */
struct hf_context_source {
    struct hf_memory memory;
    uint64_t top_variable; /* address of the variable TopMemoryContext */
    const struct hf_code_range *code;
    size_t code_count;
};

/* The words of a context, as far as memory goes; then zeros. */
struct hf_context_words {
    uint64_t at[HF_CONTEXT_WORDS];
};

/*
 * Copies what is at `address`, if it is a context that has `parent` (an address; 0: none) above it
 * and calls functions of the program. Otherwise false: it is gone, or was never one.
 */
#define HF_CONTEXT_ANY_PARENT UINT64_MAX
HF_MUST_CHECK bool hf_context_load(const struct hf_context_source *source,
    const struct hf_context_layout *layout, uint64_t address, uint64_t parent,
    struct hf_context_words *out_words);

/* The address of TopMemoryContext; 0: not made yet, or it cannot be read. */
uint64_t hf_context_top(const struct hf_context_source *source);

/* True if at `address` is a table of functions of the program; so many it has at least. */
#define HF_CONTEXT_TABLE_FUNCTIONS 5u
bool hf_context_is_table(const struct hf_context_source *source, uint64_t address);

/*
 * Finds the fields that every context has; the others are HF_CONTEXT_NONE. HF_ERR_INPUT: there are
 * none, as in a process that has not made its contexts yet, or in one of another kind; or a list
 * changed while it was followed, and the next look may find them.
 */
HF_MUST_CHECK enum hf_status hf_context_layout_find(
    const struct hf_context_source *source, struct hf_context_layout *out, struct hf_error *err);

#endif
