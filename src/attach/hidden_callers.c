#include "attach/hidden_callers.h"

#include "symbol/callsite.h"

#include <string.h>

#define CALL_BYTES_MAX 7
#define PROLOGUE_BYTES 4096u
#define SEARCH_BYTES 1024u /* of larger frames the words of others are found as easily */
#define SEARCH_WALKS 128u
#define SAVED_REGISTERS 6u /* that a function saves: rbp, rbx, r12 to r15 */
#define CALLERS_ENOUGH 4

struct search {
    const struct hf_hidden_callers *callers;
    uint64_t sp, fp; /* of the hidden frame */
    unsigned walks;
};

static enum hf_return_kind return_kind(struct hf_text before)
{
    bool is_direct = before.size >= 5 && (uint8_t)before.data[before.size - 5] == 0xe8;
    if (!hf_callsite_ends_at(before, before.size))
        return HF_RETURN_NONE;
    return is_direct ? HF_RETURN_DIRECT : HF_RETURN_BY_POINTER;
}

enum hf_return_kind hf_return_kind_of(struct hf_images *images, uint64_t pc)
{
    const struct hf_code_segment *segment = hf_images_at(images, pc - 1);
    if (segment == NULL)
        return HF_RETURN_NONE;
    const struct hf_code_image *image = &images->images[segment->image];
    uint64_t end = pc - segment->start + segment->file_offset;
    if (end < CALL_BYTES_MAX || end > image->elf.bytes.size || !hf_code_image_is_whole(image))
        return HF_RETURN_NONE;
    return return_kind(
        (struct hf_text){image->elf.bytes.data + (end - CALL_BYTES_MAX), CALL_BYTES_MAX});
}

bool hf_return_is_of_jit(const struct hf_images *images, uint64_t pc)
{
    char before[CALL_BYTES_MAX];
    if (!hf_images_is_jit(images, pc - 1) ||
        !hf_memory_copy(&images->memory, pc - sizeof before, before, sizeof before))
        return false;
    return return_kind((struct hf_text){before, sizeof before}) != HF_RETURN_NONE;
}

bool hf_jit_keeps_frames(const struct hf_images *images, uint64_t pc)
{
    static const char prologue[] = {0x55, 0x48, (char)0x89, (char)0xe5};
    char code[PROLOGUE_BYTES];
    size_t size = sizeof code;
    while (size != 0 && !hf_images_is_jit(images, pc - size))
        size /= 2;
    return hf_memory_copy(&images->memory, pc - size, code, size) &&
           memmem(code, size, prologue, sizeof prologue) != NULL;
}

/*
 * The walk leads through return addresses alone to the outermost frame; or far enough to where the
 * copy of the stack ends, or to hidden code again.
 */
static bool is_sound_walk(struct hf_images *images, const struct hf_unwind_frame *frame)
{
    size_t count = 0;
    for (; frame->caller != NULL; frame = frame->caller, count++) {
        if (hf_return_kind_of(images, frame->pc) == HF_RETURN_NONE)
            return count >= CALLERS_ENOUGH && hf_return_is_of_jit(images, frame->pc);
    }
    switch (hf_unwind_rule_kind(frame->rule)) {
    case HF_UNWIND_END: return true;
    case HF_UNWIND_UNKNOWN:
        return count >= CALLERS_ENOUGH && hf_return_is_of_jit(images, frame->pc);
    default: /* its caller lies behind the copy */
        return count >= CALLERS_ENOUGH && (frame->traits & HF_UNWIND_IS_CUT) != 0 &&
               hf_return_kind_of(images, frame->pc) != HF_RETURN_NONE;
    }
}

/* The word at `at` as the return address, and `fp` as what rbp is then. */
static const struct hf_unwind_frame *try_registers(
    struct search *s, uint64_t at, uint64_t word, uint64_t fp)
{
    const struct hf_hidden_callers *callers = s->callers;
    struct hf_unwind_registers registers = {.pc = word, .sp = at + sizeof word, .fp = fp};
    struct hf_unwind_code code = {hf_images_rule, callers->images};
    if (s->walks++ >= SEARCH_WALKS)
        return NULL;
    const struct hf_unwind_frame *frame =
        hf_unwind_walk(callers->memo, &registers, callers->stack, callers->images->cache, &code);
    return is_sound_walk(callers->images, frame) ? frame : NULL;
}

static bool search_word(const struct search *s, uint64_t at, uint64_t *out_word)
{
    const struct hf_unwind_stack *stack = s->callers->stack;
    if (at < stack->low || at + sizeof at > stack->high)
        return false;
    memcpy(out_word, (const void *)(uintptr_t)(at + stack->bias), sizeof *out_word);
    return true;
}

/* rbp is still as it was, or was pushed first or among the first. */
static const struct hf_unwind_frame *try_word(struct search *s, uint64_t at, uint64_t word)
{
    const struct hf_unwind_frame *frame = try_registers(s, at, word, s->fp);
    for (uint64_t slot = 1; slot <= SAVED_REGISTERS && frame == NULL; slot++) {
        uint64_t fp, place = at - slot * sizeof fp;
        if (place < s->sp || !search_word(s, place, &fp))
            break;
        if (fp > at && fp < s->callers->stack->high && fp % sizeof fp == 0)
            frame = try_registers(s, at, word, fp);
    }
    return frame;
}

const struct hf_unwind_frame *hf_hidden_callers_find(
    const struct hf_hidden_callers *callers, uint64_t sp, uint64_t fp)
{
    struct search s = {.callers = callers, .sp = sp, .fp = fp};
    uint64_t direct = 0, direct_word = 0, word;
    for (uint64_t at = sp; at < sp + SEARCH_BYTES && search_word(&s, at, &word);
         at += sizeof word) {
        enum hf_return_kind kind = hf_return_kind_of(callers->images, word);
        if (kind == HF_RETURN_NONE || (kind == HF_RETURN_DIRECT && direct != 0))
            continue;
        const struct hf_unwind_frame *frame = try_word(&s, at, word);
        if (frame != NULL && kind == HF_RETURN_BY_POINTER)
            return frame;
        if (frame != NULL) {
            direct = at;
            direct_word = word;
        }
    }
    s.walks = 0;
    return direct != 0 ? try_word(&s, direct, direct_word) : NULL;
}
