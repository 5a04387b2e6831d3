/*
 * nearest_name.h: finds the known name that was probably meant.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_BASE_NEAREST_NAME_H
#define HF_BASE_NEAREST_NAME_H

#include "base/text.h"

#define HF_NAME_MAX 47 /* letters of the longest names that are compared */
#define HF_NAME_NEAR 2 /* changed letters up to which one name may be meant for another */

/* How many letters must change to make `b` of `a` (Levenshtein); HF_NAME_MAX + 1 for longer names.
 */
unsigned hf_name_distance(struct hf_text a, struct hf_text b);

#endif
