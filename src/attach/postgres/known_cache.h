/*
 * known_cache.h: the caches that every server process of PostgreSQL keeps, by the names of their
 * memory contexts and by the functions that fill them. They grow with what a process has touched
 * (tables, types, statements) and are kept until it ends, so their growth is seldom a leak.
 *
 * Source: src/backend/utils/cache, src/backend/utils/mmgr, src/pl/plpgsql of PostgreSQL 9.4 to 18.
 * The table is of names, nothing of the process is read: another program's context of such a name
 * is taken for it.
 */
#ifndef HF_ATTACH_KNOWN_CACHE_H
#define HF_ATTACH_KNOWN_CACHE_H

#include "base/text.h"

/* The cache a context belongs to, as "plancache"; NULL: to none that is known. */
const char *hf_known_cache_of_context(struct hf_text name, struct hf_text ident);

/* The cache that a function fills; NULL: none. */
const char *hf_known_cache_of_function(struct hf_text name);

#endif
