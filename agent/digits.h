/*
 * digits.h: a number as text, without stdio.
 */
#ifndef HF_AGENT_DIGITS_H
#define HF_AGENT_DIGITS_H

#include "base/text.h"

#include <stdint.h>

#define HF_DIGITS_MAX 20

/* In base 10 or 16, in lower case. The text lies in `digits`. */
static inline struct hf_text hf_digits(uint64_t number, unsigned base, char digits[HF_DIGITS_MAX])
{
    size_t at = HF_DIGITS_MAX;
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    return (struct hf_text){digits + at, HF_DIGITS_MAX - at};
}

#endif
