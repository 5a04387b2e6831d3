/*
 * heaviest.h: names the function that owns most of a profile, in one sentence.
 */
#ifndef HF_ANSWER_HEAVIEST_H
#define HF_ANSWER_HEAVIEST_H

#include "profile/profile.h"

#define HF_HEAVIEST_MAX 1024

/*
 * Writes e.g. "Registry::record (thr.cc:16) via std::string holds 47.7 MiB of 50.9 MiB in use", for
 * the owner (analysis/owner.h) that holds most. `value`: the kind of value that counts, e.g.
 * "alloc_space"; NULL: as the profile says. The profile must have its names. Writes "" if nothing
 * is in use, or on an error. Names are escaped for a terminal.
 */
void hf_heaviest_describe(
    const struct hf_profile *profile, const char *value, char out_text[HF_HEAVIEST_MAX]);

#endif
