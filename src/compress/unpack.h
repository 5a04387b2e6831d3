/*
 * unpack.h: whole compressed files, decompressed piece by piece: gzip (RFC 1952) and zstd (RFC
 * 8878), recognised by their magic numbers.
 *
 * Memory does not grow with the file: zlib keeps 32 KiB, zstd the window of the file, at most
 * 2^HF_LIMIT_UNPACK_WINDOW_LOG bytes. Files made of several members (gzip) or frames (zstd), one
 * after the other, are read as one. How much may come out is the caller's to limit.
 */
#ifndef HF_COMPRESS_UNPACK_H
#define HF_COMPRESS_UNPACK_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define HF_PACKING_MAGIC_BYTES ((size_t)4) /* that hf_packing_of needs */

enum hf_packing { HF_PACKING_NONE, HF_PACKING_GZIP, HF_PACKING_ZSTD };

/* How a file that begins with these bytes is compressed. */
enum hf_packing hf_packing_of(struct hf_text first_bytes);

struct hf_unpack;

/* `packing` is not NONE. Free with hf_unpack_free. */
HF_MUST_CHECK enum hf_status hf_unpack_new(
    enum hf_packing packing, struct hf_unpack **out_unpack, struct hf_error *err);
void hf_unpack_free(struct hf_unpack *unpack);

/*
 * Decompresses the start of *bytes, which then begins behind what was used, into up to `room` bytes
 * at `out`. *out_made may be 0: then more bytes are needed. HF_ERR_INPUT: damaged.
 */
HF_MUST_CHECK enum hf_status hf_unpack_step(struct hf_unpack *unpack, struct hf_text *bytes,
    char *out, size_t room, size_t *out_made, struct hf_error *err);

/* True if the file may end here: every member that began has ended. */
bool hf_unpack_is_whole(const struct hf_unpack *unpack);

/* "gzip", "zstd" */
const char *hf_unpack_name(const struct hf_unpack *unpack);

#endif
