#include "attach/perf/perf_kinds.h"

#include "base/strings/out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RESULT_STACK_BYTES 512u /* where a result lies in the caller's frame */
#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* Numbers of registers: arch/x86/include/uapi/asm/perf_regs.h */
enum {
    REG_AX = 0,
    REG_CX = 2,
    REG_DX = 3,
    REG_SI = 4,
    REG_DI = 5,
    REG_BP = 6,
    REG_SP = 7,
    REG_IP = 8,
    REG_8 = 16,
    REG_9 = 17,
};

/* In the order of their numbers, as they come. */
static const struct {
    uint32_t number;
    size_t offset;
} registers[] = {
    {REG_AX, offsetof(struct hf_registers, ax)},
    {REG_CX, offsetof(struct hf_registers, cx)},
    {REG_DX, offsetof(struct hf_registers, dx)},
    {REG_SI, offsetof(struct hf_registers, si)},
    {REG_DI, offsetof(struct hf_registers, di)},
    {REG_BP, offsetof(struct hf_registers, bp)},
    {REG_SP, offsetof(struct hf_registers, sp)},
    {REG_IP, offsetof(struct hf_registers, ip)},
    {REG_8, offsetof(struct hf_registers, r8)},
    {REG_9, offsetof(struct hf_registers, r9)},
};

/* Each costs the process 50 ns: only what is needed is asked for. */
#define RETURN_REGISTERS (1u << REG_AX | 1u << REG_SP)
#define WALK_REGISTERS (1u << REG_BP | 1u << REG_SP)
#define FAULT_REGISTERS (WALK_REGISTERS | 1u << REG_IP)

/* The registers of arguments, as tracefs calls them. */
static const char *const argument_names[HF_SPEC_ARGUMENTS] = {"di", "si", "dx", "cx", "r8", "r9"};

static struct perf_event_attr *add(struct hf_perf_kinds *kinds, enum hf_half_kind half,
    uint32_t probe, uint32_t type, uint64_t config)
{
    kinds->items[kinds->count] = (struct hf_perf_kind){.half = half, .probe = probe};
    kinds->attributes[kinds->count] = (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = type,
        .config = config,
        .sample_period = 1,
        .sample_type = SAMPLE_TYPE,
        .sample_id_all = 1,
        .inherit = 1,
        .disabled = 1, /* until its records have a place */
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = kinds->wakeup_bytes,
    };
    return &kinds->attributes[kinds->count++];
}

/* The registers that hold the arguments a spec asks for. */
static uint64_t argument_registers(const struct hf_spec_entry *entry)
{
    static const uint32_t in_order[] = {REG_DI, REG_SI, REG_DX, REG_CX, REG_8, REG_9};
    unsigned arguments = hf_spec_entry_arguments(entry);
    uint64_t mask = 0;
    for (size_t i = 0; i < HF_COUNT(in_order); i++)
        mask |= (uint64_t)(arguments >> i & 1) << in_order[i];
    return mask;
}

static void want_registers(struct perf_event_attr *a, uint64_t mask, uint32_t stack_bytes)
{
    a->sample_type |= PERF_SAMPLE_REGS_USER;
    a->sample_regs_user = mask;
    if (stack_bytes != 0) {
        a->sample_type |= PERF_SAMPLE_STACK_USER;
        a->sample_stack_user = stack_bytes;
    }
}

/* A result that lies in memory is read before somebody changes it. */
static uint32_t result_stack_bytes(const struct hf_spec_entry *entry)
{
    const struct hf_spec_value *new = &entry->values[HF_SPEC_NEW];
    for (uint32_t i = 0; i < new->count; i++) {
        if (new->steps[i].kind == HF_SPEC_LOAD)
            return RESULT_STACK_BYTES;
    }
    return 0;
}

/*
 * The argument that says which context a call is for, if its blocks are that context's; else -1. A
 * context that is made is an allocation itself, whoever deletes it.
 */
static int context_argument(const struct hf_spec_entry *entry)
{
    const struct hf_spec_value *context = &entry->values[HF_SPEC_CONTEXT];
    bool is_of_blocks = entry->role != HF_ROLE_CTXNEW && entry->role != HF_ROLE_DELETE;
    return is_of_blocks && context->count == 1 && context->steps[0].kind == HF_SPEC_ARGUMENT
               ? (int)context->steps[0].number
               : -1;
}

static enum hf_status add_probe(struct hf_perf_kinds *kinds, struct hf_tracefs *tracefs,
    const struct hf_perf_source_options *options, uint32_t number, struct hf_error *err)
{
    const struct hf_probe *probe = &options->probes[number];
    int argument = options->context_count != 0 ? context_argument(probe->entry) : -1;
    char fields[32] = "";
    bool is_look = options->one_in > 1;
    if (is_look && !probe->returns)
        return HF_OK;
    for (int is_return = 0; is_return <= (probe->returns && !is_look); is_return++) {
        bool is_filtered = argument >= 0 && is_return == 0;
        uint64_t event;
        if (is_filtered)
            (void)snprintf(fields, sizeof fields, "context=%%%s:u64", argument_names[argument]);
        enum hf_status status = hf_tracefs_add(tracefs, probe->path, probe->offset, is_return != 0,
            is_filtered ? fields : "", &event, err);
        if (status != HF_OK)
            return status;
        struct perf_event_attr *a = add(kinds, is_return != 0 ? HF_HALF_RETURN : HF_HALF_ENTRY,
            number, PERF_TYPE_TRACEPOINT, event);
        kinds->items[kinds->count - 1].is_filtered = is_filtered;
        uint64_t arguments = argument_registers(probe->entry);
        if (is_return != 0)
            want_registers(a, RETURN_REGISTERS, result_stack_bytes(probe->entry));
        else if (probe->returns)
            want_registers(a, arguments | WALK_REGISTERS, options->stack_bytes);
        else
            want_registers(a, arguments | 1u << REG_SP, 0);
        a->sample_period = is_look ? options->one_in : 1;
    }
    return HF_OK;
}

enum hf_status hf_perf_kinds_make(struct hf_perf_kinds *kinds, struct hf_tracefs *tracefs,
    const struct hf_perf_source_options *options, uint32_t wakeup_bytes, struct hf_error *err)
{
    size_t most = 2 + 2 * options->probe_count;
    *kinds = (struct hf_perf_kinds){
        .items = calloc(most, sizeof *kinds->items),
        .attributes = calloc(most, sizeof *kinds->attributes),
        .wakeup_bytes = wakeup_bytes,
    };
    if (kinds->items == NULL || kinds->attributes == NULL)
        return hf_error_memory(err);
    struct perf_event_attr *a =
        add(kinds, HF_HALF_EXIT, 0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
    a->task = a->comm = a->comm_exec = 1;
    if (options->with_faults) {
        a = add(kinds, HF_HALF_FAULT, 0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
        a->sample_type |= PERF_SAMPLE_ADDR;
        want_registers(a, FAULT_REGISTERS, options->stack_bytes);
    }
    enum hf_status status = HF_OK;
    for (uint32_t i = 0; i < options->probe_count && status == HF_OK; i++)
        status = add_probe(kinds, tracefs, options, i, err);
    return status;
}

void hf_perf_kinds_done(struct hf_perf_kinds *kinds)
{
    free(kinds->items);
    free(kinds->attributes);
    *kinds = (struct hf_perf_kinds){0};
}

enum hf_status hf_perf_kinds_filter(const struct hf_perf_kinds *kinds,
    const struct hf_perf_events *events, const struct hf_perf_source_options *options,
    struct hf_error *err)
{
    struct hf_out filter = {0};
    for (size_t i = 0; i < options->context_count; i++)
        hf_out_printf(&filter, "%scontext==0x%" PRIx64, i != 0 ? "||" : "", options->contexts[i]);
    hf_out_char(&filter, '\0');
    enum hf_status status = hf_out_finish(&filter, err);
    for (uint32_t i = 0; i < kinds->count && status == HF_OK; i++) {
        if (kinds->items[i].is_filtered)
            status = hf_perf_events_filter(events, i, filter.data, err);
    }
    hf_out_done(&filter);
    return status;
}

size_t hf_perf_registers_read(const char *from, uint64_t mask, struct hf_registers *out)
{
    const char *at = from;
    uint64_t abi;
    memcpy(&abi, at, sizeof abi);
    at += sizeof abi;
    for (size_t i = 0; i < HF_COUNT(registers) && abi != PERF_SAMPLE_REGS_ABI_NONE; i++) {
        if ((mask >> registers[i].number & 1) == 0)
            continue;
        memcpy((char *)out + registers[i].offset, at, sizeof(uint64_t));
        at += sizeof(uint64_t);
    }
    return (size_t)(at - from);
}
