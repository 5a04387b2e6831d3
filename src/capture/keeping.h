/*
 * keeping.h: the dumps of one process, handed on as they come, and those that are not kept.
 */
#ifndef HF_CAPTURE_KEEPING_H
#define HF_CAPTURE_KEEPING_H

#include "capture/policy.h"
#include "profile/profile.h"

/* What becomes of the dumps: src/capture writes no files. */
struct hf_dump_sink {
    /* The profile is its owner's again afterwards. */
    enum hf_status (*take)(void *context, uint64_t number, enum hf_dump_reason reason,
        struct hf_profile *profile, struct hf_error *err);
    void (*drop)(void *context, uint64_t number); /* a dump that is not kept */
    void *context;
};

struct hf_keeping {
    struct hf_dump_sink sink;
    size_t last; /* dumps beside the first, the peak and the pairs; 0: all */
    /* Its own. */
    struct hf_kept_dump *dumps;
    size_t count, capacity;
    uint64_t next_number, last_in_use;
};

/* Hands a dump to the sink, and has one dropped if there are too many now. */
HF_MUST_CHECK enum hf_status hf_keeping_take(struct hf_keeping *keeping, enum hf_dump_reason reason,
    struct hf_profile *profile, uint64_t in_use_bytes, struct hf_error *err);
void hf_keeping_done(struct hf_keeping *keeping);

#endif
