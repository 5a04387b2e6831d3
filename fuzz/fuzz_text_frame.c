/* Lines of printed stacks: what is found of a line must lie inside it. */
#include "formats/reports/text_frame.h"
#include "fuzz.h"
#include "tell.h"

#include <stdlib.h>

static void check_part(struct hf_text line, struct hf_text part)
{
    if (part.size != 0 && (part.data < line.data || part.data + part.size > line.data + line.size))
        abort();
}

/* Twice the frame and a label are a stack of a profile. */
static void push(const struct hf_text_frame *frame)
{
    struct hf_error err;
    struct hf_profile *profile;
    struct hf_text_stack stack = {0};
    uint32_t node;
    if (hf_profile_new(&profile, &err) != HF_OK ||
        hf_text_stack_push(&stack, profile, frame, &err) != HF_OK ||
        hf_text_stack_push(&stack, profile, frame, &err) != HF_OK ||
        hf_text_stack_push_label(&stack, profile, HF_TEXT("[lost]"), &err) != HF_OK ||
        hf_text_stack_end(&stack, profile, HF_TEXT("[root]"), &node, &err) != HF_OK ||
        node >= profile->stacks.count || stack.depth != 0)
        abort();
    hf_text_stack_done(&stack);
    hf_profile_free(profile);
}

static void check_frame(struct hf_text line, const struct hf_text_frame *frame)
{
    fuzz_tell_named("function", frame->function);
    fuzz_tell("line %u ", frame->line);
    fuzz_tell_named("file", frame->file);
    fuzz_tell("0x%llx+0x%llx%s%s%s%s ", (unsigned long long)frame->address,
        (unsigned long long)frame->offset, frame->has_offset ? ", offset" : "",
        frame->is_in_file ? ", in file" : "", frame->is_module ? ", module" : "",
        frame->is_inlined ? ", inlined" : "");
    fuzz_tell_named("module", frame->module);
    fuzz_tell_named("build-id", frame->build_id);
    if (line.size % 4 == 0)
        push(frame);
    check_part(line, frame->function);
    check_part(line, frame->file);
    check_part(line, frame->module);
    check_part(line, frame->build_id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_text line = {(const char *)data, size};
    struct hf_text_frame frame;
    if (hf_text_frame_valgrind(line, &frame))
        check_frame(line, &frame);
    if (hf_text_frame_sanitizer(line, &frame))
        check_frame(line, &frame);
    return 0;
}
