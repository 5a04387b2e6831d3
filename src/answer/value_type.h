/*
 * value_type.h: which of the values that a profile holds is shown.
 */
#ifndef HF_ANSWER_VALUE_TYPE_H
#define HF_ANSWER_VALUE_TYPE_H

#include "profile/profile.h"

/*
 * The value type to show: `name`, or the profile's default for NULL. HF_ERR_USAGE if the profile
 * has no such values.
 */
HF_MUST_CHECK enum hf_status hf_value_type_choose(
    const struct hf_profile *profile, const char *name, size_t *out_type, struct hf_error *err);

#endif
