#include "base/strings/utf8.h"

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

size_t hf_utf8_columns(struct hf_text text)
{
    size_t columns = 0;
    for (size_t i = 0; i < text.size; i++)
        columns += !is_continuation((unsigned char)text.data[i]);
    return columns;
}

size_t hf_utf8_next(struct hf_text text, uint32_t *out_point)
{
    const unsigned char *s = (const unsigned char *)text.data;
    *out_point = HF_UTF8_INVALID;
    if (s[0] < 0x80) {
        *out_point = s[0];
        return 1;
    }
    if (s[0] >= 0xc2 && s[0] <= 0xdf && text.size >= 2 && is_continuation(s[1])) {
        *out_point = (uint32_t)(s[0] & 0x1f) << 6 | (uint32_t)(s[1] & 0x3f);
        return 2;
    }
    if ((s[0] & 0xf0) == 0xe0 && text.size >= 3 && is_continuation(s[1]) && is_continuation(s[2])) {
        uint32_t point =
            (uint32_t)(s[0] & 0x0f) << 12 | (uint32_t)(s[1] & 0x3f) << 6 | (uint32_t)(s[2] & 0x3f);
        bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
        if (point < 0x800 || is_surrogate)
            return 1;
        *out_point = point;
        return 3;
    }
    if (s[0] >= 0xf0 && s[0] <= 0xf4 && text.size >= 4 && is_continuation(s[1]) &&
        is_continuation(s[2]) && is_continuation(s[3])) {
        uint32_t point = (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3f) << 12 |
                         (uint32_t)(s[2] & 0x3f) << 6 | (uint32_t)(s[3] & 0x3f);
        if (point < 0x10000 || point > 0x10ffff)
            return 1;
        *out_point = point;
        return 4;
    }
    return 1;
}

bool hf_utf8_is_visible(uint32_t point)
{
    if (point < 0x20 || (point >= 0x7f && point <= 0x9f))
        return false;
    if (point < 0xad)
        return true;
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0xad, 0xad},       /* soft hyphen */
        {0x61c, 0x61c},     /* Arabic letter mark */
        {0x180e, 0x180e},   /* Mongolian vowel separator */
        {0x200b, 0x200f},   /* zero width, direction marks */
        {0x2028, 0x202e},   /* line, paragraph, bidi embeddings and overrides */
        {0x2060, 0x206f},   /* word joiner, invisible operators, bidi isolates */
        {0xd800, 0xdfff},   /* surrogates */
        {0xfdd0, 0xfdef},   /* noncharacters */
        {0xfeff, 0xfeff},   /* byte order mark */
        {0xfff9, 0xfffb},   /* interlinear annotation */
        {0xe0000, 0xe0fff}, /* tags */
    };
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (point >= hidden[i].first && point <= hidden[i].last)
            return false;
    }
    return (point & 0xfffe) != 0xfffe && point <= 0x10ffff;
}
