#include "unwind/php/strings.h"

#include "base/mix.h"

#define HASHED 32u /* bytes */

enum { STRING_HEAD_BYTES = 24, STRING_TYPE_MASK = 0x0f, STRING_TYPE = 6 /* IS_STRING */ };

bool hf_php_text_find(const struct hf_php_layout *layout,
    const struct hf_interpreted_memory *memory, uint64_t address, struct hf_php_text *out_text)
{
    uint8_t head[STRING_HEAD_BYTES], end;
    if (!hf_interpreted_copy(memory, address, head, sizeof head) ||
        (hf_interpreted_u32(head, layout->string_type) & STRING_TYPE_MASK) != STRING_TYPE)
        return false;
    uint64_t size = hf_interpreted_u64(head, layout->string_length);
    if (size > HF_PHP_STRING_MAX)
        return false;
    *out_text = (struct hf_php_text){.at = address + layout->string_bytes, .size = (uint32_t)size};
    return hf_interpreted_copy(memory, out_text->at + size, &end, 1) && end == 0;
}

bool hf_php_text_hash(
    const struct hf_interpreted_memory *memory, const struct hf_php_text *text, uint64_t *hash)
{
    uint8_t bytes[HASHED] = {0};
    uint32_t size = text->size < HASHED ? text->size : HASHED;
    bool is_there =
        size == 0 || hf_interpreted_copy(memory, text->at + text->size - size, bytes, size);
    uint64_t sum = *hash + text->size;
    for (uint32_t i = 0; i < HASHED; i += 16)
        sum = hf_mix(sum ^ hf_interpreted_u64(bytes, i),
            UINT64_C(0x9e3779b97f4a7c15) ^ hf_interpreted_u64(bytes, i + 8));
    *hash = hf_mix(sum, UINT64_C(0xd6e8feb86659fd93));
    return is_there;
}

size_t hf_php_text_write(
    const struct hf_interpreted_memory *memory, const struct hf_php_text *text, char *out)
{
    uint32_t size = text->size < HF_PHP_TEXT_MAX ? text->size : HF_PHP_TEXT_MAX;
    if (size == 0 || !hf_interpreted_copy(memory, text->at, out, size))
        return 0;
    const char *nul = memchr(out, '\0', size);
    if (nul != NULL)
        return (size_t)(nul - out);
    bool is_whole = text->size == size;
    return is_whole || hf_interpreted_copy(memory, text->at + text->size - size, out, size) ? size
                                                                                            : 0;
}
