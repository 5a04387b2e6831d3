#include "attach/postgres/known_cache.h"

#include "base/attr.h"

#include <stddef.h>

struct known_cache {
    const char *name, *cache;
};

static const struct known_cache contexts[] = {
    {"CacheMemoryContext", "relcache, catcache"},
    {"index info", "relcache"},
    {"relation rules", "relcache"},
    {"row security descriptor", "relcache"},
    {"partition descriptor", "relcache"},
    {"partition key", "relcache"},
    {"partition constraint", "relcache"},
    {"CachedPlanSource", "plancache"},
    {"CachedPlanQuery", "plancache"},
    {"CachedPlan", "plancache"},
    {"CachedExpression", "plancache"},
    {"SPI Plan", "plancache"},
    {"Domain constraints", "typcache"},
    {"PL/pgSQL function", "PL/pgSQL functions"},
    {"PL/pgSQL function context", "PL/pgSQL functions"},
    {"EventTriggerCache", "evtcache"},
};

/* Hash tables, whose contexts have one name ("dynahash") and their own as ident; until 10 as name.
 */
static const struct known_cache tables[] = {
    {"Relcache by OID", "relcache"},
    {"RelfilenodeMap cache", "relcache"},
    {"RelfilenumberMap cache", "relcache"},
    {"Type information cache", "typcache"},
    {"Record information cache", "typcache"},
    {"Operator lookup cache", "operators"},
    {"Operator class cache", "operators"},
    {"Btree proof lookup cache", "operators"},
    {"Collation cache", "collations"},
    {"Tsearch configuration cache", "text search"},
    {"Tsearch dictionary cache", "text search"},
    {"Tsearch parser cache", "text search"},
    {"RI query cache", "foreign keys"},
    {"RI compare cache", "foreign keys"},
    {"RI constraint cache", "foreign keys"},
    {"Prepared Queries", "plancache"},
    {"PLpgSQL function hash", "PL/pgSQL functions"},
    {"PLpgSQL function cache", "PL/pgSQL functions"},
    {"PLpgSQL cast cache", "PL/pgSQL functions"},
    {"PLpgSQL cast expressions", "PL/pgSQL functions"},
    {"Attopt cache", "attoptcache"},
    {"TableSpace cache", "spccache"},
    {"Event Trigger Cache", "evtcache"},
    {"smgr relation table", "smgr"},
};

/* A name of a list is that of the function, or its beginning. */
static const struct known_cache functions[] = {
    {"RelationIdGetRelation", "relcache"},
    {"RelationBuildDesc", "relcache"},
    {"RelationCacheInitialize", "relcache"},
    {"RelationGetPartition", "relcache"},
    {"SearchCatCache", "catcache"},
    {"SearchSysCache", "catcache"},
    {"CatalogCacheCreateEntry", "catcache"},
    {"CatalogCacheInitialize", "catcache"},
    {"InitCatCache", "catcache"},
    {"lookup_type_cache", "typcache"},
    {"lookup_rowtype_tupdesc", "typcache"},
    {"CreateCachedPlan", "plancache"},
    {"CompleteCachedPlan", "plancache"},
    {"SaveCachedPlan", "plancache"},
    {"GetCachedPlan", "plancache"},
    {"CopyCachedPlan", "plancache"},
    {"StorePreparedStatement", "plancache"},
    {"plpgsql_compile", "PL/pgSQL functions"},
};

static const char *known_cache_find(
    const struct known_cache *known, size_t count, struct hf_text name)
{
    for (size_t i = 0; i < count; i++) {
        if (hf_text_is(name, known[i].name))
            return known[i].cache;
    }
    return NULL;
}

const char *hf_known_cache_of_context(struct hf_text name, struct hf_text ident)
{
    const char *cache = known_cache_find(contexts, HF_COUNT(contexts), name);
    if (cache == NULL)
        cache =
            known_cache_find(tables, HF_COUNT(tables), hf_text_is(name, "dynahash") ? ident : name);
    return cache;
}

const char *hf_known_cache_of_function(struct hf_text name)
{
    for (size_t i = 0; i < HF_COUNT(functions); i++) {
        if (hf_text_starts(name, functions[i].name))
            return functions[i].cache;
    }
    return NULL;
}
