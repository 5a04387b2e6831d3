#include "base/num.h"

#include "base/checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool hf_num_u64(struct hf_text text, uint64_t *out_value)
{
    if (text.size == 0)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(text.data[i] - '0');
        if (!hf_mul_u64(value, 10, &value) || !hf_add_u64(value, digit, &value))
            return false;
    }
    *out_value = value;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool hf_num_hex(struct hf_text text, uint64_t *out_value)
{
    if (hf_text_starts(text, "0x") || hf_text_starts(text, "0X"))
        text = hf_text_from(text, 2);
    if (text.size == 0)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        int digit = hex_digit(text.data[i]);
        if (digit < 0 || value >> 60 != 0)
            return false;
        value = value << 4 | (uint64_t)digit;
    }
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
