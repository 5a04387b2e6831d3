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
 *
 * And which helpers keep what they make themselves. A helper (owner.h) may if an object that it
 * changes has such things: a list of problems, say, in the context of who complains. From its types
 * alone it is not known whether it does, or makes it for its caller. Who calls it tells: where one
 * caller has nine tenths of what it allocates or more, that caller is another than the rest, and
 * owns it. Else none of them is, so the helper owns it, as a *keeper*.
 */
#ifndef HF_ANALYSIS_OWNER_WRAPPERS_H
#define HF_ANALYSIS_OWNER_WRAPPERS_H

#include "analysis/owner_stacks.h"

/* Learns, and walks the stacks again. */
HF_MUST_CHECK enum hf_status hf_owner_wrappers_learn(
    struct hf_owner_stacks *stacks, struct hf_error *err);

/* The same of keepers: before wrappers are learned. */
HF_MUST_CHECK enum hf_status hf_owner_wrappers_learn_keepers(
    struct hf_owner_stacks *stacks, struct hf_error *err);

#endif
