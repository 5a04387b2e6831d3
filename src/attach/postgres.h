/*
 * postgres.h: a running server process of PostgreSQL or of what was made of it.
 *
 * Its program exports all of its global symbols, for extensions, also where it was stripped:
 * TopMemoryContext says where the contexts are, and functions that came with a version say how the
 * functions of contexts are called.
 */
#ifndef HF_ATTACH_POSTGRES_H
#define HF_ATTACH_POSTGRES_H

#include "attach/contexts.h"

/* Slots of a table of methods, and what its functions are given. */
enum hf_context_abi {
    HF_CONTEXT_ABI_INIT,   /* to 10, Greenplum 6: alloc free realloc init reset delete */
    HF_CONTEXT_ABI_PLAIN,  /* 11 to 15, Greenplum 7: alloc free realloc reset delete: free(context,
                              pointer), realloc(context, pointer, size) */
    HF_CONTEXT_ABI_CHUNKS, /* 16: free(pointer), realloc(pointer, size) */
    HF_CONTEXT_ABI_FLAGS,  /* 17 and later: and flags behind the size of alloc and realloc */
};

struct hf_postgres {
    uint32_t pid;
    enum hf_context_abi abi;
    struct hf_context_source source; /* points into this struct, which must stay where it is */
    struct hf_context_layout layout;
    struct hf_code_range *code;
};

/*
 * HF_ERR_INPUT: it is no such process, or its contexts cannot be understood; HF_ERR_SYSTEM: it does
 * not run, or its memory may not be read. Call close in either case.
 */
HF_MUST_CHECK enum hf_status hf_postgres_open(
    struct hf_postgres *postgres, uint32_t pid, struct hf_error *err);
void hf_postgres_close(struct hf_postgres *postgres);

#endif
