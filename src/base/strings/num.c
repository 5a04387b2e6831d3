#include "base/strings/num.h"

#include "base/checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Value plus one of each digit; 0: no digit. */
static const uint8_t hex_digits[256] = {['0'] = 1,
    ['1'] = 2,
    ['2'] = 3,
    ['3'] = 4,
    ['4'] = 5,
    ['5'] = 6,
    ['6'] = 7,
    ['7'] = 8,
    ['8'] = 9,
    ['9'] = 10,
    ['a'] = 11,
    ['b'] = 12,
    ['c'] = 13,
    ['d'] = 14,
    ['e'] = 15,
    ['f'] = 16,
    ['A'] = 11,
    ['B'] = 12,
    ['C'] = 13,
    ['D'] = 14,
    ['E'] = 15,
    ['F'] = 16};

/* As many digits as never pass 2^64-1. */
#define SAFE_DIGITS 19
#define SAFE_HEX_DIGITS 16

bool hf_num_take_u64(struct hf_text *text, uint64_t *out_value)
{
    uint64_t value = 0;
    size_t i = 0;
    for (; i < text->size && text->data[i] >= '0' && text->data[i] <= '9'; i++) {
        uint64_t digit = (uint64_t)(text->data[i] - '0');
        if (i < SAFE_DIGITS)
            value = value * 10 + digit;
        else if (!hf_mul_u64(value, 10, &value) || !hf_add_u64(value, digit, &value))
            return false;
    }
    if (i == 0)
        return false;
    *text = hf_text_from(*text, i);
    *out_value = value;
    return true;
}

bool hf_num_u64(struct hf_text text, uint64_t *out_value)
{
    uint64_t value;
    if (!hf_num_take_u64(&text, &value) || text.size != 0)
        return false;
    *out_value = value;
    return true;
}

bool hf_num_take_hex(struct hf_text *text, uint64_t *out_value)
{
    uint64_t value = 0;
    size_t i = 0, safe = text->size < SAFE_HEX_DIGITS ? text->size : SAFE_HEX_DIGITS;
    unsigned digit;
    for (; i < safe && (digit = hex_digits[(unsigned char)text->data[i]]) != 0; i++)
        value = value << 4 | (digit - 1);
    for (; i < text->size && (digit = hex_digits[(unsigned char)text->data[i]]) != 0; i++) {
        if (value >> 60 != 0)
            return false;
        value = value << 4 | (digit - 1);
    }
    if (i == 0)
        return false;
    *text = hf_text_from(*text, i);
    *out_value = value;
    return true;
}

bool hf_num_hex(struct hf_text text, uint64_t *out_value)
{
    uint64_t value;
    if (hf_text_starts(text, "0x") || hf_text_starts(text, "0X"))
        text = hf_text_from(text, 2);
    if (!hf_num_take_hex(&text, &value) || text.size != 0)
        return false;
    *out_value = value;
    return true;
}

bool hf_num_real(struct hf_text text, double *out_value)
{
    char copy[64];
    if (text.size == 0 || text.size >= sizeof copy)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (strchr("0123456789.eE+-", text.data[i]) == NULL)
            return false;
    }
    if (text.data[0] == '+' || text.data[0] == '-')
        return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    char *end;
    double value = strtod(copy, &end);
    if (end != copy + text.size || !isfinite(value))
        return false;
    *out_value = value;
    return true;
}
