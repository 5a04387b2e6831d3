#include "compress/unpack.h"

#include "base/budget.h"
#include "base/limits.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define GZIP_ONLY 16 /* added to the window bits: inflateInit2 then expects RFC 1952 */
#define STEP_BYTES_MAX ((size_t)1 << 30) /* zlib counts in 32 bits */

struct hf_unpack {
    enum hf_packing packing;
    bool is_whole;
    z_stream gzip;
    ZSTD_DStream *zstd;
    size_t zstd_bytes; /* taken from the budget for it */
};

enum hf_packing hf_packing_of(struct hf_text first_bytes)
{
    if (hf_text_starts(first_bytes, "\x1f\x8b\x08"))
        return HF_PACKING_GZIP;
    if (hf_text_starts(first_bytes, "\x28\xb5\x2f\xfd"))
        return HF_PACKING_ZSTD;
    return HF_PACKING_NONE;
}

enum hf_status hf_unpack_new(
    enum hf_packing packing, struct hf_unpack **out_unpack, struct hf_error *err)
{
    struct hf_unpack *unpack = calloc(1, sizeof *unpack);
    if (unpack == NULL)
        return hf_error_memory(err);
    unpack->packing = packing;
    bool is_ready;
    if (packing == HF_PACKING_GZIP) {
        is_ready = inflateInit2(&unpack->gzip, MAX_WBITS + GZIP_ONLY) == Z_OK;
    } else {
        unpack->zstd = ZSTD_createDStream();
        is_ready = unpack->zstd != NULL && !ZSTD_isError(ZSTD_DCtx_setParameter(unpack->zstd,
                                               ZSTD_d_windowLogMax, HF_LIMIT_UNPACK_WINDOW_LOG));
    }
    if (!is_ready) {
        hf_unpack_free(unpack);
        return hf_error_memory(err);
    }
    *out_unpack = unpack;
    return HF_OK;
}

void hf_unpack_free(struct hf_unpack *unpack)
{
    if (unpack == NULL)
        return;
    if (unpack->packing == HF_PACKING_GZIP)
        inflateEnd(&unpack->gzip);
    ZSTD_freeDStream(unpack->zstd);
    hf_budget_put_back(unpack->zstd_bytes);
    free(unpack);
}

static enum hf_status step_gzip(struct hf_unpack *unpack, struct hf_text *bytes, char *out,
    size_t room, size_t *out_made, struct hf_error *err)
{
    z_stream *stream = &unpack->gzip;
    if (unpack->is_whole && bytes->size != 0 && inflateReset(stream) != Z_OK)
        return hf_error_memory(err);
    uInt given = (uInt)bytes->size;
    stream->next_in = (Bytef *)(uintptr_t)bytes->data;
    stream->avail_in = given;
    stream->next_out = (Bytef *)out;
    stream->avail_out = (uInt)room;
    int result = inflate(stream, Z_NO_FLUSH);
    *bytes = hf_text_from(*bytes, given - stream->avail_in);
    *out_made = room - stream->avail_out;
    if (result == Z_MEM_ERROR)
        return hf_error_memory(err);
    /* Z_BUF_ERROR: nothing could be done with what was given; no fault. */
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return hf_error_set(
            err, HF_ERR_INPUT, "%s", stream->msg != NULL ? stream->msg : "unknown fault");
    unpack->is_whole = result == Z_STREAM_END;
    return HF_OK;
}

static enum hf_status step_zstd(struct hf_unpack *unpack, struct hf_text *bytes, char *out,
    size_t room, size_t *out_made, struct hf_error *err)
{
    ZSTD_inBuffer in = {bytes->data, bytes->size, 0};
    ZSTD_outBuffer made = {out, room, 0};
    size_t result = ZSTD_decompressStream(unpack->zstd, &made, &in);
    *bytes = hf_text_from(*bytes, in.pos);
    *out_made = made.pos;
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return hf_error_memory(err);
    if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
        return hf_error_set(err, HF_ERR_LIMIT,
            "needs more than 2^%d bytes to be decompressed (HF_LIMIT_UNPACK_WINDOW_LOG)",
            HF_LIMIT_UNPACK_WINDOW_LOG);
    size_t used = ZSTD_sizeof_DStream(unpack->zstd), before = unpack->zstd_bytes;
    if (used > before && !hf_budget_take(used - before))
        return hf_budget_refuse(err);
    unpack->zstd_bytes = used > before ? used : before;
    if (ZSTD_isError(result))
        return hf_error_set(err, HF_ERR_INPUT, "%s", ZSTD_getErrorName(result));
    unpack->is_whole = result == 0;
    return HF_OK;
}

enum hf_status hf_unpack_step(struct hf_unpack *unpack, struct hf_text *bytes, char *out,
    size_t room, size_t *out_made, struct hf_error *err)
{
    struct hf_text part = hf_text_first(*bytes, STEP_BYTES_MAX);
    size_t given = part.size;
    *out_made = 0;
    if (given == 0 && unpack->is_whole)
        return HF_OK;
    if (room > STEP_BYTES_MAX)
        room = STEP_BYTES_MAX;
    enum hf_status status = unpack->packing == HF_PACKING_GZIP
                                ? step_gzip(unpack, &part, out, room, out_made, err)
                                : step_zstd(unpack, &part, out, room, out_made, err);
    *bytes = hf_text_from(*bytes, given - part.size);
    return status;
}

bool hf_unpack_is_whole(const struct hf_unpack *unpack)
{
    return unpack->is_whole;
}

const char *hf_unpack_name(const struct hf_unpack *unpack)
{
    return unpack->packing == HF_PACKING_GZIP ? "gzip" : "zstd";
}
