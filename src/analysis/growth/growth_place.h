/*
 * growth_place.h: what a place of growth.h tells: its label, when it grew, since when it is a leak
 * and after which event, how urgent it is, and what its verdict stands on, as facts and as
 * sentences.
 *
 * Example:
 *
 *     static struct hf_growth growth; // as hf_growth_find made it
 *     const struct hf_growth_place *leak = hf_growth_first_leak(&growth);
 *     if (leak != NULL) {
 *         hf_growth_place_label(leak, out);
 *         hf_growth_evidence(&growth, leak, out);
 *     }
 */
#ifndef HF_ANALYSIS_GROWTH_PLACE_H
#define HF_ANALYSIS_GROWTH_PLACE_H

#include "analysis/growth/growth.h"

/* Leaks, the fastest first; then what is undecided; then the rest, the steepest first. */
int hf_growth_urgency(const struct hf_growth_place *a, const struct hf_growth_place *b);

/* The leak to speak of first; NULL: there is none. */
const struct hf_growth_place *hf_growth_first_leak(const struct hf_growth *growth);

/* When a leak began, of the times of the points; false: not known. */
bool hf_growth_onset(
    const struct hf_growth *growth, const struct hf_growth_place *place, double *out_s);

/* The last event before a leak began, or about then; NULL: none is known. */
const struct hf_verdict_event *hf_growth_event_before(
    const struct hf_growth *growth, const struct hf_growth_place *place);

/* "open_session via std::string"; raw: escape it. */
void hf_growth_place_label(const struct hf_growth_place *place, struct hf_out *out);

/* Of the label: by which a place is known from look to look. */
uint64_t hf_growth_place_hash(const struct hf_growth_place *place);

/* When the recording began whose births are known, in times_s: of the times of `survival`. */
double hf_growth_began_s(const struct hf_growth *growth);

/*
 * How long it takes for a thousand of what counts at the mean load, in seconds; 0: time counts, or
 * nothing came. A rate times that is by a thousand.
 */
double hf_growth_thousand_s(const struct hf_growth *growth);

/* What the verdict on a place stands on; borrowed from both. */
struct hf_verdict_facts hf_growth_facts(
    const struct hf_growth *growth, const struct hf_growth_place *place);

/* All that its verdict stands on, and how sure that is, as sentences. Raw: escape them. */
void hf_growth_evidence(
    const struct hf_growth *growth, const struct hf_growth_place *place, struct hf_out *out);

/*
 * The points between which most of its growth came: the last with a twentieth of it at most, and
 * the first from there with all but a twentieth, or the end if it grows still. False: it did not
 * grow, or gave it back again and again.
 */
bool hf_growth_when(const struct hf_growth *growth, const struct hf_growth_place *place,
    size_t *out_from, size_t *out_to);

#endif
