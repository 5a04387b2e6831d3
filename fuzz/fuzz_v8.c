/*
 * The JavaScript frames of a process: whatever its memory says, reading ends, and frames are of
 * native ones that can be V8's, in their order.
 *
 * Input: a byte, whose bits say which of five native frames have no rule; the memory from 0x10000
 * on, which begins with their stacks, 64 bytes each, whose frame pointer is at 48.
 */
#include "fuzz.h"
#include "input.h"
#include "tell.h"
#include "unwind/v8/frames.h"

#define BASE 0x10000u
#define NATIVES 5u
#define STACK_BYTES 64u
#define FP_AT 48u

/* As Node.js 20 exports it; see unwind/v8/metadata.c for what is what. */
static const int32_t values[HF_V8_SYMBOLS] = {-16, -8, 2066, 262, 167, 261, 12, 24, 16, 32, 16, 8,
    12, 16, 16, 16, 16, 24, 16, 24, 16, 0, 2, 8, 1, 31, 1, 128, 7, 8, 2, 3, 5};

static void tell_string(const struct hf_v8 *v8, const struct hf_interpreted_memory *memory,
    const char *what, uint64_t string)
{
    char out[HF_V8_NAME_BYTES];
    struct hf_v8_name name;
    if (string <= HF_V8_NO_NAME || !hf_v8_name_read(v8, memory, string, &name))
        return;
    size_t size = hf_v8_name_write(&name, out);
    if (size > sizeof out || memchr(out, 0, size) != NULL)
        abort();
    fuzz_tell_named(what, (struct hf_text){out, size});
}

/* As the agent makes a frame of the table (agent/interpreter_v8.c). */
static void tell_v8_frame(const struct hf_v8 *v8, const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame)
{
    struct hf_v8_text source;
    uint64_t word;
    tell_string(v8, memory, "function", frame->name);
    tell_string(v8, memory, "file", frame->file);
    if (hf_v8_object_word(memory, frame->scope, v8->script_source, &word) &&
        hf_v8_text_find(v8, memory, word, &source))
        fuzz_tell("line %u\n", hf_v8_text_line(memory, &source, frame->offset));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hf_interpreted_chain chain;
    struct hf_unwind_frame natives[NATIVES + 1] = {0};
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint8_t which = hf_cursor_u8(&c);
    struct hf_v8 v8 = {0};
    struct fuzz_memory process = {BASE, fuzz_take_part(&c, size)};
    struct hf_interpreted_memory memory = {fuzz_copy, &process};
    for (size_t i = 0; i < HF_V8_SYMBOLS; i++) {
        if (!hf_v8_set(&v8, i, values[i]) || hf_v8_symbol_name(i) == NULL)
            abort();
    }
    for (uint32_t i = 0; i < NATIVES; i++)
        natives[i] = (struct hf_unwind_frame){
            .sp = BASE + i * STACK_BYTES,
            .fp = BASE + i * STACK_BYTES + FP_AT,
            .rule = (which >> i & 1) != 0 ? (struct hf_unwind_rule){HF_UNWIND_UNKNOWN}
                                          : hf_unwind_rule_make(HF_UNWIND_SP, 1, 0),
            .traits = HF_UNWIND_IS_GUESSED,
            .caller = &natives[i + 1],
        };
    if (!hf_v8_is_known(0x0b03) || hf_v8_is_known(0x0b04) || !hf_v8_runs(natives))
        abort();
    struct hf_v8_sight sight = {.surely = &memory};
    hf_v8_chain_read(&chain, &v8, &memory, &sight, natives);
    for (uint32_t i = 0; i < chain.count; i++) {
        uint32_t at = chain.frames[i].native;
        if ((i != 0 && at <= chain.frames[i - 1].native) || at >= NATIVES || (which >> at & 1) == 0)
            abort();
        fuzz_tell("frame %u is of native %u\n", i, at);
        tell_v8_frame(&v8, &memory, &chain.frames[i]);
    }
    if (chain.is_broken && chain.count != 0)
        abort();
    fuzz_tell("%u frames%s\n", chain.count, chain.is_broken ? ", broken" : "");
    fuzz_free_part(process.bytes);
    return 0;
}
