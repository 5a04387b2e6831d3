#include "attach/saved_stack.h"

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

void hf_saved_stack_walk(struct hf_saved_stack *stack, struct hf_images *images,
    const struct hf_registers *registers, struct hf_text bytes)
{
    struct hf_unwind_registers at = {registers->ip + 1, registers->sp, registers->bp};
    struct hf_unwind_stack copied = {
        registers->sp, registers->sp + bytes.size, (uintptr_t)bytes.data - registers->sp};
    struct hf_unwind_code code = {hf_images_rule, images};
    const struct hf_unwind_frame *frame =
        hf_unwind_walk(&stack->memo, &at, &copied, images->cache, &code);
    stack->is_cut = (frame->traits & HF_UNWIND_IS_CUT) != 0;
    stack->is_guessed = (frame->traits & HF_UNWIND_IS_GUESSED) != 0;
    stack->count = 0;
    for (; frame->caller != NULL; frame = frame->caller)
        stack->addresses[stack->count++] = frame->pc;
    stack->addresses[stack->count++] = frame->pc;
    stack->outermost_sp = frame->sp;
    /* The way out of the outermost frame is known, but not what lies there. */
    stack->is_short = stack->is_cut && stack->count < HF_UNWIND_FRAMES_MAX &&
                      hf_unwind_rule_kind(frame->rule) != HF_UNWIND_UNKNOWN;
    stack->counts.all++;
    stack->counts.cut += stack->is_cut;
    stack->counts.too_short += stack->is_short;
}
