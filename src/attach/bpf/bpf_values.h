/*
 * bpf_values.h: what a spec says of a call, in the few forms that the program in the kernel knows
 * (bpf_shared.h).
 */
#ifndef HF_ATTACH_BPF_VALUES_H
#define HF_ATTACH_BPF_VALUES_H

#include "attach/keeper/bpf_shared.h"
#include "attach/probe.h"
#include "base/error.h"

/* HF_ERR_USAGE, and what to do, if it has no form for a value, or the call is of ranges. */
HF_MUST_CHECK enum hf_status hf_bpf_probe_of(
    const struct hf_probe *probe, struct hf_bpf_probe *out_probe, struct hf_error *err);

#endif
