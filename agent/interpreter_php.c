/* interpreter_php.c: PHP (unwind/php/offsets.h), as interpreter.h wants a language. */
#include "image.h"
#include "interpreter.h"
#include "unwind/php/strings.h"

_Static_assert(2 * HF_PHP_TEXT_MAX + 2 <= HF_INTERPRETER_TEXT_BYTES, "Class::function fits");

static enum hf_live_interpreter php_take(struct hf_interpreter *interpreter, uint64_t start)
{
    uint64_t globals_bytes, execute_bytes;
    struct hf_php php = {
        .modules = hf_image_find_symbol(start, "module_registry", NULL),
        .execute = hf_image_find_symbol(start, "execute_ex", &execute_bytes),
    };
    if (php.modules == 0 || php.execute == 0)
        return HF_LIVE_INTERPRETER_NONE;
    interpreter->version = 0;
    php.globals = hf_image_find_symbol(start, "executor_globals", &globals_bytes);
    if (php.globals == 0) /* it is built for several threads */
        return HF_LIVE_INTERPRETER_UNKNOWN;
    php.layout = hf_php_layout_find(globals_bytes);
    php.execute_bytes = execute_bytes;
    if (php.layout == NULL)
        return HF_LIVE_INTERPRETER_UNKNOWN;
    interpreter->version = php.layout->version;
    interpreter->php = php;
    return HF_LIVE_INTERPRETER_READ;
}

/*
 * True if the innermost call is of an included file, or of eval: when that ends, the executor frees
 * its code while the call is still the current one (zend_leave_helper).
 */
static bool php_may_leave(const struct hf_interpreter *interpreter)
{
    const struct hf_php *php = &interpreter->php;
    uint64_t current;
    uint32_t info;
    return hf_interpreter_is_proved(interpreter) &&
           hf_interpreted_copy(&hf_interpreter_as_it_is, php->globals + php->layout->current,
               &current, sizeof current) &&
           hf_interpreted_copy(
               &hf_interpreter_as_it_is, current + php->layout->call_info, &info, sizeof info) &&
           (info & (php->layout->call_is_code | php->layout->call_is_top)) ==
               php->layout->call_is_code;
}

/* There is one thread that runs it, and it has the frames to itself. */
static bool php_find(struct hf_interpreter *interpreter, const struct hf_unwind_frame *leaf,
    struct hf_interpreter_thread *out_thread)
{
    out_thread->holds = true;
    out_thread->is_changing = php_may_leave(interpreter);
    return hf_php_runs(&interpreter->php, leaf);
}

static void php_read(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreter_thread *thread,
    const struct hf_unwind_frame *leaf, struct hf_interpreted_chain *chain)
{
    (void)thread;
    hf_php_chain_read(chain, &interpreter->php, memory, leaf);
}

static size_t php_write(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, uint64_t string, char *out)
{
    struct hf_php_text text;
    return string != 0 && hf_php_text_find(interpreter->php.layout, memory, string, &text)
               ? hf_php_text_write(memory, &text, out)
               : 0;
}

/* Class::function; code outside of functions is called as Python's and Ruby's is. */
static size_t php_write_name(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    static const char outside[] = "<main>";
    if (frame->name == 0) {
        memcpy(out, outside, sizeof outside - 1);
        return sizeof outside - 1;
    }
    size_t size = php_write(interpreter, memory, frame->scope, out);
    if (size != 0) {
        memcpy(out + size, "::", 2);
        size += 2;
    }
    return size + php_write(interpreter, memory, frame->name, out + size);
}

static size_t php_write_file(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    return php_write(interpreter, memory, frame->file, out);
}

static uint32_t php_line_known(struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    (void)interpreter;
    (void)memory;
    return frame->line;
}

const struct hf_interpreter_language hf_interpreter_php = {
    .number = HF_LIVE_PHP,
    .take = php_take,
    .find = php_find,
    .read = php_read,
    .write_name = php_write_name,
    .write_file = php_write_file,
    .line = php_line_known,
};
