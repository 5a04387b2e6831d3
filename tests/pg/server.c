/*
 * server.c: a process with memory contexts laid out as in one version of PostgreSQL or Greenplum,
 * for the versions that cannot be installed here. LAYOUT is 904, 905, 1000, 1100, 1300, 1600, 1700,
 * or 6 and 7 for Greenplum. Fields, tables of functions and arguments are those of memnodes.h and
 * aset.c of each; the code is not.
 *
 *     server          a tick for each byte on standard input: as many leaks as tests/pg/leaks.c
 * makes in a call, and contexts and blocks that come and go; answers with a byte
 */
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef LAYOUT
#define LAYOUT 1300
#endif
#ifndef CHAIN
#define CHAIN 0 /* so many contexts in one another */
#endif
#ifndef MANY
#define MANY 0 /* so many in a list, of 1 KiB each */
#endif
#ifndef STORM
#define STORM 0 /* so many come and go all the time, until standard input ends */
#endif
#define GREENPLUM (LAYOUT < 10)
#define HAS_INIT                                                                                   \
    (LAYOUT == 6 || (!GREENPLUM && LAYOUT < 1100)) /* a function between realloc and reset */
#define HAS_IDENT (!HAS_INIT)
#define HAS_COUNT (LAYOUT == 7 || LAYOUT >= 1300)
#define CHUNK_KNOWS (LAYOUT >= 1600)
#define HAS_FLAGS (LAYOUT >= 1700)
#ifndef SWELL
#define SWELL 0 /* so many are made meanwhile, and stay */
#endif
#define KEPT __attribute__((noinline, noclone))

typedef struct MemoryContextData *MemoryContext;

#if CHUNK_KNOWS
#define OWNER
#define OWNER_OF(context)
#else
#define OWNER MemoryContext context,
#define OWNER_OF(context) (context),
#endif
#if HAS_FLAGS
#define FLAGS , int flags
#define NO_FLAGS , 0
#else
#define FLAGS
#define NO_FLAGS
#endif

typedef struct MemoryContextMethods {
    void *(*alloc)(MemoryContext context, size_t size FLAGS);
    void (*free_p)(OWNER void *pointer);
    void *(*realloc)(OWNER void *pointer, size_t size FLAGS);
#if HAS_INIT
    void (*init)(MemoryContext context);
#endif
    void (*reset)(MemoryContext context);
#if LAYOUT == 7
    void (*delete_context)(MemoryContext context, MemoryContext parent);
#else
    void (*delete_context)(MemoryContext context);
#endif
#if CHUNK_KNOWS
    MemoryContext (*get_chunk_context)(void *pointer);
#endif
    size_t (*get_chunk_space)(OWNER void *pointer);
    bool (*is_empty)(MemoryContext context);
    void (*stats)(MemoryContext context);
#if LAYOUT == 6
    void (*release_accounting)(MemoryContext context);
#elif LAYOUT == 7
    void (*declare_accounting_root)(MemoryContext context);
    size_t (*get_current_usage)(MemoryContext context);
    size_t (*get_peak_usage)(MemoryContext context);
    size_t (*set_peak_usage)(MemoryContext context, size_t size);
#endif
} MemoryContextMethods;

struct MemoryContextData {
    int type;
#if LAYOUT != 904 && LAYOUT != 6
    bool isReset, allowInCritSection;
#endif
#if HAS_COUNT
    size_t mem_allocated;
#endif
#if LAYOUT == 6
    MemoryContextMethods methods;
#else
    const MemoryContextMethods *methods;
#endif
    MemoryContext parent, firstchild;
#if !(LAYOUT == 904 || LAYOUT == 905 || LAYOUT == 6)
    MemoryContext prevchild;
#endif
    MemoryContext nextchild;
    const char *name;
#if HAS_IDENT
    const char *ident;
#endif
#if LAYOUT == 904 || LAYOUT == 6
    bool isReset;
#endif
#if LAYOUT == 6
    uint64_t allBytesAlloc, allBytesFreed;
    size_t maxBytesHeld, localMinHeld;
#endif
#if LAYOUT != 904
    void *reset_cbs;
#endif
    /* Of an AllocSet: */
    struct AllocBlockData *blocks;
    void *freelist[11];
    size_t initBlockSize, maxBlockSize, nextBlockSize, allocChunkLimit;
    struct AllocBlockData *keeper;
};

typedef struct AllocBlockData {
    MemoryContext aset;
#if !(LAYOUT == 904 || LAYOUT == 905)
    struct AllocBlockData *prev;
#endif
    struct AllocBlockData *next;
    char *freeptr, *endptr;
} AllocBlockData;

struct chunk {
    MemoryContext context;
    size_t size;
};

#define BLOCK_BYTES 8192

MemoryContext TopMemoryContext, CacheMemoryContext;

static void count(MemoryContext context, int64_t bytes)
{
#if HAS_COUNT
    context->mem_allocated += (size_t)bytes;
#elif LAYOUT == 6
    for (; context != NULL; context = context->parent) {
        context->allBytesAlloc += bytes > 0 ? (uint64_t)bytes : 0;
        context->allBytesFreed += bytes < 0 ? (uint64_t)-bytes : 0;
    }
#else
    (void)context;
    (void)bytes;
#endif
}

static void add_block(MemoryContext context, size_t size)
{
    AllocBlockData *block = calloc(1, size);
    block->aset = context;
    block->next = context->blocks;
    block->freeptr = (char *)(block + 1);
    block->endptr = (char *)block + size;
    context->blocks = block;
    count(context, (int64_t)size);
}

static void drop_blocks(MemoryContext context)
{
    while (context->blocks != NULL) {
        AllocBlockData *block = context->blocks;
        context->blocks = block->next;
        count(context, -(int64_t)(block->endptr - (char *)block));
        free(block);
    }
}

static KEPT void *AllocSetAlloc(MemoryContext context, size_t size FLAGS)
{
    size_t needed = sizeof(struct chunk) + ((size + 7) & ~(size_t)7);
    if ((size_t)(context->blocks->endptr - context->blocks->freeptr) < needed)
        add_block(
            context, needed + sizeof(AllocBlockData) > BLOCK_BYTES ? needed * 2 : BLOCK_BYTES);
    struct chunk *chunk = (struct chunk *)(void *)context->blocks->freeptr;
    context->blocks->freeptr += needed;
    *chunk = (struct chunk){context, size};
    return chunk + 1;
}

static struct chunk *chunk_of(void *pointer)
{
    return (struct chunk *)pointer - 1;
}

static KEPT void AllocSetFree(OWNER void *pointer)
{
    chunk_of(pointer)->size = 0;
}

/* As the real one: what does not fit is allocated, copied and freed. */
static KEPT void *AllocSetRealloc(OWNER void *pointer, size_t size FLAGS)
{
    struct chunk *chunk = chunk_of(pointer);
    if (size <= chunk->size)
        return pointer;
    void *moved = AllocSetAlloc(chunk->context, size NO_FLAGS);
    memcpy(moved, pointer, chunk->size);
    AllocSetFree(OWNER_OF(chunk->context) pointer);
    return moved;
}

static KEPT void AllocSetReset(MemoryContext context)
{
    drop_blocks(context);
    add_block(context, BLOCK_BYTES);
}

#if LAYOUT == 7
static KEPT void AllocSetDelete(MemoryContext context, MemoryContext parent)
#else
static KEPT void AllocSetDelete(MemoryContext context)
#endif
{
    drop_blocks(context);
    free(context);
}

/* The slots that nobody calls here. */
static void *nothing(void)
{
    abort();
}
#define NOTHING (void *)nothing

#define METHODS(ALLOC)                                                                             \
    {                                                                                              \
        ALLOC, AllocSetFree, AllocSetRealloc, INIT AllocSetReset, AllocSetDelete, REST             \
    }
#define INIT
#define REST NOTHING, NOTHING, NOTHING
#if HAS_INIT
#undef INIT
#define INIT NOTHING,
#endif
#if CHUNK_KNOWS || LAYOUT == 6
#undef REST
#define REST NOTHING, NOTHING, NOTHING, NOTHING
#elif LAYOUT == 7
#undef REST
#define REST NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING
#endif

/* Another kind of contexts, with an alloc of its own. */
static KEPT void *SlabAlloc(MemoryContext context, size_t size FLAGS)
{
    void *pointer = AllocSetAlloc(context, size NO_FLAGS);
    memset(pointer, 0, size);
    return pointer;
}

static const MemoryContextMethods AllocSetMethods = METHODS(AllocSetAlloc);
static const MemoryContextMethods SlabMethods = METHODS(SlabAlloc);

#if LAYOUT == 6
#define METHODS_OF(context) (&(context)->methods)
#define SET_METHODS(context, table) (context)->methods = *(table)
#else
#define METHODS_OF(context) ((context)->methods)
#define SET_METHODS(context, table) (context)->methods = (table)
#endif

static void link_context(MemoryContext context, MemoryContext parent)
{
    context->parent = parent;
    if (parent == NULL)
        return;
    context->nextchild = parent->firstchild;
#if !(LAYOUT == 904 || LAYOUT == 905 || LAYOUT == 6)
    if (parent->firstchild != NULL)
        parent->firstchild->prevchild = context;
#endif
    parent->firstchild = context;
}

/* What presets/postgres.spec knows the versions by. */
#if HAS_INIT
KEPT MemoryContext MemoryContextCreate(int tag, size_t size, const MemoryContextMethods *methods,
    MemoryContext parent, const char *name);
KEPT MemoryContext MemoryContextCreate(int tag, size_t size, const MemoryContextMethods *methods,
    MemoryContext parent, const char *name)
{
    MemoryContext node = calloc(1, size + strlen(name) + 1);
    node->name = memcpy((char *)node + size, name, strlen(name) + 1); /* the context has a copy */
#else
KEPT void MemoryContextCreate(MemoryContext node, int tag, const MemoryContextMethods *methods,
    MemoryContext parent, const char *name);
KEPT void MemoryContextCreate(MemoryContext node, int tag, const MemoryContextMethods *methods,
    MemoryContext parent, const char *name)
{
    node->name = name;
#endif
    node->type = tag;
    SET_METHODS(node, methods);
    link_context(node, parent);
#if HAS_INIT
    return node;
#endif
}

#define EMPTY(name)                                                                                \
    void name(void);                                                                               \
    void name(void) {}
#if LAYOUT == 7 || LAYOUT >= 1100
EMPTY(GenerationContextCreate)
#endif
#if LAYOUT >= 1600
EMPTY(MemoryContextAllocAligned)
#endif
#if LAYOUT >= 1700
EMPTY(BumpContextCreate)
#endif
#if GREENPLUM
const char *version_string(void);
const char *version_string(void)
{
    return LAYOUT == 6 ? "Greenplum Database 6.26.0" : "Greenplum Database 7.1.0";
}
#endif

static size_t block_bytes = BLOCK_BYTES; /* of what is made next */

static MemoryContext create(
    const MemoryContextMethods *methods, MemoryContext parent, const char *name, const char *ident)
{
#if HAS_INIT
    MemoryContext context =
        MemoryContextCreate(437, sizeof(struct MemoryContextData), methods, parent, name);
#else
    MemoryContext context = calloc(1, sizeof *context);
    MemoryContextCreate(context, 437, methods, parent, name);
#endif
#if HAS_IDENT
    context->ident = ident;
#endif
    context->initBlockSize = block_bytes;
    context->maxBlockSize = 8 << 20;
    context->nextBlockSize = BLOCK_BYTES;
    context->allocChunkLimit = BLOCK_BYTES;
    add_block(context, block_bytes);
    context->keeper = context->blocks;
    return context;
}

static void destroy(MemoryContext context)
{
    MemoryContext *link = &context->parent->firstchild;
    while (*link != context)
        link = &(*link)->nextchild;
    *link = context->nextchild;
#if !(LAYOUT == 904 || LAYOUT == 905 || LAYOUT == 6)
    if (context->nextchild != NULL)
        context->nextchild->prevchild = context->prevchild;
#endif
#if LAYOUT == 7
    METHODS_OF(context)->delete_context(context, context->parent);
#else
    METHODS_OF(context)->delete_context(context);
#endif
}

KEPT void *palloc_in(MemoryContext context, size_t size);
KEPT void *palloc_in(MemoryContext context, size_t size)
{
    void *pointer = METHODS_OF(context)->alloc(context, size NO_FLAGS);
    ((char *)pointer)[size - 1] = 0;
    return pointer;
}

KEPT void pfree(void *pointer);
KEPT void pfree(void *pointer)
{
    MemoryContext context = chunk_of(pointer)->context;
    METHODS_OF(context)->free_p(OWNER_OF(context) pointer);
}

KEPT void *repalloc(void *pointer, size_t size);
KEPT void *repalloc(void *pointer, size_t size)
{
    MemoryContext context = chunk_of(pointer)->context;
    pointer = METHODS_OF(context)->realloc(OWNER_OF(context) pointer, size NO_FLAGS);
    ((char *)pointer)[size - 1] = 0;
    return pointer;
}

static KEPT void truncate_replay(void)
{
    ((char *)palloc_in(TopMemoryContext, 72))[0] = 1;
}

static KEPT void policy_fetch(void)
{
    ((char *)palloc_in(CacheMemoryContext, 48))[0] = 1;
}

static KEPT void churn(void)
{
    MemoryContext query = create(&AllocSetMethods, TopMemoryContext, "ExecutorState", NULL);
    MemoryContext slab = create(&SlabMethods, query, "ExprContext", NULL);
    char *array = palloc_in(query, 16);
    for (size_t size = 24; size < 3000; size += size / 2)
        array = repalloc(array, size);
    pfree(array);
    array = palloc_in(query, 16);
    array = repalloc(array, 100); /* which the reset frees */
    for (int i = 0; i < 10; i++)
        array = palloc_in(i % 2 == 0 ? query : slab, 100);
    METHODS_OF(query)->reset(query);
    array = palloc_in(query, 100);
    pfree(array);
    destroy(slab);
    destroy(query);
}

/* Contexts of a few names in one another, filled, and deleted from the inside out. */
static KEPT void storm(int depth)
{
    MemoryContext contexts[1 + STORM], parent = TopMemoryContext;
    for (int i = 0; i < depth; i++) {
        contexts[i] = create(&AllocSetMethods, parent, i % 2 == 0 ? "ExecutorState" : "ExprContext",
            i % 3 == 0 ? "storm" : NULL);
        ((char *)palloc_in(contexts[i], 100))[0] = 1;
        parent = i % 4 == 3 ? TopMemoryContext : contexts[i];
    }
    while (depth-- != 0)
        destroy(contexts[depth]);
}

static bool is_over(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, 0) != 0;
}

int main(void)
{
    char tick;
    TopMemoryContext = create(&AllocSetMethods, NULL, "TopMemoryContext", NULL);
    (void)create(&AllocSetMethods, TopMemoryContext, "ErrorContext", NULL);
    MemoryContext innermost = TopMemoryContext;
    for (int i = 0; i < CHAIN; i++)
        innermost = create(&AllocSetMethods, innermost, "level", NULL);
    block_bytes = 1024;
    for (int i = 0; i < MANY; i++)
        (void)create(&AllocSetMethods, TopMemoryContext, "many", NULL);
    block_bytes = BLOCK_BYTES;
    (void)create(&SlabMethods, TopMemoryContext, "TopPortalContext", NULL);
    CacheMemoryContext = create(&AllocSetMethods, TopMemoryContext, "CacheMemoryContext", NULL);
    (void)create(&AllocSetMethods, CacheMemoryContext, "index info", "pg_class_oid_index");
    (void)create(&AllocSetMethods, CacheMemoryContext, "index info", "pg_index_indrelid_index");
    if (STORM != 0) {
        (void)!write(STDOUT_FILENO, "\n", 1);
        for (unsigned i = 0; !is_over(); i++) {
            storm(STORM);
            if (i < SWELL)
                (void)create(
                    &AllocSetMethods, TopMemoryContext, "swell", i % 8 == 0 ? "eight" : NULL);
            if (i % 1000 == 0) {
                truncate_replay();
                policy_fetch();
            }
        }
    }
    while (STORM == 0 && write(STDOUT_FILENO, "\n", 1) == 1 && read(STDIN_FILENO, &tick, 1) == 1) {
        truncate_replay();
        policy_fetch();
        churn();
    }
    return 0;
}
