/*
 * postgres.h: a running server process of PostgreSQL or of what was made of it.
 *
 * Its program exports all of its global symbols, for extensions, also where it was stripped:
 * TopMemoryContext says where the contexts are, and the functions that make contexts which kinds
 * there are.
 */
#ifndef HF_ATTACH_POSTGRES_H
#define HF_ATTACH_POSTGRES_H

#include "attach/postgres/context_tables.h"

#define HF_POSTGRES_MAKERS 5

struct hf_postgres {
    uint32_t pid;
    bool has_memory;
    int memory_fd;                   /* if so */
    struct hf_context_source source; /* points into this struct, which must stay where it is */
    struct hf_context_layout layout;
    struct hf_code_range *code;
    struct hf_code_range
        makers[HF_POSTGRES_MAKERS]; /* functions that make contexts; may be empty */
};

/*
 * HF_ERR_INPUT: it is no such process, or its contexts cannot be understood; HF_ERR_SYSTEM: it does
 * not run, or its memory may not be read. Call close in either case.
 */
HF_MUST_CHECK enum hf_status hf_postgres_open(
    struct hf_postgres *postgres, uint32_t pid, struct hf_error *err);

/* The tables of methods of all kinds of contexts. HF_ERR_INPUT: the contexts cannot be read. */
HF_MUST_CHECK enum hf_status hf_postgres_tables(
    const struct hf_postgres *postgres, struct hf_context_tables *out_tables, struct hf_error *err);
void hf_postgres_close(struct hf_postgres *postgres);

#endif
