/*
 * pprof_pool.h: what samples of a written profile.proto (pprof_fields.h) refer to: strings,
 * mappings, functions and locations, each once.
 *
 * Each address becomes a location with the lines of its names; a named frame a location without
 * address. Every location has an id and a mapping: others crash on less. mapping[0] is the program.
 */
#ifndef HF_FORMATS_PPROF_POOL_H
#define HF_FORMATS_PPROF_POOL_H

#include "base/strings/out.h"
#include "profile/profile.h"

struct hf_pprof_pool {
    const struct hf_profile *profile;
    struct hf_intern strings;
    struct hf_pprof_used_mapping *mappings;
    size_t mapping_count, mapping_capacity;
    struct hf_map mapping_index; /* (module << 32 | segment + 1) -> mapping */
    struct hf_pprof_used_function *functions;
    size_t function_count, function_capacity;
    struct hf_map function_index;     /* (name << 32 | file) -> function */
    uint32_t *locations;              /* by frame: id of its location, 0 if it has none yet */
    uint32_t no_stack;                /* likewise, of a stack without frames */
    struct hf_intern known_locations; /* by id - 1: a Location message without its id */
    struct hf_out location_table;     /* Location messages */
    struct hf_out message, line, part, text; /* scratch */
};

/* Takes what the kernel mapped to be run of `profile`, which is borrowed. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_pprof_pool_init(
    struct hf_pprof_pool *pool, const struct hf_profile *profile, struct hf_error *err);
void hf_pprof_pool_done(struct hf_pprof_pool *pool);

/* The number of a string in the table. */
HF_MUST_CHECK enum hf_status hf_pprof_pool_string(
    struct hf_pprof_pool *pool, struct hf_text text, uint32_t *out_string, struct hf_error *err);

/* The id of a frame's location. */
HF_MUST_CHECK enum hf_status hf_pprof_pool_location(
    struct hf_pprof_pool *pool, uint32_t frame, uint32_t *out_id, struct hf_error *err);

/* That of a stack without frames, which would vanish in others' hands. */
HF_MUST_CHECK enum hf_status hf_pprof_pool_no_stack(
    struct hf_pprof_pool *pool, uint32_t *out_id, struct hf_error *err);

/* Writes mappings, locations and functions. */
HF_MUST_CHECK enum hf_status hf_pprof_pool_put(
    struct hf_pprof_pool *pool, struct hf_out *out, struct hf_error *err);

/* Writes the strings, when the last is known. */
void hf_pprof_pool_put_strings(const struct hf_pprof_pool *pool, struct hf_out *out);

#endif
