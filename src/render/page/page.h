/*
 * page.h: a folded profile as one HTML file: the viewer of web/ with the data in it.
 *
 * The file needs nothing else and asks for nothing: its Content-Security-Policy allows just its own
 * script and style. Names reach the page as data (page_data.h), never as markup or script. All
 * kinds of values that the profile holds are in it.
 */
#ifndef HF_RENDER_PAGE_H
#define HF_RENDER_PAGE_H

#include "analysis/growth/growth.h"
#include "analysis/series.h"
#include "base/error.h"
#include "base/strings/out.h"
#include "profile/places.h"
#include "render/palette.h"
#include "symbol/options.h"

struct hf_page_options {
    const char *title; /* NULL: the page says what it is of */
    const char
        *subtitle; /* NULL: none, or of a difference its totals; of a series the page says them */
    const char *colors; /* a name of HF_PALETTE_NAMES */
    enum hf_palette_mode color_mode;
    const char *count_name; /* what the values of `type` count; NULL: its unit */
    size_t type;            /* to begin with */
    const char *view;       /* to begin with: "icicle", "reverse", ... as in web/src/views.ts */
    const struct hf_series *series;          /* whose change this is; NULL: none */
    const struct hf_growth *growth;          /* verdicts of the same series; NULL: none */
    struct hf_places *places;                /* of the names; NULL: unknown */
    struct hf_owners *owners;                /* that learned of it; NULL: nobody did */
    const struct hf_profile *by_address;     /* hf_page_code_options; NULL: no instructions */
    const struct hf_symbol_options *symbols; /* with `by_address` */
    const struct hf_profile *by_line; /* what is shown of the last profile, folded by line, for the
                                         source; NULL: unknown */
    uint64_t source_places;           /* hf_page_sources_options */
    const char *const *source_folders;
    size_t source_folder_count;
    struct hf_notes *notes;     /* to be added to: those of `folded`; NULL: nobody reads them */
    const char *const *sources; /* what was read, for the legend */
    size_t source_count;
    bool drops_released; /* show what grew, and of the rest nothing, to begin with */
    bool has_totals;     /* a difference: totals of A and B are known */
    uint64_t base_total, current_total;
};

/* HF_ERR_USAGE: an unknown palette. Errors of `out` latch there. */
HF_MUST_CHECK enum hf_status hf_page_html(const struct hf_profile *folded,
    const struct hf_page_options *options, struct hf_out *out, struct hf_error *err);

/*
 * The Content-Security-Policy of every page, for who sends pages by HTTP and would not believe what
 * stands in one.
 */
HF_MUST_CHECK struct hf_text hf_page_policy(void);

#endif
