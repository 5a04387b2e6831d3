/*
 * characters.h: writes the characters of an interpreter's strings.
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     char text[HF_INTERPRETED_UTF8_MAX];
 *     if (hf_interpreted_put_utf8(0xe4, text) == 2)
 *         status = HF_OK;
 */
#ifndef HF_UNWIND_INTERPRETED_CHARACTERS_H
#define HF_UNWIND_INTERPRETED_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_INTERPRETED_UTF8_MAX 4u /* bytes of a character */

/* Writes a character, '?' for what is none; returns the bytes. */
static inline size_t hf_interpreted_put_utf8(uint32_t c, char *out)
{
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    bool is_none = c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000);
    c = is_none ? '?' : c;
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    out[0] = (char)(first[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

#endif
