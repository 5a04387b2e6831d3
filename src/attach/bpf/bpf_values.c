#include "attach/bpf/bpf_values.h"

static bool is_shape(const struct hf_spec_value *value, size_t count, const int *kinds)
{
    bool is_same = value->count == count;
    for (size_t i = 0; is_same && i < count; i++)
        is_same = (int)value->steps[i].kind == kinds[i];
    return is_same;
}

#define IS_SHAPE(value, ...)                                                                       \
    is_shape(value, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})

static bool bpf_values_convert(const struct hf_spec_value *value, struct hf_bpf_value *out)
{
    const struct hf_spec_step *steps = value->steps;
    *out = (struct hf_bpf_value){.kind = HF_BPF_NOTHING};
    if (value->count == 0)
        return true;
    out->number = steps[0].number;
    out->argument = (uint16_t)(steps[0].number % HF_SPEC_ARGUMENTS);
    if (IS_SHAPE(value, HF_SPEC_ARGUMENT)) {
        out->kind = HF_BPF_ARGUMENT;
    } else if (IS_SHAPE(value, HF_SPEC_ARGUMENT, HF_SPEC_ARGUMENT, HF_SPEC_MULTIPLY)) {
        out->kind = HF_BPF_PRODUCT;
        out->other = (uint16_t)(steps[1].number % HF_SPEC_ARGUMENTS);
    } else if (IS_SHAPE(value, HF_SPEC_ARGUMENT, HF_SPEC_LOAD)) {
        out->kind = HF_BPF_LOADED;
    } else if (IS_SHAPE(value, HF_SPEC_RESULT)) {
        out->kind = HF_BPF_RESULT;
    } else if (IS_SHAPE(value, HF_SPEC_RESULT32)) {
        out->kind = HF_BPF_RESULT32;
    } else if (IS_SHAPE(value, HF_SPEC_CONSTANT)) {
        out->kind = HF_BPF_NUMBER;
    } else {
        return false;
    }
    return true;
}

static const enum hf_bpf_relation relations[] = {
    [HF_SPEC_EQUAL] = HF_BPF_EQUAL,
    [HF_SPEC_DIFFERENT] = HF_BPF_DIFFERENT,
    [HF_SPEC_BELOW] = HF_BPF_BELOW,
    [HF_SPEC_AT_LEAST] = HF_BPF_AT_LEAST,
};

enum hf_status hf_bpf_probe_of(
    const struct hf_probe *probe, struct hf_bpf_probe *out_probe, struct hf_error *err)
{
    const struct hf_spec_entry *entry = probe->entry;
    *out_probe = (struct hf_bpf_probe){
        .role = entry->role,
        .relation = relations[entry->relation],
        .is_in_context = entry->is_in_context,
    };
    if (entry->role != HF_ROLE_MAP && entry->role != HF_ROLE_UNMAP &&
        bpf_values_convert(&entry->values[HF_SPEC_CONTEXT], &out_probe->context) &&
        bpf_values_convert(&entry->values[HF_SPEC_POINTER], &out_probe->pointer) &&
        bpf_values_convert(&entry->values[HF_SPEC_SIZE], &out_probe->size) &&
        bpf_values_convert(&entry->values[HF_SPEC_NEW], &out_probe->new_block) &&
        bpf_values_convert(&entry->ok[0], &out_probe->ok) &&
        bpf_values_convert(&entry->ok[1], &out_probe->ok_value))
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "the bpf backend cannot follow %s as line %u of the spec describes it: use --backend perf",
        probe->function, entry->line);
}
