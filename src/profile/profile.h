/*
 * profile.h: the one in-memory model of a heap profile. Every reader makes one, every view is made
 * of one.
 *
 * A profile owns: strings, modules (mapped files), threads, frames (frame.h), a stack tree
 * (stacktree.h) and samples. A *sample* is the values of one stack, of the whole process or of one
 * thread; its values are typed (bytes in use, objects in use, ...). Memory grows with distinct
 * stacks, never with the size of the file or the number of events.
 *
 * Values are estimates already un-biased (unbias.h), integers from there on. In a *difference*
 * (is_difference) each type has two values per sample, what grew and what was released, both
 * unsigned, so that nothing is lost when they are summed: A + grew - released = B at every level.
 * A *pair* is a difference not made yet: its two values are all that B holds and all that A holds.
 *
 * A sum beyond 2^64-1 stays there and the profile says so in a note.
 *
 * Ownership: ids and borrowed texts live as long as the profile. One thread at a time.
 *
 * Example:
 *
 *     struct hf_profile *profile = NULL; // as hf_format_read made it
 *     for (size_t i = 0; profile != NULL && i < profile->sample_count; i++)
 *         hf_out_u64(out, hf_profile_value(profile, i, profile->default_type));
 */
#ifndef HF_PROFILE_PROFILE_H
#define HF_PROFILE_PROFILE_H

#include "base/containers/index.h"
#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "base/error.h"
#include "profile/capture_facts.h"
#include "profile/frame.h"
#include "profile/notes.h"
#include "profile/stacktree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_VALUE_TYPES_MAX 12
#define HF_THREAD_ALL UINT32_MAX /* the whole process: to use unless a thread is asked */

/* Order of the four types of a heap profile. Folded stacks have one type only. */
enum hf_heap_value { HF_INUSE_OBJECTS, HF_INUSE_SPACE, HF_ALLOC_OBJECTS, HF_ALLOC_SPACE };

struct hf_value_type {
    uint32_t name; /* string: "inuse_space", "samples" */
    uint32_t unit; /* string: "bytes", "objects", "count" */
};

/* One mapping of a module: addresses [start, end) show the file from file_offset on. */
struct hf_segment {
    uint64_t start, end;
    uint64_t file_offset;
    bool is_executable;
};

/* A mapped file. Module 0 is "none": frames that fall into no mapping keep their raw address. */
struct hf_module {
    uint32_t path;        /* string, as in the maps line, without " (deleted)" */
    uint32_t build_id;    /* string of raw bytes; HF_NO_STRING if unknown */
    uint32_t why_unnamed; /* string: why some of its addresses got no name; empty: unknown */
    bool is_deleted;      /* the maps line said " (deleted)" */
    struct hf_segment *segments;
    size_t segment_count, segment_capacity;
};

struct hf_thread {
    uint64_t uid;  /* the capture's own number, not a kernel tid */
    uint32_t name; /* string */
};

struct hf_sample {
    uint32_t node;   /* of the stack tree */
    uint32_t thread; /* index in threads, or HF_THREAD_ALL */
};

/* The named frames of address frames, which src/symbol fills: hf_profile_expand. */
struct hf_frame_names {
    struct hf_map index; /* frame -> index into spans */
    struct hf_frame_span {
        uint32_t first, count; /* in frames */
    } * spans;
    size_t span_count, span_capacity;
    uint32_t *frames; /* leaf first */
    size_t frame_count, frame_capacity;
};

struct hf_profile {
    struct hf_intern strings; /* id 0: "" */
    struct hf_intern frames;  /* bytes of struct hf_frame */
    struct hf_stacktree stacks;

    struct hf_module *modules; /* [0] is "none" */
    size_t module_count, module_capacity;
    struct hf_map module_index; /* (path << 32 | build_id) -> module */

    struct hf_thread *threads;
    size_t thread_count, thread_capacity;
    struct hf_map thread_index; /* uid -> thread */

    struct hf_value_type types[HF_VALUE_TYPES_MAX];
    size_t type_count;
    size_t default_type; /* index shown unless asked otherwise */
    bool is_difference;  /* stride is doubled: [type] grew, [type_count + type] released */

    struct hf_sample *samples;
    size_t sample_count, sample_capacity;
    uint64_t *values; /* sample_count rows of hf_profile_stride() */
    size_t values_capacity;
    struct hf_index sample_index; /* of samples, by (node, thread); made when needed */

    struct hf_capture_facts capture;
    struct hf_frame_names names;
    uint64_t given_bytes; /* of what it was read from (base/budget.h) */
    bool has_addresses;   /* frames are address frames: symbolizing makes sense */

    struct hf_notes notes;
    bool is_saturated; /* some sum reached 2^64-1; already noted */
};

/* A new, empty profile with no value types. Free with hf_profile_free. */
HF_MUST_CHECK enum hf_status hf_profile_new(struct hf_profile **out_profile, struct hf_error *err);
void hf_profile_free(struct hf_profile *profile);

/* Adds a value type; at most HF_VALUE_TYPES_MAX, before the first sample. */
HF_MUST_CHECK enum hf_status hf_profile_add_type(
    struct hf_profile *profile, const char *name, const char *unit, struct hf_error *err);

/* Adds the first two types of enum hf_heap_value, or all four; inuse_space is the default. */
HF_MUST_CHECK enum hf_status hf_profile_add_inuse_types(
    struct hf_profile *profile, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_profile_add_heap_types(
    struct hf_profile *profile, struct hf_error *err);

/* Index of the type called `name`; false if there is none. */
HF_MUST_CHECK bool hf_profile_find_type(
    const struct hf_profile *profile, struct hf_text name, size_t *out_type);

HF_MUST_CHECK enum hf_status hf_profile_string(
    struct hf_profile *profile, struct hf_text text, uint32_t *out_string, struct hf_error *err);

static inline struct hf_text hf_profile_text(const struct hf_profile *profile, uint32_t string)
{
    return hf_intern_at(&profile->strings, string);
}

HF_MUST_CHECK enum hf_status hf_profile_frame(struct hf_profile *profile,
    const struct hf_frame *frame, uint32_t *out_frame, struct hf_error *err);

static inline const struct hf_frame *hf_profile_frame_at(
    const struct hf_profile *profile, uint32_t frame)
{
    return (const struct hf_frame *)(const void *)hf_intern_at(&profile->frames, frame).data;
}

/* The module with this path and build-id, made if new. HF_ERR_LIMIT: HF_LIMIT_MODULES. */
HF_MUST_CHECK enum hf_status hf_profile_module(struct hf_profile *profile, struct hf_text path,
    struct hf_text build_id, uint32_t *out_module, struct hf_error *err);

/* Gives a module without a build-id this one; it is found by both from then on. */
HF_MUST_CHECK enum hf_status hf_profile_identify_module(
    struct hf_profile *profile, uint32_t module, struct hf_text build_id, struct hf_error *err);

/* Adds one mapping to a module, unless the same part of the file is known to be mapped already. */
HF_MUST_CHECK enum hf_status hf_profile_add_segment(struct hf_profile *profile, uint32_t module,
    const struct hf_segment *segment, struct hf_error *err);

/* The thread with this uid, made if new; a non-empty name replaces an empty one. */
HF_MUST_CHECK enum hf_status hf_profile_thread(struct hf_profile *profile, uint64_t uid,
    struct hf_text name, uint32_t *out_thread, struct hf_error *err);

static inline size_t hf_profile_stride(const struct hf_profile *profile)
{
    return profile->is_difference ? profile->type_count * 2 : profile->type_count;
}

/* Values of sample `index`, hf_profile_stride() of them; borrowed until the next is added. */
static inline uint64_t *hf_profile_values(const struct hf_profile *profile, size_t index)
{
    return profile->values + index * hf_profile_stride(profile);
}

/* What sample `index` has, or grew by in a difference; and what it released, which else is 0. */
static inline uint64_t hf_profile_value(const struct hf_profile *profile, size_t index, size_t type)
{
    return hf_profile_values(profile, index)[type];
}

static inline uint64_t hf_profile_released(
    const struct hf_profile *profile, size_t index, size_t type)
{
    return profile->is_difference ? hf_profile_values(profile, index)[profile->type_count + type]
                                  : 0;
}

/* Adds hf_profile_stride() values to a sample. HF_ERR_LIMIT: HF_LIMIT_SAMPLES. */
HF_MUST_CHECK enum hf_status hf_profile_add_sample(struct hf_profile *profile, uint32_t node,
    uint32_t thread, const uint64_t *values, struct hf_error *err);

/*
 * Adds to the sample of (node, thread) what grew, one value for each type, then what was released.
 * The first that has something released makes a plain profile a difference.
 */
HF_MUST_CHECK enum hf_status hf_profile_add_change(struct hf_profile *profile, uint32_t node,
    uint32_t thread, const uint64_t *grew_then_released, struct hf_error *err);

/* Begins to fetch what adding a sample will need, if it is said some work before. */
void hf_profile_expect_sample(const struct hf_profile *profile, uint32_t node, uint32_t thread);

/* Sums of one type over the samples of one thread (or HF_THREAD_ALL). */
struct hf_total {
    uint64_t value;    /* what it has; what grew, in a difference */
    uint64_t released; /* 0 unless the profile is a difference */
};
struct hf_total hf_profile_total(const struct hf_profile *profile, size_t type, uint32_t thread);

/* Gives a module of `into` what is known of a module of `from` beside its mappings. */
HF_MUST_CHECK enum hf_status hf_profile_copy_module_facts(struct hf_profile *into,
    uint32_t into_module, const struct hf_profile *from, uint32_t from_module,
    struct hf_error *err);

/* Gives the empty profile `to` the value types, the period and the notes of `from`. */
HF_MUST_CHECK enum hf_status hf_profile_copy_head(
    struct hf_profile *to, const struct hf_profile *from, struct hf_error *err);

/* Frees what only adding needs; the next addition makes it anew. For a profile that was read. */
void hf_profile_trim(struct hf_profile *profile);

/* Names for an address frame, leaf first, from the input or by symbolizing; once per frame. */
HF_MUST_CHECK enum hf_status hf_profile_expand(struct hf_profile *profile, uint32_t frame,
    const uint32_t *named_leaf_first, size_t count, struct hf_error *err);

bool hf_profile_is_expanded(const struct hf_profile *profile, uint32_t frame);
bool hf_profile_is_expanded_to(const struct hf_profile *profile, uint32_t frame,
    const uint32_t *named_leaf_first, size_t count);

/* The named frames of `frame`; if it was never expanded, the frame itself. */
const uint32_t *hf_profile_expansion(
    const struct hf_profile *profile, const uint32_t *frame, size_t *out_count);

#endif
