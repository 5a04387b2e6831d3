/*
 * The control frames of a Ruby process: whatever its memory says, reading ends, and frames are
 * right outward of native ones that run Ruby, in their order.
 *
 * Input: a byte, whose bits say which of five native frames run Ruby, and the sixth whether the
 * stack is cut; the memory from 0x10000 on, which begins with the execution context, and has at 56
 * and 64 what ruby_current_vm_ptr and rb_cString say.
 */
#include "fuzz.h"
#include "input.h"
#include "tell.h"
#include "unwind/ruby/control_frames.h"
#include "unwind/ruby/labels.h"

#define BASE 0x10000u
#define VM (BASE + 56)
#define STRING (BASE + 64)
#define NATIVES 5u
#define RUN 0x400000u

static void tell_text(const char *what, const char *bytes, size_t size, size_t most)
{
    if (size > most || memchr(bytes, 0, size) != NULL)
        abort();
    fuzz_tell_named(what, (struct hf_text){bytes, size});
}

/* As the agent makes a frame of the table (agent/interpreter_ruby.c). */
static void tell_ruby_frame(const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame)
{
    char name[HF_RUBY_NAME_BYTES], file[HF_RUBY_TEXT_MAX];
    tell_text("code", name, hf_ruby_name_write(ruby, memory, frame, name), sizeof name);
    tell_text("file", file, hf_ruby_file_write(ruby, memory, frame, file), sizeof file);
    fuzz_tell("line %u\n", hf_ruby_line(ruby, memory, frame));
}

static void tell_ruby_chain(const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_chain *chain, uint8_t which)
{
    uint32_t native = 0;
    for (uint32_t i = 0; i < chain->count; i++) {
        uint32_t at = chain->frames[i].native;
        if (at < native || at >= NATIVES || (which >> at & 1) == 0)
            abort();
        native = at;
        fuzz_tell("frame %u is of native %u\n", i, native);
        tell_ruby_frame(ruby, memory, &chain->frames[i]);
    }
    if (chain->is_broken && chain->count != 0)
        abort();
    fuzz_tell("%u frames%s%s\n", chain->count, chain->is_broken ? ", broken" : "",
        chain->is_cut ? ", cut" : "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hf_interpreted_chain chain;
    struct hf_unwind_frame natives[NATIVES];
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint8_t which = hf_cursor_u8(&c);
    struct hf_ruby ruby = {hf_ruby_layout_find(0x0301), RUN, 16, VM, STRING};
    struct fuzz_memory process = {BASE, fuzz_take_part(&c, size)};
    struct hf_interpreted_memory memory = {fuzz_copy, &process};
    bool is_still;
    for (uint32_t i = 0; i < NATIVES; i++)
        natives[i] = (struct hf_unwind_frame){
            .pc = (which >> i & 1) != 0 ? RUN + 1 : 1,
            .traits = (which >> NATIVES & 1) != 0 ? HF_UNWIND_IS_CUT : 0,
            .caller = i + 1 < NATIVES ? &natives[i + 1] : NULL,
        };
    if (hf_ruby_runs(&ruby, natives)) {
        bool has_context = hf_ruby_look(&ruby, &memory, BASE, &is_still);
        fuzz_tell("%s\n", is_still      ? "it is still"
                          : has_context ? "it is changing"
                                        : "there is no context");
        hf_ruby_chain_read(&chain, &ruby, &memory, BASE, natives);
        tell_ruby_chain(&ruby, &memory, &chain, which);
    } else {
        fuzz_tell("no frame runs Ruby\n");
    }
    fuzz_free_part(process.bytes);
    return 0;
}
