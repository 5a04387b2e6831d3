#include "conf/parse.h"

struct hf_conf_cursor hf_conf_open(struct hf_text text)
{
    return (struct hf_conf_cursor){.text = hf_text_first(text, hf_text_find(text, '\0'))};
}

static bool is_key_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

enum hf_conf_step hf_conf_next(struct hf_conf_cursor *cursor, struct hf_conf_pair *out_pair)
{
    struct hf_text rest = hf_text_from(cursor->text, cursor->at);
    *out_pair = (struct hf_conf_pair){.key = {rest.data, 0}};
    if (rest.size == 0)
        return HF_CONF_END;
    size_t colon = 0;
    while (colon < rest.size && is_key_byte(rest.data[colon]))
        colon++;
    out_pair->key = hf_text_first(rest, colon);
    if (colon == rest.size)
        return HF_CONF_KEY_ALONE;
    if (rest.data[colon] != ':') {
        cursor->stop = cursor->at + colon;
        return HF_CONF_MALFORMED;
    }
    rest = hf_text_from(rest, colon + 1);
    out_pair->value = hf_text_first(rest, hf_text_find(rest, ','));
    size_t used = colon + 1 + out_pair->value.size;
    cursor->ends_with_comma = out_pair->value.size + 1 == rest.size;
    cursor->at += out_pair->value.size < rest.size ? used + 1 : used;
    return HF_CONF_PAIR;
}

struct hf_text hf_conf_choice(const char *choices, struct hf_text name, bool is_beginning)
{
    for (struct hf_text rest = hf_text_of(choices); rest.size != 0;) {
        struct hf_text choice = hf_text_first(rest, hf_text_find(rest, ','));
        rest = hf_text_from(rest, choice.size + 1);
        size_t compared = is_beginning ? name.size : choice.size;
        if (hf_text_equal(hf_text_first(choice, compared), name))
            return choice;
    }
    return (struct hf_text){NULL, 0};
}

/* Value of a digit up to base 36, as strtoul; 36 for what is none. */
static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'z')
        return 10 + (unsigned)(c - 'a');
    if (c >= 'A' && c <= 'Z')
        return 10 + (unsigned)(c - 'A');
    return 36;
}

static char parse_byte_at(struct hf_text text, size_t at)
{
    return at < text.size ? text.data[at] : '\0';
}

/* malloc_strtoumax: blanks, a sign, then 0x..., 0... or decimal. It wraps where it overflows. */
static bool parse_read_number(struct hf_text text, size_t *out_used, uint64_t *out_number)
{
    size_t at = 0;
    while (at < text.size && strchr(" \t\n\v\f\r", text.data[at]) != NULL)
        at++;
    bool is_negative = parse_byte_at(text, at) == '-';
    if (is_negative || parse_byte_at(text, at) == '+')
        at++;
    unsigned base = 10;
    size_t first = at;
    char next = parse_byte_at(text, at + 1);
    if (parse_byte_at(text, at) == '0' && (next == 'x' || next == 'X') &&
        digit_of(parse_byte_at(text, at + 2)) < 16) {
        base = 16;
        at += 2;
    } else if (parse_byte_at(text, at) == '0') {
        base = 8;
        at++;
    }
    uint64_t number = 0;
    for (; digit_of(parse_byte_at(text, at)) < base; at++) {
        uint64_t before = number;
        number = number * base + digit_of(parse_byte_at(text, at));
        if (number < before)
            return false;
    }
    *out_used = at;
    *out_number = is_negative ? 0 - number : number;
    return at != first;
}

static enum hf_conf_verdict parse_signed_value(
    const struct hf_conf_option *option, int64_t number, uint64_t *out_number)
{
    bool is_low = number<option->min, is_high = number>(int64_t) option->max;
    *out_number = (uint64_t)number;
    if (!is_low && !is_high)
        return HF_CONF_TAKEN;
    *out_number = is_low ? (uint64_t)option->min : option->max;
    return option->is_clipped ? HF_CONF_CLIPPED : HF_CONF_OUT_OF_RANGE;
}

static enum hf_conf_verdict unsigned_value(
    const struct hf_conf_option *option, uint64_t number, uint64_t *out_number)
{
    bool is_low = number<(uint64_t)option->min, is_high = number> option->max;
    *out_number = is_low ? (uint64_t)option->min : is_high ? option->max : number;
    if (!is_low && !is_high)
        return HF_CONF_TAKEN;
    return option->is_clipped ? HF_CONF_CLIPPED : HF_CONF_OUT_OF_RANGE;
}

/* "3", ".5", "0.25"; the whole part below 65,536, and at most `option->max` if that is given. */
static bool is_fraction(const struct hf_conf_option *option, struct hf_text value)
{
    uint64_t whole = 0;
    size_t at = 0;
    for (; digit_of(parse_byte_at(value, at)) < 10; at++) {
        whole = whole * 10 + digit_of(parse_byte_at(value, at));
        if (whole > 65535)
            return false;
    }
    bool is_above_whole = false;
    size_t dot = at;
    if (parse_byte_at(value, at) == '.') {
        for (at++; digit_of(parse_byte_at(value, at)) < 10; at++)
            is_above_whole = is_above_whole || parse_byte_at(value, at) != '0';
    }
    bool has_digits = at > dot + 1 || (dot != 0 && at == dot);
    bool is_in_range =
        option->max == 0 || whole < option->max || (whole == option->max && !is_above_whole);
    return has_digits && at == value.size && is_in_range;
}

/* from-to:value, one or more, with "|" between them or after them. */
static bool is_ranges(struct hf_text value)
{
    static const char between[] = {'-', ':', '|'};
    size_t part = 0;
    do {
        size_t used;
        uint64_t number;
        if (!parse_read_number(value, &used, &number))
            return false;
        value = hf_text_from(value, used);
        if (parse_byte_at(value, 0) == between[part % 3])
            value = hf_text_from(value, 1);
        else if (part % 3 != 2)
            return false;
        part++;
    } while (value.size != 0 || part % 3 != 0);
    return true;
}

static enum hf_conf_verdict number_value(
    const struct hf_conf_option *option, struct hf_text value, uint64_t *out_number)
{
    size_t used;
    uint64_t number;
    if (!parse_read_number(value, &used, &number) || used != value.size)
        return HF_CONF_INVALID;
    return option->kind == HF_CONF_SIGNED ? parse_signed_value(option, (int64_t)number, out_number)
                                          : unsigned_value(option, number, out_number);
}

enum hf_conf_verdict hf_conf_value(
    const struct hf_conf_option *option, struct hf_text value, uint64_t *out_number)
{
    *out_number = 0;
    bool is_choice =
        option->choices != NULL &&
        hf_conf_choice(option->choices, value, option->kind == HF_CONF_PREFIX).data != NULL;
    bool is_taken = option->may_be_choice && is_choice;
    switch (option->kind) {
    case HF_CONF_BOOL:
        *out_number = hf_text_is(value, "true");
        is_taken = *out_number == 1 || hf_text_is(value, "false");
        break;
    case HF_CONF_SIGNED:
    case HF_CONF_UNSIGNED:
        if (!is_taken)
            return number_value(option, value, out_number);
        break;
    case HF_CONF_CHOICE:
    case HF_CONF_PREFIX: is_taken = is_choice; break;
    case HF_CONF_FRACTION: is_taken = is_taken || is_fraction(option, value); break;
    case HF_CONF_RANGES: is_taken = is_taken || is_ranges(value); break;
    case HF_CONF_TEXT: is_taken = true; break;
    }
    return is_taken ? HF_CONF_TAKEN : HF_CONF_INVALID;
}
