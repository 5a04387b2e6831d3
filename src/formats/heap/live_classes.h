/*
 * live_classes.h: the blocks of a live table by age, by size and by birth, for who asks for them
 * (profile/lifetimes.h).
 *
 * The table counts them by stack when they are freed; those that are in use are counted here, as
 * the reader sees them. Epochs of the profile are those of the stack whose epochs are longest:
 * others are added up to them. Memory grows with stacks and their sizes, never with blocks.
 */
#ifndef HF_FORMATS_LIVE_CLASSES_H
#define HF_FORMATS_LIVE_CLASSES_H

#include "live/reader.h"
#include "profile/profile.h"

struct hf_live_classes {
    struct hf_map by_size; /* stack << 32 | class -> item */
    struct hf_live_class {
        uint32_t stack, index;
        double objects;
    } * items;
    size_t count, capacity;
    struct hf_map by_birth; /* stack -> births */
    struct hf_live_births {
        uint32_t stack;
        double bytes[HF_LIVE_EPOCHS]; /* in use, by epoch of birth */
    } * births;
    size_t birth_count, birth_capacity;
    uint32_t epoch_shift; /* of all births; 0: there are none yet */
};

/* Counts a block in use, as so many. `born_ns`: after the table was made. */
HF_MUST_CHECK enum hf_status hf_live_classes_see(struct hf_live_classes *classes, uint32_t stack,
    uint64_t size_bytes, uint64_t born_ns, double objects, struct hf_error *err);

/* Adds them all to the profile; `nodes` are those of the table's stacks. */
HF_MUST_CHECK enum hf_status hf_live_classes_add(const struct hf_live_classes *classes,
    const struct hf_live_snapshot *table, const uint32_t *nodes, struct hf_profile *profile,
    struct hf_error *err);
void hf_live_classes_done(struct hf_live_classes *classes);

#endif
