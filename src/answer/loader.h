/*
 * loader.h: reads profiles from files, standard input, URLs and processes.
 */
#ifndef HF_ANSWER_LOADER_H
#define HF_ANSWER_LOADER_H

#include "base/watch.h"
#include "profile/lifetimes.h"
#include "profile/profile.h"

/* How to read a profile. */
struct hf_loader_options {
    bool is_tcmalloc_v1;                /* os/input.h */
    int tasks_by;                       /* enum hf_tasks_by: os/input.h */
    double input_budget;                /* base/budget.h; 0: as usual */
    const struct hf_listener *listener; /* NULL: do not report progress */
    struct hf_lifetimes *lifetimes;     /* filled from a live table; NULL: not needed */
};

/*
 * Reads each of `names` (a file, "-", a URL, a process) and adds them up. Free the profile with
 * hf_profile_free.
 */
HF_MUST_CHECK enum hf_status hf_loader_read(const char *const *names, size_t count,
    const struct hf_loader_options *options, struct hf_profile **out_profile, struct hf_error *err);

/* True for a regular file of folded stacks. Pipes cannot be examined before they are read. */
bool hf_loader_is_folded(const char *name);

/* Reads files of folded stacks, two sides, as a pair (profile/profile.h). */
HF_MUST_CHECK enum hf_status hf_loader_read_pair(const char *const *base, size_t base_count,
    const char *const *current, size_t current_count, const struct hf_loader_options *options,
    struct hf_profile **out_pair, struct hf_error *err);

#endif
