/*
 * xz.h: a part of a file in the xz format, decompressed with a cap: the ELF image in the section
 * .gnu_debugdata.
 *
 * Source: "The .xz File Format", version 1.1.0. Streams that follow one another are read as one, as
 * xz itself does. Nothing in the file is believed about how long it becomes: the output grows as it
 * is made, up to HF_LIMIT_INFLATED and HF_LIMIT_INFLATE_RATIO times the input; what a stream asks
 * for to be decompressed is held to HF_LIMIT_XZ_MEMORY.
 */
#ifndef HF_COMPRESS_XZ_H
#define HF_COMPRESS_XZ_H

#include "base/error.h"
#include "base/text.h"

/*
 * Decompresses `packed`, all of it. The caller frees out_bytes->data, which is never NULL, with
 * free(). HF_ERR_INPUT: damaged or cut off; HF_ERR_LIMIT: larger than allowed.
 */
HF_MUST_CHECK enum hf_status hf_xz_unpack(
    struct hf_text packed, struct hf_text *out_bytes, struct hf_error *err);

#endif
