/*
 * members.h: which processes belong together now: one with all below it, or those of a cgroup.
 *
 * Who was seen once stays until it ends, also where its parent has ended before it or another
 * cgroup has it now. What starts and ends between two looks is not seen. Who looks is the leader of
 * a session (setsid(2)); all of that, and its own parent, belong to nobody.
 */
#ifndef HF_ATTACH_MEMBERS_H
#define HF_ATTACH_MEMBERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number may be given again: with its start it names a process. */
struct hf_member {
    uint32_t pid;
    uint64_t start_ticks;
    bool is_known; /* for who looks: as it was left */
};

#define HF_MEMBERS_MOST 1024 /* at least HF_LIMIT_MEMBERS */

/* All-zero but for one of the first two is ready. */
struct hf_members {
    uint32_t tree;      /* 0: none */
    const char *cgroup; /* a folder, borrowed; NULL: none */
    struct hf_member items[HF_MEMBERS_MOST];
    size_t count;
    bool are_more; /* than the limit, at some time */
    bool has_begun;
};

/* HF_ERR_INPUT: the cgroup is not one. That nobody is left is no error. */
HF_MUST_CHECK enum hf_status hf_members_look(struct hf_members *members, struct hf_error *err);

#endif
