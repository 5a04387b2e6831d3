/*
 * amount.h: how the numbers of a report are written.
 *
 * A report has one *style*: human units, exact numbers, or the numbers as jeprof prints them. A
 * *net* is what grew minus what was released; it carries its sign.
 *
 * Safety: any context. Nothing here fails.
 */
#ifndef HF_RENDER_AMOUNT_H
#define HF_RENDER_AMOUNT_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

#define HF_AMOUNT_MAX 48 /* bytes that every writer below needs at most, NUL included */

enum hf_amount_layout {
    HF_AMOUNT_HUMAN,  /* "62.6 MiB", "60,201" */
    HF_AMOUNT_EXACT,  /* "65604133 B", "60201" */
    HF_AMOUNT_JEPROF, /* "62.6", "60201": the unit stands in the title */
    HF_AMOUNT_BARE,   /* "65604133", "60201": jeprof --show_bytes */
};

struct hf_amount_style {
    enum hf_amount_layout layout;
    bool is_bytes; /* the values are bytes, not objects or samples */
};

/* The style for values of one type of a profile. */
struct hf_amount_style hf_amount_style(
    const struct hf_profile *profile, size_t type, bool is_exact, bool is_jeprof);

/* A value without sign. */
const char *hf_amount(struct hf_amount_style style, uint64_t value, char out[HF_AMOUNT_MAX]);

/* grew - released, with its sign; in jeprof's layouts without a plus. */
const char *hf_amount_net(
    struct hf_amount_style style, struct hf_total total, char out[HF_AMOUNT_MAX]);

/* As hf_amount, in the human unit that `reference` would get, so that both can be added by eye. */
const char *hf_amount_like(
    struct hf_amount_style style, uint64_t value, uint64_t reference, char out[HF_AMOUNT_MAX]);

/* jeprof's name of the unit: "MB", "B" or "objects". */
const char *hf_amount_unit(struct hf_amount_style style);

/* |grew - released|. */
static inline uint64_t hf_total_distance(struct hf_total total)
{
    return total.value >= total.released ? total.value - total.released
                                         : total.released - total.value;
}

static inline bool hf_total_is_zero(struct hf_total total)
{
    return total.value == 0 && total.released == 0;
}

/* Order of signed nets: negative, zero or positive as a's net is below, at or above b's. */
int hf_total_compare_net(struct hf_total a, struct hf_total b);

#endif
