/*
 * The frame chain of a Python interpreter: whatever its memory says, reading ends, and frames are
 * right outward of native ones, in their order.
 *
 * Input: a byte that chooses the version; the memory from 0x10000 on, which begins with the state
 * of the thread. Of the C stack five frames of 256 bytes are in it, at 0x10400. The type of code
 * objects lies at 0x1000, that of strings at 0x2000.
 */
#include "fuzz.h"
#include "input.h"
#include "tell.h"
#include "unwind/python/chain.h"
#include "unwind/python/lines.h"
#include "unwind/python/unicode.h"

#define BASE 0x10000u
#define NATIVES 5u

/* As the agent makes a frame of the table (agent/interpreter_python.c). */
static void read_frame(const struct hf_python *python, struct hf_interpreted_memory *memory,
    struct hf_interpreted_frame *frame)
{
    char out[HF_PYTHON_TEXT_BYTES];
    struct hf_python_text text;
    uint64_t strings[] = {frame->name, frame->file};
    for (size_t i = 0; i < HF_COUNT(strings); i++) {
        if (!hf_python_text_find(python->layout, memory, python->text_type, strings[i], &text) ||
            hf_python_text_write(memory, &text, out) > sizeof out)
            abort();
        fuzz_tell("text of %zu bytes ", (size_t)hf_python_text_write(memory, &text, out));
        fuzz_tell_named(i == 0 ? "name" : "file", hf_text_first((struct hf_text){out, sizeof out},
                                                      hf_python_text_write(memory, &text, out)));
    }
    uint8_t table[64];
    if (hf_interpreted_copy(memory, frame->lines + 32, table, sizeof table)) {
        struct hf_text lines = {(const char *)table, sizeof table};
        uint32_t line = hf_python_line(lines, frame->line, frame->offset);
        fuzz_tell("line %u\n", line);
        if (line != hf_python_line(lines, frame->line, frame->offset))
            abort();
    }
}

static void read_chain(const struct hf_python *python, struct hf_text bytes)
{
    static struct hf_interpreted_chain chain;
    struct fuzz_memory process = {BASE, bytes};
    struct hf_interpreted_memory memory = {fuzz_copy, &process};
    struct hf_unwind_frame natives[NATIVES];
    uint8_t head[HF_PYTHON_THREAD_BYTES] = {0};
    for (uint32_t i = 0; i < NATIVES; i++)
        natives[i] = (struct hf_unwind_frame){
            .sp = BASE + 0x400 + i * 256, .caller = i + 1 < NATIVES ? &natives[i + 1] : NULL};
    memcpy(head, bytes.data, bytes.size < sizeof head ? bytes.size : sizeof head);
    hf_python_chain_read(&chain, python, &memory, head, natives);
    uint32_t native = 0;
    for (uint32_t i = 0; i < chain.count; i++) {
        if (chain.frames[i].native < native || chain.frames[i].native + 1 >= NATIVES)
            abort();
        native = chain.frames[i].native;
        fuzz_tell("frame %u is of native %u\n", i, native);
        read_frame(python, &memory, &chain.frames[i]);
    }
    if (chain.is_broken && chain.count != 0)
        abort();
    fuzz_tell("%u frames%s%s\n", chain.count, chain.is_broken ? ", broken" : "",
        hf_python_layout_fits(python->layout, &memory, BASE) ? ", the layout fits" : "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t versions[] = {0x030b0000, 0x030c0000, 0x030d0000};
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint32_t version = versions[hf_cursor_u8(&c) % HF_COUNT(versions)];
    struct hf_python python = {hf_python_layout_find(version), 0x1000, 0x2000};
    struct hf_text bytes = fuzz_take_part(&c, size);
    read_chain(&python, bytes);
    fuzz_free_part(bytes);
    return 0;
}
