/*
 * mending.h: takes breakpoints out of a process that a tool left there when it was killed
 * (attach/probes/breakpoint.h): a probe is put at the place of each, and taken away in peace. What
 * is still there then is somebody's who watches the process.
 *
 * A debugger's breakpoints look the same, and would be lost: of a process that is traced nothing is
 * taken.
 */
#ifndef HF_ATTACH_MENDING_H
#define HF_ATTACH_MENDING_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_keeper;

struct hf_mending {
    size_t found, left; /* before and after; the same where nothing was done */
    char first[256];    /* where the first is: "libc.so.6+0x9a3c0" */
};

/*
 * `keeper`: of the process; NULL in a worker, which asks its broker (keeper_line.h). `mends`: else
 * only looks. HF_ERR_SYSTEM: the process may not be read, or the kernel refuses; HF_ERR_INPUT: it
 * is traced; HF_ERR_LIMIT: more than HF_LIMIT_PROBES.
 */
HF_MUST_CHECK enum hf_status hf_mending_do(uint32_t pid, struct hf_keeper *keeper, bool mends,
    struct hf_mending *out_mending, struct hf_error *err);

#endif
