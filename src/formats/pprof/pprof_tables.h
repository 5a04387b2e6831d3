/*
 * pprof_tables.h: what the samples of a profile.proto refer to, indexed once: strings, value types,
 * mappings, functions and locations (pprof_fields.h tells of the format).
 */
#ifndef HF_FORMATS_PPROF_TABLES_H
#define HF_FORMATS_PPROF_TABLES_H

#include "base/containers/map.h"
#include "base/error.h"
#include "base/text.h"
#include "formats/pprof/pprof_fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_PPROF_COMMENTS 8 /* the first are looked at */

struct hf_pprof_value_type {
    uint64_t type, unit; /* strings */
};

struct hf_pprof_mapping {
    uint64_t start, limit, offset;
    uint64_t file, build_id; /* strings */
    uint32_t module;         /* of the profile */
};

struct hf_pprof_function {
    uint64_t name, system_name, file;                                 /* strings */
    enum { HF_PPROF_UNTRIED, HF_PPROF_SHOWN, HF_PPROF_DROPPED } fate; /* by drop_frames */
};

struct hf_pprof_location {
    uint64_t mapping_id, address;
    struct hf_text message; /* its lines are read when a sample uses it */
    bool is_folded, is_placed;
    bool ends_stack; /* some of it is dropped, so what it called is dropped, too */
    bool is_dropped; /* all of it is dropped, unless it is at the root */
    uint32_t first;  /* of its frames in hf_pprof_frames.items, leaf first */
    uint32_t count;
};

/* What samples refer to. Strings are borrowed from the bytes. */
struct hf_pprof_tables {
    struct hf_text *strings;
    struct hf_pprof_value_type *types;
    struct hf_pprof_mapping *mappings;
    struct hf_pprof_function *functions;
    struct hf_pprof_location *locations;
    size_t string_count, type_count, mapping_count, function_count, location_count;
    size_t string_room, type_room, mapping_room, function_room, location_room;
    struct hf_map mapping_index, function_index, location_index; /* id -> index */
    struct hf_pprof_value_type period_type;
    uint64_t period, default_type, drop_frames, keep_frames;
    uint64_t own_comment; /* string: what heapflame wrote; 0: nothing */
    uint64_t comments[HF_PPROF_COMMENTS];
    size_t comment_count;
    uint64_t damaged;  /* records that make no sense */
    uint64_t end;      /* offset up to which the message could be read */
    bool is_cut;       /* there is more behind `end` */
    bool has_negative; /* some sample has a negative value */
};

/* Indexes a message. Free with hf_pprof_tables_done, also after an error. */
HF_MUST_CHECK enum hf_status hf_pprof_index(
    struct hf_pprof_tables *tables, struct hf_text message, struct hf_error *err);
void hf_pprof_tables_done(struct hf_pprof_tables *tables);

/* A string by its index; empty if there is none. */
struct hf_text hf_pprof_string(const struct hf_pprof_tables *tables, uint64_t index);

/* True for an index past the table. */
static inline bool hf_pprof_is_missing(const struct hf_pprof_tables *tables, uint64_t index)
{
    return index != 0 && index >= tables->string_count;
}

#endif
