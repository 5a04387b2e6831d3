/*
 * live.h: a live table as a profile, for those who want more of it than hf_format_read tells: the
 * old blocks alone, and when the blocks of each stack were born.
 */
#ifndef HF_FORMATS_LIVE_H
#define HF_FORMATS_LIVE_H

#include "base/error.h"
#include "live/reader.h"
#include "profile/profile.h"

/* What blocks in use were given, where they are asked of memory contexts. */
#define HF_HELD_SPACE "held_space"

/* The blocks in use of one stack; births in ns of CLOCK_MONOTONIC. */
struct hf_live_age {
    uint32_t node; /* of the stack tree */
    uint64_t first_birth, last_birth;
    uint64_t objects, bytes; /* as in the profile */
    uint64_t held_bytes;     /* of memory contexts: with heads and room; else `bytes` */
    uint64_t samples;        /* that these are estimated from; 0: they are exact */
};

/* Of each stack that has blocks, by node. Whoever asked frees the items. */
struct hf_live_ages {
    struct hf_live_age *items;
    size_t count;
    uint64_t young_objects, young_bytes; /* estimated: what was left out */
};

/*
 * Fills the new `profile`; blocks that were born after born_until_ns are left out (UINT64_MAX:
 * none). With the bytes of a block's head (live/chunk.h; 0: none) there is another value,
 * HF_HELD_SPACE. `out_ages` may be NULL. HF_ERR_INPUT and HF_ERR_LIMIT as of hf_live_read.
 */
HF_MUST_CHECK enum hf_status hf_live_profile(struct hf_live_source source, uint64_t born_until_ns,
    uint32_t chunk_head_bytes, struct hf_profile *profile, struct hf_live_ages *out_ages,
    struct hf_error *err);

#endif
