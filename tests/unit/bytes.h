/*
 * bytes.h: binary input put together by hand: little-endian numbers at the end of a writer.
 */
#ifndef HF_TESTS_UNIT_BYTES_H
#define HF_TESTS_UNIT_BYTES_H

#include "base/strings/out.h"

static inline void put_u8(struct hf_out *out, uint8_t value)
{
    hf_out_char(out, (char)value);
}

static inline void put_u16(struct hf_out *out, uint16_t value)
{
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

static inline void put_u32(struct hf_out *out, uint32_t value)
{
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

static inline void put_u64(struct hf_out *out, uint64_t value)
{
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

/* With its NUL. */
static inline void put_string(struct hf_out *out, const char *string)
{
    hf_out_bytes(out, string, strlen(string) + 1);
}

#endif
