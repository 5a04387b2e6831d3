/*
 * The contexts of a Perl process: whatever its memory says, reading ends, and frames are right
 * outward of native ones that run Perl, in their order.
 *
 * Input: a byte, whose bits say which of five native frames run Perl, and the sixth whether the
 * stack is cut; the memory from 0x10000 on, which begins with the interpreter.
 */
#include "fuzz.h"
#include "input.h"
#include "tell.h"
#include "unwind/perl/context_chain.h"
#include "unwind/perl/package_names.h"

#define BASE 0x10000u
#define NATIVES 5u
#define RUN 0x400000u

static void tell_name(const struct hf_interpreted_memory *memory, const char *what, uint64_t at)
{
    char out[HF_PERL_TEXT_BYTES];
    if (at <= HF_PERL_NO_NAME)
        return;
    size_t size = hf_perl_name_write(memory, at, out);
    if (size > sizeof out || memchr(out, 0, size) != NULL)
        abort();
    fuzz_tell_named(what, (struct hf_text){out, size});
}

/* As the agent makes a frame of the table (agent/interpreter_perl.c). */
static void tell_perl_frame(
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    char out[HF_PERL_TEXT_BYTES];
    tell_name(memory, "package", frame->scope);
    tell_name(memory, "function", frame->name);
    size_t size = hf_perl_path_write(memory, frame->file, out);
    if (size > sizeof out || memchr(out, 0, size) != NULL)
        abort();
    fuzz_tell_named("file", (struct hf_text){out, size});
    fuzz_tell("line %u\n", frame->line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hf_interpreted_chain chain;
    struct hf_unwind_frame natives[NATIVES];
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint8_t which = hf_cursor_u8(&c);
    struct hf_perl perl = {.layout = hf_perl_layout_find(0x0524, 3768), .run = {RUN, 16}};
    struct fuzz_memory process = {BASE, fuzz_take_part(&c, size)};
    struct hf_interpreted_memory memory = {fuzz_copy, &process};
    for (uint32_t i = 0; i < NATIVES; i++)
        natives[i] = (struct hf_unwind_frame){
            .pc = (which >> i & 1) != 0 ? RUN + 1 : 1,
            .traits = (which >> NATIVES & 1) != 0 ? HF_UNWIND_IS_CUT : 0,
            .caller = i + 1 < NATIVES ? &natives[i + 1] : NULL,
        };
    if (hf_perl_runs(&perl, natives)) {
        hf_perl_chain_read(&chain, &perl, &memory, BASE, natives);
        uint32_t native = 0;
        for (uint32_t i = 0; i < chain.count; i++) {
            uint32_t at = chain.frames[i].native;
            if (at < native || at >= NATIVES || (which >> at & 1) == 0)
                abort();
            native = at;
            fuzz_tell("frame %u is of native %u\n", i, native);
            tell_perl_frame(&memory, &chain.frames[i]);
        }
        if (chain.is_broken && chain.count != 0)
            abort();
        fuzz_tell("%u frames%s%s\n", chain.count, chain.is_broken ? ", broken" : "",
            chain.is_cut ? ", cut" : "");
    } else {
        fuzz_tell("no frame runs Perl\n");
    }
    fuzz_free_part(process.bytes);
    return 0;
}
