/*
 * rows.h: the rows of a table: one per function (or line, file, address), ranked and named.
 *
 * Functions are counted over all their lines, and each row knows the line that matters most: the
 * one that holds most itself, or, of a function that holds nothing itself, the one below which most
 * is held; in a difference, the one that changed most in the direction of the row.
 */
#ifndef HF_RENDER_ROWS_H
#define HF_RENDER_ROWS_H

#include "base/containers/arena.h"
#include "profile/fold.h"
#include "profile/profile.h"

enum hf_row_order {
    HF_ROWS_BY_SIZE,  /* largest |net| first */
    HF_ROWS_BY_VALUE, /* largest net first, so that what was released comes last; as jeprof */
};

struct hf_row {
    struct hf_text name; /* raw: escape it */
    struct hf_text file; /* raw; empty if unknown, or if the name says it already */
    uint32_t line;       /* 0 unknown */
    bool is_near;        /* the code has no line; it is that of the code before */
    uint32_t twins;      /* how many functions have these bytes; 0: one */
    struct hf_total flat, cum;
    uint32_t frame; /* one that it shows, of the folded profile; HF_TALLY_NONE: no stack */
    uint64_t flat_samples, cum_samples; /* that they are estimated from; 0: not known, or exact */
};

struct hf_rows {
    struct hf_row *items;
    size_t count; /* all rows that could be shown */
    size_t shown; /* of these, the first ones, that are to be shown */
    struct hf_total total;
    uint64_t peak, peak_most; /* of hf_interval_of_peak; 0: it is not of the peak */
    struct hf_arena arena;    /* the labels made here */
};

struct hf_rows_options {
    size_t type;
    enum hf_granularity granularity; /* HF_BY_FUNCTION takes a profile folded by line or function */
    enum hf_row_order order;
    bool is_cumulative;   /* rank by cum instead of flat */
    bool only_ranked;     /* leave out rows whose ranked column is 0 */
    bool is_growth_first; /* among the shown, those that grew come before those that did not */
    size_t max_rows;      /* 0: all */
};

/*
 * Ranks the rows of a folded profile; ties by the other column, then by name and place, so equal
 * profiles give equal rows. Names are borrowed from the profile. Free with hf_rows_done, also after
 * an error.
 */
HF_MUST_CHECK enum hf_status hf_rows_init(struct hf_rows *rows, const struct hf_profile *folded,
    const struct hf_rows_options *options, struct hf_error *err);
void hf_rows_done(struct hf_rows *rows);

#endif
