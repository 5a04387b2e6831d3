/*
 * loader.h: profiles that somebody names, wherever they are.
 */
#ifndef HF_ANSWER_LOADER_H
#define HF_ANSWER_LOADER_H

#include "answer/listener.h"
#include "capture/found_table.h"
#include "profile/lifetimes.h"
#include "profile/profile.h"

/* True for "http://..." and "https://...". */
bool hf_operand_is_url(const char *name);

/* True for a number that can be a process's. */
bool hf_operand_is_pid(const char *name, uint32_t *out_pid);

/* True if no file here is called so, too: where a profile may be named, its live table is meant. */
bool hf_operand_is_process(const char *name, uint32_t *out_pid);

/*
 * The live table that `name` means: of a process, whose number is *out_pid, or the file itself.
 * `folder`: as of hf_found_table_of.
 */
HF_MUST_CHECK enum hf_status hf_operand_table(struct hf_found_table *table, const char *name,
    const char *folder, uint32_t *out_pid, struct hf_error *err);

/*
 * The file that --since MARK means: one of that name, else the mark (capture/mark.h) of the one
 * process or live table among `names`. HF_ERR_USAGE: there is not one.
 */
HF_MUST_CHECK enum hf_status hf_operand_find_mark(const char *mark, const char *const *names,
    size_t count, char out_path[PATH_MAX], struct hf_error *err);

/* A name without the user and password of a URL: for others to see. Borrowed from `name`. */
const char *hf_operand_shown(const char *name);

/* How a profile is taken in, wherever it is. */
struct hf_loader_options {
    bool is_tcmalloc_v1;                /* os/input.h */
    double input_budget;                /* base/budget.h; 0: as usual */
    const struct hf_listener *listener; /* NULL: nobody listens */
    struct hf_lifetimes *lifetimes;     /* to be filled from a live table; NULL: not wanted */
};

/*
 * Reads each of `names` (a file, "-", a URL, a process) and adds them up. Free the profile with
 * hf_profile_free.
 */
HF_MUST_CHECK enum hf_status hf_loader_read(const char *const *names, size_t count,
    const struct hf_loader_options *options, struct hf_profile **out_profile, struct hf_error *err);

/* True for a regular file of folded stacks: of others nothing can be seen before they are read. */
bool hf_loader_is_folded(const char *name);

/* Reads files of folded stacks, two sides, as a pair (profile/profile.h). */
HF_MUST_CHECK enum hf_status hf_loader_read_pair(const char *const *base, size_t base_count,
    const char *const *current, size_t current_count, const struct hf_loader_options *options,
    struct hf_profile **out_pair, struct hf_error *err);

/*
 * The value type to show: `name`, or the profile's default for NULL. HF_ERR_USAGE if the profile
 * has no such values.
 */
HF_MUST_CHECK enum hf_status hf_value_type_choose(
    const struct hf_profile *profile, const char *name, size_t *out_type, struct hf_error *err);

#endif
