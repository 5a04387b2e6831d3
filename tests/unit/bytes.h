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

/* A DWARF line table of version 4, with one source file, main.c. Frees the program. */
static inline struct hf_out make_line_table(struct hf_out *program)
{
    static const char head[] = {1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    static const char files[] = "\0main.c\0\0\0\0"; /* no folders; name, folder, time, size; end */
    uint32_t head_size = sizeof head + sizeof files;
    struct hf_out out = {0};
    put_u32(&out, (uint32_t)(2 + 4 + head_size + program->size));
    put_u16(&out, 4);
    put_u32(&out, head_size);
    hf_out_bytes(&out, head, sizeof head);
    hf_out_bytes(&out, files, sizeof files);
    hf_out_bytes(&out, program->data, program->size);
    hf_out_done(program);
    return out;
}

#endif
