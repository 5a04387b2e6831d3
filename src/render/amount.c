#include "render/amount.h"

#include "base/strings/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct hf_amount_style hf_amount_style(
    const struct hf_profile *profile, size_t type, bool is_exact, bool is_jeprof)
{
    struct hf_amount_style style = {
        .is_bytes = hf_text_is(hf_profile_text(profile, profile->types[type].unit), "bytes"),
        .layout = is_exact ? HF_AMOUNT_EXACT : HF_AMOUNT_HUMAN,
    };
    if (is_jeprof)
        style.layout = is_exact ? HF_AMOUNT_BARE : HF_AMOUNT_JEPROF;
    return style;
}

const char *hf_amount(struct hf_amount_style style, uint64_t value, char out[HF_AMOUNT_MAX])
{
    if (style.layout == HF_AMOUNT_HUMAN)
        return style.is_bytes ? hf_units_bytes(value, out) : hf_units_grouped(value, out);
    if (style.layout == HF_AMOUNT_JEPROF && style.is_bytes)
        (void)snprintf(out, HF_AMOUNT_MAX, "%.1f", (double)value / 0x1p20);
    else if (style.layout == HF_AMOUNT_EXACT && style.is_bytes)
        (void)snprintf(out, HF_AMOUNT_MAX, "%" PRIu64 " B", value);
    else
        (void)snprintf(out, HF_AMOUNT_MAX, "%" PRIu64, value);
    return out;
}

const char *hf_amount_net(
    struct hf_amount_style style, struct hf_total total, char out[HF_AMOUNT_MAX])
{
    char plain[HF_AMOUNT_MAX];
    bool is_jeprof = style.layout == HF_AMOUNT_JEPROF || style.layout == HF_AMOUNT_BARE;
    const char *sign = total.value > total.released && !is_jeprof ? "+" : "";
    if (total.value < total.released)
        sign = "-";
    (void)snprintf(
        out, HF_AMOUNT_MAX, "%s%.40s", sign, hf_amount(style, hf_total_distance(total), plain));
    return out;
}

const char *hf_amount_like(
    struct hf_amount_style style, uint64_t value, uint64_t reference, char out[HF_AMOUNT_MAX])
{
    char reference_text[HF_UNITS_MAX];
    if (style.layout != HF_AMOUNT_HUMAN || !style.is_bytes || value == 0)
        return hf_amount(style, value, out);
    const char *unit = strchr(hf_units_bytes(reference, reference_text), ' ') + 1;
    static const char letters[] = "BKMGTPE";
    unsigned shift = 10 * (unsigned)(strchr(letters, *unit) - letters);
    uint64_t whole = value >> shift;
    uint64_t rest = value - (whole << shift);
    /* Tenths, rounded to nearest: at most 10, which is one more whole. */
    uint64_t tenths = shift == 0 ? 0 : ((rest >> (shift - 10)) * 10 + 512) >> 10;
    char grouped[HF_UNITS_MAX];
    hf_units_grouped(whole + tenths / 10, grouped);
    if (shift == 0)
        (void)snprintf(out, HF_AMOUNT_MAX, "%s B", grouped);
    else
        (void)snprintf(out, HF_AMOUNT_MAX, "%s.%u %.3s", grouped, (unsigned)(tenths % 10), unit);
    return out;
}

const char *hf_amount_unit(struct hf_amount_style style)
{
    if (!style.is_bytes)
        return "objects";
    return style.layout == HF_AMOUNT_JEPROF ? "MB" : "B";
}

int hf_total_compare_net(struct hf_total a, struct hf_total b)
{
    bool a_is_negative = a.value < a.released;
    bool b_is_negative = b.value < b.released;
    if (a_is_negative != b_is_negative)
        return a_is_negative ? -1 : 1;
    uint64_t a_distance = hf_total_distance(a);
    uint64_t b_distance = hf_total_distance(b);
    int order = (a_distance > b_distance) - (a_distance < b_distance);
    return a_is_negative ? -order : order;
}
