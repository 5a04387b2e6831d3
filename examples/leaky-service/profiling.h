/*
 * jemalloc's heap profiler, as a service uses it: the few mallctl names that matter, with types.
 *
 * Whether there is a profiler at all is decided once, at start: `prof:true` in MALLOC_CONF. Only
 * whether it is *sampling* can be switched later (`prof:true,prof_active:false` starts armed but
 * idle). Everything here works, and says no, in a process that was started without it.
 *
 * Functions that can fail return 0 or an errno value, as mallctl itself does.
 */
#ifndef LEAKY_SERVICE_PROFILING_H
#define LEAKY_SERVICE_PROFILING_H

#include <stdbool.h>
#include <stddef.h>

/* True when the process was started with prof:true and this jemalloc has a profiler in it. */
bool profiling_is_enabled(void);

/* True while allocations are sampled; false, too, when there is no profiler. */
bool profiling_is_active(void);
int profiling_set_active(bool is_active);

/* gdump: jemalloc writes a dump each time the virtual memory in use passes its maximum. */
bool profiling_gdump_is_active(void);
int profiling_set_gdump(bool is_active);

/* Writes a dump under the automatic name `<prof_prefix>.<pid>.<dump>.m<manual dump>.heap`, and
 * that name to `out_pattern`, with `*` for the second number: jemalloc counts dumps of all kinds in
 * it and tells nobody. A relative prefix is relative to the working directory. */
int profiling_dump(char *out_pattern, size_t pattern_size);

/* Takes a dump into memory. On success *out_fd is the caller's to close and *out_size its length;
 * the offset is at the start. */
int profiling_snapshot(int *out_fd, size_t *out_size);

#endif
