/*
 * threads.h: the threads of a profile as people name them.
 *
 * A thread is called by its name, all threads of one name together, or "thread 7" where it has
 * none; 7 is the number that the profile has for it.
 *
 * Example:
 *
 *     struct hf_profile *profile = NULL; // one that was read
 *     bool chosen[8] = {false};
 *     if (profile != NULL && profile->thread_count <= 8)
 *         status = hf_threads_choose(profile, "worker", chosen, err); // or "7", or "thread 7"
 */
#ifndef HF_PROFILE_THREADS_H
#define HF_PROFILE_THREADS_H

#include "base/strings/out.h"
#include "profile/profile.h"

/* What the samples are called that are of no thread which the profile knows. */
#define HF_NO_THREAD "[no thread]"

/* Writes what the thread with this index is called, raw. */
void hf_threads_label(const struct hf_profile *profile, uint32_t thread, struct hf_out *out);

/*
 * Sets out_is_chosen[thread] for those that `text` names: by its number, else by what they are
 * called. HF_ERR_USAGE: there is none.
 */
HF_MUST_CHECK enum hf_status hf_threads_choose(
    const struct hf_profile *profile, const char *text, bool *out_is_chosen, struct hf_error *err);

/*
 * Makes each stack of `to` the thread that allocated: one frame with what it is called. `from` has
 * samples of threads; `to` none yet. `counts`: which samples of `from` do, NULL: all. HF_ERR_USAGE:
 * the profile does not say of threads.
 */
typedef bool hf_threads_counts_fn(const void *context, size_t sample);
HF_MUST_CHECK enum hf_status hf_threads_fold(const struct hf_profile *from,
    hf_threads_counts_fn *counts, const void *context, struct hf_profile *to, struct hf_error *err);

#endif
