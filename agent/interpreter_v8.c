/* interpreter_v8.c: JavaScript (unwind/v8/metadata.h), as interpreter.h wants a language. */
#include "image.h"
#include "interpreter.h"

_Static_assert(HF_V8_NAME_BYTES <= HF_INTERPRETER_TEXT_BYTES, "one of its strings fits");

/* An int that the image exports. */
static bool v8_read_int(uint64_t start, const char *name, int32_t *out_value)
{
    uint64_t at = hf_image_find_symbol(start, name, NULL);
    return at != 0 &&
           hf_interpreted_copy(&hf_interpreter_by_copy, at, out_value, sizeof *out_value);
}

static enum hf_live_interpreter v8_take(struct hf_interpreter *interpreter, uint64_t start)
{
    int32_t major, minor, value;
    struct hf_v8 v8 = {0};
    if (!v8_read_int(start, "_ZN2v88internal7Version6major_E", &major) ||
        !v8_read_int(start, "_ZN2v88internal7Version6minor_E", &minor))
        return HF_LIVE_INTERPRETER_NONE;
    interpreter->version = ((uint32_t)major & 0xff) << 8 | ((uint32_t)minor & 0xff);
    if (!hf_v8_is_known(interpreter->version))
        return HF_LIVE_INTERPRETER_UNKNOWN;
    for (size_t i = 0; i < HF_V8_SYMBOLS; i++) {
        if (!v8_read_int(start, hf_v8_symbol_name(i), &value) || !hf_v8_set(&v8, i, value))
            return HF_LIVE_INTERPRETER_UNFIT;
    }
    interpreter->v8 = v8;
    return HF_LIVE_INTERPRETER_READ;
}

/*
 * An isolate is one thread's at a time, and what its stack leads to stays where it is mapped until
 * the stack has been told of where it moved.
 */
static bool v8_find(struct hf_interpreter *interpreter, const struct hf_unwind_frame *leaf,
    struct hf_interpreter_thread *out_thread)
{
    (void)interpreter;
    out_thread->holds = true;
    return hf_v8_runs(leaf);
}

static void v8_read(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreter_thread *thread,
    const struct hf_unwind_frame *leaf, struct hf_interpreted_chain *chain)
{
    static struct hf_v8_sight sight = {.surely = &hf_interpreter_by_copy};
    (void)thread;
    hf_v8_chain_read(chain, &interpreter->v8, memory, &sight, leaf);
}

static size_t v8_write(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, uint64_t string, char *out)
{
    struct hf_v8_name name;
    return hf_v8_name_read(&interpreter->v8, memory, string, &name) ? hf_v8_name_write(&name, out)
                                                                    : 0;
}

static size_t v8_write_word(struct hf_text word, char *out)
{
    memcpy(out, word.data, word.size);
    return word.size;
}

static size_t v8_write_name(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    if (frame->name == HF_V8_MAIN)
        return v8_write_word(HF_TEXT("<main>"), out);
    if (frame->name == HF_V8_NO_NAME)
        return v8_write_word(HF_TEXT("<anonymous>"), out);
    return v8_write(interpreter, memory, frame->name, out);
}

/* A module's name is a URL, a script's a path. */
static size_t v8_write_file(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    static const char scheme[] = "file://";
    size_t skipped = sizeof scheme - 1;
    if (frame->file == 0)
        return v8_write_word(HF_TEXT("(eval)"), out);
    size_t size = v8_write(interpreter, memory, frame->file, out);
    if (size <= skipped || memcmp(out, scheme, skipped) != 0)
        return size;
    memmove(out, out + skipped, size - skipped);
    return size - skipped;
}

/* Where the function begins: the source is counted once for each. */
static uint32_t v8_line(struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    struct hf_v8_text source;
    uint64_t word, print = hf_mix(frame->print ^ frame->offset, UINT64_C(0x9e3779b97f4a7c15));
    uint32_t line = hf_stacks_find(&interpreter->texts, print, 3);
    if (line != HF_STACKS_NONE)
        return line;
    if (!hf_v8_object_word(memory, frame->scope, interpreter->v8.script_source, &word) ||
        !hf_v8_text_find(&interpreter->v8, memory, word, &source))
        return 0;
    line = hf_v8_text_line(memory, &source, frame->offset);
    (void)hf_stacks_add(&interpreter->texts, print, 3, line);
    return line;
}

const struct hf_interpreter_language hf_interpreter_v8 = {
    .number = HF_LIVE_V8,
    .replaces = true,
    .take = v8_take,
    .find = v8_find,
    .read = v8_read,
    .write_name = v8_write_name,
    .write_file = v8_write_file,
    .line = v8_line,
};
