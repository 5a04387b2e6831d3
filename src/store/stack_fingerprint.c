#include "store/stack_fingerprint.h"

#define KEY_NUMBER 1 /* of the store's fingerprints */

/* How a frame is written. What is linked elsewhere has another offset (HF_FRAME_LINKED). */
enum { BY_BUILD_ID = 'b', BY_PATH = 'p', BY_SYMBOL = 's', BY_NAME = 'n', BY_ADDRESS = 'a' };

void hf_stack_printer_init(struct hf_stack_printer *printer)
{
    hf_fingerprint_key_fixed(KEY_NUMBER, &printer->key);
    printer->frames = (struct hf_out){0};
}

void hf_stack_printer_done(struct hf_stack_printer *printer)
{
    hf_out_done(&printer->frames);
}

static void put_number(struct hf_out *out, uint64_t number)
{
    hf_out_bytes(out, (const char *)&number, sizeof number);
}

static void put_sized_text(struct hf_out *out, struct hf_text text)
{
    put_number(out, text.size);
    hf_out_text(out, text);
}

static void put_frame_place(
    struct hf_out *out, char form, const struct hf_frame *frame, struct hf_text of)
{
    hf_out_char(out, form);
    hf_out_char(out, (frame->flags & HF_FRAME_LINKED) != 0 ? 'l' : 'f');
    put_sized_text(out, of);
    put_number(out, frame->offset);
}

static void put_stack_frame(
    struct hf_out *out, const struct hf_profile *profile, const struct hf_frame *frame)
{
    const struct hf_module *module = &profile->modules[frame->module];
    bool has_offset = (frame->flags & HF_FRAME_HAS_OFFSET) != 0;
    if (frame->symbol != HF_NO_STRING) {
        put_frame_place(out, BY_SYMBOL, frame, hf_profile_text(profile, frame->symbol));
    } else if (has_offset && module->build_id != HF_NO_STRING) {
        put_frame_place(out, BY_BUILD_ID, frame, hf_profile_text(profile, module->build_id));
    } else if (has_offset && frame->module != HF_NO_MODULE) {
        put_frame_place(out, BY_PATH, frame, hf_profile_text(profile, module->path));
    } else if ((frame->flags & HF_FRAME_NAMED) != 0) {
        hf_out_char(out, BY_NAME);
        put_sized_text(out, hf_profile_text(profile, frame->name));
        put_sized_text(out, hf_profile_text(profile, frame->file));
        put_number(out, frame->line);
    } else {
        put_frame_place(out, BY_ADDRESS, frame, (struct hf_text){NULL, 0});
    }
}

enum hf_status hf_stack_fingerprint_of(struct hf_stack_printer *printer,
    const struct hf_profile *profile, uint32_t node, struct hf_fingerprint *out_print,
    struct hf_error *err)
{
    struct hf_out *frames = &printer->frames;
    frames->size = 0;
    for (; node != HF_STACK_ROOT; node = profile->stacks.nodes[node].parent)
        put_stack_frame(
            frames, profile, hf_profile_frame_at(profile, profile->stacks.nodes[node].frame));
    enum hf_status status = hf_out_finish(frames, err);
    if (status == HF_OK)
        *out_print = hf_fingerprint_of(&printer->key, hf_out_view(frames));
    return status;
}
