/*
 * stack_frames.h: where on the stacks of an image's threads the frame of each function lies.
 *
 * A frame begins at the stack pointer in the function, and ends where the stack pointer was before
 * the call. The innermost frame includes the red zone below it, the outermost one all that is
 * further out. Stacks are unwound by the call frame information of the modules' files
 * (unwind/walk.h). Where the unwinder cannot go on, the rest of the stack has no frame.
 *
 * Limits: at most STACK_MAX bytes and HF_UNWIND_FRAMES_MAX frames of a stack are read.
 *
 * Example:
 *
 *     struct hf_process_image image = {0};
 *     struct hf_stack_frames frames;
 *     status = hf_stack_frames_read(&frames, &image, err);
 *     for (size_t i = 0; status == HF_OK && i < frames.count; i++)
 *         hf_out_hex(out, frames.items[i].code);
 *     hf_stack_frames_done(&frames);
 */
#ifndef HF_HEAP_STACK_FRAMES_H
#define HF_HEAP_STACK_FRAMES_H

#include "memory/process_image.h"

struct hf_stack_frame {
    uint64_t start, end; /* of the stack */
    uint64_t code;       /* an address within the function */
};

struct hf_stack_frames {
    struct hf_stack_frame *items; /* innermost first, thread by thread */
    size_t count, capacity;
};

/* A file that cannot be read has no call frame information. HF_ERR_MEMORY. Call done in any case.
 */
HF_MUST_CHECK enum hf_status hf_stack_frames_read(
    struct hf_stack_frames *frames, const struct hf_process_image *image, struct hf_error *err);
void hf_stack_frames_done(struct hf_stack_frames *frames);

#endif
