#include "interpreter.h"

#include "base/mix.h"
#include "image.h"
#include "live/interpreted.h"
#include "pages.h"
#include "unwind/python/lines.h"
#include "unwind/python/unicode.h"

#include <pthread.h>

#define LINES_BYTES 32768 /* of a table of lines; what is behind has no line */

/* Py_tss_t, and a bytes object. */
enum { KEY_IS_SET = 0, KEY_NUMBER = 4, KEY_BYTES = 8, BYTES_SIZE = 16, BYTES_START = 32 };

static bool interpreter_copy(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    return hf_image_copy_surely(out, (const void *)(uintptr_t)address, size);
}

static const struct hf_python_memory by_copy = {interpreter_copy, NULL}, as_it_is = {NULL, NULL};

static void interpreter_say(
    struct hf_live_table *table, enum hf_live_python what, uint32_t py_version)
{
    atomic_store_explicit(
        &table->state->python, (uint64_t)what << 32 | py_version, memory_order_relaxed);
}

/* True if the image has an interpreter, whatever can be done with it. */
static bool interpreter_take(
    struct hf_interpreter *interpreter, struct hf_live_table *table, uint64_t start)
{
    uint64_t version_at = hf_image_find_symbol(start, "Py_Version"), py_version;
    uint64_t runtime = hf_image_find_symbol(start, "_PyRuntime");
    struct hf_python python = {
        .code_type = hf_image_find_symbol(start, "PyCode_Type"),
        .text_type = hf_image_find_symbol(start, "PyUnicode_Type"),
    };
    if (runtime == 0 || python.code_type == 0 || python.text_type == 0)
        return false;
    if (version_at == 0 || !hf_python_copy(&by_copy, version_at, &py_version, sizeof py_version)) {
        interpreter_say(table, HF_LIVE_PYTHON_UNKNOWN, 0); /* before 3.11 it is not exported */
        return true;
    }
    python.layout = hf_python_layout_find((uint32_t)py_version);
    bool is_fit = python.layout != NULL && hf_python_layout_fits(python.layout, &by_copy, runtime);
    interpreter_say(table,
        is_fit                  ? HF_LIVE_PYTHON_READ
        : python.layout == NULL ? HF_LIVE_PYTHON_UNKNOWN
                                : HF_LIVE_PYTHON_UNFIT,
        (uint32_t)py_version);
    if (!is_fit)
        return true;
    interpreter->python = python; /* another thread may still read: it is never without a layout */
    interpreter->runtime = runtime;
    interpreter->start = start;
    atomic_store_explicit(&interpreter->layout, python.layout, memory_order_release);
    return true;
}

void hf_interpreter_look(struct hf_interpreter *interpreter, struct hf_modules *modules)
{
    struct hf_modules_hosts hosts;
    uint32_t version = hf_modules_hosts_version(modules);
    if (!hf_modules_hosts(modules, &hosts))
        return;
    atomic_store_explicit(&interpreter->seen, version, memory_order_relaxed);
    for (uint32_t i = 0; i < hosts.count && hf_interpreter_is_there(interpreter); i++) {
        if (hosts.starts[i] == interpreter->start)
            return; /* it is still there */
    }
    atomic_store_explicit(&interpreter->layout, NULL, memory_order_relaxed);
    atomic_store_explicit(&interpreter->proofs, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < hosts.count; i++) {
        interpreter->is_fixed = hosts.is_first[i];
        if (interpreter_take(interpreter, modules->table, hosts.starts[i]))
            break;
    }
}

static bool interpreter_is_proved(const struct hf_interpreter *interpreter)
{
    return atomic_load_explicit(&interpreter->proofs, memory_order_relaxed) >=
           HF_INTERPRETER_PROOFS;
}

/* Copies the start of a thread state, if it is that of the calling thread. */
static bool interpreter_copy_thread(const struct hf_interpreter *interpreter,
    const struct hf_python_memory *memory, uint64_t thread, uint8_t head[HF_PYTHON_THREAD_BYTES])
{
    return hf_python_copy(memory, thread, head, HF_PYTHON_THREAD_BYTES) &&
           hf_python_u64(head, interpreter->python.layout->thread_id) == (uint64_t)pthread_self();
}

/*
 * Finds the state of the calling thread, by libc's key of it, or because it holds the lock. True if
 * it has one; *out_holds: it holds the lock, so nobody else frees it.
 */
static bool interpreter_find_thread(
    const struct hf_interpreter *interpreter, uint8_t head[HF_PYTHON_THREAD_BYTES], bool *out_holds)
{
    const struct hf_python_layout *layout = interpreter->python.layout;
    const struct hf_python_memory *memory = interpreter->is_fixed ? &as_it_is : &by_copy;
    uint8_t key[KEY_BYTES];
    uint64_t current = 0;
    *out_holds = false;
    if (!hf_python_copy(memory, interpreter->runtime + layout->key, key, sizeof key) ||
        hf_python_u32(key, KEY_IS_SET) == 0)
        return false;
    uint64_t mine = (uint64_t)(uintptr_t)pthread_getspecific(hf_python_u32(key, KEY_NUMBER));
    if (layout->current != HF_PYTHON_NOWHERE) {
        if (!hf_python_copy(
                memory, interpreter->runtime + layout->current, &current, sizeof current))
            return false;
        *out_holds = current != 0 && current == mine;
        bool is_trusted = *out_holds && interpreter_is_proved(interpreter);
        if (current != 0 && interpreter_copy_thread(
                                interpreter, is_trusted ? &as_it_is : &by_copy, current, head)) {
            *out_holds = true; /* also of a subinterpreter, which has a state of its own */
            return true;
        }
        return mine != 0 && mine != current &&
               interpreter_copy_thread(interpreter, &by_copy, mine, head);
    }
    if (mine == 0 || !interpreter_copy_thread(interpreter, &by_copy, mine, head))
        return false;
    *out_holds =
        (hf_python_u32(head, layout->active) & layout->active_mask) == layout->active_value;
    return true;
}

static bool is_interrupted(const struct hf_unwind_frame *leaf)
{
    for (const struct hf_unwind_frame *f = leaf; f != NULL; f = f->caller) {
        if (hf_unwind_rule_kind(f->rule) == HF_UNWIND_SIGNAL)
            return true;
    }
    return false;
}

/* What a chain says of whether the interpreter is what it is taken for. */
static void interpreter_judge(struct hf_interpreter *interpreter, struct hf_live_table *table,
    const struct hf_python_chain *chain, bool was_interrupted)
{
    uint32_t proofs = atomic_load_explicit(&interpreter->proofs, memory_order_relaxed);
    if (!chain->is_broken && chain->count != 0 && proofs < HF_INTERPRETER_PROOFS)
        atomic_fetch_add_explicit(&interpreter->proofs, 1, memory_order_relaxed);
    if (!chain->is_broken || was_interrupted)
        return;
    atomic_store_explicit(&interpreter->proofs, 0, memory_order_relaxed);
    uint32_t failures = atomic_fetch_add_explicit(&interpreter->failures, 1, memory_order_relaxed);
    if (proofs != 0 || failures < HF_INTERPRETER_TRIES)
        return;
    uint64_t word = atomic_load_explicit(&table->state->python, memory_order_relaxed);
    interpreter_say(table, HF_LIVE_PYTHON_UNFIT, (uint32_t)word);
    atomic_store_explicit(&interpreter->layout, NULL, memory_order_relaxed);
}

bool hf_interpreter_read(struct hf_interpreter *interpreter, struct hf_live_table *table,
    const struct hf_unwind_frame *leaf, struct hf_python_chain **chain)
{
    uint8_t head[HF_PYTHON_THREAD_BYTES];
    bool holds;
    if (!interpreter_find_thread(interpreter, head, &holds))
        return false;
    if (*chain == NULL)
        *chain = hf_pages_map(sizeof **chain);
    if (*chain == NULL)
        return false;
    bool was_interrupted = is_interrupted(leaf);
    bool is_trusted = holds && !was_interrupted && interpreter_is_proved(interpreter);
    hf_python_chain_read(
        *chain, &interpreter->python, is_trusted ? &as_it_is : &by_copy, head, leaf);
    interpreter_judge(interpreter, table, *chain, was_interrupted);
    return (*chain)->count != 0;
}

/* Writes a string of the interpreter; returns its bytes. */
static size_t interpreter_write(const struct hf_interpreter *interpreter,
    const struct hf_python_memory *memory, uint64_t string, char out[HF_PYTHON_TEXT_BYTES])
{
    const struct hf_python *python = &interpreter->python;
    struct hf_python_text text;
    return hf_python_text_find(python->layout, memory, python->text_type, string, &text)
               ? hf_python_text_write(memory, &text, out)
               : 0;
}

static uint64_t interpreter_hash(uint64_t hash, const char *bytes, size_t size)
{
    hash += size;
    for (size_t i = 0; i < size; i++)
        hash = hf_mix(hash ^ (uint8_t)bytes[i], UINT64_C(0x9e3779b97f4a7c15));
    return hash;
}

/* Where a path is in the table's text, which may be new there. */
static uint32_t interpreter_add_file(
    struct hf_interpreter *interpreter, struct hf_live_table *table, const char *path, size_t size)
{
    uint64_t hash = interpreter_hash(0, path, size);
    uint32_t at = hf_stacks_find(&interpreter->texts, hash, 2);
    if (at != HF_STACKS_NONE || !hf_live_lock(table))
        return at;
    at = hf_live_add_text(table, path, size);
    hf_live_unlock(table);
    if (at != HF_LIVE_NONE)
        (void)hf_stacks_add(&interpreter->texts, hash, 2, at);
    return at;
}

static uint32_t interpreter_add_code(struct hf_interpreter *interpreter,
    struct hf_live_table *table, const struct hf_python_memory *memory,
    const struct hf_python_frame *frame)
{
    static char name[HF_PYTHON_TEXT_BYTES], path[HF_PYTHON_TEXT_BYTES];
    size_t name_bytes = interpreter_write(interpreter, memory, frame->name, name);
    size_t path_bytes = interpreter_write(interpreter, memory, frame->file, path);
    uint64_t hash = interpreter_hash(interpreter_hash(0, name, name_bytes), path, path_bytes);
    uint32_t code = hf_stacks_find(&interpreter->texts, hash, 1);
    if (code != HF_STACKS_NONE || name_bytes == 0)
        return code;
    uint32_t file = interpreter_add_file(interpreter, table, path, path_bytes);
    if (file == HF_STACKS_NONE || !hf_live_lock(table))
        return HF_STACKS_NONE;
    code = hf_live_add_code(table, name, name_bytes, file, path_bytes);
    hf_live_unlock(table);
    if (code != HF_LIVE_NONE)
        (void)hf_stacks_add(&interpreter->texts, hash, 1, code);
    return code;
}

static uint32_t interpreter_line(
    const struct hf_python_memory *memory, const struct hf_python_frame *frame)
{
    static uint8_t bytes[LINES_BYTES];
    uint64_t size;
    if (frame->offset == UINT32_MAX) /* it is about to begin */
        return frame->first_line;
    if (!hf_python_copy(memory, frame->lines + BYTES_SIZE, &size, sizeof size))
        return 0;
    size = size < sizeof bytes ? size : sizeof bytes;
    if (!hf_python_copy(memory, frame->lines + BYTES_START, bytes, size))
        return 0;
    struct hf_text table = {(const char *)bytes, size};
    return hf_python_line(table, frame->first_line, frame->offset);
}

uint64_t hf_interpreter_frame(struct hf_interpreter *interpreter, struct hf_live_table *table,
    const struct hf_python_chain *chain, uint32_t number)
{
    const struct hf_python_frame *frame = &chain->frames[number];
    uint32_t code = interpreter_add_code(interpreter, table, chain->memory, frame);
    return code != HF_STACKS_NONE ? hf_live_code_frame(code, interpreter_line(chain->memory, frame))
                                  : 0;
}

void hf_interpreter_forget(struct hf_interpreter *interpreter)
{
    hf_stacks_forget(&interpreter->texts);
    *interpreter = (struct hf_interpreter){.seen = 0};
}
