#include "source/sources.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"

#include <limits.h>
#include <stdlib.h>

#define PATH_STEPS 20000 /* to open a file, or not */
#define BYTE_STEPS 20    /* to read a byte of it */
#define PARAMETERS_MAX 64
#define LIST_MAX 400 /* tokens of a list of parameters, without those in brackets within */

/* "using T = ..." */
static bool sources_have_alias(const struct hf_source_tokens *tokens)
{
    for (uint32_t i = 0; i + 2 < tokens->count && i < HF_SOURCE_ALIAS_TOKENS; i++) {
        if (tokens->language == HF_SOURCE_CPP && hf_source_is_word(tokens, i, "using") &&
            hf_source_is_sign(tokens, i + 2, "="))
            return true;
    }
    return false;
}

static bool sources_parse(
    struct hf_sources *sources, struct hf_source_file *file, struct hf_text text)
{
    enum hf_source_language language = hf_source_language_of(file->path);
    if (hf_source_is_compiled(language)) {
        if (text.size > HF_SOURCE_COMPILED_BYTES - sources->compiled_bytes)
            return true;
        sources->compiled_bytes += text.size;
    }
    if (text.size == 0 || text.size > HF_SOURCE_FILE_BYTES ||
        !hf_budget_step(text.size * BYTE_STEPS))
        return true;
    if (!hf_source_tokens_find(&file->tokens, text, language))
        return false;
    file->has_alias = sources_have_alias(&file->tokens);
    return hf_source_outline_find(&file->outline, &file->tokens);
}

static bool sources_read(struct hf_sources *sources, struct hf_source_file *file)
{
    char name[PATH_MAX];
    struct hf_error ignored;
    struct hf_text path = file->path;
    if (path.size >= sizeof name || memchr(path.data, '\0', path.size) != NULL)
        return true;
    memcpy(name, path.data, path.size);
    name[path.size] = '\0';
    if (hf_file_map_open(&file->map, name, &ignored) != HF_OK)
        return true;
    return sources_parse(
        sources, file, (struct hf_text){(const char *)file->map.data, file->map.size});
}

static uint64_t sources_hash(struct hf_text name)
{
    return hf_hash_u64(hf_hash_bytes(name.data, name.size));
}

/* Its functions, by name. */
static bool sources_list(struct hf_sources *sources, uint32_t number)
{
    const struct hf_source_outline *outline = &sources->files[number].outline;
    for (uint32_t i = 0; i < outline->function_count; i++) {
        bool is_new;
        uint32_t place = (uint32_t)sources->place_count;
        if (!hf_vec_reserve(&sources->places, &sources->place_capacity, sources->place_count + 1,
                sizeof *sources->places))
            return false;
        uint32_t *first =
            hf_map_put(&sources->names, sources_hash(outline->functions[i].name), place, &is_new);
        if (first == NULL)
            return false;
        sources->places[sources->place_count++] = (struct hf_source_place){
            .file = number, .function = i, .next = is_new ? HF_SOURCE_NO : *first};
        *first = place;
    }
    return true;
}

/* *out_is_new: it has to be read. */
static enum hf_status sources_put(struct hf_sources *sources, struct hf_text path,
    uint32_t *out_number, bool *out_is_new, struct hf_error *err)
{
    *out_number = HF_SOURCE_NO;
    *out_is_new = false;
    if (hf_source_language_of(path) == HF_SOURCE_NONE)
        return HF_OK;
    uint32_t *number = hf_map_put(&sources->paths, sources_hash(path),
        sources->count < HF_SOURCE_FILES ? (uint32_t)sources->count : HF_SOURCE_NO, out_is_new);
    if (number == NULL)
        return hf_error_memory(err);
    *out_number = *number;
    *out_is_new = *out_is_new && *number != HF_SOURCE_NO;
    if (!*out_is_new)
        return HF_OK;
    if (!hf_budget_step(PATH_STEPS))
        return hf_budget_refuse(err);
    if (!hf_vec_reserve(
            &sources->files, &sources->capacity, sources->count + 1, sizeof *sources->files))
        return hf_error_memory(err);
    sources->files[sources->count++] = (struct hf_source_file){.path = path};
    return HF_OK;
}

enum hf_status hf_sources_add(
    struct hf_sources *sources, struct hf_text path, uint32_t *out_number, struct hf_error *err)
{
    bool is_new;
    enum hf_status status = sources_put(sources, path, out_number, &is_new, err);
    if (status != HF_OK || !is_new)
        return status;
    return sources_read(sources, &sources->files[*out_number]) && sources_list(sources, *out_number)
               ? HF_OK
               : hf_error_memory(err);
}

enum hf_status hf_sources_add_text(struct hf_sources *sources, struct hf_text path,
    struct hf_text text, uint32_t *out_number, struct hf_error *err)
{
    bool is_new;
    enum hf_status status = sources_put(sources, path, out_number, &is_new, err);
    if (status != HF_OK || !is_new)
        return status;
    return sources_parse(sources, &sources->files[*out_number], text) &&
                   sources_list(sources, *out_number)
               ? HF_OK
               : hf_error_memory(err);
}

uint32_t hf_sources_find(const struct hf_sources *sources, struct hf_text path)
{
    const uint32_t *number = hf_map_find(&sources->paths, sources_hash(path));
    return number != NULL ? *number : HF_SOURCE_NO;
}

uint32_t hf_source_place_of(const struct hf_sources *sources, struct hf_text name)
{
    const uint32_t *first = hf_map_find(&sources->names, sources_hash(name));
    return first != NULL ? *first : HF_SOURCE_NO;
}

uint32_t hf_source_function_at(const struct hf_source_file *file, uint32_t line)
{
    const struct hf_source_token *tokens = file->tokens.items;
    const struct hf_source_function *functions = file->outline.functions;
    size_t behind = HF_FIRST_ABOVE(tokens, file->tokens.count, line, line);
    size_t count = HF_FIRST_FROM(functions, file->outline.function_count, begin, behind);
    uint32_t found = count != 0 ? (uint32_t)count - 1 : HF_SOURCE_NO;
    /* The last that has begun, or one around it. */
    while (found != HF_SOURCE_NO && tokens[functions[found].end - 1].line < line)
        found = functions[found].outer;
    return found;
}

/* The names of a list of parameters. */
struct sources_parameters {
    struct hf_text names[PARAMETERS_MAX];
    uint32_t count;
};

static void sources_see(struct sources_parameters *all, struct hf_text name)
{
    bool is_object = all->count == 0 && (hf_text_is(name, "self") || hf_text_is(name, "cls") ||
                                            hf_text_is(name, "class"));
    if (!is_object && all->count < PARAMETERS_MAX)
        all->names[all->count++] = name;
}

/* "(a, b=1, *c)", "(private Feed $feed, int ...$more)" */
static void sources_in_brackets(
    const struct hf_source_tokens *tokens, uint32_t begin, struct sources_parameters *all)
{
    uint32_t end = begin != 0 ? tokens->items[begin - 1].pair : HF_SOURCE_NO;
    bool is_php = tokens->language == HF_SOURCE_PHP, is_seen = false;
    uint32_t at = begin;
    for (int hops = 0; end != HF_SOURCE_NO && at < end && hops < LIST_MAX; at++, hops++) {
        const struct hf_source_token *token = &tokens->items[at];
        bool is_name = token->kind == HF_SOURCE_NAME && (!is_php || token->sigil != 0);
        if (is_name && !is_seen) {
            sources_see(all, hf_source_token_text(tokens, at));
            is_seen = true;
        }
        if (hf_source_is_sign(tokens, at, ","))
            is_seen = false;
        else if (token->pair != HF_SOURCE_NO && token->pair > at)
            at = token->pair;
    }
}

/* "(const struct row *row, size_t n = 1)", "(&mut self, row: Row)" */
static void sources_in_declaration(
    const struct hf_source_tokens *tokens, uint32_t begin, struct sources_parameters *all)
{
    uint32_t end = begin != 0 ? tokens->items[begin - 1].pair : HF_SOURCE_NO, name = HF_SOURCE_NO;
    bool is_rust = tokens->language == HF_SOURCE_RUST, is_over = false;
    uint32_t at = begin;
    for (int hops = 0; end != HF_SOURCE_NO && at <= end && hops < LIST_MAX; at++, hops++) {
        uint32_t pair = tokens->items[at].pair;
        if (at == end || hf_source_is_sign(tokens, at, ",")) {
            struct hf_text text = name != HF_SOURCE_NO ? hf_source_token_text(tokens, name)
                                                       : (struct hf_text){NULL, 0};
            if (all->count < PARAMETERS_MAX && end != begin &&
                !(is_rust && hf_text_is(text, "self")))
                all->names[all->count++] = text;
            name = HF_SOURCE_NO;
            is_over = false;
        } else if (hf_source_is_sign(tokens, at, "=") || hf_source_is_sign(tokens, at, ":") ||
                   hf_source_is_sign(tokens, at, "[")) {
            is_over = true; /* its value, its type */
        } else if (!is_over && hf_source_is_kind(tokens, at, HF_SOURCE_NAME) &&
                   !(is_rust && hf_source_is_word(tokens, at, "mut"))) {
            name = at;
        }
        if (pair != HF_SOURCE_NO && pair > at && pair < end)
            at = pair;
    }
}

/* "my ($self, $key) = @_;", "my $self = shift;" */
static void sources_in_perl(
    const struct hf_source_file *file, uint32_t function, struct sources_parameters *all)
{
    const struct hf_source_tokens *tokens = &file->tokens;
    const struct hf_source_function *of = &file->outline.functions[function];
    uint32_t at = of->begin;
    while (at < of->end && !hf_source_is_sign(tokens, at, "{"))
        at++;
    for (at++; hf_source_is_word(tokens, at, "my"); at++) {
        uint32_t begin = at + 1, end = at;
        while (end < of->end && !hf_source_is_sign(tokens, end, ";"))
            end++;
        bool is_list = hf_source_is_sign(tokens, begin, "(") && end != 0 &&
                       hf_source_is_word(tokens, end - 1, "_");
        if (!is_list && !hf_source_is_word(tokens, begin + 2, "shift"))
            return;
        if (is_list)
            sources_in_brackets(tokens, begin + 1, all);
        else
            sources_see(all, hf_source_token_text(tokens, begin));
        at = end;
        if (is_list)
            return;
    }
}

static void sources_parameters_of(
    const struct hf_source_file *file, uint32_t function, struct sources_parameters *all)
{
    const struct hf_source_tokens *tokens = &file->tokens;
    const struct hf_source_function *of = &file->outline.functions[function];
    all->count = 0;
    bool has_list = of->parameters != HF_SOURCE_NO && of->parameters < tokens->count;
    if (has_list && hf_source_is_compiled(tokens->language))
        sources_in_declaration(tokens, of->parameters, all);
    else if (has_list)
        sources_in_brackets(tokens, of->parameters, all);
    else if (tokens->language == HF_SOURCE_PERL)
        sources_in_perl(file, function, all);
    else if (tokens->language == HF_SOURCE_RUBY) { /* "def add key, value" */
        uint32_t line = tokens->items[of->begin].line;
        for (uint32_t at = of->begin + 1; at < of->end && tokens->items[at].line == line; at++) {
            if (hf_source_is_kind(tokens, at, HF_SOURCE_NAME))
                sources_see(all, hf_source_token_text(tokens, at));
        }
    }
}

struct hf_text hf_source_parameter(
    const struct hf_source_file *file, uint32_t function, uint32_t number)
{
    struct sources_parameters all;
    sources_parameters_of(file, function, &all);
    return number < all.count ? all.names[number] : (struct hf_text){NULL, 0};
}

uint32_t hf_source_parameter_of(
    const struct hf_source_file *file, uint32_t function, struct hf_text name)
{
    struct sources_parameters all;
    sources_parameters_of(file, function, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        if (hf_text_equal(all.names[i], name))
            return i;
    }
    return HF_SOURCE_NO;
}

void hf_sources_done(struct hf_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        hf_source_outline_done(&sources->files[i].outline);
        hf_source_tokens_done(&sources->files[i].tokens);
        hf_file_map_close(&sources->files[i].map);
    }
    hf_map_done(&sources->paths);
    hf_map_done(&sources->names);
    hf_budget_put_back(sources->capacity * sizeof *sources->files);
    hf_budget_put_back(sources->place_capacity * sizeof *sources->places);
    free(sources->files);
    free(sources->places);
    *sources = (struct hf_sources){0};
}
