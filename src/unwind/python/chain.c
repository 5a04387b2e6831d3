#include "unwind/python/chain.h"

#include "base/mix.h"
#include "unwind/python/unicode.h"

#define PRIME UINT64_C(0x9e3779b97f4a7c15)

enum { OBJECT_TYPE = 8 };

struct chain_reading {
    struct hf_interpreted_chain *chain;
    const struct hf_python *python;
    const struct hf_interpreted_memory *memory;
    const struct hf_unwind_frame *native; /* as far as the entries led */
    uint32_t native_number;
    uint32_t steps;
};

/* Moves on to the native frame in which the address lies. False: it is in none that is left. */
static bool chain_find_native(struct chain_reading *r, uint64_t address)
{
    for (; r->native != NULL && r->native->caller != NULL && address >= r->native->sp;
         r->native = r->native->caller, r->native_number++) {
        if (address < r->native->caller->sp)
            return true;
    }
    return false;
}

static bool chain_break(struct chain_reading *r)
{
    r->chain->is_broken = true;
    return false;
}

/* What function and file of a code object are called; false: it has no names, or is none. */
static bool chain_read_code(
    struct chain_reading *r, uint64_t address, struct hf_interpreted_frame *out_frame)
{
    const struct hf_python_layout *layout = r->python->layout;
    uint8_t code[HF_PYTHON_CODE_BYTES];
    struct hf_python_text name, file;
    if (!hf_interpreted_copy(r->memory, address, code, sizeof code) ||
        hf_interpreted_u64(code, OBJECT_TYPE) != r->python->code_type)
        return chain_break(r);
    *out_frame = (struct hf_interpreted_frame){
        .name = hf_interpreted_u64(code, layout->code_name),
        .file = hf_interpreted_u64(code, layout->code_file),
        .lines = hf_interpreted_u64(code, layout->code_lines),
        .line = hf_interpreted_u32(code, layout->code_first_line),
    };
    if (out_frame->name == 0 || out_frame->file == 0)
        return false;
    out_frame->print = hf_mix(out_frame->name ^ PRIME, out_frame->file);
    if (!hf_python_text_find(layout, r->memory, r->python->text_type, out_frame->name, &name) ||
        !hf_python_text_find(layout, r->memory, r->python->text_type, out_frame->file, &file) ||
        !hf_python_text_hash(r->memory, &name, &out_frame->print) ||
        !hf_python_text_hash(r->memory, &file, &out_frame->print))
        return chain_break(r);
    return true;
}

/* Adds a frame, whose native one is found later, if there is room. False: the chain is broken. */
static bool chain_add(struct chain_reading *r, const uint8_t *record)
{
    const struct hf_python_layout *layout = r->python->layout;
    struct hf_interpreted_chain *chain = r->chain;
    uint64_t code = hf_interpreted_u64(record, layout->frame_code);
    if (chain->count == HF_INTERPRETED_FRAMES_MAX) {
        chain->is_cut = true;
        return true;
    }
    struct hf_interpreted_frame *frame = &chain->frames[chain->count];
    if (!chain_read_code(r, code, frame))
        return !chain->is_broken;
    uint64_t offset =
        hf_interpreted_u64(record, layout->frame_instruction) - code - layout->code_instructions;
    frame->offset = offset <= UINT32_MAX ? (uint32_t)offset : UINT32_MAX;
    chain->count++;
    return true;
}

/* The frames [from, count) are run by the native frame in which the address lies. */
static bool chain_settle(struct chain_reading *r, uint32_t from, uint64_t address)
{
    struct hf_interpreted_chain *chain = r->chain;
    if (!chain_find_native(r, address)) {
        chain->count = from;
        return false;
    }
    for (uint32_t i = from; i < chain->count; i++)
        hf_interpreted_chain_settle(chain, i, r->native_number);
    return true;
}

static bool chain_copy_frame(struct chain_reading *r, uint64_t frame, uint8_t *out_record)
{
    return (r->steps++ < HF_INTERPRETED_STEPS_MAX &&
               hf_interpreted_copy(r->memory, frame, out_record, HF_PYTHON_FRAME_BYTES)) ||
           chain_break(r);
}

/* 3.11: the frames of one run of the eval function, up to the one with the flag. */
static bool chain_read_run(struct chain_reading *r, uint64_t frame)
{
    const struct hf_python_layout *layout = r->python->layout;
    uint8_t record[HF_PYTHON_FRAME_BYTES];
    for (; frame != 0; frame = hf_interpreted_u64(record, layout->frame_previous)) {
        if (!chain_copy_frame(r, frame, record) || !chain_add(r, record))
            return false;
        if (record[layout->frame_is_entry] != 0)
            return true;
    }
    return true;
}

static void chain_read_by_flags(struct chain_reading *r, uint64_t cframe)
{
    const struct hf_python_layout *layout = r->python->layout;
    uint8_t record[HF_PYTHON_CFRAME_BYTES];
    for (; cframe != 0; cframe = hf_interpreted_u64(record, layout->cframe_previous)) {
        uint32_t from = r->chain->count;
        if (!chain_find_native(r, cframe))
            return; /* the last one is no local variable, but part of the thread state */
        if (r->steps++ >= HF_INTERPRETED_STEPS_MAX ||
            !hf_interpreted_copy(r->memory, cframe, record, sizeof record)) {
            (void)chain_break(r);
            return;
        }
        if (!chain_read_run(r, hf_interpreted_u64(record, layout->cframe_frame)) ||
            !chain_settle(r, from, cframe))
            return;
    }
}

/* From 3.12 on: one chain, in which a frame without code tells where the C stack is. */
static void chain_read_by_shims(struct chain_reading *r, uint64_t frame)
{
    const struct hf_python_layout *layout = r->python->layout;
    uint8_t record[HF_PYTHON_FRAME_BYTES];
    uint32_t from = 0;
    for (; frame != 0; frame = hf_interpreted_u64(record, layout->frame_previous)) {
        if (!chain_copy_frame(r, frame, record))
            return;
        if (record[layout->frame_owner] == HF_PYTHON_SHIM_OWNER) {
            if (!chain_settle(r, from, frame))
                return;
            from = r->chain->count;
        } else if (!chain_add(r, record)) {
            return;
        }
    }
    r->chain->count = from; /* whose entry was not met */
}

/* The innermost frame of a thread without flags; 0: there is none. */
static uint64_t chain_first(struct chain_reading *r, uint64_t start)
{
    const struct hf_python_layout *layout = r->python->layout;
    uint8_t record[HF_PYTHON_CFRAME_BYTES];
    if (start == 0 || layout->cframe_frame == HF_PYTHON_NOWHERE)
        return start;
    if (!hf_interpreted_copy(r->memory, start, record, sizeof record))
        return chain_break(r);
    return hf_interpreted_u64(record, layout->cframe_frame);
}

void hf_python_chain_read(struct hf_interpreted_chain *chain, const struct hf_python *python,
    const struct hf_interpreted_memory *memory, const uint8_t head[HF_PYTHON_THREAD_BYTES],
    const struct hf_unwind_frame *leaf)
{
    const struct hf_python_layout *layout = python->layout;
    struct chain_reading r = {.chain = chain, .python = python, .memory = memory, .native = leaf};
    uint64_t start = hf_interpreted_u64(head, layout->chain);
    hf_interpreted_chain_begin(chain, memory);
    if (layout->entry == HF_PYTHON_ENTRY_FLAG)
        chain_read_by_flags(&r, start);
    else
        chain_read_by_shims(&r, chain_first(&r, start));
    if (chain->is_broken)
        chain->count = 0;
}
