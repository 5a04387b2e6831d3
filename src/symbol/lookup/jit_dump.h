/*
 * jit_dump.h: jitdump files: names of code that was made at run time, with the code itself.
 *
 *     file   = header record*                 all little-endian
 *     header = "DTiJ", version 1, size of the header, machine, 0, PID (u32 each), time, flags (u64)
 *     record = kind u32, size of the record u32, time u64, then, of kind 0, code that was made:
 *              PID, TID (u32), address, address, size, number (u64), name, NUL, the code
 *
 * Source: Linux, tools/perf/Documentation/jitdump-specification.txt. Written by V8 (--perf-prof),
 * by the JVM, .NET and others with perf's agents. The process maps the file, executable, to say
 * where it lies; so its path is that of a module of the profile, or it is a copy in a --symdir.
 * Whose it is: as with perf maps (perf_map.h), and the header must have the number that the file's
 * name has.
 *
 * Memory of code is used again: of records that overlap the last one counts. Only names are taken:
 * of records of lines it is not certain from where they count (V8 adds the size of an ELF header),
 * and code that was moved (kind 1) keeps its name where it was. The rest is passed over; a record
 * that is cut or makes no sense ends the file.
 *
 * Limit: HF_LIMIT_PERF_MAP_BYTES.
 */
#ifndef HF_SYMBOL_JIT_DUMP_H
#define HF_SYMBOL_JIT_DUMP_H

#include "symbol/lookup/perf_map.h"

/* As hf_perf_map_open. No reason is given: hardly any process has one. */
HF_MUST_CHECK bool hf_jit_dump_open(struct hf_perf_map *map, const struct hf_profile *profile,
    const struct hf_live_process *process, const struct hf_symbol_options *options);

/* Answers those of the queries, which are sorted by address, that have no name yet. */
void hf_jit_dump_find(struct hf_text bytes, struct hf_perf_map_query *queries, size_t count);

#endif
