/*
 * base64.h: a writer that turns bytes into base64 (RFC 4648, section 4), without line breaks.
 */
#ifndef HF_BASE_BASE64_H
#define HF_BASE_BASE64_H

#include "base/strings/out.h"

struct hf_base64 {
    struct hf_out bytes; /* write here */
    struct hf_out *to;
    unsigned char kept[3]; /* bytes that make no whole group yet */
    size_t kept_count;
};

/* What is written to base64->bytes goes encoded to `to`, which outlives it. */
void hf_base64_init(struct hf_base64 *base64, struct hf_out *to);

/* Writes what is left, padded. Needs hf_base64_done in any case. */
HF_MUST_CHECK enum hf_status hf_base64_finish(struct hf_base64 *base64, struct hf_error *err);
void hf_base64_done(struct hf_base64 *base64);

#endif
