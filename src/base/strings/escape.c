#include "base/strings/escape.h"

#include "base/strings/utf8.h"

#define SPECIALS_MAX 5

/* A place that text goes to. */
struct destination {
    const char *backslash; /* as it is written there */
    struct {
        char c;
        const char *replacement;
    } specials[SPECIALS_MAX + 1]; /* printable ASCII that is not written as itself; ends with 0 */
    uint64_t low, high;           /* their bits: 0 to 63, and from 64 on */
};

#define LOW(c) (UINT64_C(1) << (c))
#define HIGH(c) (UINT64_C(1) << ((c)-64))

static const struct destination xml = {"\\",
    {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}},
    LOW('&') | LOW('<') | LOW('>') | LOW('"') | LOW('\''), 0};
static const struct destination json = {"\\\\",
    {{'"', "\\\""}, {'\\', "\\\\"}, {'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}},
    LOW('"') | LOW('<') | LOW('>') | LOW('&'), HIGH('\\')};
static const struct destination dot = {
    "\\\\", {{'"', "\\\""}, {'\\', "\\\\"}}, LOW('"'), HIGH('\\')};
static const struct destination terminal = {"\\", {{0, NULL}}, 0, 0};
static const struct destination folded = {"\\", {{';', "\\x3b"}}, LOW(';'), 0};

static const char *replacement(const struct destination *to, char c)
{
    for (size_t i = 0; to->specials[i].c != 0; i++) {
        if (to->specials[i].c == c)
            return to->specials[i].replacement;
    }
    return NULL;
}

#define EACH_BYTE UINT64_C(0x0101010101010101)
#define EACH_HIGH_BIT (EACH_BYTE * 0x80)

/* The high bits of bytes that are below `limit`, at most 128: the lowest such bit is one's. */
static inline uint64_t bits_below(uint64_t word, uint64_t limit)
{
    return (word - EACH_BYTE * limit) & ~word & EACH_HIGH_BIT;
}

static inline uint64_t bits_of(uint64_t word, char c)
{
    return bits_below(word ^ EACH_BYTE * (uint8_t)c, 1);
}

/* How many of 8 bytes, from the first on, are printable ASCII and written as themselves. */
static size_t count_plain(const struct destination *to, const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        word = __builtin_bswap64(word);
    uint64_t others = (word & EACH_HIGH_BIT) | bits_below(word, ' ') | bits_of(word, 0x7f);
    for (size_t i = 0; to->specials[i].c != 0; i++)
        others |= bits_of(word, to->specials[i].c);
    return others == 0 ? sizeof word : (size_t)__builtin_ctzll(others) / 8;
}

/* True of a byte that is. */
static inline bool is_plain(const struct destination *to, char c)
{
    uint64_t specials = (c & 64) != 0 ? to->high : to->low;
    return c >= ' ' && c <= '~' && (specials >> (c & 63) & 1) == 0;
}

static void put_hidden(struct hf_out *out, char first_byte, uint32_t point, const char *backslash)
{
    if (point == HF_UTF8_INVALID || point < 0x80)
        hf_out_printf(out, "%sx%02x", backslash, (unsigned)(unsigned char)first_byte);
    else
        hf_out_printf(out, "%su{%x}", backslash, point);
}

static void escape(struct hf_out *out, struct hf_text text, const struct destination *to)
{
    size_t plain = 0; /* bytes before `at` that can go out as they are */
    size_t at = 0;
    while (at < text.size) {
        if (text.size - at >= sizeof(uint64_t)) {
            size_t count = count_plain(to, text.data + at);
            at += count;
            if (count == sizeof(uint64_t))
                continue;
        } else if (is_plain(to, text.data[at])) {
            at++;
            continue;
        }
        uint32_t point;
        size_t size = hf_utf8_next(hf_text_from(text, at), &point);
        bool is_hidden = point == HF_UTF8_INVALID || !hf_utf8_is_visible(point);
        const char *special = is_hidden || size != 1 ? NULL : replacement(to, text.data[at]);
        if (is_hidden || special != NULL) {
            hf_out_bytes(out, text.data + plain, at - plain);
            if (is_hidden)
                put_hidden(out, text.data[at], point, to->backslash);
            else
                hf_out_string(out, special);
            plain = at + size;
        }
        at += size;
    }
    hf_out_bytes(out, text.data + plain, at - plain);
}

void hf_escape_xml(struct hf_out *out, struct hf_text text)
{
    escape(out, text, &xml);
}

void hf_escape_json(struct hf_out *out, struct hf_text text)
{
    escape(out, text, &json);
}

void hf_escape_dot(struct hf_out *out, struct hf_text text)
{
    escape(out, text, &dot);
}

void hf_escape_terminal(struct hf_out *out, struct hf_text text)
{
    escape(out, text, &terminal);
}

void hf_escape_folded(struct hf_out *out, struct hf_text text)
{
    escape(out, text, &folded);
}
