#include "attach/saved_stack.h"

#include "attach/go_stack.h"
#include "attach/hidden_callers.h"

#include <string.h>

#define SEARCHES_MAX 16 /* in one stack */
#define START_CODE_BYTES 64u
#define START_STACK_BYTES 512u

void hf_saved_stack_repair(const struct hf_images *images, uint64_t sp, char *bytes, size_t size,
    const struct hf_replaced_return *replaced, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t at = replaced[i].slot - sp, word;
        if (size < sizeof word || at > size - sizeof word)
            continue;
        memcpy(&word, bytes + at, sizeof word);
        /* Anything else was written since, or is another tool's. */
        if (word - images->trampoline < images->trampoline_end - images->trampoline)
            memcpy(bytes + at, &replaced[i].address, sizeof word);
    }
}

/* The caller of a function that has just been entered, and has no rule; false: it has one. */
static bool leave_entry(
    struct hf_images *images, struct hf_text bytes, struct hf_unwind_registers *at)
{
    struct hf_unwind_rule rule = hf_images_rule(images, at->pc - 1, false);
    if (hf_unwind_rule_kind(rule) != HF_UNWIND_UNKNOWN || bytes.size < sizeof at->pc)
        return false;
    memcpy(&at->pc, bytes.data, sizeof at->pc);
    at->sp += sizeof at->pc;
    return true;
}

/* A chain of frame pointers that ends in 0 is complete (System V ABI for x86-64, 3.4.1), in threads
 * of the C library and in goroutines alike. */
static bool is_end_of_chain(const struct hf_unwind_frame *outermost)
{
    return outermost->caller == NULL && outermost->fp == 0 &&
           hf_unwind_rule_kind(outermost->rule) == HF_UNWIND_UNKNOWN;
}

/* True if there may be a caller, and none is known. */
static bool is_cut_at(const struct hf_unwind_frame *outermost, bool is_in_chain)
{
    return (outermost->traits & HF_UNWIND_IS_CUT) != 0 &&
           !(is_in_chain && is_end_of_chain(outermost));
}

/* A frame pointer led nowhere, or to what is no return address. `is_in_chain`: one led here. */
static bool is_lost(struct hf_images *images, const struct hf_unwind_frame *frame, bool is_in_chain)
{
    if (hf_unwind_rule_kind(frame->rule) != HF_UNWIND_UNKNOWN)
        return false;
    if (frame->caller == NULL)
        return is_cut_at(frame, is_in_chain);
    uint64_t pc = frame->caller->pc;
    const struct hf_code_segment *segment = hf_images_at(images, pc - 1);
    bool is_unread = segment != NULL && images->images[segment->image].elf.bytes.size == 0;
    /* Nobody called the last of a chain, as runtime.goexit: what leads there was put there. */
    bool is_last = segment != NULL && is_end_of_chain(frame->caller);
    return !is_unread && !is_last && hf_return_kind_of(images, pc) == HF_RETURN_NONE &&
           !hf_return_is_of_jit(images, pc);
}

/*
 * A JIT's code that leaves rbp to its caller: the frame pointer is the caller's, and leads past it.
 * Code that was gone before it was looked at may be such.
 */
static bool skips_caller(struct hf_images *images, const struct hf_unwind_frame *frame)
{
    return hf_unwind_rule_kind(frame->rule) == HF_UNWIND_UNKNOWN && frame->caller != NULL &&
           hf_images_at(images, frame->pc - 1) == NULL &&
           hf_return_kind_of(images, frame->caller->pc) != HF_RETURN_NONE &&
           !hf_jit_keeps_frames(images, frame->pc);
}

/* Adds the frames from `frame` on, up to the first whose caller is to be searched for, or else the
 * outermost. */
static const struct hf_unwind_frame *take_frames(struct hf_saved_stack *stack,
    struct hf_images *images, const struct hf_unwind_frame *frame, bool *out_is_in_chain)
{
    *out_is_in_chain = false;
    stack->is_guessed = stack->is_guessed || (frame->traits & HF_UNWIND_IS_GUESSED) != 0;
    stack->addresses[stack->count++] = frame->pc;
    while (frame->caller != NULL && stack->count < HF_UNWIND_FRAMES_MAX &&
           !is_lost(images, frame, *out_is_in_chain) && !skips_caller(images, frame)) {
        *out_is_in_chain = hf_unwind_rule_kind(frame->rule) == HF_UNWIND_UNKNOWN;
        frame = frame->caller;
        stack->addresses[stack->count++] = frame->pc;
    }
    return frame;
}

/* The bytes of a file that are executed from `pc` on, as many as there are; empty if none are. */
static struct hf_text code_from(const struct hf_images *images, uint64_t pc, uint64_t *out_address,
    const struct hf_elf **out_elf)
{
    const struct hf_code_segment *segment = hf_images_at(images, pc - 1);
    if (segment == NULL)
        return HF_TEXT("");
    *out_elf = &images->images[segment->image].elf;
    uint64_t offset = pc - segment->start + segment->file_offset;
    if (!hf_elf_address_of_offset(*out_elf, offset - 1, out_address))
        return HF_TEXT("");
    return hf_text_from((*out_elf)->bytes,
        offset < (*out_elf)->bytes.size ? (size_t)offset : (*out_elf)->bytes.size);
}

/*
 * A return address that nobody has called: into the code at the entry point of a file, or behind
 * which a thread ends (syscall; hlt).
 */
static bool is_of_start_code(struct hf_images *images, uint64_t pc)
{
    Elf64_Ehdr header;
    uint64_t address;
    const struct hf_elf *elf;
    struct hf_text code = code_from(images, pc, &address, &elf);
    if (code.size == 0 || hf_return_kind_of(images, pc) == HF_RETURN_NONE)
        return false;
    memcpy(&header, elf->bytes.data, sizeof header);
    code = hf_text_first(code, START_CODE_BYTES);
    return address - header.e_entry < START_CODE_BYTES ||
           memmem(code.data, code.size, "\x0f\x05\xf4", 3) != NULL;
}

/*
 * What called main, or the function of a thread, is the start code of a C library without call
 * frame information, as musl's: from there it is not far to where the stack begins, and between lie
 * no return addresses of code that has rules. Then nothing is missing that anybody wrote.
 */
static bool begins_soon(struct hf_images *images, const struct hf_unwind_stack *stack, uint64_t sp)
{
    uint64_t word;
    for (uint64_t at = sp; at < sp + START_STACK_BYTES; at += sizeof word) {
        if (at < stack->low || at + sizeof word > stack->high)
            return false;
        memcpy(&word, (const void *)(uintptr_t)(at + stack->bias), sizeof word);
        if (is_of_start_code(images, word))
            return true;
        struct hf_unwind_rule rule = hf_images_rule(images, word - 1, false);
        if (hf_return_kind_of(images, word) != HF_RETURN_NONE &&
            hf_unwind_rule_kind(rule) != HF_UNWIND_UNKNOWN)
            return false;
    }
    return false;
}

void hf_saved_stack_walk(struct hf_saved_stack *stack, struct hf_images *images,
    const struct hf_registers *registers, struct hf_text bytes, bool is_entry,
    const struct hf_pointer_chain *chain)
{
    struct hf_unwind_registers at = {registers->ip + 1, registers->sp, registers->bp};
    bool is_in_chain;
    stack->count = 0;
    if (is_entry && leave_entry(images, bytes, &at))
        stack->addresses[stack->count++] = registers->ip + 1;
    struct hf_unwind_stack copied = {
        registers->sp, registers->sp + bytes.size, (uintptr_t)bytes.data - registers->sp};
    struct hf_unwind_code code = {hf_images_rule, images};
    const struct hf_hidden_callers callers = {images, &stack->memo, &copied};
    const struct hf_unwind_frame *frame =
        hf_unwind_walk(&stack->memo, &at, &copied, images->cache, &code);
    stack->is_guessed = false;
    struct hf_unwind_frame last = *take_frames(stack, images, frame, &is_in_chain);
    bool was_found = false;
    for (int searches = 0; searches < SEARCHES_MAX && stack->count < HF_UNWIND_FRAMES_MAX;
         searches++) {
        bool was_lost = is_lost(images, &last, is_in_chain);
        if (!was_lost && !skips_caller(images, &last))
            break;
        bool is_left = was_lost && hf_go_stack_is_left_at(images, last.pc);
        frame = is_left ? NULL : hf_hidden_callers_find(&callers, last.sp, last.fp);
        was_found = was_found || frame != NULL;
        if (frame == NULL && was_lost) {
            last.caller = NULL; /* and the search has overwritten the memo */
            last.traits |= HF_UNWIND_IS_CUT;
            break;
        }
        if (frame == NULL) {
            at = (struct hf_unwind_registers){last.pc, last.sp, last.fp};
            frame = hf_unwind_walk(&stack->memo, &at, &copied, images->cache, &code)->caller;
        }
        last = *take_frames(stack, images, frame, &is_in_chain);
    }
    stack->is_guessed = stack->is_guessed || was_found;
    stack->counts.searched += was_found;
    stack->is_cut = last.caller != NULL || is_cut_at(&last, is_in_chain);
    if (stack->is_cut && stack->count < HF_UNWIND_FRAMES_MAX &&
        hf_unwind_rule_kind(last.rule) == HF_UNWIND_UNKNOWN)
        stack->is_cut = !begins_soon(images, &copied, last.sp) &&
                        !hf_go_stack_go_on(images, chain, stack->addresses, &stack->count);
    stack->outermost_sp = last.sp;
    /* The way out of the outermost frame is known, but not what lies there. */
    stack->is_short = stack->is_cut && stack->count < HF_UNWIND_FRAMES_MAX &&
                      hf_unwind_rule_kind(last.rule) != HF_UNWIND_UNKNOWN;
    stack->counts.all++;
    stack->counts.cut += stack->is_cut;
    stack->counts.too_short += stack->is_short;
}
