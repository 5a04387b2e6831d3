#include "unwind/python/unicode.h"

#include "base/mix.h"
#include "unwind/interpreted/characters.h"

#define CHUNK 64u /* characters that are copied at once */

/* PyASCIIObject, the same in all versions. */
enum { TEXT_TYPE = 8, TEXT_LENGTH = 16, TEXT_STATE = 32, TEXT_HEAD_BYTES = 40 };

bool hf_python_text_find(const struct hf_python_layout *layout,
    const struct hf_interpreted_memory *memory, uint64_t type, uint64_t address,
    struct hf_python_text *out_text)
{
    uint8_t head[TEXT_HEAD_BYTES];
    if (!hf_interpreted_copy(memory, address, head, sizeof head) ||
        hf_interpreted_u64(head, TEXT_TYPE) != type)
        return false;
    /* interned: 2 bits, kind: 3, compact: 1, ascii: 1 */
    uint32_t state = hf_interpreted_u32(head, TEXT_STATE), unit = state >> 2 & 7;
    uint64_t length = hf_interpreted_u64(head, TEXT_LENGTH);
    bool is_compact = (state >> 5 & 1) != 0, is_ascii = (state >> 6 & 1) != 0;
    if ((unit != 1 && unit != 2 && unit != 4) || !is_compact || length > UINT32_MAX)
        return false;
    uint64_t skipped = length > HF_PYTHON_TEXT_MAX ? length - HF_PYTHON_TEXT_MAX : 0;
    *out_text = (struct hf_python_text){
        .at = address + (is_ascii ? layout->ascii_bytes : layout->compact_bytes) + skipped * unit,
        .count = (uint32_t)(length - skipped),
        .unit = unit,
    };
    return true;
}

/* Copies the characters from number `from` on; returns how many, 0 if they are not there. */
static uint32_t text_copy(const struct hf_interpreted_memory *memory,
    const struct hf_python_text *text, uint32_t from, uint8_t out[CHUNK * 4])
{
    uint32_t count = text->count - from < CHUNK ? text->count - from : CHUNK;
    uint64_t at = text->at + (uint64_t)from * text->unit;
    return hf_interpreted_copy(memory, at, out, (size_t)count * text->unit) ? count : 0;
}

bool hf_python_text_hash(
    const struct hf_interpreted_memory *memory, const struct hf_python_text *text, uint64_t *hash)
{
    uint8_t bytes[HF_PYTHON_TEXT_HASHED] = {0};
    uint64_t size = (uint64_t)text->count * text->unit, end = text->at + size;
    bool is_there = size >= sizeof bytes
                        ? hf_interpreted_copy(memory, end - sizeof bytes, bytes, sizeof bytes)
                        : size == 0 || hf_interpreted_copy(memory, text->at, bytes, size);
    uint64_t sum = *hash + size;
    for (uint32_t i = 0; i < sizeof bytes; i += 16)
        sum = hf_mix(sum ^ hf_interpreted_u64(bytes, i),
            UINT64_C(0x9e3779b97f4a7c15) ^ hf_interpreted_u64(bytes, i + 8));
    *hash = hf_mix(sum, UINT64_C(0xd6e8feb86659fd93));
    return is_there;
}

static uint32_t text_character(const uint8_t *bytes, uint32_t i, uint32_t unit)
{
    uint32_t c = 0;
    memcpy(&c, bytes + (size_t)i * unit, unit);
    return c;
}

size_t hf_python_text_write(
    const struct hf_interpreted_memory *memory, const struct hf_python_text *text, char *out)
{
    uint8_t bytes[CHUNK * 4];
    size_t size = 0;
    for (uint32_t from = 0, count; from < text->count; from += count) {
        count = text_copy(memory, text, from, bytes);
        if (count == 0)
            return 0;
        for (uint32_t i = 0; i < count; i++)
            size += hf_interpreted_put_utf8(text_character(bytes, i, text->unit), out + size);
    }
    return size;
}
