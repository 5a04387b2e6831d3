#include "compress/inflate.h"

#include "base/budget.h"
#include "base/limits.h"
#include "base/plural.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* zlib counts input in 32 bits: large sections are fed in parts. */
#define STEPS_A_BYTE 4 /* of what is made */

static enum hf_status inflate_zlib(
    struct hf_text payload, char *out, uint64_t size, struct hf_error *err)
{
    z_stream stream = {0};
    uint64_t made = 0;
    size_t fed = 0;
    int result = inflateInit(&stream);
    if (result != Z_OK)
        return hf_error_memory(err);
    while (result == Z_OK && made < size) {
        uInt in = payload.size - fed > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)(payload.size - fed);
        uInt room = size - made > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)(size - made);
        stream.next_in = (Bytef *)(uintptr_t)(payload.data + fed);
        stream.avail_in = in;
        stream.next_out = (Bytef *)(out + made);
        stream.avail_out = room;
        result = inflate(&stream, Z_NO_FLUSH);
        if (stream.avail_in == in && stream.avail_out == room)
            break; /* no progress: it ends too early */
        fed += in - stream.avail_in;
        made += room - stream.avail_out;
    }
    inflateEnd(&stream);
    if (made != size || (result != Z_STREAM_END && result != Z_OK))
        return hf_error_set(err, HF_ERR_INPUT,
            "a zlib section is damaged: %" PRIu64 " of %" PRIu64 " %s could be read", made, size,
            hf_plural(size, "byte", "bytes"));
    return HF_OK;
}

static enum hf_status inflate_zstd(
    struct hf_text payload, char *out, uint64_t size, struct hf_error *err)
{
    size_t made = ZSTD_decompress(out, (size_t)size, payload.data, payload.size);
    if (ZSTD_isError(made))
        return hf_error_set(
            err, HF_ERR_INPUT, "a zstd section is damaged: %s", ZSTD_getErrorName(made));
    if (made != size)
        return hf_error_set(err, HF_ERR_INPUT,
            "a zstd section is damaged: %zu of %" PRIu64 " %s could be read", made, size,
            hf_plural(size, "byte", "bytes"));
    return HF_OK;
}

enum hf_status hf_inflate(enum hf_compression method, struct hf_text payload, uint64_t size,
    char **out_bytes, struct hf_error *err)
{
    if (size > HF_LIMIT_INFLATED)
        return hf_error_set(err, HF_ERR_LIMIT,
            "a section claims %" PRIu64 " bytes after decompression (HF_LIMIT_INFLATED)", size);
    if (size / HF_LIMIT_INFLATE_RATIO > payload.size)
        return hf_error_set(err, HF_ERR_LIMIT,
            "a section of %zu %s claims %" PRIu64 " after decompression "
            "(HF_LIMIT_INFLATE_RATIO)",
            payload.size, hf_plural(payload.size, "byte", "bytes"), size);
    if (!hf_budget_take((size_t)size + 1) || !hf_budget_step(size * STEPS_A_BYTE))
        return hf_budget_refuse(err);
    char *out = malloc((size_t)size + 1);
    if (out == NULL)
        return hf_error_memory(err);
    enum hf_status status = method == HF_COMPRESSION_ZSTD ? inflate_zstd(payload, out, size, err)
                                                          : inflate_zlib(payload, out, size, err);
    if (status != HF_OK) {
        free(out);
        hf_budget_put_back((size_t)size + 1);
        return status;
    }
    *out_bytes = out;
    return HF_OK;
}
