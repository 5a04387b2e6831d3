/*
 * values.bpf.h: the values that a probe names (arguments, products, what a pointer points to, the
 * result), and whether a call succeeded by them. src/attach/bpf/bpf_values.h writes them.
 */
#ifndef HF_BPF_VALUES_H
#define HF_BPF_VALUES_H

#include "maps.bpf.h"

#include <stdbool.h>

INLINE __u64 argument_of(const __u64 *arguments, __u32 number)
{
    return arguments[number & 7 ? (number & 7) < 6 ? number & 7 : 0 : 0];
}

INLINE __u64 value_of(const struct hf_bpf_value *value, const __u64 *arguments, __u64 result)
{
    __u64 argument = argument_of(arguments, value->argument), word = 0;
    switch (value->kind) {
    case HF_BPF_ARGUMENT: return argument;
    case HF_BPF_PRODUCT: return argument * argument_of(arguments, value->other);
    case HF_BPF_LOADED:
        bpf_probe_read_user(&word, sizeof word, (const void *)argument);
        return word;
    case HF_BPF_RESULT: return result;
    case HF_BPF_RESULT32: return (__u64)(__s64)(__s32)result;
    case HF_BPF_NUMBER: return value->number;
    default: return 0;
    }
}

INLINE bool has_succeeded(
    const struct hf_bpf_probe *probe, const struct hf_bpf_open_call *call, __u64 result)
{
    if (probe->ok.kind == HF_BPF_NOTHING)
        return true;
    __u64 left = value_of(&probe->ok, call->arguments, result);
    __u64 right = value_of(&probe->ok_value, call->arguments, result);
    switch (probe->relation) {
    case HF_BPF_DIFFERENT: return left != right;
    case HF_BPF_BELOW: return left < right;
    case HF_BPF_AT_LEAST: return left >= right;
    default: return left == right;
    }
}

#endif
