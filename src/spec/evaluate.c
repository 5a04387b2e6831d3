#include "spec/spec.h"

const char *hf_role_name(enum hf_role role)
{
    static const char *const names[HF_ROLES] = {[HF_ROLE_ALLOC] = "alloc",
        [HF_ROLE_FREE] = "free",
        [HF_ROLE_REALLOC] = "realloc",
        [HF_ROLE_RESET] = "reset",
        [HF_ROLE_DELETE] = "delete",
        [HF_ROLE_CTXNEW] = "ctxnew",
        [HF_ROLE_MAP] = "map",
        [HF_ROLE_UNMAP] = "unmap"};
    return names[role];
}

static unsigned arguments_of(const struct hf_spec_value *value)
{
    unsigned arguments = 0;
    for (uint32_t i = 0; i < value->count; i++)
        if (value->steps[i].kind == HF_SPEC_ARGUMENT)
            arguments |= 1u << value->steps[i].number;
    return arguments;
}

unsigned hf_spec_entry_arguments(const struct hf_spec_entry *entry)
{
    unsigned arguments = arguments_of(&entry->ok[0]) | arguments_of(&entry->ok[1]);
    for (size_t i = 0; i < HF_SPEC_KEYS; i++)
        arguments |= arguments_of(&entry->values[i]);
    return arguments;
}

bool hf_spec_entry_returns(const struct hf_spec_entry *entry)
{
    return entry->role == HF_ROLE_ALLOC || entry->role == HF_ROLE_REALLOC ||
           entry->role == HF_ROLE_CTXNEW || entry->role == HF_ROLE_MAP;
}

static bool values_agree(const struct hf_spec_value *a, const struct hf_spec_value *b)
{
    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        if (a->steps[i].kind != b->steps[i].kind || a->steps[i].number != b->steps[i].number)
            return false;
    return a->count == b->count;
}

bool hf_spec_entries_agree(const struct hf_spec_entry *a, const struct hf_spec_entry *b)
{
    for (size_t i = 0; i < HF_SPEC_KEYS; i++)
        if (!values_agree(&a->values[i], &b->values[i]))
            return false;
    return a->role == b->role && a->relation == b->relation && values_agree(&a->ok[0], &b->ok[0]) &&
           values_agree(&a->ok[1], &b->ok[1]);
}

struct hf_spec_call hf_spec_call_of(const struct hf_registers *registers)
{
    return (struct hf_spec_call){.arguments = {registers->di, registers->si, registers->dx,
                                     registers->cx, registers->r8, registers->r9}};
}

bool hf_spec_evaluate(
    const struct hf_spec_value *value, const struct hf_spec_call *call, uint64_t *out_value)
{
    uint64_t stack[HF_SPEC_STEPS_MAX];
    size_t depth = 0; /* the parser made steps that never take what is not there */
    for (uint32_t i = 0; i < value->count; i++) {
        const struct hf_spec_step *step = &value->steps[i];
        switch (step->kind) {
        case HF_SPEC_ARGUMENT: stack[depth++] = call->arguments[step->number]; break;
        case HF_SPEC_RESULT: stack[depth++] = call->result; break;
        case HF_SPEC_RESULT32:
            stack[depth++] = (uint64_t)(int64_t)(int32_t)(uint32_t)call->result;
            break;
        case HF_SPEC_CONSTANT: stack[depth++] = step->number; break;
        case HF_SPEC_LOAD:
            if (call->load == NULL ||
                !call->load(call->context, stack[depth - 1], &stack[depth - 1]))
                return false;
            break;
        case HF_SPEC_ADD: depth--, stack[depth - 1] += stack[depth]; break;
        case HF_SPEC_SUBTRACT: depth--, stack[depth - 1] -= stack[depth]; break;
        case HF_SPEC_MULTIPLY: depth--, stack[depth - 1] *= stack[depth]; break;
        }
    }
    if (value->count != 0)
        *out_value = stack[0];
    return value->count != 0;
}

bool hf_spec_succeeded(const struct hf_spec_entry *entry, const struct hf_spec_call *call)
{
    uint64_t left, right;
    if (entry->ok[0].count == 0)
        return true;
    if (!hf_spec_evaluate(&entry->ok[0], call, &left) ||
        !hf_spec_evaluate(&entry->ok[1], call, &right))
        return false;
    switch (entry->relation) {
    case HF_SPEC_EQUAL: return left == right;
    case HF_SPEC_DIFFERENT: return left != right;
    case HF_SPEC_BELOW: return left < right;
    default: return left >= right;
    }
}
