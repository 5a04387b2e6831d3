/*
 * lifetimes.h: what a live table knows beside its values: when the blocks in use were born, and
 * where others of their stacks were freed.
 *
 * Who wants to know it gives the reader one of these by its input (os/input.h), with the first
 * three fields set; a reader of another format leaves it as it is. Nodes are of the profile that is
 * read. Memory grows with stacks, never with blocks.
 *
 * Example:
 *
 *     struct hf_lifetimes lifetimes = {.from_ms = 1000, .to_ms = 61000};
 *     status = hf_lifetimes_add(&lifetimes, 1, 31000, 48.0, err);
 *     hf_lifetimes_done(&lifetimes);
 */
#ifndef HF_PROFILE_LIFETIMES_H
#define HF_PROFILE_LIFETIMES_H

#include "base/containers/map.h"
#include "base/error.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_LIFETIMES_BINS 64

struct hf_births {
    uint32_t stack; /* the reader's number for it */
    uint32_t node;
    /* Bytes in use, estimated: [0] born before from_ms, then in equal parts up to to_ms. */
    double bytes[HF_LIFETIMES_BINS + 1];
    double old_bytes; /* born before old_ms */
};

/* So many sampled blocks of the stack `node` were freed at the stack `at`. */
struct hf_freed {
    uint32_t node, at;
    uint64_t count;
};

/*
 * Who sets wants_classes gets, in the profile itself, how many blocks of each stack belong to each
 * *class*: those that were freed by how long they lived, and all that were ever allocated by their
 * size. A class is a thread of the profile (HF_ALLOC_OBJECTS; of ages also HF_ALLOC_SPACE), so
 * that it is named, filtered and added up as everything else is; use it for nothing but tables.
 */
enum hf_lifetimes_class { HF_CLASS_AGE, HF_CLASS_SIZE };
#define HF_CLASS_AGES 24
#define HF_CLASS_AGE_SHIFT 20 /* the first is below 2^20 ns, each next one below twice that */
#define HF_CLASS_SIZES 20
#define HF_CLASS_SIZE_SHIFT 3 /* the first is up to 8 bytes, each next one up to twice that */

struct hf_lifetimes {
    int64_t from_ms, to_ms; /* since 1970 */
    int64_t old_ms;
    bool wants_classes;         /* nothing else is filled then */
    bool is_known, has_classes; /* set by the reader */
    struct hf_births *births;
    size_t birth_count, birth_capacity;
    struct hf_freed *freed; /* the places of a stack together, and those with most frees alone */
    size_t freed_count, freed_capacity;
    uint64_t lost_objects; /* recorded, but not kept */
    struct hf_map by_stack;
};

void hf_lifetimes_done(struct hf_lifetimes *lifetimes);

/* Counts a block in use of this stack. */
HF_MUST_CHECK enum hf_status hf_lifetimes_add(struct hf_lifetimes *lifetimes, uint32_t stack,
    int64_t birth_ms, double bytes, struct hf_error *err);

static inline size_t hf_lifetimes_classes(enum hf_lifetimes_class kind)
{
    return kind == HF_CLASS_AGE ? HF_CLASS_AGES : HF_CLASS_SIZES;
}

/* The thread of a class, made if new; and whether there is one. */
HF_MUST_CHECK enum hf_status hf_lifetimes_add_class(struct hf_profile *profile,
    enum hf_lifetimes_class kind, size_t index, uint32_t *out_thread, struct hf_error *err);
bool hf_lifetimes_find_class(const struct hf_profile *profile, enum hf_lifetimes_class kind,
    size_t index, uint32_t *out_thread);

HF_MUST_CHECK enum hf_status hf_lifetimes_add_freed(struct hf_lifetimes *lifetimes, uint32_t node,
    uint32_t at, uint64_t count, struct hf_error *err);

#endif
