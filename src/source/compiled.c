#include "source/compiled.h"

#include "source/callees.h"
#include "source/text/words.h"

#define TYPE_MAX 64u /* tokens of the type of what is declared */
#define QUESTION_CLASS (HF_SOURCE_NO - 1)

static bool compiled_is_star(const struct hf_source_tokens *tokens, uint32_t at)
{
    static const char *const stars[] = {"*", "&", "&&", "**", NULL};
    return hf_source_is_any_sign(tokens, at, stars);
}

/* The last word of a type could stand there. */
static bool compiled_is_type(const struct hf_source_tokens *tokens, uint32_t at)
{
    static const char *const others[] = {"return", "else", "case", "goto", "new", "delete", "throw",
        "sizeof", "co_return", "co_yield", "co_await", "do", "if", "while", "for", "switch",
        "using", "namespace", "operator", NULL};
    return hf_source_is_kind(tokens, at, HF_SOURCE_NAME) &&
           !hf_source_is_any_word(tokens, at, others);
}

/* Where the part of a statement begins in which `at` stands: a declaration could begin there, if it
 * is not within the brackets of a call; HF_SOURCE_NO: it is. */
static uint32_t compiled_part_begin(const struct hf_source_at *at, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t number = tokens->items[token].statement;
    struct hf_source_level level =
        hf_source_level_at(at, (struct hf_source_value){number, token, token + 1});
    static const char *const headers[] = {
        "for", "if", "while", "switch", "catch", "constexpr", NULL};
    if (level.open == HF_SOURCE_NO)
        return level.begin;
    uint32_t begin = level.begin;
    for (uint32_t i = begin; i < token; i = hf_source_next(tokens, i)) {
        if (hf_source_is_sign(tokens, i, ";"))
            begin = i + 1;
    }
    return level.open != 0 && hf_source_is_any_word(tokens, level.open - 1, headers) ? begin
                                                                                     : HF_SOURCE_NO;
}

/* "T x", "T *x", "auto &x": the type stands before the name at `token`, from `begin` on. */
static bool compiled_has_type(const struct hf_source_tokens *tokens, uint32_t begin, uint32_t token)
{
    static const char *const next[] = {"=", ";", ",", "(", "{", "[", ":", ")", NULL};
    uint32_t i = token;
    bool ends = hf_source_is_any_sign(tokens, token + 1, next) || token + 1 == tokens->count ||
                tokens->items[token + 1].statement != tokens->items[token].statement;
    while (
        i > begin && (compiled_is_star(tokens, i - 1) || hf_source_is_word(tokens, i - 1, "const")))
        i--;
    if (!ends || i == begin || i - begin > TYPE_MAX || !compiled_is_type(tokens, i - 1))
        return false;
    for (uint32_t k = begin; k + 1 < i; k++) {
        if (!hf_source_is_kind(tokens, k, HF_SOURCE_NAME) && !hf_source_is_sign(tokens, k, "::"))
            return false;
    }
    return compiled_is_type(tokens, begin) || hf_source_is_sign(tokens, begin, "::");
}

bool hf_source_is_declared_at(const struct hf_source_at *at, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    if (tokens->language == HF_SOURCE_RUST)
        return !hf_source_is_capital(hf_source_text_of(at, token));
    uint32_t statement = tokens->items[token].statement;
    if (statement == HF_SOURCE_NO)
        return false;
    uint32_t first = hf_source_statement_of(at, statement)->begin;
    for (uint32_t i = first; i < first + 3 && i < token; i++) { /* "auto [a, b] = ..." */
        uint32_t open = i + 1 + !hf_source_is_sign(tokens, i + 1, "[");
        if (hf_source_is_word(tokens, i, "auto") && hf_source_is_sign(tokens, open, "[") &&
            token < tokens->items[open].pair)
            return !hf_source_is_kind(tokens, token - 1, HF_SOURCE_NAME);
    }
    uint32_t begin = compiled_part_begin(at, token);
    if (begin == HF_SOURCE_NO || begin >= token)
        return false;
    if (compiled_has_type(tokens, begin, token))
        return true;
    uint32_t before = token - 1;
    while (before > begin && compiled_is_star(tokens, before))
        before--;
    if (!hf_source_is_sign(tokens, before, ","))
        return false;
    /* "struct node *a = f(), *b": the first is declared. */
    for (uint32_t i = begin + 1; i < before && i - begin <= TYPE_MAX; i++) {
        if (hf_source_is_kind(tokens, i, HF_SOURCE_NAME) && compiled_has_type(tokens, begin, i))
            return true;
        if (tokens->items[i].pair != HF_SOURCE_NO)
            return false;
    }
    return false;
}

static bool compiled_is_pointers_name(struct hf_text name)
{
    static const char *const ends[] = {"_ptr", "Ptr", "ptr", "Ref", "_ref", "Handle", "Pointer"};
    for (size_t i = 0; i < HF_COUNT(ends); i++) {
        if (hf_text_ends(name, ends[i]))
            return true;
    }
    return hf_text_is(name, "make_shared") || hf_text_is(name, "make_unique") ||
           hf_text_is(name, "new");
}

/* "using T = std::shared_ptr<...>;" */
static bool compiled_is_alias(const struct hf_source_at *at, struct hf_text name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    for (uint32_t i = 0; at->file->has_alias && i + 2 < tokens->count && i < HF_SOURCE_ALIAS_TOKENS;
         i++) {
        if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(at->flow))
            return false;
        if (!hf_source_is_word(tokens, i, "using") ||
            !hf_text_equal(hf_source_text_of(at, i + 1), name))
            continue;
        for (i += 2; i < tokens->count && !hf_source_is_sign(tokens, i, ";"); i++) {
            if (hf_source_is_sign(tokens, i, "*") ||
                compiled_is_pointers_name(hf_source_text_of(at, i)))
                return true;
        }
    }
    return false;
}

/* One of the tokens says so. */
static bool compiled_says_pointer(const struct hf_source_at *at, uint32_t begin, uint32_t end)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    for (uint32_t i = begin; i < end && hf_source_step(at->flow); i++) {
        bool is_name = hf_source_is_kind(tokens, i, HF_SOURCE_NAME);
        if (hf_source_is_sign(tokens, i, "*") || hf_source_is_sign(tokens, i, "**") ||
            (is_name && (compiled_is_pointers_name(hf_source_text_of(at, i)) ||
                            compiled_is_alias(at, hf_source_text_of(at, i)))))
            return true;
    }
    return false;
}

bool hf_source_is_pointer(const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t first, end;
    hf_source_range_of(at, function, &first, &end);
    for (uint32_t i = first; i < end && hf_source_step(at->flow); i++) {
        uint32_t number = tokens->items[i].statement;
        if (!hf_text_equal(hf_source_text_of(at, i), name) || number == HF_SOURCE_NO)
            continue;
        const struct hf_source_statement *statement = hf_source_statement_of(at, number);
        bool is_parameter =
            function != HF_SOURCE_NO && number == at->file->outline.functions[function].header;
        uint32_t begin = i;
        if (is_parameter) {
            while (begin > statement->begin && !hf_source_is_sign(tokens, begin - 1, "(") &&
                   !hf_source_is_sign(tokens, begin - 1, ","))
                begin--;
            return compiled_says_pointer(at, begin, i);
        }
        if (hf_source_is_declared_at(at, i)) {
            bool is_auto = hf_source_is_word(tokens, statement->begin, "auto") ||
                           hf_source_is_word(tokens, statement->begin + 1, "auto");
            return compiled_says_pointer(at, statement->begin, is_auto ? statement->end : i);
        }
    }
    return false;
}

bool hf_source_has_own_type(const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    static const char *const others[] = {"void", "char", "const", "unsigned", "int", "long",
        "short", "double", "float", "size_t", "uint8_t", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t first, end;
    hf_source_range_of(at, function, &first, &end);
    for (uint32_t i = first; i < end && hf_source_step(at->flow); i++) {
        if (!hf_text_equal(hf_source_text_of(at, i), name))
            continue;
        uint32_t type = i;
        while (type > first && compiled_is_star(tokens, type - 1))
            type--;
        return tokens->language == HF_SOURCE_C && type > first &&
               hf_source_is_kind(tokens, type - 1, HF_SOURCE_NAME) &&
               !hf_source_is_any_word(tokens, type - 1, others);
    }
    return false;
}

bool hf_source_is_for_any(
    const struct hf_source_at *at, uint32_t place, uint32_t number, const struct hf_source_end *end)
{
    uint32_t function;
    struct hf_source_at in = hf_source_at_place(at, place, &function);
    bool is_there = end->fate == HF_SOURCE_KEPT && end->is_stored && end->file == in.number &&
                    end->function == function && !end->is_known &&
                    in.file->tokens.language == HF_SOURCE_C;
    return is_there &&
           !hf_source_has_own_type(&in, function, hf_source_parameter(in.file, function, number));
}

bool hf_source_is_counted(const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t first, last;
    if (tokens->language != HF_SOURCE_RUST || function == HF_SOURCE_NO)
        return false;
    hf_source_range_of(at, function, &first, &last);
    for (uint32_t i = first; i < last && hf_source_step(at->flow); i++) {
        if (!hf_text_equal(hf_source_text_of(at, i), name) ||
            tokens->items[i].statement == HF_SOURCE_NO)
            continue;
        const struct hf_source_statement *statement =
            hf_source_statement_of(at, tokens->items[i].statement);
        bool is_typed = hf_source_is_sign(tokens, i + 1, ":");
        bool is_given = is_typed || hf_source_is_word(tokens, statement->begin, "let");
        for (uint32_t k = i + 1; is_given && k < i + TYPE_MAX && k < statement->end; k++) {
            if (hf_source_means(tokens, k, HF_SOURCE_COUNTED))
                return true;
        }
    }
    return false;
}

bool hf_source_shares_itself(const struct hf_source_at *at, const struct hf_source_end *end)
{
    struct hf_source_at in;
    uint32_t first, last;
    if (!hf_source_at_file(&in, at->flow, end->file))
        return false;
    const struct hf_source_tokens *tokens = &in.file->tokens;
    hf_source_range_of(&in, end->function, &first, &last);
    for (uint32_t i = first; i < last && hf_source_step(at->flow); i++) {
        bool is_clone = i > 1 && hf_source_is_word(tokens, i, "clone") &&
                        hf_source_means(tokens, i - 2, HF_SOURCE_COUNTED) &&
                        hf_source_is_word(tokens, i + 2, "self");
        if (is_clone || hf_source_is_word(tokens, i, "shared_from_this"))
            return true;
    }
    return false;
}

bool hf_source_is_reference(const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t first, end;
    hf_source_range_of(at, function, &first, &end);
    if (tokens->language != HF_SOURCE_CPP || function == HF_SOURCE_NO)
        return false;
    uint32_t header = at->file->outline.functions[function].header;
    for (uint32_t i = first; i < end && hf_source_step(at->flow); i++) {
        if (!hf_text_equal(hf_source_text_of(at, i), name) ||
            tokens->items[i].statement == HF_SOURCE_NO)
            continue;
        if (tokens->items[i].statement == header || hf_source_is_declared_at(at, i))
            return i != 0 && hf_source_is_sign(tokens, i - 1, "&");
    }
    return false;
}

bool hf_source_is_copy_at(const struct hf_source_at *at, uint32_t token, uint32_t assignment)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    if (!hf_source_is_compiled(tokens->language))
        return false;
    if (!hf_source_is_sign(tokens, assignment, "="))
        return true;
    if (tokens->language != HF_SOURCE_CPP || !hf_source_is_declared_at(at, token) ||
        compiled_is_star(tokens, token - 1))
        return false;
    const struct hf_source_statement *statement =
        hf_source_statement_of(at, tokens->items[token].statement);
    bool is_auto = false, calls = false;
    for (uint32_t i = statement->begin; i < token; i++)
        is_auto |= hf_source_is_word(tokens, i, "auto");
    for (uint32_t i = assignment; i < statement->end; i++)
        calls |= hf_source_is_sign(tokens, i, "(");
    return !(is_auto && calls) && !compiled_says_pointer(at, statement->begin, token);
}

bool hf_source_is_copied(const struct hf_source_at *at, struct hf_source_value value)
{
    static const char *const moves[] = {"move", "forward", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    if (tokens->language != HF_SOURCE_CPP)
        return false;
    struct hf_source_level level = hf_source_level_at(at, value);
    uint32_t callee =
        level.open != HF_SOURCE_NO ? hf_source_callee(at->file, level.open) : HF_SOURCE_NO;
    uint32_t function = hf_source_statement_of(at, value.statement)->function;
    bool is_gone_through = level.open != HF_SOURCE_NO && level.open != 0 &&
                           hf_source_is_word(tokens, level.open - 1, "for") &&
                           level.assignment == HF_SOURCE_NO;
    bool stores = level.assignment != HF_SOURCE_NO ||
                  (level.open != HF_SOURCE_NO && callee == HF_SOURCE_NO && !is_gone_through);
    if (callee != HF_SOURCE_NO)
        stores = !hf_source_is_any_word(tokens, callee, moves) &&
                 hf_source_function_called(at, callee, function) == HF_SOURCE_NO;
    return stores && !hf_source_is_pointer(at, function, hf_source_text_of(at, value.begin));
}

bool hf_source_is_borrowed(const struct hf_source_at *at, const struct hf_source_level *level,
    const struct hf_source_value *value)
{
    static const char *const moves[] = {"move", "forward", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t before = value->begin - 1;
    if (value->begin <= level->begin)
        return false;
    if (hf_source_is_word(tokens, before, "mut"))
        return !hf_source_is_word(tokens, level->begin, "let");
    if (!compiled_is_star(tokens, before))
        return false;
    bool is_moved = level->open != HF_SOURCE_NO && level->open > 2 &&
                    (hf_source_is_any_word(tokens, level->open - 1, moves) ||
                        hf_source_means(tokens, level->open - 3, HF_SOURCE_COUNTED));
    bool is_part = value->end - value->begin > 1 && hf_source_is_sign(tokens, before, "&") &&
                   tokens->language != HF_SOURCE_RUST;
    return !is_moved && !is_part;
}

bool hf_source_is_main(const struct hf_source_at *at, uint32_t function)
{
    return function != HF_SOURCE_NO &&
           hf_text_is(at->file->outline.functions[function].name, "main");
}

bool hf_source_reads_part(const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t first, end;
    hf_source_range_of(at, function, &first, &end);
    for (uint32_t i = first; i < end && hf_source_step(at->flow); i++) {
        bool is_member =
            (hf_source_is_sign(tokens, i + 1, ".") || hf_source_is_sign(tokens, i + 1, "->")) &&
            hf_source_is_kind(tokens, i + 2, HF_SOURCE_NAME) &&
            !hf_source_is_sign(tokens, i + 3, "(");
        if (!is_member || tokens->items[i].statement == HF_SOURCE_NO ||
            !hf_source_is_variable(tokens, i) || !hf_text_equal(hf_source_text_of(at, i), name))
            continue;
        uint32_t call, behind, last = hf_source_statement_of(at, tokens->items[i].statement)->end;
        bool is_path;
        behind = hf_source_chain_end(at->file, i, last, &call, &is_path);
        if (behind >= last || !hf_source_is_sign(tokens, behind, "="))
            return true;
    }
    return false;
}

/* At `at` stands a class: "Order order", "struct Order", "Order::". */
static bool compiled_is_class(const struct hf_source_tokens *tokens, uint32_t at)
{
    static const char *const before[] = {
        "class", "struct", "union", "using", "new", "typename", "enum", NULL};
    return (at != 0 && hf_source_is_any_word(tokens, at - 1, before)) ||
           hf_source_is_kind(tokens, at + 1, HF_SOURCE_NAME) ||
           hf_source_is_sign(tokens, at + 1, "::") ||
           (compiled_is_star(tokens, at + 1) && hf_source_is_kind(tokens, at + 2, HF_SOURCE_NAME));
}

bool hf_source_is_class_at(const struct hf_source_at *at, uint32_t callee)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    struct hf_text name = hf_source_text_of(at, callee);
    bool is_new;
    if (callee != 0 &&
        (hf_source_is_sign(tokens, callee - 1, ".") || hf_source_is_sign(tokens, callee - 1, "->")))
        return false; /* a method */
    uint32_t *known = hf_source_asked(at, QUESTION_CLASS, name, &is_new);
    if (known == NULL || !is_new)
        return known != NULL && *known != 0;
    for (uint32_t i = 0; i < tokens->count && *known == 0; i++) {
        if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(at->flow))
            return false;
        *known = hf_text_equal(hf_source_text_of(at, i), name) && compiled_is_class(tokens, i);
    }
    return *known != 0;
}
