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
#define HF_LIFETIMES_EPOCHS 64
#define HF_LIFETIMES_EPOCH_SHIFT 28u /* 0.27 s, at first */

struct hf_births {
    uint32_t stack; /* the reader's number for it */
    uint32_t node;
    /* Bytes in use, estimated: [0] born before from_ms, then in equal parts up to to_ms. */
    double bytes[HF_LIFETIMES_BINS + 1];
    double old_bytes; /* born before old_ms */
    /* The same by the epoch of birth: 2^epoch_shift ns each, from began_ms on. */
    double epochs[HF_LIFETIMES_EPOCHS];
    double squares; /* sum of the squares of what each sample stands for, bytes */
};

/* So many sampled blocks of the stack `node` were freed at the stack `at`. */
struct hf_freed {
    uint32_t node, at;
    uint64_t count;
};

/*
 * Who sets wants_classes gets, in the profile itself, how many blocks of each stack belong to each
 * *class*: those that were freed by how long they lived, all that were ever allocated by their
 * size, and bytes by the *epoch* in which they were allocated: how many were, and how many of these
 * are still in use. docs/formats/blocks.md has the layout in files.
 *
 * A class is a thread of the profile, so that it is named, filtered, added up and moved as
 * everything else is; its values are in the two columns of its kind. Such a profile says so
 * (capture.has_classes). Use it for what shows or writes classes, and for nothing else.
 */
enum hf_lifetimes_class { HF_CLASS_AGE, HF_CLASS_SIZE, HF_CLASS_BIRTH };
#define HF_CLASS_KINDS 3
#define HF_CLASS_AGES 24
#define HF_CLASS_AGE_SHIFT 20 /* the first is below 2^20 ns, each next one below twice that */
#define HF_CLASS_SIZES 20
#define HF_CLASS_SIZE_SHIFT 3 /* the first is up to 8 bytes, each next one up to twice that */
#define HF_CLASS_BIRTHS 32
#define HF_CLASS_UIDS (UINT64_C(1) << 63) /* a class is a thread beyond all numbers of threads */
#define HF_CLASS_BIRTH_SHIFT_MAX 58       /* 32 of them are 2^63 ns */

struct hf_lifetimes {
    int64_t from_ms, to_ms; /* since 1970 */
    int64_t old_ms;
    int64_t born_from_ms;   /* epochs begin then, if that is later than the recording: what is older
                             * is in the first one. 0: with the recording */
    bool wants_classes;     /* nothing else is filled then */
    bool needs_classes;     /* a profile without them will not do */
    bool wants_epochs_only; /* bins, frees and losses are not needed */
    bool wants_births;      /* of files without blocks the classes, for hf_lifetimes_take_births */
    bool is_known;          /* set by the reader, as what follows */
    int64_t began_ms;       /* when the recording or the epochs began, since 1970 */
    uint32_t epoch_shift;   /* 0: no births */
    struct hf_births *births;
    size_t birth_count, birth_capacity;
    struct hf_freed *freed; /* the places of a stack together, and those with most frees alone */
    size_t freed_count, freed_capacity;
    uint64_t lost_objects; /* recorded, but not kept */
    struct hf_map by_stack;
};

void hf_lifetimes_done(struct hf_lifetimes *lifetimes);

/* Counts a block in use of this stack, which stands for so many bytes. began_ms is set. */
HF_MUST_CHECK enum hf_status hf_lifetimes_add(struct hf_lifetimes *lifetimes, uint32_t stack,
    int64_t birth_ms, double bytes, struct hf_error *err);

/* Each sample stands for so many times what it stood for. */
void hf_lifetimes_scale(struct hf_lifetimes *lifetimes, double factor);

static inline size_t hf_lifetimes_classes(enum hf_lifetimes_class kind)
{
    static const size_t counts[HF_CLASS_KINDS] = {HF_CLASS_AGES, HF_CLASS_SIZES, HF_CLASS_BIRTHS};
    return counts[kind];
}

/*
 * The two columns of a kind: objects and bytes; of births, bytes allocated and in use. A profile
 * whose first four types of values are not those of a heap has no room for classes.
 */
static inline size_t hf_lifetimes_column(enum hf_lifetimes_class kind, bool is_second)
{
    static const size_t first[] = {HF_ALLOC_OBJECTS, HF_ALLOC_OBJECTS, HF_ALLOC_SPACE};
    static const size_t second[] = {HF_ALLOC_SPACE, HF_ALLOC_SPACE, HF_INUSE_SPACE};
    return is_second ? second[kind] : first[kind];
}
bool hf_lifetimes_have_room(const struct hf_profile *profile);

/* Adds what there is of a class, if there is something. `values`: of its two columns. */
HF_MUST_CHECK enum hf_status hf_lifetimes_add_class(struct hf_profile *profile, uint32_t node,
    enum hf_lifetimes_class kind, size_t index, const uint64_t values[2], struct hf_error *err);

/* What a file has as the number of a thread, below those of classes. */
static inline uint64_t hf_lifetimes_uid_of_thread(uint64_t number)
{
    return number & ~HF_CLASS_UIDS;
}

/* The thread of a class, if it has anything; and the class of a thread, if it is one. */
bool hf_lifetimes_find_class(const struct hf_profile *profile, enum hf_lifetimes_class kind,
    size_t index, uint32_t *out_thread);
bool hf_lifetimes_class_of(const struct hf_profile *profile, uint32_t thread,
    enum hf_lifetimes_class *out_kind, size_t *out_index);

/* True if the births of both are by the same epochs, and can be added up. */
static inline bool hf_lifetimes_births_agree(const struct hf_profile *a, const struct hf_profile *b)
{
    return a->capture.began_ms == b->capture.began_ms &&
           a->capture.epoch_shift == b->capture.epoch_shift;
}

/* Leaves out the classes, or those of births alone. */
HF_MUST_CHECK enum hf_status hf_lifetimes_drop(
    struct hf_profile *profile, bool births_only, struct hf_error *err);

/* Whether a reader of files, which have no blocks, reads their classes. */
static inline bool hf_lifetimes_need_classes(const struct hf_lifetimes *lifetimes)
{
    return lifetimes != NULL && (lifetimes->wants_classes || lifetimes->wants_births);
}

/*
 * Of a profile that was read with wants_births and has classes: takes their births, as epochs
 * alone, and leaves out the classes. Others stay as they are.
 */
HF_MUST_CHECK enum hf_status hf_lifetimes_take_births(
    struct hf_lifetimes *lifetimes, struct hf_profile *profile, struct hf_error *err);

HF_MUST_CHECK enum hf_status hf_lifetimes_add_freed(struct hf_lifetimes *lifetimes, uint32_t node,
    uint32_t at, uint64_t count, struct hf_error *err);

#endif
