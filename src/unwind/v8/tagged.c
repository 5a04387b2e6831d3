#include "unwind/v8/tagged.h"

#include "base/mix.h"
#include "unwind/interpreted/characters.h"

#define PRIME UINT64_C(0x9e3779b97f4a7c15)
#define STEPS 8u    /* from a string to its characters */
#define JOINS 64u   /* strings that one is joined of */
#define PIECE 4096u /* bytes of a source that are copied at once */

/* Representations of strings, the lowest three bits of the type; the next: one byte a character. */
enum { V8_SEQUENTIAL = 0, V8_JOINED = 1, V8_EXTERNAL = 2, V8_SLICED = 3, V8_THIN = 5 };
enum { V8_REPRESENTATION = 7, V8_ONE_BYTE = 8, V8_UNCACHED = 16, V8_STRINGS_END = 128 };

bool hf_v8_object_word(
    const struct hf_interpreted_memory *memory, uint64_t object, int32_t offset, uint64_t *out_word)
{
    return hf_interpreted_copy(
        memory, object - HF_V8_TAG + (uint32_t)offset, out_word, sizeof *out_word);
}

bool hf_v8_object_find(const struct hf_v8 *v8, const struct hf_interpreted_memory *memory,
    uint64_t *object, uint32_t *out_type)
{
    uint64_t map;
    uint16_t type;
    if ((*object & 7) != HF_V8_TAG || !hf_v8_object_word(memory, *object, 0, &map))
        return false;
    if ((map & HF_V8_TAG) == 0) { /* it has moved */
        *object = map + HF_V8_TAG;
        if ((*object & 7) != HF_V8_TAG || !hf_v8_object_word(memory, *object, 0, &map))
            return false;
    }
    if ((map & 7) != HF_V8_TAG ||
        !hf_interpreted_copy(memory, map - HF_V8_TAG + (uint32_t)v8->map_type, &type, sizeof type))
        return false;
    *out_type = type;
    return true;
}

/* The characters of a string that has them itself, or whose embedder has them. */
static bool v8_find_characters(const struct hf_v8 *v8, const struct hf_interpreted_memory *memory,
    uint64_t object, uint32_t type, struct hf_v8_text *text)
{
    text->unit = (type & V8_ONE_BYTE) != 0 ? 1 : 2;
    if ((type & V8_REPRESENTATION) == V8_SEQUENTIAL) {
        text->at = object - HF_V8_TAG +
                   (uint32_t)(text->unit == 1 ? v8->string_one_byte : v8->string_two_byte);
        return true;
    }
    return (type & V8_REPRESENTATION) == V8_EXTERNAL && (type & V8_UNCACHED) == 0 &&
           hf_v8_object_word(memory, object, v8->string_external + 8, &text->at);
}

/* From a string that has no characters of its own to the one that has. */
static bool v8_follow_string(const struct hf_v8 *v8, const struct hf_interpreted_memory *memory,
    uint64_t *object, uint32_t type, uint32_t *start)
{
    uint64_t second, number;
    switch (type & V8_REPRESENTATION) {
    case V8_THIN: return hf_v8_object_word(memory, *object, v8->thin_actual, object);
    case V8_JOINED: /* flat: nothing is joined to the first */
        return hf_v8_object_word(memory, *object, v8->cons_second, &second) &&
               hf_v8_string_length(v8, memory, second) == 0 &&
               hf_v8_object_word(memory, *object, v8->cons_first, object);
    case V8_SLICED:
        if (!hf_v8_object_word(memory, *object, v8->slice_start, &number) ||
            (number & HF_V8_TAG) != 0)
            return false;
        *start += (uint32_t)(number >> 32);
        return hf_v8_object_word(memory, *object, v8->slice_parent, object);
    default: return false;
    }
}

/* False if it is no string. */
static bool v8_read_length(const struct hf_v8 *v8, const struct hf_interpreted_memory *memory,
    uint64_t *object, uint32_t *out_type, uint32_t *out_length)
{
    return hf_v8_object_find(v8, memory, object, out_type) && *out_type < V8_STRINGS_END &&
           hf_interpreted_copy(memory, *object - HF_V8_TAG + (uint32_t)v8->string_length,
               out_length, sizeof *out_length) &&
           *out_length < UINT32_C(1) << 30;
}

uint32_t hf_v8_string_length(
    const struct hf_v8 *v8, const struct hf_interpreted_memory *memory, uint64_t object)
{
    uint32_t type, length;
    return v8_read_length(v8, memory, &object, &type, &length) ? length : 0;
}

bool hf_v8_text_find(const struct hf_v8 *v8, const struct hf_interpreted_memory *memory,
    uint64_t object, struct hf_v8_text *out_text)
{
    uint32_t length = 0, start = 0, type, of;
    for (uint32_t step = 0; step < STEPS; step++) {
        if (!v8_read_length(v8, memory, &object, &type, &of))
            return false;
        length = step == 0 ? of : length;
        if (v8_find_characters(v8, memory, object, type, out_text)) {
            out_text->at += (uint64_t)start * out_text->unit;
            out_text->length = length;
            return start <= of && length <= of - start;
        }
        if (!v8_follow_string(v8, memory, &object, type, &start))
            return false;
    }
    return false;
}

static uint32_t v8_unit_at(const uint8_t *bytes, uint32_t i, uint32_t unit)
{
    return unit == 1 ? bytes[i] : bytes[2 * i] | (uint32_t)bytes[2 * i + 1] << 8;
}

/* Puts the end of a text before what the name has. */
static bool v8_put_before(const struct hf_interpreted_memory *memory, const struct hf_v8_text *text,
    struct hf_v8_name *name)
{
    uint8_t bytes[HF_V8_NAME_MAX * 2];
    uint32_t room = HF_V8_NAME_MAX - name->count;
    uint32_t count = text->length < room ? text->length : room;
    uint64_t at = text->at + (uint64_t)(text->length - count) * text->unit;
    if (count != 0 && !hf_interpreted_copy(memory, at, bytes, (size_t)count * text->unit))
        return false;
    name->count += count;
    for (uint32_t i = 0; i < count; i++)
        name->units[HF_V8_NAME_MAX - name->count + i] = (uint16_t)v8_unit_at(bytes, i, text->unit);
    return true;
}

/* Puts the two strings that one is joined of on top of what is to be read, the last one above. */
static bool v8_split(const struct hf_v8 *v8, const struct hf_interpreted_memory *memory,
    uint64_t object, uint64_t rest[2])
{
    uint32_t type;
    return hf_v8_object_find(v8, memory, &object, &type) && type < V8_STRINGS_END &&
           (type & V8_REPRESENTATION) == V8_JOINED &&
           hf_v8_object_word(memory, object, v8->cons_first, &rest[0]) &&
           hf_v8_object_word(memory, object, v8->cons_second, &rest[1]);
}

bool hf_v8_name_read(const struct hf_v8 *v8, const struct hf_interpreted_memory *memory,
    uint64_t object, struct hf_v8_name *out_name)
{
    uint64_t rest[JOINS + 1] = {object};
    uint32_t count = 1;
    struct hf_v8_text text;
    out_name->count = 0;
    for (uint32_t step = 0; step < 2 * JOINS && count != 0; step++) {
        uint64_t next = rest[--count];
        if (out_name->count == HF_V8_NAME_MAX)
            return true;
        if (hf_v8_text_find(v8, memory, next, &text)) {
            if (!v8_put_before(memory, &text, out_name))
                return false;
        } else if (count + 2 > JOINS || !v8_split(v8, memory, next, &rest[count])) {
            return false;
        } else {
            count += 2;
        }
    }
    return count == 0;
}

uint64_t hf_v8_name_hash(const struct hf_v8_name *name, uint64_t hash)
{
    const uint8_t *units = (const uint8_t *)(name->units + HF_V8_NAME_MAX - name->count);
    uint32_t size = name->count * (uint32_t)sizeof name->units[0], at = 0;
    uint64_t rest = 0;
    hash = hf_mix(hash ^ name->count, PRIME);
    for (; at + 8 <= size; at += 8)
        hash = hf_mix(hash ^ hf_interpreted_u64(units, at), PRIME);
    memcpy(&rest, units + at, size - at);
    return hf_mix(hash ^ rest, PRIME);
}

size_t hf_v8_name_write(const struct hf_v8_name *name, char out[HF_V8_NAME_BYTES])
{
    size_t size = 0;
    for (uint32_t i = HF_V8_NAME_MAX - name->count; i < HF_V8_NAME_MAX; i++) {
        uint32_t c = name->units[i], low = i + 1 < HF_V8_NAME_MAX ? name->units[i + 1] : 0;
        if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            i++;
        }
        size += hf_interpreted_put_utf8(c, out + size);
    }
    return size;
}

/* Lines that end in these characters; one more, behind them, can be read. Without a branch, for
 * sources are long. */
static uint32_t v8_count_lines(const uint8_t *bytes, uint32_t count)
{
    uint32_t lines = 0;
    for (uint32_t i = 0; i < count; i++)
        lines += (uint32_t)(bytes[i] == '\n') +
                 ((uint32_t)(bytes[i] == '\r') & (uint32_t)(bytes[i + 1] != '\n'));
    return lines;
}

static uint32_t v8_count_wide_lines(const uint8_t *bytes, uint32_t count)
{
    uint32_t lines = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = v8_unit_at(bytes, i, 2);
        lines += (uint32_t)(c == '\n') + (uint32_t)((c & ~UINT32_C(1)) == 0x2028) +
                 ((uint32_t)(c == '\r') & (uint32_t)(v8_unit_at(bytes, i + 1, 2) != '\n'));
    }
    return lines;
}

uint32_t hf_v8_text_line(
    const struct hf_interpreted_memory *memory, const struct hf_v8_text *text, uint32_t position)
{
    uint8_t bytes[PIECE + 2];
    uint32_t line = 1, piece = PIECE / text->unit;
    if (position >= text->length || position > HF_V8_SOURCE_MAX)
        return 0;
    for (uint32_t from = 0; from < position; from += piece) {
        uint32_t count = position - from < piece ? position - from : piece;
        if (!hf_interpreted_copy(memory, text->at + (uint64_t)from * text->unit, bytes,
                (size_t)(count + 1) * text->unit))
            return 0;
        line += text->unit == 1 ? v8_count_lines(bytes, count) : v8_count_wide_lines(bytes, count);
    }
    return line;
}
