#include "render/flame/flame_text.h"

#include "base/strings/decimal.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "base/strings/utf8.h"
#include "render/amount.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MINUS "\xe2\x88\x92" /* U+2212, as wide as a plus */
#define ELLIPSIS "\xe2\x80\xa6"

static bool is_of_letters(struct hf_text noun)
{
    for (size_t i = 0; i < noun.size; i++) {
        char lower = (char)(noun.data[i] | 32);
        if ((lower < 'a' || lower > 'z') && lower != ' ')
            return false;
    }
    return true;
}

void hf_flame_text_init(struct hf_flame_text *text, const struct hf_profile *folded,
    const struct hf_flame_options *options, size_t type, uint64_t total)
{
    struct hf_text name = hf_profile_text(folded, folded->types[type].name);
    struct hf_text unit = hf_profile_text(folded, folded->types[type].unit);
    *text = (struct hf_flame_text){
        .folded = folded, .options = options, .type = type, .type_name = name, .total = total};
    text->shows_bytes = hf_text_is(unit, "bytes") && options->count_name == NULL;
    text->noun = hf_text_is(unit, "count") ? name : unit;
    if (options->count_name != NULL)
        text->noun = hf_text_of(options->count_name);
    text->noun_is_plain = is_of_letters(text->noun);
}

/* Numbers */

/* A value as shown: times the factor, rounded half to even. */
static uint64_t flame_text_scaled(const struct hf_flame_text *text, uint64_t value)
{
    if (text->options->factor == 1.0)
        return value;
    long double product = rintl((long double)value * (long double)text->options->factor);
    return product >= 0x1p64L ? UINT64_MAX : (uint64_t)product;
}

static void put_grouped(const struct hf_flame_text *text, uint64_t value, struct hf_out *out)
{
    char *to = hf_out_room(out, HF_DECIMAL_GROUPED_MAX);
    if (to != NULL)
        hf_out_end(out, hf_decimal_put_grouped(to, flame_text_scaled(text, value)));
}

void hf_flame_put_short(const struct hf_flame_text *text, uint64_t value, struct hf_out *out)
{
    char number[HF_UNITS_MAX];
    if (text->shows_bytes)
        hf_out_string(out, hf_units_bytes(flame_text_scaled(text, value), number));
    else
        put_grouped(text, value, out);
}

void hf_flame_put_noun(const struct hf_flame_text *text, struct hf_out *out)
{
    hf_out_char(out, ' ');
    if (text->noun_is_plain)
        hf_out_text(out, text->noun);
    else
        hf_escape_xml(out, text->noun);
}

/*
 * What printf writes for %.2f, in a tenth of its time: the exact product, rounded half to even. The
 * part of the product that does not fit is less than a unit in the last place of what does.
 */
static void put_hundredths(struct hf_out *out, double value)
{
    double product = value * 100, rest = fma(value, 100, -product);
    if (!(product < 0x1p50)) {
        hf_out_printf(out, "%.2f", value);
        return;
    }
    uint64_t whole = (uint64_t)product;
    double part = product - (double)whole;
    if (part > 0.5 || (part == 0.5 && (rest > 0 || (rest == 0 && whole % 2 != 0))))
        whole++;
    char *to = hf_out_room(out, HF_DECIMAL_MAX + 3);
    if (to == NULL)
        return;
    to = hf_decimal_put(to, whole / 100);
    *to++ = '.';
    memcpy(to, hf_decimal_pairs + whole % 100 * 2, 2);
    hf_out_end(out, to + 2);
}

static void put_percent(
    const struct hf_flame_text *text, uint64_t width, bool is_root, struct hf_out *out)
{
    if (is_root) {
        hf_out_string(out, "100%");
    } else {
        put_hundredths(out, hf_units_percent(width, text->total));
        hf_out_char(out, '%');
    }
}

static void put_sign(struct hf_total sums, struct hf_out *out)
{
    if (sums.value != sums.released)
        hf_out_string(out, sums.value > sums.released ? "+" : MINUS);
}

void hf_flame_put_net(const struct hf_flame_text *text, struct hf_total sums, struct hf_out *out)
{
    put_sign(sums, out);
    hf_flame_put_short(text, hf_total_distance(sums), out);
}

/* "+100.0 MiB grew, −150.0 MiB released, net −50.0 MiB"; only the part that there is. */
static void put_change(const struct hf_flame_text *text, struct hf_total sums, struct hf_out *out)
{
    if (sums.value != 0) {
        hf_out_char(out, '+');
        hf_flame_put_short(text, sums.value, out);
        if (!text->shows_bytes)
            hf_flame_put_noun(text, out);
        hf_out_string(out, " grew");
    }
    if (sums.released != 0) {
        hf_out_string(out, sums.value != 0 ? ", " MINUS : MINUS);
        hf_flame_put_short(text, sums.released, out);
        if (!text->shows_bytes && sums.value == 0)
            hf_flame_put_noun(text, out);
        hf_out_string(out, " released");
    }
    if (sums.value != 0 && sums.released != 0) {
        hf_out_string(out, ", net ");
        hf_flame_put_net(text, sums, out);
    }
}

/* "; +104,857,600 −157,286,400 = −52,428,800 bytes" */
static void put_exact_change(
    const struct hf_flame_text *text, struct hf_total sums, struct hf_out *out)
{
    hf_out_string(out, "; ");
    if (sums.value != 0) {
        hf_out_char(out, '+');
        put_grouped(text, sums.value, out);
    }
    if (sums.released != 0) {
        hf_out_string(out, sums.value != 0 ? " " MINUS : MINUS);
        put_grouped(text, sums.released, out);
    }
    if (sums.value != 0 && sums.released != 0) {
        hf_out_string(out, " = ");
        put_sign(sums, out);
        put_grouped(text, hf_total_distance(sums), out);
    }
    hf_flame_put_noun(text, out);
}

static void flame_text_put_plain(
    const struct hf_flame_text *text, uint64_t value, bool is_root, struct hf_out *out)
{
    put_grouped(text, value, out);
    hf_flame_put_noun(text, out);
    if (text->shows_bytes && flame_text_scaled(text, value) >= 1024) {
        hf_out_string(out, ", ");
        hf_flame_put_short(text, value, out);
    }
    hf_out_string(out, ", ");
    put_percent(text, value, is_root, out);
}

/* Names */

struct hf_text hf_flame_shown_name(struct hf_text label)
{
    if (label.size >= 4 && label.data[label.size - 1] == ']' &&
        memchr("kwij", label.data[label.size - 2], 4) != NULL &&
        label.data[label.size - 3] == '[' && label.data[label.size - 4] == '_')
        label.size -= 4;
    if (label.size <= HF_FLAME_NAME_MAX_BYTES)
        return label;
    /* Back to the start of the character that would be cut in two. */
    size_t size = HF_FLAME_NAME_MAX_BYTES;
    while (size > HF_FLAME_NAME_MAX_BYTES - 3 && ((unsigned char)label.data[size] & 0xc0) == 0x80)
        size--;
    return hf_text_first(label, size);
}

void hf_flame_put_name(struct hf_text label,
    void (*escape)(struct hf_out *out, struct hf_text text), struct hf_out *out)
{
    escape(out, hf_flame_shown_name(label));
    if (label.size > HF_FLAME_NAME_MAX_BYTES) {
        char number[HF_UNITS_MAX];
        hf_out_printf(out, ELLIPSIS "[name of %s bytes]", hf_units_grouped(label.size, number));
    }
}

/* "; +0.21%"; the factor divides it once more, as in flamegraph.pl. */
static void put_own_change(
    const struct hf_flame_text *text, const struct hf_total *change, struct hf_out *out)
{
    bool grew = (change->value > change->released) != text->options->is_negated;
    uint64_t size = hf_total_distance(*change);
    hf_out_printf(out, "; %s%.2f%%",
        size == 0 ? ""
        : grew    ? "+"
                  : "-",
        hf_units_percent(size, text->total) / text->options->factor);
}

void hf_flame_put_title_numbers(const struct hf_flame_text *text, struct hf_total sums,
    const struct hf_total *change, uint64_t width, bool is_root, struct hf_out *out)
{
    hf_out_string(out, " (");
    if (text->folded->is_difference) {
        put_change(text, sums, out);
        hf_out_string(out, ", ");
        put_percent(text, width, is_root, out);
        if (text->shows_bytes)
            put_exact_change(text, sums, out);
    } else {
        flame_text_put_plain(text, width, is_root, out);
        if (change != NULL && !is_root)
            put_own_change(text, change, out);
    }
    hf_out_char(out, ')');
}

/* East Asian wide and emoji blocks begin here; between them little is narrow. */
static size_t columns_of(uint32_t point)
{
    return point >= 0x1100 && point != HF_UTF8_INVALID && (point < 0x2000 || point >= 0x2e80) ? 2
                                                                                              : 1;
}

/* How much of `shown` has room, in bytes; `*out_cut`: with ".." behind it. */
static size_t flame_text_measure(struct hf_text shown, size_t columns, size_t *out_cut)
{
    size_t at = 0, used = 0;
    *out_cut = 0;
    while (at < shown.size) {
        uint32_t point;
        if (used + 2 <= columns)
            *out_cut = at; /* up to here there is room for ".." */
        size_t size = hf_utf8_next(hf_text_from(shown, at), &point);
        used += columns_of(point);
        if (used > columns)
            break;
        at += size;
    }
    return at;
}

bool hf_flame_fits(struct hf_text name, size_t columns, struct hf_out *scratch)
{
    size_t ignored;
    scratch->size = 0;
    hf_escape_terminal(scratch, name);
    return flame_text_measure(hf_out_view(scratch), columns, &ignored) == scratch->size;
}

/* The start of a name, as long as it may be. */
static void put_chain_end(
    struct hf_text name, size_t columns, struct hf_out *scratch, struct hf_out *out)
{
    size_t cut;
    name = hf_flame_shown_name(name);
    bool is_whole = hf_flame_fits(name, columns, scratch);
    flame_text_measure(hf_out_view(scratch), columns, &cut);
    hf_out_text(out, is_whole ? hf_out_view(scratch) : hf_text_first(hf_out_view(scratch), cut));
    if (!is_whole)
        hf_out_string(out, "..");
}

void hf_flame_put_chain(uint32_t count, struct hf_text first, struct hf_text last, size_t columns,
    struct hf_out *scratch, struct hf_out *out)
{
    size_t before = out->size;
    hf_out_printf(out, "%" PRIu32 " frames" /* never 1 */, count);
    size_t used = out->size - before + 5; /* ": " and " ... " of three columns */
    if (columns < used + 16)
        return;
    hf_out_string(out, ": ");
    put_chain_end(first, (columns - used) / 2, scratch, out);
    hf_out_string(out, " " ELLIPSIS " ");
    put_chain_end(last, (columns - used) / 2, scratch, out);
}

void hf_flame_put_box_numbers(
    const struct hf_flame_text *text, struct hf_total sums, uint64_t width, struct hf_out *out)
{
    hf_out_string(out, "  ");
    if (text->folded->is_difference) {
        hf_flame_put_net(text, sums, out);
        return;
    }
    double percent = hf_units_percent(width, text->total);
    hf_flame_put_short(text, width, out);
    hf_out_printf(out, percent >= 9.95 ? "  %.0f %%" : "  %.1f %%", percent);
}

void hf_flame_put_fitted(
    struct hf_text name, size_t columns, struct hf_out *scratch, struct hf_out *out)
{
    size_t cut;
    if (columns < 3)
        return;
    if (hf_flame_fits(name, columns, scratch)) {
        hf_escape_xml(out, hf_out_view(scratch));
        return;
    }
    flame_text_measure(hf_out_view(scratch), columns, &cut);
    hf_escape_xml(out, hf_text_first(hf_out_view(scratch), cut));
    hf_out_string(out, "..");
}
