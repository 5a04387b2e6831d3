/*
 * encoding.h: names that are not UTF-8.
 */
#ifndef HF_CLI_ENCODING_H
#define HF_CLI_ENCODING_H

#include "profile/profile.h"

#include <iconv.h>

/*
 * An encoding, by a name that iconv knows. libc loads a file for it, so open it before a worker
 * starts (reader.h). HF_ERR_USAGE: there is no such encoding.
 */
HF_MUST_CHECK enum hf_status hf_encoding_open(
    iconv_t *out_encoding, const char *name, struct hf_error *err);

/* Makes UTF-8 of all frames' names. A name that is not in the encoding stays as it is. */
HF_MUST_CHECK enum hf_status hf_encoding_apply(
    struct hf_profile *profile, iconv_t encoding, struct hf_error *err);

#endif
