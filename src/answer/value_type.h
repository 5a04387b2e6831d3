/*
 * value_type.h: chooses which of a profile's values to show, e.g. inuse_space.
 */
#ifndef HF_ANSWER_VALUE_TYPE_H
#define HF_ANSWER_VALUE_TYPE_H

#include "profile/profile.h"

/*
 * Chooses the value type called `name`, or the profile's default if `name` is NULL. HF_ERR_USAGE
 * if the profile does not have it; the message lists those it has.
 */
HF_MUST_CHECK enum hf_status hf_value_type_choose(
    const struct hf_profile *profile, const char *name, size_t *out_type, struct hf_error *err);

#endif
