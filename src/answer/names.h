/*
 * names.h: finds names for the addresses of a profile, as a request asks.
 */
#ifndef HF_ANSWER_NAMES_H
#define HF_ANSWER_NAMES_H

#include "answer/request.h"
#include "symbol/options.h"

#include <limits.h>

/* The same for who looks into the files himself. `cache_folder` is room for a path that it keeps.
 */
void hf_names_options(const struct hf_request_names *names, char cache_folder[PATH_MAX],
    struct hf_symbol_options *out_options);

/* Names what it can. For addresses without a name, a note in the profile says why. */
HF_MUST_CHECK enum hf_status hf_names_add(
    const struct hf_request_names *names, struct hf_profile *profile, struct hf_error *err);

/* Of a profile that was saved with the names as the files have them: as everybody else shows it. */
HF_MUST_CHECK enum hf_status hf_names_make_readable(
    const struct hf_request_names *names, struct hf_profile *profile, struct hf_error *err);

#endif
