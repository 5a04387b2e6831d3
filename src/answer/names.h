/*
 * names.h: the names of a profile's addresses, as a request wants them.
 */
#ifndef HF_ANSWER_NAMES_H
#define HF_ANSWER_NAMES_H

#include "answer/request.h"

/* Adds what is found; why some have none is a note of the profile. */
HF_MUST_CHECK enum hf_status hf_names_add(
    const struct hf_request_names *names, struct hf_profile *profile, struct hf_error *err);

#endif
