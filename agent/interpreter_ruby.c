/* interpreter_ruby.c: Ruby (unwind/ruby/structures.h), as interpreter.h wants a language. */
#include "interpreter.h"
#include "unwind/ruby/labels.h"

_Static_assert(HF_RUBY_NAME_BYTES <= HF_INTERPRETER_TEXT_BYTES, "Class#method fits");

enum { CONTEXT_BYTES = 8 }; /* of the pointer in each thread */

/* glibc's vector of a thread's blocks: for each module its address and another word; before the
 * first, that of the generation, is how many there are. */
enum { VECTOR_SLOT = 16 };
#define VECTOR_MAX 65536u

/* Major << 8 | minor; 0: it is not said. */
static uint32_t ruby_version(uint64_t start)
{
    uint32_t numbers[2];
    uint64_t at = hf_image_find_symbol(start, "ruby_api_version", NULL);
    if (at == 0 || !hf_interpreted_copy(&hf_interpreter_by_copy, at, numbers, sizeof numbers) ||
        numbers[0] > 0xff || numbers[1] > 0xff)
        return 0;
    return numbers[0] << 8 | numbers[1];
}

static enum hf_live_interpreter ruby_take(struct hf_interpreter *interpreter, uint64_t start)
{
    uint64_t run_bytes, context_bytes;
    struct hf_ruby ruby = {.run = hf_image_find_symbol(start, "rb_vm_exec", &run_bytes)};
    struct hf_image_variable context;
    if (ruby.run == 0)
        return HF_LIVE_INTERPRETER_NONE;
    ruby.run_bytes = run_bytes;
    ruby.vm = hf_image_find_symbol(start, "ruby_current_vm_ptr", NULL);
    ruby.string = hf_image_find_symbol(start, "rb_cString", NULL);
    interpreter->version = ruby_version(start);
    ruby.layout = hf_ruby_layout_find(interpreter->version);
    if (ruby.layout == NULL || ruby.vm == 0 || ruby.string == 0 ||
        hf_image_find_symbol(start, "ruby_current_ec", &context_bytes) == 0 ||
        context_bytes != CONTEXT_BYTES ||
        !hf_image_find_thread_variable(start, "ruby_current_ec", &context))
        return HF_LIVE_INTERPRETER_UNKNOWN;
    interpreter->ruby = ruby;
    interpreter->context = context;
    return HF_LIVE_INTERPRETER_READ;
}

/* 0: it is not known where this machine has it. */
static uint64_t ruby_thread_vector(void)
{
    uint64_t vector = 0;
#if defined(__x86_64__) && defined(__GLIBC__)
    __asm__("mov %%fs:8, %0" : "=r"(vector));
#endif
    return vector;
}

/*
 * The context of the calling thread, which runs Ruby, so that its block is there: libruby has asked
 * for it. The loader's own function would allocate if another library came meanwhile. 0: none.
 */
static uint64_t ruby_find_context(
    const struct hf_interpreter *interpreter, const struct hf_interpreted_memory *memory)
{
    const struct hf_image_variable *variable = &interpreter->context;
    uint64_t vector = ruby_thread_vector(), count, block, context;
    if (!hf_interpreted_copy(memory, vector - VECTOR_SLOT, &count, sizeof count) ||
        count > VECTOR_MAX || variable->module > count ||
        !hf_interpreted_copy(
            memory, vector + variable->module * VECTOR_SLOT, &block, sizeof block) ||
        !hf_interpreted_copy(memory, block + variable->offset, &context, sizeof context))
        return 0;
    return context;
}

/*
 * A context is its thread's, and others change it only while they collect garbage without it: so
 * while the thread holds the lock and nobody collects, all that leads to its frames is there.
 */
static bool ruby_find(struct hf_interpreter *interpreter, const struct hf_unwind_frame *leaf,
    struct hf_interpreter_thread *out_thread)
{
    const struct hf_ruby *ruby = &interpreter->ruby;
    const struct hf_interpreted_memory *memory =
        hf_interpreter_is_proved(interpreter) ? &hf_interpreter_as_it_is : &hf_interpreter_by_copy;
    if (!hf_ruby_runs(ruby, leaf))
        return false;
    out_thread->state = ruby_find_context(interpreter, memory);
    if (out_thread->state == 0)
        return false;
    if (hf_ruby_look(ruby, memory, out_thread->state, &out_thread->holds))
        out_thread->is_changing = !out_thread->holds;
    return true;
}

static void ruby_read(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreter_thread *thread,
    const struct hf_unwind_frame *leaf, struct hf_interpreted_chain *chain)
{
    hf_ruby_chain_read(chain, &interpreter->ruby, memory, thread->state, leaf);
}

static size_t ruby_write_name(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    return hf_ruby_name_write(&interpreter->ruby, memory, frame, out);
}

static size_t ruby_write_file(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    return hf_ruby_file_write(&interpreter->ruby, memory, frame, out);
}

static uint32_t ruby_line(struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    return hf_ruby_line(&interpreter->ruby, memory, frame);
}

const struct hf_interpreter_language hf_interpreter_ruby = {
    .number = HF_LIVE_RUBY,
    .take = ruby_take,
    .find = ruby_find,
    .read = ruby_read,
    .write_name = ruby_write_name,
    .write_file = ruby_write_file,
    .line = ruby_line,
};
