#include "attach/perf/perf_kinds.h"

#include "attach/keeper/keeper_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RESULT_STACK_BYTES 512u /* where a result lies in the caller's frame */

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

static enum hf_status perf_kinds_add(struct hf_perf_kinds *kinds, struct hf_keeper *keeper,
    const struct hf_perf_kind *kind, const char *path, struct hf_error *err)
{
    kinds->items[kinds->count++] = *kind;
    return hf_keeper_line_want(keeper, &kind->wish, path, err);
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

struct hf_perf_wish hf_perf_wish_of_probe(const struct hf_probe *probe, bool is_return)
{
    static const enum hf_perf_what whats[2][2] = {
        {HF_PERF_ENTRY, HF_PERF_RETURN}, {HF_PERF_CALL, HF_PERF_CALL_RETURN}};
    return (struct hf_perf_wish){
        .what = whats[probe->is_system_call][is_return], .period = 1, .offset = probe->offset};
}

/* What is asked of an entry or a return of a probed function. */
static struct hf_perf_wish wish_of(
    const struct hf_perf_source_options *options, const struct hf_probe *probe, bool is_return)
{
    uint64_t arguments = argument_registers(probe->entry);
    bool is_look = options->one_in > 1;
    struct hf_perf_wish wish = hf_perf_wish_of_probe(probe, is_return);
    wish.is_recorded = 1;
    wish.period = is_look ? options->one_in : 1;
    wish.registers = arguments | UINT64_C(1) << REG_SP;
    if (options->context_count != 0 && !is_return)
        wish.filtered_argument = (uint32_t)(context_argument(probe->entry) + 1);
    if (is_return) {
        wish.registers = RETURN_REGISTERS;
        wish.stack_bytes = result_stack_bytes(probe->entry);
    } else if (probe->returns) {
        wish.registers = arguments | WALK_REGISTERS;
        wish.stack_bytes = options->stack_bytes;
        wish.has_chain = options->with_chains;
        if (probe->is_system_call)
            wish.registers |= 1u << REG_IP; /* it may be called from anywhere */
    }
    return wish;
}

static enum hf_status perf_kinds_add_probe(struct hf_perf_kinds *kinds,
    const struct hf_perf_source_options *options, uint32_t number, struct hf_error *err)
{
    const struct hf_probe *probe = &options->probes[number];
    bool is_look = options->one_in > 1;
    enum hf_status status = HF_OK;
    if (is_look && !probe->returns)
        return HF_OK;
    for (int is_return = 0; is_return <= (probe->returns && !is_look); is_return++) {
        const struct hf_perf_kind kind = {
            .half = is_return != 0 ? HF_HALF_RETURN : HF_HALF_ENTRY,
            .probe = number,
            .wish = wish_of(options, probe, is_return != 0),
        };
        if (status == HF_OK)
            status = perf_kinds_add(kinds, options->keeper, &kind, probe->path, err);
    }
    return status;
}

enum hf_status hf_perf_kinds_make(
    struct hf_perf_kinds *kinds, const struct hf_perf_source_options *options, struct hf_error *err)
{
    static const struct hf_perf_kind task = {
        .half = HF_HALF_EXIT, .wish = {.what = HF_PERF_TASK, .is_recorded = 1, .period = 1}};
    const struct hf_perf_kind fault = {
        .half = HF_HALF_FAULT,
        .wish = {.what = HF_PERF_FAULT,
            .is_recorded = 1,
            .period = 1,
            .registers = FAULT_REGISTERS,
            .stack_bytes = options->stack_bytes,
            .has_chain = options->with_chains},
    };
    *kinds = (struct hf_perf_kinds){0};
    kinds->items = calloc(2 + 2 * options->probe_count, sizeof *kinds->items);
    if (kinds->items == NULL)
        return hf_error_memory(err);
    enum hf_status status = perf_kinds_add(kinds, options->keeper, &task, "", err);
    if (status == HF_OK && options->with_faults)
        status = perf_kinds_add(kinds, options->keeper, &fault, "", err);
    for (uint32_t i = 0; i < options->probe_count && status == HF_OK; i++)
        status = perf_kinds_add_probe(kinds, options, i, err);
    return status;
}

void hf_perf_kinds_done(struct hf_perf_kinds *kinds)
{
    free(kinds->items);
    *kinds = (struct hf_perf_kinds){0};
}

enum hf_status hf_perf_kinds_filter(
    const struct hf_perf_source_options *options, struct hf_out *out_filter, struct hf_error *err)
{
    for (size_t i = 0; i < options->context_count; i++)
        hf_out_printf(
            out_filter, "%scontext==0x%" PRIx64, i != 0 ? "||" : "", options->contexts[i]);
    hf_out_char(out_filter, '\0');
    return hf_out_finish(out_filter, err);
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
