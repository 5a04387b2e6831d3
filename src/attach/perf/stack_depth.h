/*
 * stack_depth.h: how much of each stack has to be copied, learned from some examples.
 *
 * Copying is what costs the process most, because it goes through a ring that no cache holds. So
 * for a short while one call in many has its stack copied, as far as is ever done, and unwound:
 * twice the deepest of them is copied from then on. Where too few were seen to tell, calls are
 * rare, and it does not matter. Stacks that turn out to be deeper are cut, and counted.
 */
#ifndef HF_ATTACH_STACK_DEPTH_H
#define HF_ATTACH_STACK_DEPTH_H

#include "attach/images.h"
#include "attach/perf/perf_source.h"

#define HF_STACK_BYTES_LEAST 2048u
#define HF_STACK_BYTES_MOST 24576u

/* For a source that is to be opened with these options, in which stack_bytes is not looked at.
 * Errors as of hf_perf_source_open. */
HF_MUST_CHECK enum hf_status hf_stack_depth_learn(const struct hf_perf_source_options *options,
    struct hf_images *images, uint32_t *out_stack_bytes, struct hf_error *err);

#endif
