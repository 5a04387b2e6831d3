/*
 * folded_input.h: an input that must be folded stacks, compressed or not, whatever else it could
 * be taken for: two files to compare, and what flamegraph.pl reads.
 */
#ifndef HF_FORMATS_FOLDED_INPUT_H
#define HF_FORMATS_FOLDED_INPUT_H

#include "base/error.h"
#include "formats/folded/folded.h"
#include "os/input.h"

/* True if these are folded stacks, compressed or not. The input is of no use any more. */
bool hf_folded_input_is(struct hf_input *input);

/*
 * Reads folded stacks, compressed or not, as hf_folded_read. HF_ERR_INPUT for a profile of another
 * format, which it names; what is of no format has lines that are left out.
 */
HF_MUST_CHECK enum hf_status hf_folded_input_read(struct hf_input *input,
    const struct hf_folded_how *how, struct hf_profile *profile, struct hf_error *err);

#endif
