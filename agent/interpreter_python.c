/* interpreter_python.c: CPython (unwind/python/versions.h), as interpreter.h wants a language. */
#include "image.h"
#include "interpreter.h"
#include "unwind/python/lines.h"
#include "unwind/python/unicode.h"

#include <pthread.h>

#define LINES_BYTES 32768 /* of a table of lines; what is behind has no line */

/* Py_tss_t, and a bytes object. */
enum { KEY_IS_SET = 0, KEY_NUMBER = 4, KEY_BYTES = 8, BYTES_SIZE = 16, BYTES_START = 32 };

_Static_assert(HF_PYTHON_TEXT_BYTES <= HF_INTERPRETER_TEXT_BYTES, "one of its strings fits");

static enum hf_live_interpreter python_take(struct hf_interpreter *interpreter, uint64_t start)
{
    uint64_t version_at = hf_image_find_symbol(start, "Py_Version", NULL), py_version;
    uint64_t runtime = hf_image_find_symbol(start, "_PyRuntime", NULL);
    struct hf_python python = {
        .code_type = hf_image_find_symbol(start, "PyCode_Type", NULL),
        .text_type = hf_image_find_symbol(start, "PyUnicode_Type", NULL),
    };
    if (runtime == 0 || python.code_type == 0 || python.text_type == 0)
        return HF_LIVE_INTERPRETER_NONE;
    interpreter->version = 0; /* before 3.11 it is not exported */
    if (version_at == 0 ||
        !hf_interpreted_copy(&hf_interpreter_by_copy, version_at, &py_version, sizeof py_version))
        return HF_LIVE_INTERPRETER_UNKNOWN;
    interpreter->version = (uint32_t)py_version;
    python.layout = hf_python_layout_find(interpreter->version);
    if (python.layout == NULL)
        return HF_LIVE_INTERPRETER_UNKNOWN;
    if (!hf_python_layout_fits(python.layout, &hf_interpreter_by_copy, runtime))
        return HF_LIVE_INTERPRETER_UNFIT;
    interpreter->python = python; /* another thread may still read: it is never without a layout */
    interpreter->runtime = runtime;
    return HF_LIVE_INTERPRETER_READ;
}

/* Copies the start of a thread state, if it is that of the calling thread. */
static bool python_copy_thread(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, uint64_t thread,
    uint8_t head[HF_PYTHON_THREAD_BYTES])
{
    return hf_interpreted_copy(memory, thread, head, HF_PYTHON_THREAD_BYTES) &&
           hf_interpreted_u64(head, interpreter->python.layout->thread_id) ==
               (uint64_t)pthread_self();
}

/*
 * Finds the state of the calling thread, by libc's key of it, or because it holds the lock. True if
 * it has one; *out_holds: it holds the lock, so nobody else frees it.
 */
static bool python_find_thread(
    const struct hf_interpreter *interpreter, uint8_t head[HF_PYTHON_THREAD_BYTES], bool *out_holds)
{
    const struct hf_python_layout *layout = interpreter->python.layout;
    const struct hf_interpreted_memory *memory =
        interpreter->is_fixed ? &hf_interpreter_as_it_is : &hf_interpreter_by_copy;
    uint8_t key[KEY_BYTES];
    uint64_t current = 0;
    *out_holds = false;
    if (!hf_interpreted_copy(memory, interpreter->runtime + layout->key, key, sizeof key) ||
        hf_interpreted_u32(key, KEY_IS_SET) == 0)
        return false;
    uint64_t mine = (uint64_t)(uintptr_t)pthread_getspecific(hf_interpreted_u32(key, KEY_NUMBER));
    if (layout->current != HF_PYTHON_NOWHERE) {
        if (!hf_interpreted_copy(
                memory, interpreter->runtime + layout->current, &current, sizeof current))
            return false;
        *out_holds = current != 0 && current == mine;
        bool is_trusted = *out_holds && hf_interpreter_is_proved(interpreter);
        if (current != 0 &&
            python_copy_thread(interpreter,
                is_trusted ? &hf_interpreter_as_it_is : &hf_interpreter_by_copy, current, head)) {
            *out_holds = true; /* also of a subinterpreter, which has a state of its own */
            return true;
        }
        return mine != 0 && mine != current &&
               python_copy_thread(interpreter, &hf_interpreter_by_copy, mine, head);
    }
    if (mine == 0 || !python_copy_thread(interpreter, &hf_interpreter_by_copy, mine, head))
        return false;
    *out_holds =
        (hf_interpreted_u32(head, layout->active) & layout->active_mask) == layout->active_value;
    return true;
}

static bool python_find(struct hf_interpreter *interpreter, const struct hf_unwind_frame *leaf,
    struct hf_interpreter_thread *out_thread)
{
    (void)leaf;
    return python_find_thread(interpreter, out_thread->head, &out_thread->holds);
}

static void python_read(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreter_thread *thread,
    const struct hf_unwind_frame *leaf, struct hf_interpreted_chain *chain)
{
    hf_python_chain_read(chain, &interpreter->python, memory, thread->head, leaf);
}

/* Writes a string of the interpreter; returns its bytes. */
static size_t python_write(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, uint64_t string, char *out)
{
    const struct hf_python *python = &interpreter->python;
    struct hf_python_text text;
    return hf_python_text_find(python->layout, memory, python->text_type, string, &text)
               ? hf_python_text_write(memory, &text, out)
               : 0;
}

static size_t python_write_name(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    return python_write(interpreter, memory, frame->name, out);
}

static size_t python_write_file(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    return python_write(interpreter, memory, frame->file, out);
}

static uint32_t python_line(struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    static uint8_t bytes[LINES_BYTES];
    uint64_t size;
    (void)interpreter;
    if (frame->offset == UINT32_MAX) /* it is about to begin */
        return frame->line;
    if (!hf_interpreted_copy(memory, frame->lines + BYTES_SIZE, &size, sizeof size))
        return 0;
    size = size < sizeof bytes ? size : sizeof bytes;
    if (!hf_interpreted_copy(memory, frame->lines + BYTES_START, bytes, size))
        return 0;
    struct hf_text table = {(const char *)bytes, size};
    return hf_python_line(table, frame->line, frame->offset);
}

const struct hf_interpreter_language hf_interpreter_python = {
    .number = HF_LIVE_PYTHON,
    .take = python_take,
    .find = python_find,
    .read = python_read,
    .write_name = python_write_name,
    .write_file = python_write_file,
    .line = python_line,
};
