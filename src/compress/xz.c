#include "compress/xz.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/limits.h"

#include <inttypes.h>
#include <lzma.h>
#include <stdlib.h>

#define STEPS_A_BYTE 8 /* of what is made */
#define STEP_BYTES ((size_t)64 << 10)

/* What may come out of so many bytes. */
static uint64_t most_of(size_t packed_size, const char **out_limit)
{
    uint64_t most;
    *out_limit = "HF_LIMIT_INFLATE_RATIO";
    if (hf_mul_u64(packed_size, HF_LIMIT_INFLATE_RATIO, &most) && most <= HF_LIMIT_INFLATED)
        return most;
    *out_limit = "HF_LIMIT_INFLATED";
    return HF_LIMIT_INFLATED;
}

static enum hf_status xz_explain(lzma_ret result, struct hf_error *err)
{
    switch (result) {
    case LZMA_MEM_ERROR: return hf_error_memory(err);
    case LZMA_MEMLIMIT_ERROR:
        return hf_error_set(err, HF_ERR_LIMIT,
            "needs more than %" PRIu64 " bytes to be decompressed (HF_LIMIT_XZ_MEMORY)",
            (uint64_t)HF_LIMIT_XZ_MEMORY);
    case LZMA_FORMAT_ERROR: return hf_error_set(err, HF_ERR_INPUT, "is not in the xz format");
    case LZMA_OPTIONS_ERROR:
        return hf_error_set(err, HF_ERR_INPUT, "is a kind of xz that liblzma does not support");
    case LZMA_BUF_ERROR: return hf_error_set(err, HF_ERR_INPUT, "ends too early");
    default: return hf_error_set(err, HF_ERR_INPUT, "is damaged");
    }
}

static enum hf_status unpack(lzma_stream *stream, size_t packed_size, char **out_bytes,
    size_t *out_size, struct hf_error *err)
{
    const char *limit;
    uint64_t most = most_of(packed_size, &limit);
    size_t capacity = 0, made = 0;
    for (;;) {
        if (!hf_vec_reserve(out_bytes, &capacity, made + STEP_BYTES, 1))
            return hf_error_memory(err);
        stream->next_out = (uint8_t *)*out_bytes + made;
        stream->avail_out = capacity - made;
        lzma_ret result = lzma_code(stream, LZMA_FINISH);
        made = capacity - stream->avail_out;
        if (made > most)
            return hf_error_set(err, HF_ERR_LIMIT,
                "is more than %" PRIu64 " bytes after decompression (%s)", most, limit);
        *out_size = made;
        if (!hf_budget_step(STEP_BYTES * STEPS_A_BYTE))
            return hf_budget_refuse(err);
        if (result != LZMA_OK)
            return result == LZMA_STREAM_END ? HF_OK : xz_explain(result, err);
    }
}

enum hf_status hf_xz_unpack(struct hf_text packed, struct hf_text *out_bytes, struct hf_error *err)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    char *bytes = NULL;
    size_t size = 0;
    lzma_ret result = lzma_stream_decoder(&stream, HF_LIMIT_XZ_MEMORY, LZMA_CONCATENATED);
    stream.next_in = (const uint8_t *)packed.data;
    stream.avail_in = packed.size;
    enum hf_status status = result == LZMA_OK ? unpack(&stream, packed.size, &bytes, &size, err)
                                              : xz_explain(result, err);
    lzma_end(&stream);
    if (status != HF_OK) {
        free(bytes);
        return status;
    }
    *out_bytes = (struct hf_text){bytes, size};
    return HF_OK;
}
