/*
 * protobuf.h: the wire format of Protocol Buffers, read from a cursor and written to memory.
 *
 *     message = { tag value }        tag = varint of number << 3 | kind
 *
 * Source: protobuf.dev, "Encoding". Kinds: 0 varint, 1 eight bytes, 2 size and bytes, 5 four bytes;
 * groups (3, 4) are of before proto3 and fail. Unknown fields are the caller's to skip. A repeated
 * number comes as one field each or packed into one of kind 2: hf_protobuf_numbers reads both.
 */
#ifndef HF_FORMATS_PROTOBUF_H
#define HF_FORMATS_PROTOBUF_H

#include "base/cursor.h"
#include "base/strings/out.h"

enum hf_protobuf_kind {
    HF_PROTOBUF_VARINT = 0,
    HF_PROTOBUF_FIXED64 = 1,
    HF_PROTOBUF_BYTES = 2,
    HF_PROTOBUF_FIXED32 = 5,
};

struct hf_protobuf_field {
    uint64_t number; /* of the field, from 1 */
    enum hf_protobuf_kind kind;
    uint64_t value;       /* of the other kinds */
    struct hf_text bytes; /* of kind 2, borrowed */
};

/* The next field. False at the end, and when the cursor failed: what is there makes no sense. */
HF_MUST_CHECK bool hf_protobuf_next(struct hf_cursor *c, struct hf_protobuf_field *out_field);

/* A cursor over the numbers of a repeated field: one, or those packed in it. */
struct hf_protobuf_numbers {
    struct hf_cursor packed;
    uint64_t one;
    bool has_one;
};
struct hf_protobuf_numbers hf_protobuf_numbers(const struct hf_protobuf_field *field);

/* The next of them. False at the end, and when the packed bytes make no sense. */
HF_MUST_CHECK bool hf_protobuf_number(struct hf_protobuf_numbers *numbers, uint64_t *out_value);

/* Writes a number; 0 is not written: it is what a missing field means. */
void hf_protobuf_put_u64(struct hf_out *out, unsigned field, uint64_t value);
void hf_protobuf_put_bytes(struct hf_out *out, unsigned field, struct hf_text bytes);

/* Writes a varint alone, for packed fields. */
void hf_protobuf_put_varint(struct hf_out *out, uint64_t value);

#endif
