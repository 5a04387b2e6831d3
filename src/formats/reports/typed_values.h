/*
 * typed_values.h: values of a format whose types are known only when all of it was read.
 *
 * A profile needs its value types before its first sample. Traces name theirs as they come, an
 * event or a map at a time; so the values wait here, one for each stack and type.
 */
#ifndef HF_FORMATS_TYPED_VALUES_H
#define HF_FORMATS_TYPED_VALUES_H

#include "profile/profile.h"

struct hf_typed_value {
    uint32_t node, type;
    uint64_t value;
    uint64_t round; /* of its type when it was added to last */
};

struct hf_typed_values {
    uint32_t names[HF_VALUE_TYPES_MAX];  /* strings of the profile, in the order they came */
    uint64_t rounds[HF_VALUE_TYPES_MAX]; /* how often each was begun again */
    size_t type_count;
    struct hf_typed_value *items;
    size_t count, capacity;
    struct hf_map index; /* (node << 32 | type) -> item */
    uint64_t left_out;   /* values of types beyond HF_VALUE_TYPES_MAX */
    bool is_saturated;
};

/* An all-zero object is empty and ready. */
void hf_typed_values_done(struct hf_typed_values *values);

/* Adds to what this stack has of the type with this name. */
HF_MUST_CHECK enum hf_status hf_typed_values_add(struct hf_typed_values *values, uint32_t node,
    uint32_t name, uint64_t value, struct hf_error *err);

/* Forgets what stacks have of the type with this name. False if there is no such type yet. */
bool hf_typed_values_begin_again(struct hf_typed_values *values, uint32_t name);

/*
 * Gives the profile the types and the samples, and notes what is left out and, if there are several
 * types, their names; `what` they are ("events") and `input` are for these sentences. Units are
 * bytes if the name has the word in it, else count. Without a value there is one type, "samples".
 */
HF_MUST_CHECK enum hf_status hf_typed_values_end(struct hf_typed_values *values,
    struct hf_profile *profile, const char *input, const char *what, struct hf_error *err);

#endif
