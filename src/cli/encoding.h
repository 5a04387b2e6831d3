/*
 * encoding.h: names that are not UTF-8.
 */
#ifndef HF_CLI_ENCODING_H
#define HF_CLI_ENCODING_H

#include "profile/profile.h"

/*
 * Makes UTF-8 of all frames' names, which are in `encoding` (a name iconv knows). A name that is
 * not in it stays as it is. HF_ERR_USAGE: there is no such encoding.
 */
HF_MUST_CHECK enum hf_status hf_encoding_apply(
    struct hf_profile *profile, const char *encoding, struct hf_error *err);

#endif
