#include "compress/gzip.h"

#include "base/budget.h"

#include <stdlib.h>
#include <zlib.h>

#define GZIP_WINDOW_BITS (15 + 16) /* zlib.h: 16 more asks for gzip's header instead of zlib's */
#define MEMORY_LEVEL 8
#define LEVEL_IN_A_HURRY 1
/* 50 to 480 instructions in zlib 1.2.13, the most where many matches are nearly as long. */
#define STEPS_A_BYTE 200

struct hf_gzip {
    z_stream stream;
    struct hf_out plain, *to;
};

static void deflate_all(struct hf_gzip *gzip, int flush)
{
    char block[HF_OUT_BLOCK];
    int result;
    do {
        gzip->stream.next_out = (Bytef *)block;
        gzip->stream.avail_out = sizeof block;
        result = deflate(&gzip->stream, flush);
        hf_out_bytes(gzip->to, block, sizeof block - gzip->stream.avail_out);
    } while (gzip->stream.avail_out == 0 && result == Z_OK);
}

static enum hf_status compress_block(
    void *context, const char *data, size_t size, struct hf_error *err)
{
    struct hf_gzip *gzip = context;
    (void)hf_budget_step(STEPS_A_BYTE * size);
    gzip->stream.next_in = (Bytef *)(uintptr_t)data;
    while (size != 0) {
        gzip->stream.avail_in = size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)size;
        size -= gzip->stream.avail_in;
        deflate_all(gzip, Z_NO_FLUSH);
    }
    if (gzip->to->error.status != HF_OK && err != NULL)
        *err = gzip->to->error;
    return gzip->to->error.status;
}

enum hf_status hf_gzip_open(struct hf_gzip **out_gzip, struct hf_out *to, struct hf_error *err)
{
    struct hf_gzip *gzip = calloc(1, sizeof *gzip);
    if (gzip == NULL)
        return hf_error_memory(err);
    gzip->to = to;
    gzip->plain = (struct hf_out){.flush = compress_block, .context = gzip};
    if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS,
            MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(gzip);
        return hf_error_memory(err);
    }
    *out_gzip = gzip;
    return HF_OK;
}

void hf_gzip_hurry(struct hf_gzip *gzip)
{
    (void)deflateParams(&gzip->stream, LEVEL_IN_A_HURRY, Z_DEFAULT_STRATEGY);
}

struct hf_out *hf_gzip_out(struct hf_gzip *gzip)
{
    return &gzip->plain;
}

enum hf_status hf_gzip_finish(struct hf_gzip *gzip, struct hf_error *err)
{
    enum hf_status status = hf_out_finish(&gzip->plain, err);
    if (status != HF_OK)
        return status;
    gzip->stream.avail_in = 0;
    deflate_all(gzip, Z_FINISH);
    if (gzip->to->error.status != HF_OK && err != NULL)
        *err = gzip->to->error;
    return gzip->to->error.status;
}

void hf_gzip_close(struct hf_gzip *gzip)
{
    if (gzip == NULL)
        return;
    (void)deflateEnd(&gzip->stream);
    hf_out_done(&gzip->plain);
    free(gzip);
}
