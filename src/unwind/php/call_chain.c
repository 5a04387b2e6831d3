#include "unwind/php/call_chain.h"

#include "unwind/interpreted/runs.h"
#include "unwind/php/strings.h"

#define PRIME UINT64_C(0x9e3779b97f4a7c15)

/* Kinds of functions: the first byte of zend_function. */
enum { PHP_INTERNAL = 1, PHP_USER = 2, PHP_EVAL = 4 };

struct php_reading {
    struct hf_interpreted_chain *chain;
    const struct hf_php *php;
    const struct hf_interpreted_memory *memory;
    uint32_t runs; /* that are complete */
};

static bool php_break(struct php_reading *r)
{
    r->chain->is_broken = true;
    return false;
}

static bool php_is_eval(const void *of, const struct hf_unwind_frame *frame)
{
    const struct hf_php *php = of;
    return frame->pc - 1 - php->execute < php->execute_bytes;
}

bool hf_php_runs(const struct hf_php *php, const struct hf_unwind_frame *leaf)
{
    return hf_interpreted_has_native(&(struct hf_interpreted_natives){leaf, php_is_eval, php});
}

/* Mixes a string, which may not be there at all, into the print of a frame. */
static bool php_print(struct php_reading *r, uint64_t string, struct hf_interpreted_frame *frame)
{
    struct hf_php_text text;
    frame->print = hf_mix(frame->print ^ string, PRIME);
    return string == 0 || (hf_php_text_find(r->php->layout, r->memory, string, &text) &&
                              hf_php_text_hash(r->memory, &text, &frame->print));
}

/* 0: it has none, or is elsewhere. */
static uint32_t php_line_of(struct php_reading *r, const uint8_t *function, uint64_t code)
{
    const struct hf_php_layout *layout = r->php->layout;
    uint64_t start = hf_interpreted_u64(function, layout->function_codes);
    uint64_t count = hf_interpreted_u32(function, layout->function_code_count);
    uint32_t line;
    if (code - start >= count * HF_PHP_CODE_LINE_BYTES ||
        !hf_interpreted_copy(r->memory, code + layout->code_line, &line, sizeof line))
        return 0;
    return line;
}

/* While an exception looks for its handler, a call is at none of its own codes. */
static uint32_t php_line(struct php_reading *r, const uint8_t *call, const uint8_t *function)
{
    const struct hf_php_layout *layout = r->php->layout;
    uint64_t code;
    uint32_t line = php_line_of(r, function, hf_interpreted_u64(call, layout->call_code));
    if (line == 0 && hf_interpreted_copy(
                         r->memory, r->php->globals + layout->before_exception, &code, sizeof code))
        line = php_line_of(r, function, code);
    return line;
}

/* Adds a call of a function of the program's, whose native frame is found later, if there is room.
 * False: the chain is broken. */
static bool php_add(struct php_reading *r, const uint8_t *call, const uint8_t *function)
{
    const struct hf_php_layout *layout = r->php->layout;
    struct hf_interpreted_chain *chain = r->chain;
    if (chain->count == HF_INTERPRETED_FRAMES_MAX) {
        chain->is_cut = true;
        return true;
    }
    uint64_t scope = hf_interpreted_u64(function, layout->function_scope);
    uint8_t class[HF_PHP_CLASS_BYTES];
    if (scope != 0 && !hf_interpreted_copy(r->memory, scope, class, sizeof class))
        return php_break(r);
    struct hf_interpreted_frame *frame = &chain->frames[chain->count];
    *frame = (struct hf_interpreted_frame){
        .name = hf_interpreted_u64(function, layout->function_name),
        .scope = scope != 0 ? hf_interpreted_u64(class, layout->class_name) : 0,
        .file = hf_interpreted_u64(function, layout->function_file),
        .native = r->runs, /* until all are known */
    };
    if (frame->file == 0 || !php_print(r, frame->name, frame) ||
        !php_print(r, frame->scope, frame) || !php_print(r, frame->file, frame))
        return php_break(r);
    frame->line = php_line(r, call, function);
    chain->count++;
    return true;
}

/* One call, of whatever function; false: the chain is broken. */
static bool php_read_call(struct php_reading *r, const uint8_t *call)
{
    const struct hf_php_layout *layout = r->php->layout;
    uint64_t function_at = hf_interpreted_u64(call, layout->call_function);
    uint8_t function[HF_PHP_FUNCTION_BYTES] = {0};
    if (function_at == 0) /* a placeholder */
        return true;
    if (!hf_interpreted_copy(r->memory, function_at, function, 1))
        return php_break(r);
    if (function[0] == PHP_INTERNAL)
        return true;
    if ((function[0] != PHP_USER && function[0] != PHP_EVAL) ||
        !hf_interpreted_copy(r->memory, function_at, function, sizeof function))
        return php_break(r);
    if (!php_add(r, call, function))
        return false;
    r->runs += (hf_interpreted_u32(call, layout->call_info) & layout->call_is_top) != 0;
    return true;
}

static void php_read_calls(struct php_reading *r, uint64_t at)
{
    const struct hf_php_layout *layout = r->php->layout;
    uint8_t call[HF_PHP_CALL_BYTES];
    for (uint32_t steps = 0; at != 0; at = hf_interpreted_u64(call, layout->call_previous)) {
        if (steps++ == HF_INTERPRETED_STEPS_MAX) {
            r->chain->is_cut = true; /* PHP recurses without end */
            return;
        }
        if (!hf_interpreted_copy(r->memory, at, call, sizeof call)) {
            (void)php_break(r);
            return;
        }
        if (!php_read_call(r, call))
            return;
    }
}

void hf_php_chain_read(struct hf_interpreted_chain *chain, const struct hf_php *php,
    const struct hf_interpreted_memory *memory, const struct hf_unwind_frame *leaf)
{
    struct php_reading r = {.chain = chain, .php = php, .memory = memory};
    uint64_t current;
    hf_interpreted_chain_begin(chain, memory);
    bool is_fit = memory->copy == NULL || hf_php_layout_fits(php->layout, memory, php->modules);
    if (is_fit &&
        hf_interpreted_copy(memory, php->globals + php->layout->current, &current, sizeof current))
        php_read_calls(&r, current);
    else
        (void)php_break(&r);
    if (chain->is_broken)
        chain->count = 0;
    else
        hf_interpreted_settle_runs(
            chain, r.runs, &(struct hf_interpreted_natives){leaf, php_is_eval, php});
}
