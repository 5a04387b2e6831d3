#include "base/strings/decimal.h"

const char hf_decimal_pairs[200] = {
    "0001020304050607080910111213141516171819202122232425262728293031"
    "3233343536373839404142434445464748495051525354555657585960616263"
    "6465666768697071727374757677787980818283848586878889909192939495"
    "96979899"};

static char *put_four(char *to, uint32_t value)
{
    memcpy(to, hf_decimal_pairs + (size_t)(value / 100) * 2, 2);
    memcpy(to + 2, hf_decimal_pairs + (size_t)(value % 100) * 2, 2);
    return to + 4;
}

char *hf_decimal_put_many(char *to, uint64_t value)
{
    uint32_t fours[HF_DECIMAL_MAX / 4]; /* from the last on */
    size_t count = 0;
    for (; value >= 10000; value /= 10000)
        fours[count++] = (uint32_t)(value % 10000);
    to = hf_decimal_put(to, value);
    while (count != 0)
        to = put_four(to, fours[--count]);
    return to;
}

char *hf_decimal_put_grouped(char *to, uint64_t value)
{
    uint32_t threes[7]; /* from the last on */
    size_t count = 0;
    for (; value >= 1000; value /= 1000)
        threes[count++] = (uint32_t)(value % 1000);
    to = hf_decimal_put(to, value);
    while (count != 0) {
        uint32_t three = threes[--count];
        to[0] = ',';
        to[1] = (char)('0' + three / 100);
        memcpy(to + 2, hf_decimal_pairs + (size_t)(three % 100) * 2, 2);
        to += 4;
    }
    return to;
}
