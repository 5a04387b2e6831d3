#include "base/cursor.h"

#define LEB128_MAX_BYTES 10

uint64_t hf_cursor_uleb_long(struct hf_cursor *c)
{
    uint64_t value = 0;
    unsigned shift = 0;
    for (unsigned i = 0; i < LEB128_MAX_BYTES; i++) {
        uint8_t byte = hf_cursor_u8(c);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return hf_cursor_failed(c) ? 0 : value;
        shift += 7;
    }
    hf_cursor_fail(c);
    return 0;
}

int64_t hf_cursor_sleb_long(struct hf_cursor *c)
{
    uint64_t value = 0;
    unsigned shift = 0;
    for (unsigned i = 0; i < LEB128_MAX_BYTES; i++) {
        uint8_t byte = hf_cursor_u8(c);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if ((byte & 0x80) == 0) {
            if (hf_cursor_failed(c))
                return 0;
            if (shift < 64 && (byte & 0x40) != 0)
                value |= ~UINT64_C(0) << shift;
            return (int64_t)value;
        }
    }
    hf_cursor_fail(c);
    return 0;
}

struct hf_text hf_cursor_bytes(struct hf_cursor *c, uint64_t size)
{
    if (size > hf_cursor_left(c)) {
        hf_cursor_fail(c);
        return (struct hf_text){NULL, 0};
    }
    struct hf_text bytes = {(const char *)c->at, (size_t)size};
    c->at += size;
    return bytes;
}

struct hf_text hf_cursor_string(struct hf_cursor *c)
{
    const uint8_t *nul = c->at < c->end ? memchr(c->at, 0, hf_cursor_left(c)) : NULL;
    if (nul == NULL) {
        hf_cursor_fail(c);
        return (struct hf_text){NULL, 0};
    }
    struct hf_text string = {(const char *)c->at, (size_t)(nul - c->at)};
    c->at = nul + 1;
    return string;
}

struct hf_cursor hf_cursor_sub(struct hf_cursor *c, uint64_t size, const char *name)
{
    struct hf_text bytes = hf_cursor_bytes(c, size);
    struct hf_cursor sub = hf_cursor_of(bytes.data, bytes.size, name);
    if (hf_cursor_failed(c))
        sub.failure = sub.at != NULL ? sub.at : c->failure;
    return sub;
}
