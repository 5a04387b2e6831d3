#include "source/functions.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define LINE_STEPS 20000   /* to follow what a line makes */
#define STEPS_MAX 20000000 /* of all questions: those after it are not answered */
#define QUESTIONS_MAX 2000 /* of lines of C, C++ and Rust */
#define HOLDERS_MAX 4      /* of a line or a function; further ones are not known */

/* What was seen of a line, or of a function. */
struct hf_source_tally {
    uint64_t bytes[HF_SOURCE_GIVES + 1]; /* by use */
    uint64_t gone;                       /* of those that stay, what no container has */
    struct script_holder {
        struct hf_source_end end;
        uint64_t bytes;
    } holders[HOLDERS_MAX];
    uint32_t callers; /* up to 2 */
};

/* What a function of a source is called in profiles. */
struct hf_source_name {
    char *data;
    size_t size;
};

static uint64_t functions_key(struct hf_source_line at)
{
    uint64_t file = hf_hash_bytes(at.file.data, at.file.size);
    uint64_t name = hf_hash_bytes(at.name.data, at.name.size);
    return hf_hash_u64(file ^ hf_hash_u64(name ^ hf_hash_u64(at.line)));
}

static uint64_t functions_place(uint32_t file, uint32_t function)
{
    return hf_hash_u64((uint64_t)file << 32 | function);
}

static struct hf_source_tally *functions_tally(
    struct hf_source_functions *functions, struct hf_source_line at)
{
    bool is_new;
    if (!hf_vec_reserve(&functions->items, &functions->capacity, functions->count + 1,
            sizeof *functions->items))
        return NULL;
    const uint32_t *number =
        hf_map_put(&functions->tallies, functions_key(at), (uint32_t)functions->count, &is_new);
    if (number == NULL)
        return NULL;
    if (is_new)
        functions->items[functions->count++] = (struct hf_source_tally){0};
    return &functions->items[*number];
}

static bool functions_add_name(
    struct hf_source_functions *functions, uint32_t file, uint32_t function, struct hf_text name)
{
    bool is_new;
    if (!hf_vec_reserve(&functions->texts, &functions->text_capacity, functions->text_count + 1,
            sizeof *functions->texts))
        return false;
    if (hf_map_put(&functions->names, functions_place(file, function),
            (uint32_t)functions->text_count, &is_new) == NULL)
        return false;
    if (!is_new)
        return true;
    char *copy = hf_budget_calloc(name.size + 1, 1);
    if (copy == NULL)
        return false;
    memcpy(copy, name.data, name.size);
    functions->texts[functions->text_count++] = (struct hf_source_name){copy, name.size};
    return true;
}

enum hf_status hf_source_functions_open(
    struct hf_source_functions *functions, struct hf_source_line at, struct hf_error *err)
{
    uint32_t file;
    if (at.name.size == 0 || at.line == 0)
        return HF_OK;
    enum hf_status status = hf_sources_add(&functions->sources, at.file, &file, err);
    if (status != HF_OK || file == HF_SOURCE_NO)
        return status;
    functions->flow.sources = &functions->sources;
    const struct hf_source_file *source = &functions->sources.files[file];
    uint32_t function = hf_source_function_at(source, at.line);
    bool is_it =
        function != HF_SOURCE_NO &&
        hf_text_equal(hf_source_bare_name(at.name), source->outline.functions[function].name) &&
        !hf_text_starts(at.name, "block ");
    if (is_it && !functions_add_name(functions, file, function, at.name))
        return hf_error_memory(err);
    return HF_OK;
}

bool hf_source_functions_are_known(const struct hf_source_functions *functions)
{
    return functions->sources.place_count != 0;
}

/* What profiles have before the path of a function of that file: "crate::module::". */
static struct hf_text functions_prefix(const struct hf_source_functions *functions, uint32_t file)
{
    const struct hf_source_file *source = &functions->sources.files[file];
    struct hf_text prefix = {NULL, 0};
    for (uint32_t i = 0; i < source->outline.function_count && prefix.size == 0; i++) {
        struct hf_out path = {0};
        const uint32_t *number = hf_map_find(&functions->names, functions_place(file, i));
        if (number == NULL)
            continue;
        const struct hf_source_name *known = &functions->texts[*number];
        const struct hf_text name = {known->data, known->size};
        hf_source_path(source, i, &path);
        struct hf_text own = hf_out_view(&path);
        if (hf_out_finish(&path, NULL) == HF_OK && own.size < name.size &&
            hf_text_equal(hf_text_from(name, name.size - own.size), own))
            prefix = hf_text_first(name, name.size - own.size);
        hf_out_done(&path);
    }
    return prefix;
}

/* As profiles of that language would have it: "Index.add", "Index#add", "Index::add". */
static bool functions_make_name(
    struct hf_source_functions *functions, uint32_t file, uint32_t function)
{
    const struct hf_source_file *source = &functions->sources.files[file];
    const struct hf_source_function *of = &source->outline.functions[function];
    struct hf_out name = {0};
    bool is_compiled = hf_source_is_compiled(source->tokens.language);
    if (is_compiled) {
        hf_out_text(&name, functions_prefix(functions, file));
        hf_source_path(source, function, &name);
    } else if (of->class.size != 0 && source->tokens.language != HF_SOURCE_LUA) {
        hf_out_text(&name, of->class);
        switch (source->tokens.language) {
        case HF_SOURCE_RUBY: hf_out_string(&name, "#"); break;
        case HF_SOURCE_PERL:
        case HF_SOURCE_PHP: hf_out_string(&name, "::"); break;
        default: hf_out_string(&name, "."); break;
        }
    } else if (source->tokens.language == HF_SOURCE_PERL) {
        hf_out_string(&name, "main::");
    }
    if (!is_compiled)
        hf_out_text(&name, of->name);
    bool is_made = hf_out_finish(&name, NULL) == HF_OK &&
                   functions_add_name(functions, file, function, hf_out_view(&name));
    hf_out_done(&name);
    return is_made;
}

static void functions_count_holder(
    struct hf_source_tally *tally, struct hf_source_end end, uint64_t bytes)
{
    for (size_t i = 0; i < HOLDERS_MAX; i++) {
        struct script_holder *holder = &tally->holders[i];
        bool is_it = holder->end.file == end.file && holder->end.function == end.function;
        if (holder->bytes != 0 && !is_it)
            continue;
        if (holder->bytes == 0)
            holder->end = end;
        holder->bytes += bytes;
        return;
    }
}

static enum hf_source_use functions_use(
    const struct hf_source_end *end, uint32_t file, uint32_t function, bool is_compiled)
{
    if (is_compiled && end->is_torn)
        return HF_SOURCE_MAY_KEEP;
    if (is_compiled && end->fate == HF_SOURCE_FILLS)
        return HF_SOURCE_STORES;
    switch (end->fate) {
    case HF_SOURCE_RETURNED:
    case HF_SOURCE_FILLS: return HF_SOURCE_HANDS_ON;
    case HF_SOURCE_KEPT:
        if (is_compiled && end->is_stored && end->file == file && end->function == function)
            return HF_SOURCE_STORES;
        return end->function == HF_SOURCE_NO || (end->file == file && end->function == function)
                   ? HF_SOURCE_KEEPS
                   : HF_SOURCE_GIVES;
    default: return HF_SOURCE_MAY_KEEP;
    }
}

/* What the source calls a function that a profile calls so: a constructor is called by its class.
 */
static struct hf_text functions_called(struct hf_text name)
{
    static const char *const makers[] = {"__init__", "initialize", "__construct", "constructor"};
    struct hf_text bare = hf_source_bare_name(name);
    for (size_t i = 0; i < HF_COUNT(makers); i++) {
        if (!hf_text_is(bare, makers[i]) || name.size <= bare.size)
            continue;
        struct hf_text class = hf_text_trim_end(hf_text_first(name, name.size - bare.size), ".#:");
        return hf_source_bare_name(class);
    }
    return bare;
}

/* The parameters of an "impl" of Rust, which begin at that byte, stand for any type: not a
 * lifetime, nor "<I: Iterator<Item = Row>>", which gives one type. */
static bool functions_takes_any(const struct hf_source_tokens *tokens, size_t begin, size_t end)
{
    struct hf_text header = hf_text_from(hf_text_first(tokens->text, end), begin);
    return !hf_text_starts(header, "<'") && !hf_text_has(header, "=");
}

/* The class of a function is a template, or a generic type: it is for whatever is put into it. */
static bool functions_is_generic(const struct hf_source_file *source, uint32_t function)
{
    const struct hf_source_tokens *tokens = &source->tokens;
    const struct hf_source_function *of = &source->outline.functions[function];
    uint32_t at = of->begin;
    if (of->class.size == 0)
        return false;
    (void)hf_source_scope(source, &at);
    uint32_t statement = tokens->items[at].statement;
    if (statement == HF_SOURCE_NO)
        return false;
    const struct hf_source_statement *header = &source->outline.statements[statement];
    for (uint32_t i = header->begin; i < header->end; i++) {
        size_t behind = (size_t)tokens->items[i].at + tokens->items[i].size;
        if (hf_source_is_word(tokens, i, "template") ||
            (hf_source_is_word(tokens, i, "impl") && behind < tokens->text.size &&
                tokens->text.data[behind] == '<' &&
                functions_takes_any(tokens, behind, tokens->items[at].at)))
            return true;
    }
    return false;
}

/* One other function calls it, or none is seen to: what it keeps is for that one. */
static bool functions_has_one_caller(
    const struct hf_source_functions *functions, uint32_t file, uint32_t function)
{
    const struct hf_sources *sources = &functions->sources;
    struct hf_text name = sources->files[file].outline.functions[function].name;
    uint64_t caller = 0;
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct hf_source_tokens *tokens = &sources->files[i].tokens;
        if (!hf_budget_step(tokens->count))
            return false;
        for (uint32_t at = 0; at + 1 < tokens->count; at++) {
            const struct hf_source_token *token = &tokens->items[at];
            if (token->size != name.size || token->statement == HF_SOURCE_NO ||
                !hf_source_is_sign(tokens, at + 1, "(") ||
                !hf_text_equal(hf_source_token_text(tokens, at), name))
                continue;
            uint32_t by = sources->files[i].outline.statements[token->statement].function;
            uint64_t place = functions_place(i, by);
            if (by == HF_SOURCE_NO || (i == file && by == function) || place == caller)
                continue;
            if (caller != 0)
                return false;
            caller = place;
        }
    }
    return true;
}

/* Whether a function of C, C++ or Rust is who keeps what others give it, for good. What takes one
 * type of the program serves who makes that; but not who was given it by another (`is_given`). */
static bool functions_is_holder(
    struct hf_source_functions *functions, const struct hf_source_end *end, bool is_given)
{
    const struct hf_source_file *source = &functions->sources.files[end->file];
    bool is_known = end->is_known || (end->is_typed && is_given);
    if (end->function == HF_SOURCE_NO || end->is_replaced || (end->is_stored && !is_known))
        return false;
    for (size_t i = 0; i < functions->candidate_count; i++) {
        const struct hf_source_candidate *known = &functions->candidates[i];
        if (known->file == end->file && known->function == end->function)
            return known->is_holder;
    }
    if (functions->candidate_count == HF_SOURCE_CANDIDATES)
        return false;
    bool is_holder = !functions_is_generic(source, end->function) &&
                     functions_has_one_caller(functions, end->file, end->function);
    functions->candidates[functions->candidate_count++] =
        (struct hf_source_candidate){end->file, end->function, is_holder};
    return is_holder;
}

static struct hf_source_end functions_follow(struct hf_source_functions *functions, uint32_t file,
    uint32_t line, struct hf_text callee, uint32_t filled)
{
    struct hf_source_end end = {.fate = HF_SOURCE_UNKNOWN};
    if (functions->steps >= STEPS_MAX)
        return end;
    end = filled == HF_SOURCE_NO
              ? hf_source_flow_of(&functions->flow, file, line, callee)
              : hf_source_flow_of_argument(&functions->flow, file, line, callee, filled);
    functions->steps += functions->flow.steps;
    return end;
}

/* What becomes of what that line gets from `callee`: asked once, for stacks have it many times. */
static enum hf_status functions_ask(struct hf_source_functions *functions, uint32_t file,
    uint32_t line, struct hf_text callee, uint32_t filled, struct hf_source_end *out_end,
    struct hf_error *err)
{
    bool is_new;
    uint64_t key = hf_hash_u64(hf_hash_bytes(callee.data, callee.size) ^
                               hf_hash_u64(filled ^ hf_hash_u64((uint64_t)file << 32 | line)));
    if (!hf_vec_reserve(&functions->ends, &functions->end_capacity, functions->end_count + 1,
            sizeof *functions->ends))
        return hf_error_memory(err);
    const uint32_t *number =
        hf_map_put(&functions->asked, key, (uint32_t)functions->end_count, &is_new);
    if (number == NULL)
        return hf_error_memory(err);
    if (is_new) {
        if (!hf_budget_step(LINE_STEPS))
            return hf_budget_refuse(err);
        struct hf_source_end end = functions_follow(functions, file, line, callee, filled);
        const struct hf_source_file *source = &functions->sources.files[file];
        if (end.fate == HF_SOURCE_KEPT && hf_source_is_compiled(source->tokens.language) &&
            (end.file != file || end.function != hf_source_function_at(source, line)))
            end.is_torn |= !functions_is_holder(functions, &end, callee.size != 0) ||
                           (end.file != file && !end.is_known); /* who else calls it? */
        functions->ends[functions->end_count++] = end;
    }
    functions->last = *number;
    *out_end = functions->ends[*number];
    return HF_OK;
}

/* Counts bytes of a line, and of its function. */
static enum hf_status functions_tell(struct hf_source_functions *functions,
    struct hf_source_line at, enum hf_source_use use, const struct hf_source_end *end,
    uint64_t bytes, struct hf_error *err)
{
    if (use == HF_SOURCE_GIVES && !functions_make_name(functions, end->file, end->function))
        return hf_error_memory(err);
    for (int i = 0; i < 2; i++) {
        struct hf_source_tally *tally = functions_tally(functions, at);
        if (tally == NULL)
            return hf_error_memory(err);
        tally->bytes[use] += bytes;
        if (end->fate == HF_SOURCE_STAYS && !end->is_put)
            tally->gone += bytes;
        if (use == HF_SOURCE_GIVES)
            functions_count_holder(tally, *end, bytes);
        at.line = 0;
    }
    return HF_OK;
}

enum hf_status hf_source_functions_see(struct hf_source_functions *functions,
    struct hf_source_line at, struct hf_text callee, uint64_t bytes, struct hf_error *err)
{
    uint32_t file;
    enum hf_status status = hf_sources_add(&functions->sources, at.file, &file, err);
    if (status != HF_OK || file == HF_SOURCE_NO || at.line == 0)
        return status;
    const struct hf_source_file *source = &functions->sources.files[file];
    struct hf_source_end end = {0};
    status =
        functions_ask(functions, file, at.line, functions_called(callee), HF_SOURCE_NO, &end, err);
    if (status != HF_OK)
        return status;
    enum hf_source_use use =
        functions_use(&end, file, hf_source_function_at(source, at.line), false);
    return functions_tell(functions, at, use, &end, bytes + 1, err);
}

enum hf_status hf_source_functions_answer(struct hf_source_functions *functions,
    struct hf_source_line at, struct hf_text callee, uint32_t filled,
    struct hf_source_answer *out_answer, struct hf_error *err)
{
    uint32_t file = hf_sources_find(&functions->sources, at.file);
    *out_answer = (struct hf_source_answer){.use = HF_SOURCE_MAY_KEEP};
    if (file == HF_SOURCE_NO || at.line == 0 || functions->end_count >= QUESTIONS_MAX)
        return HF_OK;
    const struct hf_source_file *source = &functions->sources.files[file];
    struct hf_source_end end = {0};
    enum hf_status status =
        functions_ask(functions, file, at.line, functions_called(callee), filled, &end, err);
    if (status != HF_OK)
        return status;
    uint32_t function = hf_source_function_at(source, at.line);
    out_answer->use = functions_use(&end, file, function, true);
    if (out_answer->use == HF_SOURCE_KEEPS && function != HF_SOURCE_NO &&
        functions_is_generic(source, function))
        out_answer->use = HF_SOURCE_MAY_KEEP;
    out_answer->parameter = end.parameter;
    out_answer->is_filled = end.fate == HF_SOURCE_FILLS;
    out_answer->is_returned = end.is_returned;
    out_answer->is_of_object = end.is_of_object;
    return HF_OK;
}

enum hf_status hf_source_functions_count(struct hf_source_functions *functions,
    struct hf_source_line at, enum hf_source_use use, uint64_t bytes, struct hf_error *err)
{
    const struct hf_source_end none = {0}, *end = functions->end_count != 0
                                                      ? &functions->ends[functions->last]
                                                      : &none;
    return functions_tell(functions, at, use, end, bytes, err);
}

/* A lambda is no function of its source; else the names are the same, or the source is another. */
static bool functions_names_agree(struct hf_text frame, struct hf_text name)
{
    return hf_text_has(frame, "operator") || hf_text_has(frame, "closure") ||
           hf_text_has(frame, "lambda") || hf_text_has(frame, "_FUN") ||
           hf_text_equal(hf_source_bare_name(frame), name);
}

bool hf_source_functions_know(const struct hf_source_functions *functions, struct hf_source_line at)
{
    uint32_t file = hf_sources_find(&functions->sources, at.file);
    if (at.name.size == 0 || file == HF_SOURCE_NO)
        return false;
    const struct hf_source_file *source = &functions->sources.files[file];
    uint32_t function = hf_source_function_at(source, at.line);
    return function != HF_SOURCE_NO &&
           functions_names_agree(at.name, source->outline.functions[function].name);
}

enum hf_status hf_source_functions_call(struct hf_source_functions *functions,
    struct hf_source_line caller, struct hf_source_line callee, struct hf_error *err)
{
    bool is_new;
    caller.line = callee.line = 0;
    uint64_t from = functions_key(caller), to = functions_key(callee);
    if (from == to)
        return HF_OK;
    if (hf_map_put(&functions->callers, hf_hash_u64(from) ^ to, 0, &is_new) == NULL)
        return hf_error_memory(err);
    struct hf_source_tally *tally = functions_tally(functions, callee);
    if (tally == NULL)
        return hf_error_memory(err);
    tally->callers += is_new && tally->callers < 2;
    return HF_OK;
}

static void functions_set_holder(const struct hf_source_functions *functions,
    const struct hf_source_tally *tally, struct hf_source_judgement *judged)
{
    const struct script_holder *most = &tally->holders[0];
    for (size_t i = 1; i < HOLDERS_MAX; i++) {
        if (tally->holders[i].bytes > most->bytes)
            most = &tally->holders[i];
    }
    const uint32_t *name =
        hf_map_find(&functions->names, functions_place(most->end.file, most->end.function));
    if (name == NULL) {
        judged->use = HF_SOURCE_MAY_KEEP;
        return;
    }
    judged->holder.name =
        (struct hf_text){functions->texts[*name].data, functions->texts[*name].size};
    judged->holder.file = functions->sources.files[most->end.file].path;
    judged->holder.line = most->end.line;
    judged->is_known = most->end.is_known;
}

/* The use of most bytes, of those from `first` on. */
static enum hf_source_use functions_most(
    const struct hf_source_tally *tally, enum hf_source_use first)
{
    enum hf_source_use most = first;
    for (enum hf_source_use use = first; use <= HF_SOURCE_GIVES; use++) {
        if (tally->bytes[use] > tally->bytes[most])
            most = use;
    }
    return most;
}

/* Lua names functions by who calls them, which may have no name for it: "function <a.lua:50>".
 * Where its source has one, that is who keeps. */
static void functions_set_name(const struct hf_source_functions *functions,
    struct hf_source_line at, struct hf_source_judgement *judged)
{
    uint32_t file = hf_sources_find(&functions->sources, at.file);
    if (judged->use != HF_SOURCE_KEEPS || file == HF_SOURCE_NO ||
        !hf_text_starts(at.name, "function <"))
        return;
    const struct hf_source_file *source = &functions->sources.files[file];
    uint32_t function = hf_source_function_at(source, at.line);
    if (function == HF_SOURCE_NO || source->tokens.language != HF_SOURCE_LUA)
        return;
    judged->use = HF_SOURCE_GIVES;
    judged->holder = at;
    judged->holder.name = source->outline.functions[function].name;
}

struct hf_source_judgement hf_source_functions_judge(
    const struct hf_source_functions *functions, struct hf_source_line at)
{
    const struct hf_source_line line = at;
    struct hf_source_judgement judged = {.use = HF_SOURCE_MAY_KEEP};
    const uint32_t *number = hf_map_find(&functions->tallies, functions_key(at));
    if (number == NULL)
        return judged;
    const struct hf_source_tally *tally = &functions->items[*number];
    judged.use = functions_most(tally, HF_SOURCE_MAY_KEEP);
    judged.is_gone = judged.use == HF_SOURCE_MAY_KEEP && tally->bytes[HF_SOURCE_KEEPS] == 0 &&
                     tally->bytes[HF_SOURCE_GIVES] == 0 &&
                     tally->gone >= tally->bytes[HF_SOURCE_MAY_KEEP] / 2;
    at.line = 0;
    number = hf_map_find(&functions->tallies, functions_key(at));
    /* What nobody can tell of a line is likely what its function does otherwise. */
    bool is_script = !hf_source_is_compiled(hf_source_language_of(at.file));
    if (judged.use == HF_SOURCE_MAY_KEEP && number != NULL && is_script) {
        tally = &functions->items[*number];
        enum hf_source_use most = functions_most(tally, HF_SOURCE_KEEPS);
        judged.use = tally->bytes[most] != 0 ? most : HF_SOURCE_MAY_KEEP;
    }
    if (judged.use == HF_SOURCE_GIVES)
        functions_set_holder(functions, tally, &judged);
    functions_set_name(functions, line, &judged);
    judged.is_called = number != NULL && functions->items[*number].callers != 0;
    judged.is_shared = number != NULL && functions->items[*number].callers > 1;
    return judged;
}

void hf_source_functions_done(struct hf_source_functions *functions)
{
    for (size_t i = 0; i < functions->text_count; i++)
        hf_budget_free(functions->texts[i].data);
    hf_budget_put_back(functions->capacity * sizeof *functions->items);
    hf_budget_put_back(functions->text_capacity * sizeof *functions->texts);
    free(functions->items);
    free(functions->texts);
    hf_map_done(&functions->names);
    hf_map_done(&functions->tallies);
    hf_budget_put_back(functions->end_capacity * sizeof *functions->ends);
    free(functions->ends);
    hf_map_done(&functions->callers);
    hf_map_done(&functions->asked);
    hf_source_flow_done(&functions->flow);
    hf_sources_done(&functions->sources);
    *functions = (struct hf_source_functions){0};
}
