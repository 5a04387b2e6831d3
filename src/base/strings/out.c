#include "base/strings/out.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "base/strings/decimal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS_A_BYTE 8 /* of text that is escaped */

void hf_out_done(struct hf_out *out)
{
    free(out->data);
    hf_budget_put_back(out->capacity);
    *out = (struct hf_out){0};
}

/* Counts what it took to make the bytes, and hands them on. */
static void out_flush(struct hf_out *out, const char *data, size_t size)
{
    if (hf_budget_step(STEPS_A_BYTE * size))
        (void)out->flush(out->context, data, size, &out->error);
    else
        (void)hf_budget_refuse(&out->error);
}

static void flush_now(struct hf_out *out)
{
    if (out->flush != NULL && out->size != 0) {
        out_flush(out, out->data, out->size);
        out->size = 0;
    }
}

enum hf_status hf_out_finish(struct hf_out *out, struct hf_error *err)
{
    if (out->error.status == HF_OK)
        flush_now(out);
    if (out->error.status != HF_OK && err != NULL)
        *err = out->error;
    return out->error.status;
}

void hf_out_bytes_more(struct hf_out *out, const char *data, size_t size)
{
    if (size == 0 || out->error.status != HF_OK)
        return;
    if (out->flush != NULL && out->size + size > HF_OUT_BLOCK) {
        flush_now(out);
        if (size > HF_OUT_BLOCK) {
            if (out->error.status == HF_OK)
                out_flush(out, data, size);
            return;
        }
    }
    if (!hf_vec_reserve(&out->data, &out->capacity, out->size + size, 1)) {
        hf_error_memory(&out->error);
        return;
    }
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

void hf_out_printf(struct hf_out *out, const char *format, ...)
{
    char stack_buffer[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(stack_buffer, sizeof stack_buffer, format, args);
    if (size >= 0 && (size_t)size < sizeof stack_buffer) {
        hf_out_bytes(out, stack_buffer, (size_t)size);
    } else if (size >= 0) {
        char *buffer = malloc((size_t)size + 1);
        if (buffer != NULL) {
            (void)vsnprintf(buffer, (size_t)size + 1, format, again);
            hf_out_bytes(out, buffer, (size_t)size);
            free(buffer);
        } else {
            hf_error_memory(&out->error);
        }
    }
    va_end(again);
    va_end(args);
}

char *hf_out_room_more(struct hf_out *out, size_t size)
{
    if (out->error.status != HF_OK)
        return NULL;
    if (out->flush != NULL && out->size + size > HF_OUT_BLOCK)
        flush_now(out);
    if (out->error.status == HF_OK &&
        !hf_vec_reserve(&out->data, &out->capacity, out->size + size, 1))
        hf_error_memory(&out->error);
    return out->error.status == HF_OK ? out->data + out->size : NULL;
}

void hf_out_u64(struct hf_out *out, uint64_t value)
{
    char *to = hf_out_room(out, HF_DECIMAL_MAX);
    if (to != NULL)
        hf_out_end(out, hf_decimal_put(to, value));
}

void hf_out_hex(struct hf_out *out, uint64_t value)
{
    char digits[16];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value != 0);
    hf_out_bytes(out, digits + at, sizeof digits - at);
}

void hf_out_hex_bytes(struct hf_out *out, struct hf_text bytes)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.size; i++) {
        uint8_t byte = (uint8_t)bytes.data[i];
        const char pair[] = {digits[byte >> 4], digits[byte & 15]};
        hf_out_bytes(out, pair, sizeof pair);
    }
}
