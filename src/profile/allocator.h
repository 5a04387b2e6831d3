/*
 * allocator.h: which functions are the allocator itself.
 *
 * A heap sample is taken inside the allocator, so its leaf frames are the same in every stack and
 * say nothing. The rule (jeprof's): of a stack, everything from the outermost allocator frame to
 * the leaf is cut. A stack made of nothing else keeps its outermost frame.
 *
 * Example:
 *
 *     bool is_cut = hf_allocator_is_function(HF_TEXT("je_malloc_default")) ||
 *                   hf_allocator_is_module(HF_TEXT("/usr/lib/libjemalloc.so.2"));
 *     if (!is_cut)
 *         return hf_error_set(err, HF_ERR_USAGE, "jemalloc's frames would be shown");
 */
#ifndef HF_PROFILE_ALLOCATOR_H
#define HF_PROFILE_ALLOCATOR_H

#include "base/text.h"
#include "profile/profile.h"

#include <stdbool.h>

/*
 * The allocators that programs have instead of the C library's. For each there is a preset of that
 * name, which `attach` follows where it watches malloc, and `NAME_names` in allocator.c, by which
 * its frames are cut. `script/lint complete` holds what belongs to each; `script/new allocator
 * NAME` makes it.
 */
#define HF_ALLOCATORS(USE)                                                                         \
    USE(jemalloc)                                                                                  \
    USE(tcmalloc)                                                                                  \
    USE(mimalloc)

/* True for a function name: malloc's family, operator new and delete, jemalloc's, tcmalloc's, ...
 */
bool hf_allocator_is_function(struct hf_text name);

/* True for the path of a library that is nothing but an allocator: libjemalloc.so.2 ... */
bool hf_allocator_is_module(struct hf_text path);

/* True for a frame of such a function or module, in a heap profile. */
bool hf_allocator_is_frame(const struct hf_profile *profile, const struct hf_frame *frame);

/*
 * Cuts the allocator's frames off all stacks; stacks that become equal are added up. The names of
 * its frames must be known: by hf_profile_expand, or from the input.
 */
HF_MUST_CHECK enum hf_status hf_allocator_cut(struct hf_profile *profile, struct hf_error *err);

#endif
