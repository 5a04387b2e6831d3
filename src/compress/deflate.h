/*
 * deflate.h: one piece of bytes, compressed as zlib has it (RFC 1950), for what a store keeps:
 * hf_inflate reads it with HF_COMPRESSION_ZLIB. Equal bytes give equal bytes of one version of
 * zlib.
 */
#ifndef HF_COMPRESS_DEFLATE_H
#define HF_COMPRESS_DEFLATE_H

#include "base/strings/out.h"

HF_MUST_CHECK enum hf_status hf_deflate(
    struct hf_text bytes, struct hf_out *out, struct hf_error *err);

#endif
