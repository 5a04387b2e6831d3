/*
 * perf_map.h: names of code that a JIT made at run time, from the perf map of its process.
 *
 *     /tmp/perf-PID.map       one line for each function, in the order in which they were made:
 *     START SIZE name         two hexadecimal numbers, with or without 0x; the name goes on to the
 *                             end of the line and may hold blanks
 *
 * Source: Linux, tools/perf/Documentation/jit-interface.txt. Written by V8 (--perf-basic-prof),
 * CPython (-X perf), .NET (DOTNET_PerfMapEnabled), the JVM (jcmd Compiler.perfmap) and others.
 *
 * Memory of code is used again: of lines that overlap the last one counts, also if it has no name.
 * A map is of now; code that was replaced since the profile was made goes by its successor's name.
 * Passed over are lines of another form, ranges that end beyond 2^64, and a last line without LF,
 * which is being written.
 *
 * Whose map it is. In a --symdir, the user says so. Else the process must be the one that was
 * profiled (live_process.h), and the map, where the process sees /tmp and by the number that it has
 * for itself in its container, must be written since that started: an older one is of another
 * process that had its number. Of a process that has ended nobody can tell, so its map is only used
 * from a --symdir, but by who saw it end a moment ago: what `run` and `watch` write then has the
 * names. In each case it must be a regular file, no link to one, of this user or of root, since
 * anybody may write to /tmp.
 *
 * Limit: HF_LIMIT_PERF_MAP_BYTES. It is read as a whole, never mapped: its process may cut it.
 */
#ifndef HF_SYMBOL_PERF_MAP_H
#define HF_SYMBOL_PERF_MAP_H

#include "os/input.h"
#include "symbol/lookup/live_process.h"
#include "symbol/options.h"

struct hf_perf_map {
    struct hf_input input;
    struct hf_text text; /* all of it; lives until close */
    char path[PATH_MAX];
    char why[PATH_MAX + 256]; /* sentence for the user if there is no map to be used */
};

/*
 * Opens the map of the process of `profile`; `process` is the same while it lives. False with the
 * reason in map->why if there is none. Call close in either case.
 */
HF_MUST_CHECK bool hf_perf_map_open(struct hf_perf_map *map, const struct hf_profile *profile,
    const struct hf_live_process *process, const struct hf_symbol_options *options);
void hf_perf_map_close(struct hf_perf_map *map);

/*
 * Reads the file at map->path, if there is one that may be used and that was written since
 * `oldest_ns`, as stamps have it.
 */
HF_MUST_CHECK bool hf_perf_map_read(struct hf_perf_map *map, int64_t oldest_ns);

struct hf_perf_map_query {
    uint64_t address;
    struct hf_text name; /* answer, borrowed from the text; empty: none */
    size_t next;         /* of the search */
};

/* Answers queries, which are sorted by address, in one pass from the last line to the first. */
void hf_perf_map_find(struct hf_text text, struct hf_perf_map_query *queries, size_t count);

#endif
