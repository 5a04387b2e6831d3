/*
 * top.h: the ranked table: which functions (lines, files, addresses) hold the memory.
 *
 * Three layouts of the same rows:
 *
 * Text, for people. A plain profile: one sentence, column names, rows; with a history also how each
 * row went over time (growth_columns.h). A difference: the answer is the first line, "+50.0 MiB
 * 100.0 %  process_leak  leak.c:41", likewise with a history, and the last line adds it all up, "A
 * 200.1 MiB → B 250.1 MiB: grew 50.0 MiB, released 0 B, net +50.0 MiB".
 *
 * With `blocks`, a plain table shows what became of the blocks of each row (row_blocks.h).
 *
 * jeprof: what `jeprof --text` prints, byte for byte, for the same values of a plain profile.
 *
 * JSON: one document, "heapflame.top/1", exact integers, every row's whole truth.
 *
 * Percent: in a plain profile, of the sum of what is shown. In a difference, growth is measured
 * against all that grew and release against all that was released, so a percentage is never
 * infinite, above 100, or a surprise of signs. (jeprof divides by the net: +100 and -150 become
 * -200 % and 300 %.)
 */
#ifndef HF_RENDER_TOP_H
#define HF_RENDER_TOP_H

#include "analysis/growth/growth.h"
#include "analysis/owner.h"
#include "analysis/series.h"
#include "base/strings/out.h"
#include "profile/fold.h"
#include "profile/profile.h"
#include "render/table/growth_report.h"
#include "render/table/row_blocks.h"
#include "render/table/rows.h"

#define HF_TOP_JSON_SCHEMA "heapflame.top/1"

/* What holds the blocks of a row of this name, which leaks; NULL: not known. */
typedef const struct hf_growth_held *hf_top_find_held_fn(void *context, struct hf_text name);

struct hf_top_options {
    size_t type;                        /* index of the value type shown */
    enum hf_granularity granularity;    /* what a row is; HF_BY_FUNCTION: give a fold by line */
    size_t max_rows;                    /* 0: all */
    size_t columns;                     /* of the window: a plain table fits if it can; 0: any */
    bool is_cumulative;                 /* rank by what a function holds with all that it called */
    bool is_exact;                      /* whole bytes instead of KiB, MiB, ... */
    bool is_jeprof;                     /* text in jeprof's layout */
    bool is_growth_first;               /* of a difference's rows, list those that grew first */
    uint64_t base_total, current_total; /* of a difference: the totals A and B; 0, 0: not known */
    enum hf_row_blocks_kind blocks;     /* columns of a plain table: what became of its blocks */
    const char *thread;                 /* jeprof's layout: which one is shown; NULL: all */
    struct hf_total whole;              /* the sum before filters; 0, 0: there were none */
    const struct hf_series *series;     /* whose change this is; NULL: none */
    struct hf_growth *growth;           /* of the history that this is the end of; NULL: none */
    bool is_leak_first;                 /* with a history: rows that leak lead, the fastest first */
    hf_top_find_held_fn *find_held;     /* likewise: the line below such a row; NULL: none */
    void *holder;                       /* of find_held */
    size_t max_lines;                   /* of rows and the lines below them; 0: any */
    struct hf_owners *owners;           /* the rows are owners, and how they own it; NULL: not */
};

/*
 * Writes the table of a folded profile or difference as text. Names and files are escaped for a
 * terminal. HF_ERR_MEMORY only; failures of `out` are latched there.
 */
HF_MUST_CHECK enum hf_status hf_top_text(const struct hf_profile *folded,
    const struct hf_top_options *options, struct hf_out *out, struct hf_error *err);

/* Writes the table as a JSON document, with the notes of the profile, in the order of the text. */
HF_MUST_CHECK enum hf_status hf_top_json(const struct hf_profile *folded,
    const struct hf_top_options *options, struct hf_out *out, struct hf_error *err);

/* How both rank their rows. */
struct hf_rows_options hf_top_ranking(
    const struct hf_profile *folded, const struct hf_top_options *options);

#endif
