/*
 * growth_report.h: what grows, for people and as JSON (analysis/growth/growth.h).
 *
 * Text: for each leak, the most urgent first, a sentence to act on and what it stands on; a line
 * for the whole, a table of the places with the shape of each over time as eight heights; for the
 * others that are not steady, a sentence and what it stands on; then what to do next.
 *
 * JSON: one document, "heapflame.trend/1":
 *
 *   {"schema": ..., "type": "inuse_space", "unit": "bytes", "profiles": 60,
 *    "times": [0.0, 60.0, ...], "whole": PLACE,
 *    "places": [{"name": "...", "stack": ["leaf", ..., "root"], PLACE members}, ...],
 *    "limit": {"bytes": 4294967296, "used": ..., "seconds_left": 5400, "seconds_left_95": [4800,
 * 6200]}, "suppressions": [...] (used_suppressions.h), "notes": [...]}
 *
 *   "per": {"name": "requests", "count": 123456} stands behind "unit" if growth follows a load.
 *
 *   "next": what to do now; null: nothing.
 *
 *   PLACE: "verdict", "sentence", "evidence", "shape",
 *   "slope": "+2.5 MiB/min ± 0.3 MiB", "per_second": n, "per_second_95": [low, high] (with a load:
 * at its mean), "per_1000": n, "per_1000_95": [low, high] (with a load), "share": 0.97, "bend",
 * "bend_error", "points": [...], "grew_from", "grew_to": when, in seconds; where the last profile
 * is a live table also "old_freed", "old_bytes", "median_age", "allocated_per_second",
 * "freed_per_second", "freed", "freed_elsewhere", "freed_in". A leak has "after": {"kind": "mark"
 * or "build", "name", "seconds"}, the last of these before it began, if there is one. A place has
 * "suppression", too.
 *
 * Numbers that are not known, or not finite, are null. Readers skip members that they do not know.
 */
#ifndef HF_RENDER_GROWTH_REPORT_H
#define HF_RENDER_GROWTH_REPORT_H

#include "analysis/growth/growth.h"
#include "analysis/suppressions.h"
#include "base/strings/out.h"

#define HF_GROWTH_JSON_SCHEMA "heapflame.trend/1"

/* What keeps the blocks of a place, most bytes first; none: nobody has looked. */
struct hf_growth_keeper {
    char *name; /* raw: escape it */
    uint64_t bytes;
    bool is_lost; /* nothing leads to them any more */
};
struct hf_growth_held {
    struct hf_growth_keeper *items;
    size_t count;
    uint64_t bytes; /* of all */
};

/* "held by: 98.2 % global sessions (server), 1.8 % nothing: lost"; of the keepers, the first ones,
 * and in so many columns (0: any) fewer of them. There is at least one. */
void hf_growth_put_held(const struct hf_growth_held *held, size_t columns, struct hf_out *out);

/* Its names are from malloc. */
void hf_growth_held_done(struct hf_growth_held *held);

struct hf_growth_report {
    const struct hf_growth *growth;
    const struct hf_suppressions *suppressions;
    uint64_t limit_bytes; /* when it would be reached is said; 0: none */
    uint64_t limit_used;  /* bytes of it that are used already, if more than the whole's */
    size_t max_rows;      /* 0: all */
    uint32_t pid;         /* of the process; 0: unknown */
    const struct hf_growth_held *held; /* by place; NULL: nobody has looked */
    const char *next; /* what to do about a leak, as a sentence; NULL: ask who keeps it */
};

/* Until the limit is reached, in seconds; infinite: it is not coming nearer. */
struct hf_growth_left {
    double bytes; /* not above 0: it is passed */
    double s, low_s, high_s;
};
struct hf_growth_left hf_growth_left(const struct hf_growth_report *report);

/* The same for the sentence on the first leak (hf_growth.left); false: there is nothing to say. */
bool hf_growth_limit_left(const struct hf_growth_report *report, struct hf_verdict_left *out_left);

/* What to do now, as a sentence; nothing, if there is nothing to do. Raw: escape it. */
void hf_growth_next(const struct hf_growth_report *report, struct hf_out *out);

/* "would be reached in 5.2 h (4.1 h to 7.0 h)" */
void hf_growth_put_left(const struct hf_growth_left *left, struct hf_out *out);

void hf_growth_text(const struct hf_growth_report *report, struct hf_out *out);
void hf_growth_json(const struct hf_growth_report *report, struct hf_out *out);

/*
 * Parts of it for other documents: from "profiles" to "places", where `nodes` say "node", a number
 * of that document, instead of "stack" (NULL: they do not), and `held`, what keeps each place
 * (NULL: nobody has looked); and the members of one PLACE.
 */
void hf_growth_members_json(const struct hf_growth *growth, const uint32_t *nodes,
    const struct hf_growth_held *held, struct hf_out *out);
void hf_growth_place_json(
    const struct hf_growth *growth, const struct hf_growth_place *place, struct hf_out *out);

/* , "stack": ["leaf", ..., "root"] */
void hf_growth_stack_json(
    const struct hf_profile *folded, const struct hf_growth_place *place, struct hf_out *out);

#endif
