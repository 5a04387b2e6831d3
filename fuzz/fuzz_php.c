/*
 * The calls of a PHP process: whatever its memory says, reading ends, and frames are right outward
 * of native ones that run PHP, in their order.
 *
 * Input: a byte, whose bits say which of five native frames run PHP, and the sixth whether the
 * stack is cut; the memory from 0x10000 on, which begins with executor_globals. The table of
 * modules lies at 0x10800.
 */
#include "fuzz.h"
#include "input.h"
#include "tell.h"
#include "unwind/php/call_chain.h"
#include "unwind/php/strings.h"

#define BASE 0x10000u
#define MODULES 0x10800u
#define NATIVES 5u
#define EXECUTE 0x400000u

/* As the agent makes a frame of the table (agent/interpreter_php.c). */
static void tell_frame(const struct hf_php *php, const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame)
{
    static const char *const what[] = {"class", "function", "file"};
    const uint64_t strings[] = {frame->scope, frame->name, frame->file};
    char out[HF_PHP_TEXT_MAX];
    struct hf_php_text text;
    for (size_t i = 0; i < HF_COUNT(strings); i++) {
        if (strings[i] == 0)
            continue;
        if (!hf_php_text_find(php->layout, memory, strings[i], &text))
            abort();
        size_t size = hf_php_text_write(memory, &text, out);
        if (size > sizeof out || memchr(out, 0, size) != NULL)
            abort();
        fuzz_tell_named(what[i], (struct hf_text){out, size});
    }
    fuzz_tell("line %u\n", frame->line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hf_interpreted_chain chain;
    struct hf_unwind_frame natives[NATIVES];
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint8_t which = hf_cursor_u8(&c);
    struct hf_php php = {hf_php_layout_find(1800), BASE, MODULES, EXECUTE, 16};
    struct fuzz_memory process = {BASE, fuzz_take_part(&c, size)};
    struct hf_interpreted_memory memory = {fuzz_copy, &process};
    for (uint32_t i = 0; i < NATIVES; i++)
        natives[i] = (struct hf_unwind_frame){
            .pc = (which >> i & 1) != 0 ? EXECUTE + 1 : 1,
            .traits = (which >> NATIVES & 1) != 0 ? HF_UNWIND_IS_CUT : 0,
            .caller = i + 1 < NATIVES ? &natives[i + 1] : NULL,
        };
    if (hf_php_runs(&php, natives)) {
        hf_php_chain_read(&chain, &php, &memory, natives);
        uint32_t native = 0;
        for (uint32_t i = 0; i < chain.count; i++) {
            uint32_t at = chain.frames[i].native;
            if (at < native || at >= NATIVES || (which >> at & 1) == 0)
                abort();
            native = at;
            fuzz_tell("frame %u is of native %u\n", i, native);
            tell_frame(&php, &memory, &chain.frames[i]);
        }
        if (chain.is_broken && chain.count != 0)
            abort();
        fuzz_tell("%u frames%s%s\n", chain.count, chain.is_broken ? ", broken" : "",
            chain.is_cut ? ", cut" : "");
    } else {
        fuzz_tell("no frame runs PHP\n");
    }
    fuzz_free_part(process.bytes);
    return 0;
}
