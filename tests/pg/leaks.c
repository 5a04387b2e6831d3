/*
 * leaks.c: functions for PostgreSQL that leak as two servers of Greenplum did, and noise around
 * them.
 *
 *     replay_truncate()      one path a call in TopMemoryContext: GetDatabasePath's psprintf, never
 *                            freed, of ao_truncate_replay (greenplum-db/gpdb, issue 11202)
 *     fetch_policy(oid)      48 bytes a call in CacheMemoryContext, for a relation that is looked
 * up: GpPolicyFetch (greenplum-db/gpdb, issue 11244)
 *     churn(n)               n contexts that are filled, reset and deleted, arrays that grow,
 * addresses that are used again; nothing stays leak_contexts(n, size) n contexts of 1 KiB below
 * TopMemoryContext, which nobody deletes, with a chunk of `size` bytes in each; 0: none
 *
 * Compiled without frame pointers, and so that each call is one.
 */
#include <postgres.h> /* before all others */

#include <access/table.h>
#include <fmgr.h>
#include <utils/memutils.h>
#include <utils/rel.h>

PG_MODULE_MAGIC;

#define KEPT __attribute__((noinline, noclone))

static KEPT char *database_path(Oid database, Oid space)
{
    return psprintf(
        "pg_tblspc/%u/PG_15_202209061/%u/a path as long as those of replicas are", space, database);
}

static KEPT int truncate_replay(Oid database)
{
    MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);
    char *path = database_path(database, 1663);
    MemoryContextSwitchTo(before);
    return (int)strlen(path);
}

PG_FUNCTION_INFO_V1(replay_truncate);
Datum replay_truncate(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT32(truncate_replay(16384));
}

static KEPT int32 *policy_fetch(Oid relation)
{
    int32 *policy = MemoryContextAlloc(CacheMemoryContext, 48);
    policy[0] = (int32)relation;
    return policy;
}

static KEPT int32 relation_build(Oid oid)
{
    Relation relation = table_open(oid, AccessShareLock);
    int32 *policy = policy_fetch(RelationGetRelid(relation));
    table_close(relation, AccessShareLock);
    return policy[0];
}

PG_FUNCTION_INFO_V1(fetch_policy);
Datum fetch_policy(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT32(relation_build(PG_GETARG_OID(0)));
}

/* An array that grows through the classes of chunks and beyond them, then what takes its place. */
static KEPT int64 grow(MemoryContext context)
{
    int64 sum = 0;
    Size size = 16;
    char *array = MemoryContextAlloc(context, size);
    for (; size < 40000; size += size / 2) {
        array = repalloc(array, size);
        array[size - 1] = 1;
        sum += array[size - 1];
    }
    pfree(array);
    for (int i = 0; i < 4; i++) {
        char *again = MemoryContextAlloc(context, 64);
        sum += again != NULL;
        pfree(again);
    }
    return sum;
}

PG_FUNCTION_INFO_V1(churn);
Datum churn(PG_FUNCTION_ARGS)
{
    int64 sum = 0;
    for (int32 i = 0; i < PG_GETARG_INT32(0); i++) {
        MemoryContext outer =
            AllocSetContextCreate(CurrentMemoryContext, "churn", ALLOCSET_DEFAULT_SIZES);
        MemoryContext inner = AllocSetContextCreate(outer, "churn inner", ALLOCSET_SMALL_SIZES);
        for (int round = 0; round < 3; round++) {
            for (int j = 0; j < 20; j++)
                sum += MemoryContextAlloc(j % 2 == 0 ? outer : inner, 24 + (Size)j * 8) != NULL;
            MemoryContextReset(round == 1 ? inner : outer);
            if (round != 1)
                inner = AllocSetContextCreate(outer, "churn inner", ALLOCSET_SMALL_SIZES);
        }
        sum += grow(outer);
        MemoryContextDelete(outer);
    }
    PG_RETURN_INT64(sum);
}

static KEPT MemoryContext leaked_context(Size size)
{
    MemoryContext context = AllocSetContextCreate(TopMemoryContext, "leaked", ALLOCSET_SMALL_SIZES);
    if (size != 0)
        memset(MemoryContextAlloc(context, size), 1, size);
    return context;
}

PG_FUNCTION_INFO_V1(leak_contexts);
Datum leak_contexts(PG_FUNCTION_ARGS)
{
    int32 count = PG_GETARG_INT32(0), made = 0;
    while (made < count)
        made += leaked_context((Size)PG_GETARG_INT32(1)) != NULL;
    PG_RETURN_INT32(made);
}
