/*
 * map_guard.h: mappings of files that their owner may truncate while they are read.
 *
 * To read a page that the file no longer has, or that its disk or server does not give, raises
 * SIGBUS, which ends a process. While a mapping is guarded it does not: a handler puts zeros in the
 * place of the whole mapping, marks it as *broken*, and lets the read go on. Readers of hostile
 * input cope with zeros as with any bytes; whoever has read looks at the mark before anything that
 * was read is believed. It is set before the zeros are there, so whoever has read one finds it.
 *
 * A fault elsewhere does what it did without us. SIGBUS must not be blocked by who reads: then the
 * kernel ends the process. Any thread may add and remove; a mapping is removed when nobody reads it
 * any more, and before it is unmapped.
 */
#ifndef HF_OS_MAP_GUARD_H
#define HF_OS_MAP_GUARD_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>

struct hf_map_guard;

/* NULL: no memory, or no handler. */
HF_MUST_CHECK struct hf_map_guard *hf_map_guard_add(const void *data, size_t size);
bool hf_map_guard_is_broken(const struct hf_map_guard *guard);
void hf_map_guard_remove(struct hf_map_guard *guard);

#endif
