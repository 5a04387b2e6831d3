#include "base/escape.h"

#include "base/utf8.h"

/* Writes what the destination wants instead of `c`, and says so; false: write `c` itself. */
typedef bool (*special_fn)(struct hf_out *out, char c);

static void put_hidden(struct hf_out *out, char first_byte, uint32_t point, const char *backslash)
{
    if (point == HF_UTF8_INVALID || point < 0x80)
        hf_out_printf(out, "%sx%02x", backslash, (unsigned)(unsigned char)first_byte);
    else
        hf_out_printf(out, "%su{%x}", backslash, point);
}

static void escape(
    struct hf_out *out, struct hf_text text, special_fn special, const char *backslash)
{
    size_t plain = 0; /* bytes before `at` that can go out as they are */
    size_t at = 0;
    while (at < text.size) {
        uint32_t point;
        size_t size = hf_utf8_next(hf_text_from(text, at), &point);
        bool is_hidden = point == HF_UTF8_INVALID || !hf_utf8_is_visible(point);
        bool may_be_special = size == 1 && !is_hidden;
        if (is_hidden || (may_be_special && special(NULL, text.data[at]))) {
            hf_out_bytes(out, text.data + plain, at - plain);
            if (is_hidden)
                put_hidden(out, text.data[at], point, backslash);
            else
                (void)special(out, text.data[at]);
            plain = at + size;
        }
        at += size;
    }
    hf_out_bytes(out, text.data + plain, at - plain);
}

/* Answers for one destination: with `out` NULL only whether `c` is special there. */
static bool put_special(struct hf_out *out, const char *replacement)
{
    if (replacement == NULL)
        return false;
    if (out != NULL)
        hf_out_string(out, replacement);
    return true;
}

static bool special_in_xml(struct hf_out *out, char c)
{
    switch (c) {
    case '&': return put_special(out, "&amp;");
    case '<': return put_special(out, "&lt;");
    case '>': return put_special(out, "&gt;");
    case '"': return put_special(out, "&quot;");
    case '\'': return put_special(out, "&#39;");
    default: return false;
    }
}

static bool special_in_json(struct hf_out *out, char c)
{
    switch (c) {
    case '"': return put_special(out, "\\\"");
    case '\\': return put_special(out, "\\\\");
    case '<': return put_special(out, "\\u003c");
    case '>': return put_special(out, "\\u003e");
    case '&': return put_special(out, "\\u0026");
    default: return false;
    }
}

static bool special_in_dot(struct hf_out *out, char c)
{
    switch (c) {
    case '"': return put_special(out, "\\\"");
    case '\\': return put_special(out, "\\\\");
    default: return false;
    }
}

static bool special_in_terminal(struct hf_out *out, char c)
{
    (void)out;
    (void)c;
    return false;
}

static bool special_in_folded(struct hf_out *out, char c)
{
    return c == ';' && put_special(out, "\\x3b");
}

void hf_escape_xml(struct hf_out *out, struct hf_text text)
{
    escape(out, text, special_in_xml, "\\");
}

void hf_escape_json(struct hf_out *out, struct hf_text text)
{
    escape(out, text, special_in_json, "\\\\");
}

void hf_escape_dot(struct hf_out *out, struct hf_text text)
{
    escape(out, text, special_in_dot, "\\\\");
}

void hf_escape_terminal(struct hf_out *out, struct hf_text text)
{
    escape(out, text, special_in_terminal, "\\");
}

void hf_escape_folded(struct hf_out *out, struct hf_text text)
{
    escape(out, text, special_in_folded, "\\");
}
