#include "base/strings/units.h"

#include "base/checked.h"
#include "base/plural.h"
#include "base/strings/decimal.h"
#include "base/strings/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *hf_units_bytes(uint64_t bytes, char out[HF_UNITS_MAX])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        (void)snprintf(out, HF_UNITS_MAX, "%" PRIu64 " B", bytes);
        return out;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    /* 1023.96 KiB would print as 1024.0 KiB. */
    while (value >= 1023.95 && unit + 1 < HF_COUNT(units)) {
        value /= 1024;
        unit++;
    }
    (void)snprintf(out, HF_UNITS_MAX, "%.1f %s", value, units[unit]);
    return out;
}

const char *hf_units_grouped(uint64_t value, char out[HF_UNITS_MAX])
{
    *hf_decimal_put_grouped(out, value) = '\0';
    return out;
}

const char *hf_units_exact(uint64_t bytes, char out[HF_UNITS_MAX])
{
    const char *const units[] = {
        hf_plural(bytes, "byte", "bytes"), "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < HF_COUNT(units)) {
        bytes /= 1024;
        unit++;
    }
    char digits[HF_UNITS_MAX];
    (void)snprintf(out, HF_UNITS_MAX, "%.24s %s", hf_units_grouped(bytes, digits), units[unit]);
    return out;
}

double hf_units_percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole;
}

/* Takes the unit off the end of *text: by how many bits it shifts. */
static unsigned take_byte_unit(struct hf_text *text)
{
    static const struct {
        const char *name;
        unsigned shift;
    } units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}, {"K", 10}, {"M", 20},
        {"G", 30}, {"T", 40}, {"B", 0}};
    for (size_t i = 0; i < HF_COUNT(units); i++) {
        if (hf_text_ends(*text, units[i].name)) {
            text->size -= strlen(units[i].name);
            return units[i].shift;
        }
    }
    return 0;
}

/* Digits and a point: no exponent, which would be a slip in "1e5MiB". */
static bool units_is_plain(struct hf_text number)
{
    return number.size != 0 && number.data[0] != '.' && number.data[number.size - 1] != '.' &&
           hf_text_find(number, 'e') == number.size && hf_text_find(number, 'E') == number.size;
}

bool hf_units_parse_amount(struct hf_text text, double *out_amount)
{
    double number;
    unsigned shift = take_byte_unit(&text);
    if (!units_is_plain(text) || !hf_num_real(text, &number))
        return false;
    *out_amount = number * (double)(UINT64_C(1) << shift);
    return true;
}

/* The agent reads sizes too, and strtod(3) reads them by the program's locale: so digit by digit.
 */
static bool units_take_fraction(struct hf_text digits, double *out_fraction)
{
    double fraction = 0, place = 1;
    for (size_t i = 0; i < digits.size; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9')
            return false;
        place /= 10;
        fraction += (digits.data[i] - '0') * place;
    }
    *out_fraction = fraction;
    return digits.size != 0;
}

bool hf_units_parse_bytes(struct hf_text text, uint64_t *out_bytes)
{
    unsigned shift = take_byte_unit(&text);
    size_t point = hf_text_find(text, '.');
    uint64_t whole, part = 0;
    double fraction;
    if (!hf_num_u64(hf_text_first(text, point), &whole) ||
        !hf_mul_u64(whole, UINT64_C(1) << shift, &whole))
        return false;
    if (point < text.size) {
        if (shift == 0 || !units_take_fraction(hf_text_from(text, point + 1), &fraction))
            return false;
        part = (uint64_t)(fraction * (double)(UINT64_C(1) << shift) + 0.5);
    }
    return hf_add_u64(whole, part, out_bytes);
}

bool hf_units_parse_time(struct hf_text text, uint64_t *out_ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {"", 1e9}};
    double number;
    size_t i = 0;
    while (!hf_text_ends(text, units[i].unit))
        i++;
    text.size -= strlen(units[i].unit);
    if (!hf_num_real(text, &number) || number * units[i].ns > 1e18)
        return false;
    *out_ns = (uint64_t)(number * units[i].ns);
    return true;
}
