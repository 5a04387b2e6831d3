#include "script/functions.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define LINE_STEPS 20000 /* to follow what a line makes */
#define HOLDERS_MAX 4    /* of a line or a function; further ones are not known */

/* What was seen of a line, or of a function. */
struct hf_script_tally {
    uint64_t bytes[HF_SCRIPT_GIVES + 1]; /* by use */
    struct script_holder {
        struct hf_script_end end;
        uint64_t bytes;
    } holders[HOLDERS_MAX];
    uint32_t callers; /* up to 2 */
};

/* What a function of a source is called in profiles. */
struct hf_script_name {
    char *data;
    size_t size;
};

struct hf_text hf_script_bare_name(struct hf_text name)
{
    size_t from = 0;
    struct hf_text rest = name;
    while (hf_text_take(&rest, "block ") || hf_text_take(&rest, "in "))
        name = rest;
    for (size_t i = 0; i < name.size && name.data[i] != '('; i++) {
        if (strchr(".#:~*^ ", name.data[i]) != NULL)
            from = i + 1;
    }
    return hf_text_from(name, from);
}

static uint64_t functions_key(struct hf_script_line at)
{
    uint64_t file = hf_hash_bytes(at.file.data, at.file.size);
    uint64_t name = hf_hash_bytes(at.name.data, at.name.size);
    return hf_hash_u64(file ^ hf_hash_u64(name ^ hf_hash_u64(at.line)));
}

static uint64_t functions_place(uint32_t file, uint32_t function)
{
    return hf_hash_u64((uint64_t)file << 32 | function);
}

static struct hf_script_tally *functions_tally(
    struct hf_script_functions *functions, struct hf_script_line at)
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
        functions->items[functions->count++] = (struct hf_script_tally){0};
    return &functions->items[*number];
}

static bool functions_add_name(
    struct hf_script_functions *functions, uint32_t file, uint32_t function, struct hf_text name)
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
    functions->texts[functions->text_count++] = (struct hf_script_name){copy, name.size};
    return true;
}

enum hf_status hf_script_functions_open(
    struct hf_script_functions *functions, struct hf_script_line at, struct hf_error *err)
{
    uint32_t file;
    if (at.name.size == 0 || at.line == 0)
        return HF_OK;
    enum hf_status status = hf_script_sources_add(&functions->sources, at.file, &file, err);
    if (status != HF_OK || file == HF_SCRIPT_NO)
        return status;
    functions->flow.sources = &functions->sources;
    const struct hf_script_file *source = &functions->sources.files[file];
    uint32_t function = hf_script_function_at(source, at.line);
    bool is_it =
        function != HF_SCRIPT_NO &&
        hf_text_equal(hf_script_bare_name(at.name), source->outline.functions[function].name) &&
        !hf_text_starts(at.name, "block ");
    if (is_it && !functions_add_name(functions, file, function, at.name))
        return hf_error_memory(err);
    return HF_OK;
}

bool hf_script_functions_are_known(const struct hf_script_functions *functions)
{
    return functions->sources.place_count != 0;
}

/* As profiles of that language would have it: "Index.add", "Index#add", "Index::add". */
static bool functions_make_name(
    struct hf_script_functions *functions, uint32_t file, uint32_t function)
{
    const struct hf_script_file *source = &functions->sources.files[file];
    const struct hf_script_function *of = &source->outline.functions[function];
    struct hf_out name = {0};
    if (of->class.size != 0 && source->tokens.language != HF_SCRIPT_LUA) {
        hf_out_text(&name, of->class);
        switch (source->tokens.language) {
        case HF_SCRIPT_RUBY: hf_out_string(&name, "#"); break;
        case HF_SCRIPT_PERL:
        case HF_SCRIPT_PHP: hf_out_string(&name, "::"); break;
        default: hf_out_string(&name, "."); break;
        }
    } else if (source->tokens.language == HF_SCRIPT_PERL) {
        hf_out_string(&name, "main::");
    }
    hf_out_text(&name, of->name);
    bool is_made = hf_out_finish(&name, NULL) == HF_OK &&
                   functions_add_name(functions, file, function, hf_out_view(&name));
    hf_out_done(&name);
    return is_made;
}

static void functions_count_holder(
    struct hf_script_tally *tally, struct hf_script_end end, uint64_t bytes)
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

static enum hf_script_use functions_use(
    const struct hf_script_end *end, uint32_t file, uint32_t function)
{
    switch (end->fate) {
    case HF_SCRIPT_RETURNED:
    case HF_SCRIPT_FILLS: return HF_SCRIPT_HANDS_ON;
    case HF_SCRIPT_KEPT:
        return end->function == HF_SCRIPT_NO || (end->file == file && end->function == function)
                   ? HF_SCRIPT_KEEPS
                   : HF_SCRIPT_GIVES;
    default: return HF_SCRIPT_MAY_KEEP;
    }
}

/* What the source calls a function that a profile calls so: a constructor is called by its class.
 */
static struct hf_text functions_called(struct hf_text name)
{
    static const char *const makers[] = {"__init__", "initialize", "__construct", "constructor"};
    struct hf_text bare = hf_script_bare_name(name);
    for (size_t i = 0; i < HF_COUNT(makers); i++) {
        if (!hf_text_is(bare, makers[i]) || name.size <= bare.size)
            continue;
        struct hf_text class = hf_text_trim_end(hf_text_first(name, name.size - bare.size), ".#:");
        return hf_script_bare_name(class);
    }
    return bare;
}

/* What becomes of what that line gets from `callee`: asked once, for stacks have it many times. */
static enum hf_status functions_ask(struct hf_script_functions *functions, uint32_t file,
    uint32_t line, struct hf_text callee, struct hf_script_end *out_end, struct hf_error *err)
{
    bool is_new;
    uint64_t key = hf_hash_u64(
        hf_hash_bytes(callee.data, callee.size) ^ hf_hash_u64((uint64_t)file << 32 | line));
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
        functions->ends[functions->end_count++] =
            hf_script_flow_of(&functions->flow, file, line, callee);
    }
    *out_end = functions->ends[*number];
    return HF_OK;
}

enum hf_status hf_script_functions_see(struct hf_script_functions *functions,
    struct hf_script_line at, struct hf_text callee, uint64_t bytes, struct hf_error *err)
{
    uint32_t file;
    enum hf_status status = hf_script_sources_add(&functions->sources, at.file, &file, err);
    if (status != HF_OK || file == HF_SCRIPT_NO || at.line == 0)
        return status;
    const struct hf_script_file *source = &functions->sources.files[file];
    struct hf_script_end end = {0};
    status = functions_ask(functions, file, at.line, functions_called(callee), &end, err);
    if (status != HF_OK)
        return status;
    enum hf_script_use use = functions_use(&end, file, hf_script_function_at(source, at.line));
    if (use == HF_SCRIPT_GIVES && !functions_make_name(functions, end.file, end.function))
        return hf_error_memory(err);
    for (int i = 0; i < 2; i++) {
        struct hf_script_tally *tally = functions_tally(functions, at);
        if (tally == NULL)
            return hf_error_memory(err);
        tally->bytes[use] += bytes + 1;
        if (use == HF_SCRIPT_GIVES)
            functions_count_holder(tally, end, bytes + 1);
        at.line = 0;
    }
    return HF_OK;
}

enum hf_status hf_script_functions_call(struct hf_script_functions *functions,
    struct hf_script_line caller, struct hf_script_line callee, struct hf_error *err)
{
    bool is_new;
    caller.line = callee.line = 0;
    uint64_t from = functions_key(caller), to = functions_key(callee);
    if (from == to)
        return HF_OK;
    if (hf_map_put(&functions->callers, hf_hash_u64(from) ^ to, 0, &is_new) == NULL)
        return hf_error_memory(err);
    struct hf_script_tally *tally = functions_tally(functions, callee);
    if (tally == NULL)
        return hf_error_memory(err);
    tally->callers += is_new && tally->callers < 2;
    return HF_OK;
}

static void functions_set_holder(const struct hf_script_functions *functions,
    const struct hf_script_tally *tally, struct hf_script_judgement *judged)
{
    const struct script_holder *most = &tally->holders[0];
    for (size_t i = 1; i < HOLDERS_MAX; i++) {
        if (tally->holders[i].bytes > most->bytes)
            most = &tally->holders[i];
    }
    const uint32_t *name =
        hf_map_find(&functions->names, functions_place(most->end.file, most->end.function));
    if (name == NULL) {
        judged->use = HF_SCRIPT_MAY_KEEP;
        return;
    }
    judged->holder.name =
        (struct hf_text){functions->texts[*name].data, functions->texts[*name].size};
    judged->holder.file = functions->sources.files[most->end.file].path;
    judged->holder.line = most->end.line;
}

/* The use of most bytes, of those from `first` on. */
static enum hf_script_use functions_most(
    const struct hf_script_tally *tally, enum hf_script_use first)
{
    enum hf_script_use most = first;
    for (enum hf_script_use use = first; use <= HF_SCRIPT_GIVES; use++) {
        if (tally->bytes[use] > tally->bytes[most])
            most = use;
    }
    return most;
}

struct hf_script_judgement hf_script_functions_judge(
    const struct hf_script_functions *functions, struct hf_script_line at)
{
    struct hf_script_judgement judged = {.use = HF_SCRIPT_MAY_KEEP};
    const uint32_t *number = hf_map_find(&functions->tallies, functions_key(at));
    if (number == NULL)
        return judged;
    const struct hf_script_tally *tally = &functions->items[*number];
    judged.use = functions_most(tally, HF_SCRIPT_MAY_KEEP);
    at.line = 0;
    number = hf_map_find(&functions->tallies, functions_key(at));
    /* What nobody can tell of a line is likely what its function does otherwise. */
    if (judged.use == HF_SCRIPT_MAY_KEEP && number != NULL) {
        tally = &functions->items[*number];
        enum hf_script_use most = functions_most(tally, HF_SCRIPT_KEEPS);
        judged.use = tally->bytes[most] != 0 ? most : HF_SCRIPT_MAY_KEEP;
    }
    if (judged.use == HF_SCRIPT_GIVES)
        functions_set_holder(functions, tally, &judged);
    judged.is_called = number != NULL && functions->items[*number].callers != 0;
    judged.is_shared = number != NULL && functions->items[*number].callers > 1;
    return judged;
}

void hf_script_functions_done(struct hf_script_functions *functions)
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
    hf_script_flow_done(&functions->flow);
    hf_script_sources_done(&functions->sources);
    *functions = (struct hf_script_functions){0};
}
