/*
 * inflate.h: compressed sections of debug files, decompressed with a cap.
 *
 * Source: gABI, "Section Compression": ELFCOMPRESS_ZLIB (RFC 1950) and ELFCOMPRESS_ZSTD (RFC 8878).
 * The size that the header claims is checked against HF_LIMIT_INFLATED and HF_LIMIT_INFLATE_RATIO
 * before anything is allocated, and the data must have exactly that size.
 *
 * Example:
 *
 *     struct hf_text payload = {NULL, 0};
 *     char *bytes = NULL;
 *     status = hf_inflate(HF_COMPRESSION_ZLIB, payload, 4096, &bytes, err);
 *     hf_out_text(out, (struct hf_text){bytes, status == HF_OK ? 4096 : 0});
 */
#ifndef HF_COMPRESS_INFLATE_H
#define HF_COMPRESS_INFLATE_H

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

enum hf_compression { HF_COMPRESSION_ZLIB = 1, HF_COMPRESSION_ZSTD = 2 }; /* as ELFCOMPRESS_* */

/*
 * Decompresses `payload` to `size` bytes. The caller frees *out_bytes with free().
 * HF_ERR_INPUT: damaged, or another size; HF_ERR_LIMIT: larger than allowed.
 */
HF_MUST_CHECK enum hf_status hf_inflate(enum hf_compression method, struct hf_text payload,
    uint64_t size, char **out_bytes, struct hf_error *err);

#endif
