/*
 * places.h: the module and the source line of what a fold shows, which folding by function forgets.
 *
 * A *place* belongs to a label (fold.h), so it holds for every frame that reads the same. What is
 * not the same for all of them is not known: a function that occurs in two modules has no module.
 * Of several lines in one file, the first is known.
 *
 * Example:
 *
 *     struct hf_profile *profile = NULL; // named, not folded yet
 *     struct hf_places places = {0};
 *     struct hf_probe_site place = {0};
 *     if (profile != NULL)
 *         status = hf_places_add(&places, profile, HF_BY_FUNCTION, err);
 *     if (status == HF_OK)
 *         status = hf_places_find(&places, HF_TEXT("main"), &place, err);
 *     if (status == HF_OK)
 *         hf_out_text(out, place.file);
 *     hf_places_done(&places);
 */
#ifndef HF_PROFILE_PLACES_H
#define HF_PROFILE_PLACES_H

#include "profile/fold.h"

struct hf_probe_site {
    struct hf_text module; /* path; empty: unknown */
    struct hf_text file;   /* source file; empty: unknown */
    uint32_t line;         /* 0: unknown */
    bool is_helper;        /* a function that makes things for its callers (dwarf/helpers.h) */
    bool may_keep;         /* it may keep them, too */
};

/* All zero: empty. Free with hf_places_done. */
struct hf_places {
    struct hf_intern labels, texts;
    struct hf_probe_site_entry {
        uint32_t module, file; /* of `texts`, or not known */
        uint32_t line;
        bool is_helper, may_keep;
    } * entries; /* by label */
    size_t capacity;
};

/* Adds the frames of a profile that will be folded with this granularity. */
HF_MUST_CHECK enum hf_status hf_places_add(struct hf_places *places,
    const struct hf_profile *profile, enum hf_granularity granularity, struct hf_error *err);

/* The place of a label, raw as in a fold. Borrowed until hf_places_done. */
HF_MUST_CHECK enum hf_status hf_places_find(struct hf_places *places, struct hf_text label,
    struct hf_probe_site *out_place, struct hf_error *err);

void hf_places_done(struct hf_places *places);

#endif
