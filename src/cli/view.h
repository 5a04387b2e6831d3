/*
 * view.h: from the profiles on the command line to the one folded profile that is shown. Shared by
 * fold, top, graph, flame, diff and their namesakes from other tools.
 */
#ifndef HF_CLI_VIEW_H
#define HF_CLI_VIEW_H

#include "analysis/series.h"
#include "cli/command.h"
#include "cli/dated.h"
#include "profile/fold.h"
#include "profile/places.h"

#include <limits.h>

struct hf_view_options;

/* Reads a profile of a series, which the caller frees; `is_last` of them. */
typedef enum hf_status hf_view_read_fn(void *context, const struct hf_view_options *options,
    const struct hf_dated_profile *dated, bool is_last, struct hf_profile **out_profile,
    struct hf_error *err);

struct hf_view_options {
    struct hf_common common;
    const char *output; /* -o */
    bool is_private;    /* what is written is for its owner alone: a capture */
    /* Names */
    const char *exe;
    struct hf_name_list symdirs;
    bool full_names, keep_allocator, no_cache;
    bool keeps_given;   /* names of the input stay as they are */
    bool linkage_names; /* symbolize.h */
    /* What is shown */
    int granularity;   /* enum hf_granularity */
    const char *value; /* name of a value type; NULL: the profile's default */
    bool is_tcmalloc_v1;
    double input_budget; /* base/budget.h; 0: not given */
    const char *thread;
    bool whole_is_thread;           /* the whole of one thread is its own, not the process's */
    const struct hf_profile *given; /* show this one, named already, and read no profiles */
    const char *focus, *ignore, *retain, *exclude, *callers_of;
    /* When they were taken: of profiles of one process at several times */
    const char *at;
    uint64_t skip_ns, older_ns; /* 0: not given */
    /* Compared with */
    struct hf_name_list base;
    const char *since; /* what hf_load_find_mark finds is the base */
    char since_path[PATH_MAX];
    bool is_series;              /* the operands are one process at several times */
    hf_view_read_fn *read_point; /* reads them instead; NULL: they are just read */
    void *reader;                /* its context */
    bool keeps_points;           /* keep hf_view.series of a comparison with a base, too */
    bool keeps_threads;          /* of what is shown also the values of each thread */
    struct hf_places *places;    /* filled by what is shown, which keeps its threads; NULL: none */
    bool drop_negative;
    bool show_bytes;
};

/* Option tables over struct hf_view_options, which a command's own struct starts with. */
extern const struct hf_option hf_binary_options[];      /* --exe, --symdir */
extern const struct hf_option hf_name_options[];        /* --full-names, --keep-allocator */
extern const struct hf_option hf_value_options[];       /* --value, --inuse_space ... */
extern const struct hf_option hf_filter_options[];      /* --focus ... --thread */
extern const struct hf_option hf_granularity_options[]; /* --functions --lines ... */
extern const struct hf_option hf_base_options[];        /* --base, --drop_negative */
extern const struct hf_option hf_since_options[];       /* --since */
extern const struct hf_option hf_series_options[];      /* --series */

/* Parts of a command's table: how addresses are named, and help; before them, what is shown. */
#define HF_NAMING_GROUPS                                                                           \
    {"Names", hf_binary_options}, {"", hf_name_options},                                           \
    {                                                                                              \
        "Help", hf_common_options                                                                  \
    }
#define HF_SHOWN_GROUPS                                                                            \
    {"Values", hf_value_options}, {"Frames", hf_granularity_options},                              \
        {"Filters", hf_filter_options}, HF_NAMING_GROUPS

struct hf_view {
    struct hf_profile *folded;
    size_t type;             /* the value to show */
    struct hf_series series; /* whose change `folded` is, the oldest first; no points: of none */
    struct hf_dated dated;   /* its points; names are borrowed from here */
    /* Of a comparison: what is shown of A and of B, so that A + grew - released = B. */
    bool has_totals; /* false without one, and with --drop_negative, when nothing adds up */
    uint64_t base_total, current_total;
    struct hf_total whole; /* the profile before filters; 0, 0: there are none */
    struct hf_common *common;
};

/*
 * Reads the operands (files, "-", URLs), adds them up, names, folds and, with --base or --series,
 * compares.
 * Free with hf_view_done, also after an error.
 */
HF_MUST_CHECK enum hf_status hf_view_make(struct hf_view *view, struct hf_view_options *options,
    const char *const *profiles, size_t profile_count, struct hf_error *err);

/*
 * Reads and adds up the operands and names their addresses: what hf_view_make folds, and what is
 * written to other formats. Free with hf_profile_free.
 */
HF_MUST_CHECK enum hf_status hf_view_load(const struct hf_view_options *options,
    const char *const *profiles, size_t count, struct hf_profile **out_profile,
    struct hf_error *err);

/* Names the addresses of a profile that was read. */
HF_MUST_CHECK enum hf_status hf_view_name(
    const struct hf_view_options *options, struct hf_profile *profile, struct hf_error *err);

/* Prints the notes of what was shown, after the answer, and frees. */
void hf_view_done(struct hf_view *view);

/* HF_ERR_USAGE unless there is at least one operand. */
HF_MUST_CHECK enum hf_status hf_view_need_profile(
    const struct hf_operands *operands, struct hf_error *err);

#endif
