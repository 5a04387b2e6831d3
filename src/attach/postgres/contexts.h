/*
 * contexts.h: the tree of memory contexts of a PostgreSQL process, read while the process changes
 * it.
 *
 * A tree that changes can be seen torn: a context that is in no list any more, or in another one,
 * or memory that is something else by now. So a context counts only if its parent is the one it was
 * reached from and its methods are a table of functions; else the list it was in is read again, up
 * to three times, and then what was sound of it is kept and the tree is marked partial. Nothing is
 * stopped. A context is never reached twice, and there are at most HF_LIMIT_CONTEXTS.
 */
#ifndef HF_ATTACH_CONTEXTS_H
#define HF_ATTACH_CONTEXTS_H

#include "attach/postgres/context_layout.h"
#include "base/containers/intern.h"
#include "base/strings/out.h"

#define HF_CONTEXT_TOP UINT32_MAX

struct hf_memory_context {
    uint64_t address, methods;
    uint32_t parent;          /* index; HF_CONTEXT_TOP: it is TopMemoryContext */
    uint32_t name, ident;     /* of hf_contexts.texts; no ident is the empty text */
    uint64_t allocated_bytes; /* asked of malloc; 0 where layout.allocated is not known */
    uint64_t unused_bytes;    /* of them, after the last allocation in the block it fills */
};

struct hf_contexts {
    struct hf_memory_context
        *items; /* a parent before its children; items[0] is TopMemoryContext */
    size_t count, capacity;
    struct hf_intern texts;
    uint64_t torn; /* lists of children that could not be read to their end; above 0: partial */
};

/* Reads the tree. HF_ERR_INPUT: TopMemoryContext cannot be read. Call done in either case. */
HF_MUST_CHECK enum hf_status hf_contexts_read(struct hf_contexts *contexts,
    const struct hf_context_source *source, const struct hf_context_layout *layout,
    struct hf_error *err);

/* The same, again and again until nothing is torn; what is torn the last time stays so. */
HF_MUST_CHECK enum hf_status hf_contexts_read_whole(struct hf_contexts *contexts,
    const struct hf_context_source *source, const struct hf_context_layout *layout,
    struct hf_error *err);
void hf_contexts_done(struct hf_contexts *contexts);

/* Bytes that may be in use: what is allocated but for the end of the block that is filled. */
static inline uint64_t hf_context_used(const struct hf_memory_context *context)
{
    return context->allocated_bytes - context->unused_bytes;
}

/* Writes an ident in which each number is one "#": "prepare q17 ..." is as "prepare q4 ...". */
void hf_context_put_ident(struct hf_text ident, struct hf_out *out);

/*
 * Bytes that the context at `address` has from malloc now, as its allocated_bytes; false if there
 * is no context any more, or nothing says how many.
 */
HF_MUST_CHECK bool hf_context_held(const struct hf_context_source *source,
    const struct hf_context_layout *layout, uint64_t address, uint64_t *out_bytes);

/* From here on a context shows its ident. */
#define HF_CONTEXT_LARGE_BYTES 32768u

/*
 * Name of the context at `address` now, and of a large one its ident, as "CacheMemoryContext" or
 * "dynahash: Timezones", put into `out`, and the address of the context it is in; 0: in none. False
 * if there is no context any more.
 */
#define HF_CONTEXT_LABEL_MAX 256
HF_MUST_CHECK bool hf_context_label(const struct hf_context_source *source,
    const struct hf_context_layout *layout, uint64_t address, char out[HF_CONTEXT_LABEL_MAX],
    struct hf_text *out_label, uint64_t *out_parent);

#endif
