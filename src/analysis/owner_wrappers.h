/*
 * owner_wrappers.h: learns from a profile which of the program's functions only allocate for their
 * callers.
 *
 * A *site* is an own function with what it calls from there to the allocator, line by line. An own
 * function is a *wrapper* if
 *
 *   - 3 own functions or more call it, and it calls none itself;
 *   - the blocks of a site of it differ in their mean size from caller to caller, the largest by
 *     more than an eighth from the smallest;
 *   - no site of it has blocks of the same size for several callers: what allocates those makes
 *     something of its own.
 *
 * All blocks of a site that has one size have that mean, however few of them were sampled: so this
 * holds of sampled profiles, too. It is repeated while something is learned, so a wrapper of
 * wrappers is found as well. A profile that counts no objects teaches nothing.
 */
#ifndef HF_ANALYSIS_OWNER_WRAPPERS_H
#define HF_ANALYSIS_OWNER_WRAPPERS_H

#include "analysis/owner_stacks.h"

/* Learns, and walks the stacks again. */
HF_MUST_CHECK enum hf_status hf_owner_wrappers_learn(
    struct hf_owner_stacks *stacks, struct hf_error *err);

#endif
