/* interpreter_perl.c: Perl (unwind/perl/layouts.h), as interpreter.h wants a language. */
#include "image.h"
#include "interpreter.h"
#include "unwind/perl/package_names.h"

#include <pthread.h>

_Static_assert(2 * HF_PERL_TEXT_BYTES + 2 <= HF_INTERPRETER_TEXT_BYTES, "Package::function fits");

static struct hf_perl_function perl_find_function(uint64_t start, const char *name)
{
    struct hf_perl_function function = {0};
    function.start = hf_image_find_symbol(start, name, &function.bytes);
    return function;
}

/* Major << 8 | minor; 0: it is not said. */
static uint32_t perl_version(uint64_t start)
{
    uint8_t major, minor;
    uint64_t major_at = hf_image_find_symbol(start, "PL_revision", NULL);
    uint64_t minor_at = hf_image_find_symbol(start, "PL_version", NULL);
    if (major_at == 0 || minor_at == 0 ||
        !hf_interpreted_copy(&hf_interpreter_by_copy, major_at, &major, sizeof major) ||
        !hf_interpreted_copy(&hf_interpreter_by_copy, minor_at, &minor, sizeof minor))
        return 0;
    return (uint32_t)major << 8 | minor;
}

static enum hf_live_interpreter perl_take(struct hf_interpreter *interpreter, uint64_t start)
{
    uint16_t interpreter_bytes;
    struct hf_perl perl = {.run = perl_find_function(start, "Perl_runops_standard")};
    if (perl.run.start == 0)
        return HF_LIVE_INTERPRETER_NONE;
    interpreter->version = perl_version(start);
    uint64_t size_at = hf_image_find_symbol(start, "PL_interp_size", NULL);
    perl.key = hf_image_find_symbol(start, "PL_thr_key", NULL);
    perl.interpreter = hf_image_find_symbol(start, "PL_curinterp", NULL);
    perl.parse = perl_find_function(start, "perl_parse");
    perl.grow = perl_find_function(start, "Perl_safesysrealloc");
    perl.grow_string = perl_find_function(start, "Perl_sv_grow");
    perl.grow_array = perl_find_function(start, "Perl_av_extend_guts");
    /* It may be built without threads, so for one interpreter. */
    if (size_at == 0 || perl.key == 0 || perl.interpreter == 0 || perl.grow.start == 0 ||
        !hf_interpreted_copy(
            &hf_interpreter_by_copy, size_at, &interpreter_bytes, sizeof interpreter_bytes))
        return HF_LIVE_INTERPRETER_UNKNOWN;
    perl.layout = hf_perl_layout_find(interpreter->version, interpreter_bytes);
    if (perl.layout == NULL)
        return HF_LIVE_INTERPRETER_UNKNOWN;
    interpreter->perl = perl;
    return HF_LIVE_INTERPRETER_READ;
}

/*
 * Each thread has an interpreter to itself, by a key of libc's which there is since the first
 * interpreter was made. While a thread runs Perl, its interpreter is there, and so is libperl.
 */
static bool perl_find(struct hf_interpreter *interpreter, const struct hf_unwind_frame *leaf,
    struct hf_interpreter_thread *out_thread)
{
    const struct hf_perl *perl = &interpreter->perl;
    uint64_t first;
    uint32_t key;
    if (!hf_perl_runs(perl, leaf) ||
        !hf_interpreted_copy(&hf_interpreter_as_it_is, perl->interpreter, &first, sizeof first) ||
        first == 0 || !hf_interpreted_copy(&hf_interpreter_as_it_is, perl->key, &key, sizeof key))
        return false;
    out_thread->state = (uint64_t)(uintptr_t)pthread_getspecific(key);
    out_thread->holds = true;
    out_thread->is_changing = hf_perl_moves(perl, leaf);
    return out_thread->state != 0;
}

static void perl_read(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreter_thread *thread,
    const struct hf_unwind_frame *leaf, struct hf_interpreted_chain *chain)
{
    hf_perl_chain_read(chain, &interpreter->perl, memory, thread->state, leaf);
}

/* Package::function; code outside of functions is called as PHP's is, code of strings as Perl's
 * caller calls it. */
static size_t perl_write_name(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    static const struct hf_text others[] = {
        [HF_PERL_MAIN] = {"<main>", 6},
        [HF_PERL_EVAL] = {"(eval)", 6},
        [HF_PERL_NO_NAME] = {"(unknown)", 9},
    };
    (void)interpreter;
    if (frame->name < HF_COUNT(others)) {
        memcpy(out, others[frame->name].data, others[frame->name].size);
        return others[frame->name].size;
    }
    size_t size = frame->scope != 0 ? hf_perl_name_write(memory, frame->scope, out) : 0;
    if (size != 0) {
        memcpy(out + size, "::", 2);
        size += 2;
    }
    return size + hf_perl_name_write(memory, frame->name, out + size);
}

static size_t perl_write_file(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    (void)interpreter;
    return hf_perl_path_write(memory, frame->file, out);
}

static uint32_t perl_line_known(struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    (void)interpreter;
    (void)memory;
    return frame->line;
}

const struct hf_interpreter_language hf_interpreter_perl = {
    .number = HF_LIVE_PERL,
    .take = perl_take,
    .find = perl_find,
    .read = perl_read,
    .write_name = perl_write_name,
    .write_file = perl_write_file,
    .line = perl_line_known,
};
