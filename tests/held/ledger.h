/*
 * ledger.h: what a program of this folder knows of its own blocks: each with its address, its size
 * and what keeps it. It is written to a file, which is mapped shared: there no address of a block
 * holds anything.
 *
 * What keeps blocks is a word, which the reader (tests/e2e/_held.py) compares with what heapflame
 * says: `data:NAME`, `data:ONE+OTHER`, `data:many`, `thread_local:NAME`, `stack:FUNCTION`,
 * `register`, `mapping`, `lost`, `lost_with`, and `lost*`, which is any of the last two. With
 * `@parent` behind it, it is what the parent of the process allocated.
 */
#ifndef HELD_LEDGER_H
#define HELD_LEDGER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What keeps the blocks that come next; NULL: they are not noted. */
void ledger_owner(const char *owner);

/* A block of zeros, which is noted. */
void *ledger_new(size_t size);
void ledger_note(void *block, size_t size);
void ledger_free(void *block);

/* The block is no more, or another. */
void ledger_forget(void *block);

/* Clears what calls have left on the stack below. */
void ledger_wipe(void);

/* Says that all is there, and returns when the standard input ends. No register but the caller's
 * own, and nothing below its frame, has an address of a block. */
void ledger_ready(void);

/* The same with this one in a register, and nowhere else: the inverse of its address. */
void ledger_ready_with(size_t inverse);

struct ledger_shape {
    const char *name;
    const char *is; /* "" or "list", "impossible" */
    void (*fill)(int count);
};

/* The main program: NAME LEDGER COUNT; without words, the names of the shapes. They end with one
 * without a name. */
int ledger_main(const struct ledger_shape *shapes, int count, char **words);

#ifdef __cplusplus
}
#endif

#endif
