#include "unwind/ruby/control_frames.h"

#include "base/text.h"
#include "unwind/interpreted/runs.h"
#include "unwind/ruby/labels.h"
#include "unwind/ruby/objects.h"

#define ENVIRONMENTS_MAX 64u /* blocks within each other that are followed to their method */
#define WORD 8u

/* An environment: what is before its address, and there. */
enum { SLOT_METHOD = 0, SLOT_OUTER = 8, SLOT_FLAGS = 16, SLOTS_BYTES = 24 };
enum { OUTER_MASK = 3 };

enum { FRAME_IS_LOCAL = 0x02, FRAME_IS_FINISH = 0x20, FRAME_IS_NATIVE = 0x80 };

#define FRAME_KIND_MASK 0x7fff0001u
#define FRAME_KIND_DUMMY 0x79990001u /* around all others; that of the program has code, too */

/* VM_FRAME_MAGIC_METHOD and so on. */
static const uint32_t ruby_kinds[] = {
    0x11110001,
    0x22220001,
    0x33330001,
    0x44440001,
    0x55550001,
    0x66660001,
    0x77770001,
    0x78880001,
    FRAME_KIND_DUMMY,
};

struct ruby_reading {
    struct hf_interpreted_chain *chain;
    const struct hf_ruby *ruby;
    const struct hf_interpreted_memory *memory;
    uint32_t runs; /* that are complete */
};

static bool ruby_break(struct ruby_reading *r)
{
    r->chain->is_broken = true;
    return false;
}

static bool ruby_is_exec(const void *of, const struct hf_unwind_frame *frame)
{
    const struct hf_ruby *ruby = of;
    return frame->pc - 1 - ruby->run < ruby->run_bytes;
}

bool hf_ruby_runs(const struct hf_ruby *ruby, const struct hf_unwind_frame *leaf)
{
    return hf_interpreted_has_native(&(struct hf_interpreted_natives){leaf, ruby_is_exec, ruby});
}

/* Copies the thread of a context, if each says that the other is its own. */
static bool ruby_copy_thread(const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory,
    uint64_t context, uint8_t out_thread[HF_RUBY_THREAD_BYTES])
{
    const struct hf_ruby_layout *layout = ruby->layout;
    uint64_t thread, vm;
    return hf_interpreted_copy(memory, context + layout->context_thread, &thread, sizeof thread) &&
           hf_interpreted_copy(memory, thread, out_thread, HF_RUBY_THREAD_BYTES) &&
           hf_interpreted_copy(memory, ruby->vm, &vm, sizeof vm) &&
           hf_interpreted_u64(out_thread, layout->thread_context) == context &&
           hf_interpreted_u64(out_thread, layout->thread_vm) == vm;
}

bool hf_ruby_look(const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory,
    uint64_t context, bool *out_is_still)
{
    const struct hf_ruby_layout *layout = ruby->layout;
    uint8_t thread[HF_RUBY_THREAD_BYTES];
    uint64_t heap;
    uint32_t flags;
    *out_is_still = false;
    if (!ruby_copy_thread(ruby, memory, context, thread) ||
        !hf_interpreted_copy(memory,
            hf_interpreted_u64(thread, layout->thread_vm) + layout->vm_heap, &heap, sizeof heap) ||
        !hf_interpreted_copy(memory, heap + layout->heap_flags, &flags, sizeof flags))
        return false;
    *out_is_still = hf_interpreted_u64(thread, layout->thread_blocking) == 0 &&
                    (flags & layout->heap_is_collecting) == 0;
    return true;
}

/* The class of a method; 0: it is one of C, or a block that was made one (define_method), whose
 * label is that of where it stands. */
static bool ruby_read_entry(struct ruby_reading *r, const uint8_t *entry, uint64_t *out_owner)
{
    const struct hf_ruby_layout *layout = r->ruby->layout;
    uint8_t type;
    if (!hf_interpreted_copy(
            r->memory, hf_interpreted_u64(entry, layout->method_definition), &type, sizeof type))
        return ruby_break(r);
    bool is_code = (type & layout->definition_mask) == layout->definition_is_code;
    *out_owner = is_code ? hf_interpreted_u64(entry, layout->method_owner) : 0;
    return true;
}

/* What an environment says of its method; *out_has_method: something. */
static bool ruby_read_method(struct ruby_reading *r, uint64_t value, bool is_local,
    uint64_t *out_owner, bool *out_has_method)
{
    uint8_t object[HF_RUBY_OBJECT_BYTES];
    *out_owner = 0;
    *out_has_method = false;
    if (value == 0)
        return true;
    if (!hf_ruby_copy_object(r->memory, value, HF_RUBY_INTERNAL, object))
        return ruby_break(r);
    if (hf_ruby_kind(object) == HF_RUBY_SPECIAL && is_local)
        return ruby_read_method(r, hf_interpreted_u64(object, r->ruby->layout->special_method),
            false, out_owner, out_has_method);
    *out_has_method = hf_ruby_kind(object) == HF_RUBY_METHOD;
    return !*out_has_method || ruby_read_entry(r, object, out_owner);
}

/* The same of a frame whose environment these slots are, or of the method around it. */
static bool ruby_read_owner(
    struct ruby_reading *r, const uint8_t slots[SLOTS_BYTES], uint64_t *out_owner)
{
    uint8_t outer[SLOTS_BYTES];
    memcpy(outer, slots, sizeof outer);
    for (uint32_t i = 0; i < ENVIRONMENTS_MAX; i++) {
        bool is_local = (hf_interpreted_u64(outer, SLOT_FLAGS) & FRAME_IS_LOCAL) != 0, has_method;
        if (!ruby_read_method(
                r, hf_interpreted_u64(outer, SLOT_METHOD), is_local, out_owner, &has_method))
            return false;
        if (has_method || is_local)
            return true;
        uint64_t at = hf_interpreted_u64(outer, SLOT_OUTER) & ~(uint64_t)OUTER_MASK;
        if (!hf_interpreted_copy(r->memory, at - SLOT_FLAGS, outer, sizeof outer))
            return ruby_break(r);
    }
    return true;
}

/* Adds a frame of Ruby code, if there is room. False: the chain is broken. */
static bool ruby_add(struct ruby_reading *r, const uint8_t *control, const uint8_t *slots)
{
    const struct hf_ruby_layout *layout = r->ruby->layout;
    struct hf_interpreted_chain *chain = r->chain;
    uint8_t sequence[HF_RUBY_OBJECT_BYTES], code[HF_RUBY_CODE_BYTES];
    if (chain->count == HF_INTERPRETED_FRAMES_MAX) {
        chain->is_cut = true;
        return true;
    }
    if (!hf_ruby_copy_object(r->memory, hf_interpreted_u64(control, layout->frame_sequence),
            HF_RUBY_INTERNAL, sequence) ||
        hf_ruby_kind(sequence) != HF_RUBY_SEQUENCE)
        return ruby_break(r);
    struct hf_interpreted_frame *frame = &chain->frames[chain->count];
    *frame = (struct hf_interpreted_frame){
        .name = hf_interpreted_u64(sequence, layout->sequence_code),
        .native = r->runs, /* until all are known */
    };
    if (!hf_interpreted_copy(r->memory, frame->name, code, sizeof code) ||
        !ruby_read_owner(r, slots, &frame->scope))
        return ruby_break(r);
    uint64_t start = hf_interpreted_u64(code, layout->code_start);
    uint64_t bytes = hf_interpreted_u64(control, layout->frame_pc) - start;
    uint32_t words = hf_interpreted_u32(code, layout->code_words);
    frame->file = hf_interpreted_u64(code, layout->code_path);
    frame->lines = frame->name;
    frame->print = frame->scope;
    if (words > HF_RUBY_WORDS_MAX || bytes > words * (uint64_t)WORD || bytes % WORD != 0 ||
        !hf_ruby_code_hash(layout, r->memory, code, &frame->print))
        return ruby_break(r);
    frame->offset = bytes != 0 ? (uint32_t)(bytes / WORD) - 1 : 0; /* of the call, not after it */
    chain->count++;
    return true;
}

static bool ruby_is_kind(uint64_t flags)
{
    for (size_t i = 0; i < HF_COUNT(ruby_kinds); i++) {
        if ((flags & FRAME_KIND_MASK) == ruby_kinds[i])
            return true;
    }
    return false;
}

/* One control frame, of whatever kind; false: the chain is broken. */
static bool ruby_read_frame(struct ruby_reading *r, const uint8_t *control)
{
    const struct hf_ruby_layout *layout = r->ruby->layout;
    uint8_t slots[SLOTS_BYTES];
    uint64_t environment = hf_interpreted_u64(control, layout->frame_environment);
    if (!hf_interpreted_copy(r->memory, environment - SLOT_FLAGS, slots, sizeof slots))
        return ruby_break(r);
    uint64_t flags = hf_interpreted_u64(slots, SLOT_FLAGS);
    if (!ruby_is_kind(flags))
        return ruby_break(r);
    if ((flags & FRAME_IS_NATIVE) != 0 || (flags & FRAME_KIND_MASK) == FRAME_KIND_DUMMY ||
        hf_interpreted_u64(control, layout->frame_pc) == 0) /* a library of C is being loaded */
        return true;
    if (!ruby_add(r, control, slots))
        return false;
    r->runs += (flags & FRAME_IS_FINISH) != 0;
    return true;
}

static void ruby_read_frames(struct ruby_reading *r, uint64_t context)
{
    const struct hf_ruby_layout *layout = r->ruby->layout;
    uint8_t head[HF_RUBY_CONTEXT_BYTES], thread[HF_RUBY_THREAD_BYTES], control[HF_RUBY_FRAME_BYTES];
    if (!hf_interpreted_copy(r->memory, context, head, sizeof head) ||
        !ruby_copy_thread(r->ruby, r->memory, context, thread)) {
        (void)ruby_break(r);
        return;
    }
    uint64_t stack = hf_interpreted_u64(head, layout->context_stack);
    uint64_t bytes = hf_interpreted_u64(head, layout->context_stack_words) * WORD;
    uint64_t at = hf_interpreted_u64(head, layout->context_frame);
    if (at - stack > bytes || (stack + bytes - at) % sizeof control != 0) {
        (void)ruby_break(r);
        return;
    }
    for (uint32_t steps = 0; at - stack < bytes; at += sizeof control) {
        if (steps++ == HF_INTERPRETED_STEPS_MAX) {
            r->chain->is_cut = true;
            return;
        }
        if (!hf_interpreted_copy(r->memory, at, control, sizeof control)) {
            (void)ruby_break(r);
            return;
        }
        if (!ruby_read_frame(r, control))
            return;
    }
}

void hf_ruby_chain_read(struct hf_interpreted_chain *chain, const struct hf_ruby *ruby,
    const struct hf_interpreted_memory *memory, uint64_t context,
    const struct hf_unwind_frame *leaf)
{
    struct ruby_reading r = {.chain = chain, .ruby = ruby, .memory = memory};
    hf_interpreted_chain_begin(chain, memory);
    ruby_read_frames(&r, context);
    if (chain->is_broken)
        chain->count = 0;
    else
        hf_interpreted_settle_runs(
            chain, r.runs, &(struct hf_interpreted_natives){leaf, ruby_is_exec, ruby});
}
