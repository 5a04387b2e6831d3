#include "source/closures.h"

#include "source/callees.h"
#include "source/climb.h"
#include "source/text/words.h"

#include <strings.h>

#define CLOSURES_MAX 3     /* functions without names around a statement */
#define ARGUMENTS_MAX 400u /* tokens of a call */
#define HEAD_MAX 12        /* tokens before what such a function does */

struct hf_source_value hf_source_closure_of(const struct hf_source_at *at, uint32_t inner)
{
    const struct hf_source_statement *of = hf_source_statement_of(at, inner);
    const struct hf_source_statement *outer = hf_source_statement_of(at, of->within);
    const struct hf_source_token *items = at->file->tokens.items;
    uint32_t begin = of->begin, end = of->end;
    while (begin > outer->begin && items[begin].statement != of->within)
        begin--;
    while (end < outer->end && items[end].statement != of->within)
        end++;
    return (struct hf_source_value){of->within, begin, end < outer->end ? end + 1 : end};
}

bool hf_source_is_captured(const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_statement *statement =
        hf_source_statement_of(at, tokens->items[token].statement);
    uint32_t first, end;
    if (!statement->is_of_closure || statement->within == HF_SOURCE_NO)
        return false;
    hf_source_range_of(at, function, &first, &end);
    for (uint32_t i = first; i < token && hf_source_step(at->flow); i++) {
        uint32_t number = tokens->items[i].statement;
        if (number == HF_SOURCE_NO || !hf_source_is_variable(tokens, i) ||
            !hf_text_equal(hf_source_text_of(at, i), hf_source_text_of(at, token)))
            continue;
        const struct hf_source_statement *other = hf_source_statement_of(at, number);
        return number < statement->within &&
               !(other->is_of_closure && other->within == statement->within);
    }
    return false;
}

/* "Hash.new { |all, key| all[key] = ... }" of Ruby: at `at_block`, before the block, stands that,
 * and at `token` the hash. */
static bool closures_is_default(const struct hf_source_at *at, uint32_t at_block, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t name = at_block;
    if (!hf_source_is_word(tokens, at_block, "Hash") ||
        !hf_source_is_sign(tokens, at_block + 1, ".") ||
        !hf_source_is_word(tokens, at_block + 2, "new"))
        return false;
    while (name < token && name - at_block < HEAD_MAX && !hf_source_is_sign(tokens, name, "|"))
        name++;
    return hf_text_equal(hf_source_text_of(at, name + 1), hf_source_text_of(at, token));
}

bool hf_source_is_of_stored_closure(
    const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    static const char *const takers[] = {
        "define_method", "define_singleton_method", "lambda", "proc", "sub", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    enum hf_source_language language = tokens->language;
    uint32_t number = tokens->items[token].statement;
    if ((language != HF_SOURCE_RUBY && language != HF_SOURCE_PERL) || number == HF_SOURCE_NO ||
        function == HF_SOURCE_NO)
        return false;
    for (int hops = 0; hops < CLOSURES_MAX; hops++) {
        const struct hf_source_statement *statement = hf_source_statement_of(at, number);
        if (!statement->is_of_closure || statement->within == HF_SOURCE_NO)
            return false;
        const struct hf_source_statement *outer = hf_source_statement_of(at, statement->within);
        uint32_t begin = statement->begin;
        while (begin > outer->begin && tokens->items[begin].statement != statement->within)
            begin--;
        for (uint32_t i = begin; i > outer->begin && begin - i < HEAD_MAX; i--) {
            if (hf_source_is_sign(tokens, i, "->") || hf_source_is_any_word(tokens, i, takers))
                return hf_source_is_captured(at, function, token);
            if (closures_is_default(at, i, token))
                return true;
        }
        if (hf_source_is_any_word(tokens, outer->begin, takers))
            return hf_source_is_captured(at, function, token);
        number = statement->within;
    }
    return false;
}

uint32_t hf_source_operator(
    const struct hf_source_at *at, uint32_t function, uint32_t receiver, const char *name)
{
    const struct hf_sources *sources = at->flow->sources;
    struct hf_text called = hf_source_text_of(at, receiver), own = {NULL, 0};
    if (!hf_source_is_kind(&at->file->tokens, receiver, HF_SOURCE_NAME))
        return HF_SOURCE_NO;
    if (function != HF_SOURCE_NO)
        own = at->file->outline.functions[function].class;
    for (uint32_t i = hf_source_place_of(sources, hf_text_of(name));
         i != HF_SOURCE_NO && hf_source_step(at->flow); i = sources->places[i].next) {
        const struct hf_source_place *place = &sources->places[i];
        struct hf_text class = sources->files[place->file].outline.functions[place->function].class;
        size_t size = class.size < called.size ? class.size : called.size;
        bool is_named = size > 2 && strncasecmp(class.data + class.size - size,
                                        called.data + called.size - size, size) == 0;
        if (is_named && !hf_text_equal(class, own))
            return i;
    }
    return HF_SOURCE_NO;
}

/* The last token of the n-th argument of the call whose brackets open at `open`. */
uint32_t hf_source_argument_end(
    const struct hf_source_tokens *tokens, uint32_t open, uint32_t number)
{
    uint32_t end = tokens->items[open].pair, last = open;
    for (uint32_t i = open + 1; end != HF_SOURCE_NO && i < end && i - open < ARGUMENTS_MAX;
         i = hf_source_next(tokens, i)) {
        if (hf_source_is_sign(tokens, i, ",") && number-- == 0)
            return last;
        last = i;
    }
    return number == 0 ? last : HF_SOURCE_NO;
}

uint32_t hf_source_given_function(const struct hf_source_at *at, uint32_t function, uint32_t callee)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t found = HF_SOURCE_NO;
    if (function == HF_SOURCE_NO || !hf_source_is_variable(tokens, callee))
        return HF_SOURCE_NO;
    uint32_t number = hf_source_parameter_of(at->file, function, hf_source_text_of(at, callee));
    if (number == HF_SOURCE_NO)
        return HF_SOURCE_NO;
    const struct hf_source_function *of = &at->file->outline.functions[function];
    for (uint32_t i = 0; i + 1 < tokens->count; i++) {
        if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(at->flow))
            return HF_SOURCE_NO;
        if (i == of->begin || tokens->items[i].statement == HF_SOURCE_NO ||
            !hf_source_is_sign(tokens, i + 1, "(") ||
            !hf_text_equal(hf_source_text_of(at, i), of->name))
            continue;
        uint32_t given = hf_source_argument_end(tokens, i + 1, number);
        uint32_t place = given != HF_SOURCE_NO && hf_source_is_kind(tokens, given, HF_SOURCE_NAME)
                             ? hf_source_place_of(at->flow->sources, hf_source_text_of(at, given))
                             : HF_SOURCE_NO;
        if (place == HF_SOURCE_NO || (found != HF_SOURCE_NO && found != place) ||
            at->flow->sources->places[place].next != HF_SOURCE_NO)
            return HF_SOURCE_NO;
        found = place;
    }
    return found;
}

/* "item = yield" begins at `token`. */
static bool closures_is_given(const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t number = tokens->items[token].statement;
    return token > 1 && number != HF_SOURCE_NO && hf_source_is_word(tokens, token, "yield") &&
           hf_source_is_sign(tokens, token - 1, "=") &&
           hf_source_statement_of(at, number)->function == function;
}

bool hf_source_takes_values(const struct hf_source_at *at, uint32_t function)
{
    uint32_t first, end;
    if (at->file->tokens.language != HF_SOURCE_PYTHON || function == HF_SOURCE_NO)
        return false;
    hf_source_range_of(at, function, &first, &end);
    for (uint32_t i = first; i < end && hf_source_step(at->flow); i++) {
        if (closures_is_given(at, function, i))
            return true;
    }
    return false;
}

/* What the generator at `place` does with what it is given. */
static struct hf_source_end closures_given(const struct hf_source_at *at, uint32_t place)
{
    uint32_t function, first, end;
    struct hf_source_at in = hf_source_at_place(at, place, &function);
    struct hf_source_end found = HF_SOURCE_END_UNKNOWN;
    hf_source_range_of(&in, function, &first, &end);
    for (uint32_t i = first; i < end && hf_source_step(at->flow); i++) {
        if (!closures_is_given(&in, function, i))
            continue;
        uint32_t begin = hf_source_statement_of(&in, in.file->tokens.items[i].statement)->begin;
        for (uint32_t name = begin; name < i; name++) {
            if (hf_source_is_variable(&in.file->tokens, name))
                found = hf_source_stronger(
                    found, hf_source_follow(&in, function, hf_source_text_of(&in, name)));
        }
    }
    return found;
}

struct hf_source_end hf_source_sent(
    const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t first, end, place = HF_SOURCE_NO;
    if (tokens->language != HF_SOURCE_PYTHON || !hf_source_is_variable(tokens, token))
        return HF_SOURCE_END_UNKNOWN;
    hf_source_range_of(at, function, &first, &end);
    for (uint32_t i = first; i + 3 < end && place == HF_SOURCE_NO && hf_source_step(at->flow);
         i++) {
        uint32_t number = tokens->items[i].statement;
        bool is_first = number != HF_SOURCE_NO && hf_source_statement_of(at, number)->begin == i;
        bool is_made = is_first && hf_source_is_variable(tokens, i) &&
                       hf_source_is_sign(tokens, i + 1, "=") &&
                       hf_source_is_kind(tokens, i + 2, HF_SOURCE_NAME) &&
                       hf_source_is_sign(tokens, i + 3, "(") &&
                       hf_text_equal(hf_source_text_of(at, i), hf_source_text_of(at, token));
        if (is_made)
            place = hf_source_function_called(at, i + 2, function);
    }
    return place != HF_SOURCE_NO ? closures_given(at, place) : HF_SOURCE_END_UNKNOWN;
}

bool hf_source_is_closure_at(const struct hf_source_at *at, uint32_t token)
{
    static const char *const words[] = {"lambda", "sub", "function", "fn", "async", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    switch (tokens->language) {
    case HF_SOURCE_C: return false;
    case HF_SOURCE_CPP:
        return hf_source_is_sign(tokens, token, "[") && !hf_source_is_index(at->file, token);
    case HF_SOURCE_RUST:
        return hf_source_is_word(tokens, token, "move") || hf_source_is_sign(tokens, token, "|") ||
               hf_source_is_sign(tokens, token, "||");
    default: break;
    }
    uint32_t pair = tokens->items[token].pair;
    bool has_brackets = hf_source_is_sign(tokens, token, "(") && pair != HF_SOURCE_NO;
    return hf_source_is_any_word(tokens, token, words) ||
           (tokens->language == HF_SOURCE_JAVASCRIPT &&
               hf_source_is_sign(tokens, (has_brackets ? pair : token) + 1, "=>"));
}
