#include "parse.h"

#include <stddef.h>
#include <string.h>

/* Reads the digits at the start of `text`; *out_rest is what follows them. */
static bool parse_digits(const char *text, uint64_t max, uint64_t *out_value, const char **out_rest)
{
    const char *at = text;
    uint64_t value = 0;

    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');

        if (digit > max || value > (max - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (at == text)
        return false;
    *out_value = value;
    *out_rest = at;
    return true;
}

bool parse_count(const char *text, uint64_t max, uint64_t *out_value)
{
    const char *rest;
    uint64_t value;

    if (!parse_digits(text, max, &value, &rest) || *rest != '\0')
        return false;
    *out_value = value;
    return true;
}

bool parse_size(const char *text, uint64_t max, uint64_t *out_value)
{
    static const struct {
        const char *name;
        unsigned shift;
    } units[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    const char *rest;
    uint64_t value;

    if (!parse_digits(text, max, &value, &rest))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(rest, units[i].name) != 0)
            continue;
        if (value > max >> units[i].shift)
            return false;
        *out_value = value << units[i].shift;
        return true;
    }
    return false;
}
