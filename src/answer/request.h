/*
 * request.h: a question about profiles: how to read and name them, what to show, and what to
 * compare them with. An all-zero request shows everything, by function.
 *
 * Answering does not change the request. Its texts are borrowed and must outlive the answer.
 */
#ifndef HF_ANSWER_REQUEST_H
#define HF_ANSWER_REQUEST_H

#include "answer/loader.h"
#include "answer/timeline.h"
#include "base/containers/name_list.h"
#include "profile/fold.h"
#include "profile/places.h"

struct hf_request;

/* For profiles of one process at several times: when they were taken, and which to use. */
struct hf_request_times {
    const char *at;                   /* struct hf_timeline_options */
    const struct hf_load_clock *load; /* of what growth is judged by; NULL: by time */
    const char *load_name;            /* of its file, for people */
    uint64_t skip_ns, older_ns; /* 0: not given; older_ns: memory in use for longer is "old" */
};

/* How to name addresses. */
struct hf_request_names {
    const char *exe;             /* the main program's file; NULL: where the profile says */
    struct hf_name_list symdirs; /* looked into first */
    struct hf_kept_files *kept;  /* share them with who names the same files; NULL: nobody */
    bool full_names, no_cache;
    bool keeps_given;   /* names of the input stay as they are */
    bool linkage_names; /* symbol/lookup/symbolize.h */
};

/* What the owners of stacks (analysis/owner.h) are for. */
enum hf_request_owners {
    HF_OWNERS_UNKNOWN,  /* nobody looks for them */
    HF_OWNERS_KNOWN,    /* the view knows them if values are of memory; stacks are shown whole */
    HF_OWNERS_IN_HEAPS, /* likewise, and stacks end at them */
    HF_OWNERS_END,      /* stacks end at them, whatever the values are */
};

/* What to show. Patterns are regular expressions; NULL and "" mean none. */
struct hf_request_fold {
    int granularity;   /* enum hf_granularity */
    const char *value; /* name of a value type; NULL: the profile's default */
    bool keep_allocator;
    bool marks_kernel, marks_inlined, marks_jit, marks_all; /* enum hf_fold_mark */
    const char *thread;                                     /* number or name; NULL, "*": all */
    bool whole_is_thread;      /* with `thread`, the whole is that thread, not the process */
    bool keeps_threads;        /* keep the values of each thread, too */
    struct hf_places *places;  /* filled with what is shown, and keeps_threads; NULL: none */
    bool wants_lines;          /* of the last profile: what it holds by line, too */
    bool wants_addresses;      /* and by address */
    int owners;                /* enum hf_request_owners */
    const char *own, *wrapper; /* what owns memory, and what never does */
    const char *focus, *ignore, *retain, *exclude, *callers_of;
};

/* Reads a profile of a series, which the caller frees. `is_last`: none follows. */
typedef enum hf_status hf_request_read_fn(void *context, const struct hf_request *request,
    const struct hf_dated_profile *dated, bool is_last, struct hf_profile **out_profile,
    struct hf_error *err);

/* What to compare with. Use at most one of base, since and is_series. */
struct hf_request_comparison {
    struct hf_name_list base;       /* profiles, which are added up; empty: no base */
    const char *since;              /* a mark (hf_operand_find_mark), which becomes the base */
    bool is_series;                 /* the profiles are one process at several times */
    hf_request_read_fn *read_point; /* reads the points; NULL: hf_loader_read does */
    void *reader;                   /* its context */
    bool keeps_points;              /* keep hf_view.series of a comparison with a base, too */
    bool keeps_base;                /* fill hf_view.base_by_node */
    bool drops_released;            /* show only what grew */
};

struct hf_request {
    struct hf_loader_options input;
    struct hf_request_times times;
    struct hf_request_names names;
    struct hf_request_fold fold;
    struct hf_request_comparison comparison;
    const struct hf_profile *given; /* show this one, which has its names, and read nothing */
};

#endif
