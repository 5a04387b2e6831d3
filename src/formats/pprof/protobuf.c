#include "formats/pprof/protobuf.h"

#include "base/budget.h"

#define FIELD_STEPS 80  /* to read one, and to find out what it is */
#define NUMBER_STEPS 60 /* to read one of many, and to look it up */

bool hf_protobuf_next(struct hf_cursor *c, struct hf_protobuf_field *out_field)
{
    if (hf_cursor_left(c) == 0)
        return false;
    (void)hf_budget_step(FIELD_STEPS);
    uint64_t tag = hf_cursor_uleb(c);
    struct hf_protobuf_field field = {.number = tag >> 3};
    switch (tag & 7) {
    case HF_PROTOBUF_VARINT: field.value = hf_cursor_uleb(c); break;
    case HF_PROTOBUF_FIXED64: field.value = hf_cursor_u64(c); break;
    case HF_PROTOBUF_BYTES: field.bytes = hf_cursor_bytes(c, hf_cursor_uleb(c)); break;
    case HF_PROTOBUF_FIXED32: field.value = hf_cursor_u32(c); break;
    default: hf_cursor_fail(c); break;
    }
    if (field.number == 0)
        hf_cursor_fail(c);
    if (hf_cursor_failed(c))
        return false;
    field.kind = (enum hf_protobuf_kind)(tag & 7);
    *out_field = field;
    return true;
}

struct hf_protobuf_numbers hf_protobuf_numbers(const struct hf_protobuf_field *field)
{
    return (struct hf_protobuf_numbers){
        .packed = hf_cursor_of(field->bytes.data, field->bytes.size, ""),
        .one = field->value,
        .has_one = field->kind != HF_PROTOBUF_BYTES,
    };
}

bool hf_protobuf_number(struct hf_protobuf_numbers *numbers, uint64_t *out_value)
{
    if (numbers->has_one) {
        numbers->has_one = false;
        *out_value = numbers->one;
        return true;
    }
    if (hf_cursor_left(&numbers->packed) == 0)
        return false;
    uint64_t value = hf_cursor_uleb(&numbers->packed);
    (void)hf_budget_step(NUMBER_STEPS);
    if (hf_cursor_failed(&numbers->packed))
        return false;
    *out_value = value;
    return true;
}

void hf_protobuf_put_varint(struct hf_out *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        hf_out_char(out, (char)(value | 0x80));
    hf_out_char(out, (char)value);
}

void hf_protobuf_put_u64(struct hf_out *out, unsigned field, uint64_t value)
{
    if (value == 0)
        return;
    hf_protobuf_put_varint(out, (uint64_t)field << 3 | HF_PROTOBUF_VARINT);
    hf_protobuf_put_varint(out, value);
}

void hf_protobuf_put_bytes(struct hf_out *out, unsigned field, struct hf_text bytes)
{
    hf_protobuf_put_varint(out, (uint64_t)field << 3 | HF_PROTOBUF_BYTES);
    hf_protobuf_put_varint(out, bytes.size);
    hf_out_text(out, bytes);
}
