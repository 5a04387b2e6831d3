#include "interpreter.h"

#include "base/gate.h"
#include "base/mix.h"
#include "image.h"
#include "pages.h"

static const struct hf_interpreter_language *const interpreter_languages[] = {
    &hf_interpreter_python, &hf_interpreter_php, &hf_interpreter_perl, &hf_interpreter_ruby,
    &hf_interpreter_v8, &hf_interpreter_java,
    &hf_interpreter_lua, /* last, for it may be embedded in others */
};

static bool interpreter_copy(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    return hf_image_copy_surely(out, (const void *)(uintptr_t)address, size);
}

const struct hf_interpreted_memory hf_interpreter_by_copy = {interpreter_copy, NULL},
                                   hf_interpreter_as_it_is = {NULL, NULL};

static void interpreter_say(const struct hf_interpreter *interpreter, struct hf_live_table *table,
    const struct hf_interpreter_language *language, enum hf_live_interpreter what)
{
    uint64_t word = hf_live_interpreter_word(language->number, what, interpreter->version);
    atomic_store_explicit(&table->state->interpreter, word, memory_order_relaxed);
}

/* True if the image has an interpreter, whatever can be done with it. */
static bool interpreter_take(struct hf_interpreter *interpreter, struct hf_live_table *table,
    const struct hf_interpreter_language *language, uint64_t start)
{
    enum hf_live_interpreter what = language->take(interpreter, start);
    if (what == HF_LIVE_INTERPRETER_NONE)
        return false;
    interpreter_say(interpreter, table, language, what);
    interpreter->start = start;
    if (what == HF_LIVE_INTERPRETER_READ)
        atomic_store_explicit(&interpreter->language, language, memory_order_release);
    return true;
}

void hf_interpreter_look(struct hf_interpreter *interpreter, struct hf_modules *modules)
{
    struct hf_modules_hosts hosts;
    uint32_t version = hf_modules_hosts_version(modules);
    if (!hf_modules_hosts(modules, &hosts))
        return;
    atomic_store_explicit(&interpreter->seen, version, memory_order_relaxed);
    bool is_asked = atomic_exchange_explicit(&interpreter->is_asked, false, memory_order_acquire);
    for (uint32_t i = 0; i < hosts.count && hf_interpreter_is_there(interpreter); i++) {
        if (hosts.starts[i] == interpreter->start && !is_asked)
            return; /* it is still there */
    }
    atomic_store_explicit(&interpreter->language, NULL, memory_order_relaxed);
    atomic_store_explicit(&interpreter->proofs, 0, memory_order_relaxed);
    for (size_t i = 0; i < HF_COUNT(interpreter_languages); i++) {
        for (uint32_t j = 0; j < hosts.count; j++) {
            interpreter->is_fixed = hosts.is_first[j];
            if (interpreter_take(
                    interpreter, modules->table, interpreter_languages[i], hosts.starts[j]))
                return;
        }
    }
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
    const struct hf_interpreter_language *language, const struct hf_interpreted_chain *chain,
    bool is_unsure)
{
    uint32_t proofs = atomic_load_explicit(&interpreter->proofs, memory_order_relaxed);
    if (!chain->is_broken && chain->count != 0 && proofs < HF_INTERPRETER_PROOFS)
        atomic_fetch_add_explicit(&interpreter->proofs, 1, memory_order_relaxed);
    if (!chain->is_broken || is_unsure || hf_gate_is_shut()) /* nothing can be copied then */
        return;
    atomic_store_explicit(&interpreter->proofs, 0, memory_order_relaxed);
    uint32_t failures = atomic_fetch_add_explicit(&interpreter->failures, 1, memory_order_relaxed);
    if (proofs != 0 || failures < HF_INTERPRETER_TRIES)
        return;
    interpreter_say(interpreter, table, language, HF_LIVE_INTERPRETER_UNFIT);
    atomic_store_explicit(&interpreter->language, NULL, memory_order_relaxed);
}

bool hf_interpreter_read(struct hf_interpreter *interpreter, struct hf_live_table *table,
    const struct hf_unwind_frame *leaf, const struct hf_interpreter_event *event,
    struct hf_interpreted_chain **chain)
{
    const struct hf_interpreter_language *language =
        atomic_load_explicit(&interpreter->language, memory_order_acquire);
    struct hf_interpreter_thread thread;
    thread.is_changing = false;
    thread.stack_end = event->stack_end;
    thread.moved = event->moved;
    if (language == NULL || !language->find(interpreter, leaf, &thread))
        return false;
    if (*chain == NULL)
        *chain = hf_pages_map(sizeof **chain);
    if (*chain == NULL)
        return false;
    bool is_unsure = thread.is_changing || is_interrupted(leaf);
    bool is_trusted = thread.holds && !is_unsure && hf_interpreter_is_proved(interpreter);
    language->read(interpreter, is_trusted ? &hf_interpreter_as_it_is : &hf_interpreter_by_copy,
        &thread, leaf, *chain);
    interpreter_judge(interpreter, table, language, *chain, is_unsure);
    return (*chain)->count != 0;
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

/* Where a function is in the table's text, by its names; it may be new there. */
static uint32_t interpreter_add_names(struct hf_interpreter *interpreter,
    struct hf_live_table *table, struct hf_text name, struct hf_text path)
{
    uint64_t hash =
        interpreter_hash(interpreter_hash(0, name.data, name.size), path.data, path.size);
    uint32_t code = hf_stacks_find(&interpreter->texts, hash, 1);
    if (code != HF_STACKS_NONE || name.size == 0)
        return code;
    uint32_t file = interpreter_add_file(interpreter, table, path.data, path.size);
    if (file == HF_STACKS_NONE || !hf_live_lock(table))
        return HF_STACKS_NONE;
    code = hf_live_add_code(table, name.data, name.size, file, path.size);
    hf_live_unlock(table);
    if (code != HF_LIVE_NONE)
        (void)hf_stacks_add(&interpreter->texts, hash, 1, code);
    return code;
}

static uint32_t interpreter_add_code(struct hf_interpreter *interpreter,
    struct hf_live_table *table, const struct hf_interpreter_language *language,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    static char name[HF_INTERPRETER_TEXT_BYTES], path[HF_INTERPRETER_TEXT_BYTES];
    uint32_t code = language->is_name != NULL ? hf_stacks_find(&interpreter->texts, frame->lines, 4)
                                              : HF_STACKS_NONE;
    if (code != HF_STACKS_NONE)
        return code;
    size_t name_bytes = language->write_name(interpreter, memory, frame, name);
    size_t path_bytes = language->write_file(interpreter, memory, frame, path);
    code = interpreter_add_names(
        interpreter, table, (struct hf_text){name, name_bytes}, (struct hf_text){path, path_bytes});
    if (code != HF_STACKS_NONE && language->is_name != NULL && language->is_name(name, name_bytes))
        (void)hf_stacks_add(&interpreter->texts, frame->lines, 4, code);
    return code;
}

uint64_t hf_interpreter_frame(struct hf_interpreter *interpreter, struct hf_live_table *table,
    const struct hf_interpreted_chain *chain, uint32_t number)
{
    const struct hf_interpreter_language *language =
        atomic_load_explicit(&interpreter->language, memory_order_acquire);
    const struct hf_interpreted_frame *frame = &chain->frames[number];
    if (language == NULL)
        return 0;
    uint32_t code = interpreter_add_code(interpreter, table, language, chain->memory, frame);
    return code != HF_STACKS_NONE
               ? hf_live_code_frame(code, language->line(interpreter, chain->memory, frame))
               : 0;
}

void hf_interpreter_forget(struct hf_interpreter *interpreter)
{
    hf_stacks_forget(&interpreter->texts);
    *interpreter = (struct hf_interpreter){.seen = 0};
}
