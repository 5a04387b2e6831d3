/*
 * out.h: where text goes: one buffered writer for every format and report.
 *
 * Writing never fails at the call: the first failure latches, later bytes are dropped, and
 * hf_out_finish reports it. A writer with a `flush` callback keeps at most HF_OUT_BLOCK bytes; one
 * without keeps everything in memory (data, size).
 *
 * Example:
 *
 *     hf_out_string(out, "in use: ");
 *     hf_out_u64(out, 4096);
 *     status = hf_out_finish(out, err);
 */
#ifndef HF_BASE_OUT_H
#define HF_BASE_OUT_H

#include "base/attr.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HF_OUT_BLOCK ((size_t)64 << 10)

struct hf_out {
    char *data;
    size_t size;     /* bytes waiting, or all of them without `flush` */
    size_t capacity; /* bytes */
    enum hf_status (*flush)(void *context, const char *data, size_t size, struct hf_error *err);
    void *context;
    struct hf_error error; /* status HF_OK while all is well */
};

/* An all-zero writer collects in memory. Frees the buffer; does not flush. */
void hf_out_done(struct hf_out *out);

/* Hands what is left to `flush` (if there is one) and says whether everything went well. */
HF_MUST_CHECK enum hf_status hf_out_finish(struct hf_out *out, struct hf_error *err);

/* The rare part of hf_out_bytes: where there is no room yet. */
void hf_out_bytes_more(struct hf_out *out, const char *data, size_t size);

static inline void hf_out_bytes(struct hf_out *out, const char *data, size_t size)
{
    size_t room = out->flush != NULL && out->capacity > HF_OUT_BLOCK ? HF_OUT_BLOCK : out->capacity;
    if (out->size + size <= room && size != 0 && out->error.status == HF_OK) {
        memcpy(out->data + out->size, data, size);
        out->size += size;
    } else {
        hf_out_bytes_more(out, data, size);
    }
}

/*
 * Room for `size` more bytes, at most HF_OUT_BLOCK, or NULL if the writer has failed. What was put
 * there up to `end` counts from hf_out_end on.
 */
static inline char *hf_out_room(struct hf_out *out, size_t size);
char *hf_out_room_more(struct hf_out *out, size_t size); /* its rare part */

static inline char *hf_out_room(struct hf_out *out, size_t size)
{
    size_t room = out->flush != NULL && out->capacity > HF_OUT_BLOCK ? HF_OUT_BLOCK : out->capacity;
    return out->size + size <= room && out->error.status == HF_OK ? out->data + out->size
                                                                  : hf_out_room_more(out, size);
}

static inline void hf_out_end(struct hf_out *out, const char *end)
{
    out->size = (size_t)(end - out->data);
}

void hf_out_printf(struct hf_out *out, const char *format, ...) HF_PRINTF(2, 3);

/* Unsigned or signed decimal, without locale. */
void hf_out_u64(struct hf_out *out, uint64_t value);
void hf_out_hex(struct hf_out *out, uint64_t value); /* no 0x, no padding */

/* Two digits for each byte, as build-ids are written. */
void hf_out_hex_bytes(struct hf_out *out, struct hf_text bytes);

static inline void hf_out_char(struct hf_out *out, char c)
{
    if (out->size < out->capacity && out->error.status == HF_OK)
        out->data[out->size++] = c;
    else
        hf_out_bytes(out, &c, 1);
}

static inline void hf_out_text(struct hf_out *out, struct hf_text text)
{
    hf_out_bytes(out, text.data, text.size);
}

static inline void hf_out_string(struct hf_out *out, const char *string)
{
    hf_out_bytes(out, string, strlen(string));
}

/* What a memory writer holds. Borrowed until the next write. */
static inline struct hf_text hf_out_view(const struct hf_out *out)
{
    return (struct hf_text){out->data, out->size};
}

#endif
