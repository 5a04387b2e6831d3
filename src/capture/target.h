/*
 * target.h: checks, from its files and before it starts, whether a program can be recorded by
 * preloading the agent.
 *
 * The dynamic linker of glibc preloads; of a program that it does not load, or that it loads in
 * secure-execution mode (ld.so(8)), nothing would be recorded, and nothing said. A script is what
 * its interpreter is. Sanitizers keep their own account of each block and cannot share it.
 */
#ifndef HF_CAPTURE_TARGET_H
#define HF_CAPTURE_TARGET_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>

struct hf_target {
    char path[PATH_MAX]; /* the image that will run: of a script, its interpreter */
    bool is_go; /* Go's allocator is its own, too; only what C code of it allocates is seen */
    bool has_own_malloc; /* it exports malloc itself: the agent does not see what it allocates */
};

/* Looks for `command` as execvp(3) finds it. HF_ERR_SYSTEM: it cannot be run. */
HF_MUST_CHECK enum hf_status hf_target_find(
    const char *command, struct hf_target *out_target, struct hf_error *err);

/* Looks into it. HF_ERR_USAGE, with what to do: it cannot be recorded. */
HF_MUST_CHECK enum hf_status hf_target_check(struct hf_target *target, struct hf_error *err);

/* The two halves of that: what its bytes say, for a worker without rights, as hf_target_find is;
 * and whether it runs with other rights than ours, which only who has ours can say. */
HF_MUST_CHECK enum hf_status hf_target_check_image(struct hf_target *target, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_target_check_rights(const char *path, struct hf_error *err);

#endif
