/*
 * modules.h: what is asked about the mapped files of a profile beyond making them (profile.h).
 */
#ifndef HF_PROFILE_MODULES_H
#define HF_PROFILE_MODULES_H

#include "profile/profile.h"

/* The path of executable memory without a file, where offsets are addresses. */
#define HF_ANONYMOUS "[anon]"

/* The program itself: the first mapped file that is no library; HF_NO_MODULE if there is none. */
uint32_t hf_modules_program(const struct hf_profile *profile);

/* Gives a module whose build-id is not known the one of its file. */
HF_MUST_CHECK enum hf_status hf_modules_set_build_id(
    struct hf_profile *profile, uint32_t module, struct hf_text build_id, struct hf_error *err);

#endif
