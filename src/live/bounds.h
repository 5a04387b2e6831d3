/*
 * bounds.h: what the writer of a live table could not do, and why. Stands in the table's state.
 *
 * Example:
 *
 *     uint64_t bounds = 0; // of the state
 *     if ((bounds & HF_LIVE_BOUND_MALLOC) != 0)
 *         return hf_error_set(err, HF_ERR_INPUT, "has mappings only");
 */
#ifndef HF_LIVE_BOUNDS_H
#define HF_LIVE_BOUNDS_H

/* Why the writer makes do with less than the head says. */
enum hf_live_bound {
    HF_LIVE_BOUND_FILTER = 1,        /* under a seccomp filter it makes no system calls */
    HF_LIVE_BOUND_ADDRESS_SPACE = 2, /* RLIMIT_AS leaves it no more memory */
    HF_LIVE_BOUND_MALLOC = 4, /* another malloc gets the calls: the writer sees only mappings */
    HF_LIVE_BOUND_OBJECTS_TAKEN = 8, /* another tool samples the objects in Java's heap */
    HF_LIVE_BOUND_OBJECTS_OLD = 16,  /* this update of Java shows none of them safely */
};

#endif
