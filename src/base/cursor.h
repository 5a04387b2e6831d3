/*
 * cursor.h: the one way to read binary bytes from outside.
 *
 * A cursor knows its name, start, position and end. The first read past the end *latches*: it and
 * every later read return zero, the position jumps to the end, so every loop over a cursor ends,
 * and the caller checks `hf_cursor_failed` once a record. Little-endian only: the images and
 * tables heapflame reads are x86-64's and arm64's, and src/elf refuses others.
 *
 * LEB128 (DWARF 5, section 7.6) is read to at most 10 bytes.
 *
 * A cursor borrows its bytes. Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     static const uint8_t bytes[] = {1, 0, 0x40};
 *     struct hf_cursor at = hf_cursor_of(bytes, sizeof bytes, "note");
 *     uint16_t kind = hf_cursor_u16(&at);
 *     uint8_t size = hf_cursor_u8(&at);
 *     if (hf_cursor_failed(&at))
 *         return hf_error_set(err, HF_ERR_INPUT, "is cut");
 *     hf_out_printf(out, "%d %d", kind, size);
 */
#ifndef HF_BASE_CURSOR_H
#define HF_BASE_CURSOR_H

#include "base/attr.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hf_cursor {
    const uint8_t *start;
    const uint8_t *at;
    const uint8_t *end;
    const char *name;       /* for messages: a file or section; borrowed */
    const uint8_t *failure; /* where the first overrun was; NULL while all is well */
};

static inline struct hf_cursor hf_cursor_of(const void *data, size_t size, const char *name)
{
    /* No bytes are bytes somewhere: a position that is NULL could not be that of a failure. */
    const uint8_t *start = data != NULL ? data : (const uint8_t *)"";
    return (struct hf_cursor){start, start, start + size, name, NULL};
}

static inline bool hf_cursor_failed(const struct hf_cursor *c)
{
    return c->failure != NULL;
}

static inline size_t hf_cursor_left(const struct hf_cursor *c)
{
    return (size_t)(c->end - c->at);
}

static inline size_t hf_cursor_offset(const struct hf_cursor *c)
{
    return (size_t)(c->at - c->start);
}

static inline size_t hf_cursor_size(const struct hf_cursor *c)
{
    return (size_t)(c->end - c->start);
}

/* Latches the failure at the present position. Also for values that make no sense. */
static inline void hf_cursor_fail(struct hf_cursor *c)
{
    if (c->failure == NULL)
        c->failure = c->at;
    c->at = c->end;
}

/* True if `size` bytes are there; latches if not. */
static inline bool hf_cursor_need(struct hf_cursor *c, size_t size)
{
    if (HF_LIKELY((size_t)(c->end - c->at) >= size))
        return true;
    hf_cursor_fail(c);
    return false;
}

static inline uint8_t hf_cursor_u8(struct hf_cursor *c)
{
    if (!hf_cursor_need(c, 1))
        return 0;
    return *c->at++;
}

#define HF_CURSOR_READ(type, name)                                                                 \
    static inline type name(struct hf_cursor *c)                                                   \
    {                                                                                              \
        type value = 0;                                                                            \
        if (!hf_cursor_need(c, sizeof value))                                                      \
            return 0;                                                                              \
        memcpy(&value, c->at, sizeof value);                                                       \
        c->at += sizeof value;                                                                     \
        return value;                                                                              \
    }

HF_CURSOR_READ(uint16_t, hf_cursor_u16)
HF_CURSOR_READ(uint32_t, hf_cursor_u32)
HF_CURSOR_READ(uint64_t, hf_cursor_u64)
#undef HF_CURSOR_READ

static inline uint32_t hf_cursor_u24(struct hf_cursor *c)
{
    if (!hf_cursor_need(c, 3))
        return 0;
    uint32_t value = (uint32_t)c->at[0] | (uint32_t)c->at[1] << 8 | (uint32_t)c->at[2] << 16;
    c->at += 3;
    return value;
}

/* Rare paths of the two readers below: more than two bytes. */
uint64_t hf_cursor_uleb_long(struct hf_cursor *c);
int64_t hf_cursor_sleb_long(struct hf_cursor *c);

static inline uint64_t hf_cursor_uleb(struct hf_cursor *c)
{
    if (HF_LIKELY(c->at < c->end && *c->at < 0x80))
        return *c->at++;
    if (HF_LIKELY(c->end - c->at >= 2 && c->at[1] < 0x80)) {
        c->at += 2;
        return (uint64_t)(c->at[-2] & 0x7f) | (uint64_t)c->at[-1] << 7;
    }
    return hf_cursor_uleb_long(c);
}

static inline int64_t hf_cursor_sleb(struct hf_cursor *c)
{
    if (HF_LIKELY(c->at < c->end && *c->at < 0x80)) {
        int value = *c->at++;
        return value < 0x40 ? value : value - 0x80;
    }
    if (HF_LIKELY(c->end - c->at >= 2 && c->at[1] < 0x80)) {
        c->at += 2;
        int value = (c->at[-2] & 0x7f) | c->at[-1] << 7;
        return value < 0x2000 ? value : value - 0x4000;
    }
    return hf_cursor_sleb_long(c);
}

/* Skips one LEB128 of either sign. */
static inline void hf_cursor_skip_leb(struct hf_cursor *c)
{
    if (HF_LIKELY(c->at < c->end && *c->at < 0x80)) {
        c->at++;
        return;
    }
    (void)hf_cursor_uleb_long(c);
}

static inline void hf_cursor_skip(struct hf_cursor *c, uint64_t size)
{
    if (HF_LIKELY(size <= (uint64_t)(c->end - c->at)))
        c->at += size;
    else
        hf_cursor_fail(c);
}

/* Moves to `offset` from the start; latches if that is past the end. A latched cursor stays so. */
static inline void hf_cursor_seek(struct hf_cursor *c, uint64_t offset)
{
    if (HF_LIKELY(c->failure == NULL && offset <= (uint64_t)(c->end - c->start)))
        c->at = c->start + offset;
    else
        hf_cursor_fail(c);
}

/* The next `size` bytes, borrowed; {NULL, 0} and latched if they are not there. */
struct hf_text hf_cursor_bytes(struct hf_cursor *c, uint64_t size);

/* The text up to the next NUL, which is consumed; latched if there is no NUL. */
struct hf_text hf_cursor_string(struct hf_cursor *c);

/* A cursor over the next `size` bytes, which are consumed here. Latched if they are not there. */
struct hf_cursor hf_cursor_sub(struct hf_cursor *c, uint64_t size, const char *name);

/*
 * Turns a latched failure into an error: "<name>: offset 0x..: ends in the middle of <what>".
 * Returns HF_OK if nothing failed.
 */
HF_MUST_CHECK enum hf_status hf_cursor_check(
    const struct hf_cursor *c, const char *what, struct hf_error *err);

#endif
