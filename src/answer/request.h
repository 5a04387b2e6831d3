/*
 * request.h: what somebody wants to know of profiles: how they are read and named, what of them is
 * shown, and with what they are compared. All zero is a request, too: all of it, by function.
 *
 * Nothing in it is changed by who answers. Texts are borrowed, and live as long as the answer.
 */
#ifndef HF_ANSWER_REQUEST_H
#define HF_ANSWER_REQUEST_H

#include "answer/loader.h"
#include "answer/timeline.h"
#include "base/containers/name_list.h"
#include "profile/fold.h"
#include "profile/places.h"

struct hf_request;

/* Profiles of one process at several times: when they were taken, and which count. */
struct hf_request_times {
    const char *at;             /* struct hf_timeline_options */
    uint64_t skip_ns, older_ns; /* 0: not given; what is in use for longer than that is old */
};

/* How addresses get their names. */
struct hf_request_names {
    const char *exe;             /* the main program's file; NULL: where the profile says */
    struct hf_name_list symdirs; /* looked into first */
    bool full_names, no_cache;
    bool keeps_given;   /* names of the input stay as they are */
    bool linkage_names; /* symbol/lookup/symbolize.h */
};

/* What is shown. Patterns are regular expressions; NULL and "": none. */
struct hf_request_fold {
    int granularity;   /* enum hf_granularity */
    const char *value; /* name of a value type; NULL: the profile's default */
    bool keep_allocator;
    const char *thread;       /* its number; NULL, "*": all */
    bool whole_is_thread;     /* the whole of one thread is its own, not the process's */
    bool keeps_threads;       /* of what is shown also the values of each thread */
    struct hf_places *places; /* filled by what is shown, which keeps its threads; NULL: none */
    const char *focus, *ignore, *retain, *exclude, *callers_of;
};

/* Reads a profile of a series, which the caller frees; `is_last` of them. */
typedef enum hf_status hf_request_read_fn(void *context, const struct hf_request *request,
    const struct hf_dated_profile *dated, bool is_last, struct hf_profile **out_profile,
    struct hf_error *err);

/* What it is compared with: at most one of a base, a mark, and each other. */
struct hf_request_comparison {
    struct hf_name_list base;       /* profiles, which are added up; none: no base */
    const char *since;              /* what hf_operand_find_mark finds is the base */
    bool is_series;                 /* the profiles are one process at several times */
    hf_request_read_fn *read_point; /* reads them instead; NULL: they are just read */
    void *reader;                   /* its context */
    bool keeps_points;              /* keep hf_view.series of a comparison with a base, too */
    bool drops_released;            /* show what grew alone */
};

struct hf_request {
    struct hf_loader_options input;
    struct hf_request_times times;
    struct hf_request_names names;
    struct hf_request_fold fold;
    struct hf_request_comparison comparison;
    const struct hf_profile *given; /* show this one, named already, and read no profiles */
};

#endif
