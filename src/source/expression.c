#include "source/expression.h"

#include <ctype.h>

#define CHAIN_MAX 200 /* links of "a.b().c" that are gone back over */

bool hf_source_assigns(const struct hf_source_tokens *tokens, uint32_t at)
{
    static const char *const signs[] = {"=", "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "^=",
        "**=", "//=", "||=", "&&=", "?\?=", ":=", NULL};
    return hf_source_is_any_sign(tokens, at, signs);
}

bool hf_source_counts(const struct hf_source_tokens *tokens, uint32_t at)
{
    static const char *const signs[] = {"-=", "*=", "/=", "%=", "**=", NULL};
    return hf_source_is_any_sign(tokens, at, signs) ||
           (tokens->language == HF_SOURCE_PERL && hf_source_is_sign(tokens, at, "+="));
}

bool hf_source_is_member_sign(const struct hf_source_tokens *tokens, uint32_t at)
{
    static const char *const signs[] = {".", "->", "::", "&.", "?.", "?->", NULL};
    if (hf_source_is_any_sign(tokens, at, signs))
        return tokens->language != HF_SOURCE_PERL && tokens->language != HF_SOURCE_PHP
                   ? true
                   : !hf_source_is_sign(tokens, at, "."); /* joins strings */
    return tokens->language == HF_SOURCE_LUA && hf_source_is_sign(tokens, at, ":");
}

static bool expression_opens(const struct hf_source_tokens *tokens, uint32_t at)
{
    static const char *const signs[] = {"(", "[", "{", NULL};
    return hf_source_is_any_sign(tokens, at, signs);
}

static bool expression_closes(const struct hf_source_tokens *tokens, uint32_t at)
{
    static const char *const signs[] = {")", "]", "}", NULL};
    return hf_source_is_any_sign(tokens, at, signs);
}

uint32_t hf_source_next(const struct hf_source_tokens *tokens, uint32_t at)
{
    uint32_t pair = at < tokens->count ? tokens->items[at].pair : HF_SOURCE_NO;
    return pair != HF_SOURCE_NO && pair > at ? pair + 1 : at + 1;
}

struct hf_source_level hf_source_level_of(
    const struct hf_source_file *file, struct hf_source_value value)
{
    const struct hf_source_tokens *tokens = &file->tokens;
    const struct hf_source_statement *statement = &file->outline.statements[value.statement];
    struct hf_source_level level = {.open = HF_SOURCE_NO,
        .begin = statement->begin,
        .end = statement->end,
        .assignment = HF_SOURCE_NO};
    for (uint32_t at = value.begin; at > statement->begin;) {
        uint32_t pair = tokens->items[--at].pair;
        if (expression_closes(tokens, at) && pair != HF_SOURCE_NO && pair >= statement->begin) {
            at = pair;
        } else if (expression_opens(tokens, at) && pair != HF_SOURCE_NO) {
            level.open = at;
            level.begin = at + 1;
            level.end = pair;
            break;
        }
    }
    level.item = level.begin;
    for (uint32_t at = level.begin; at < value.begin; at = hf_source_next(tokens, at)) {
        if (hf_source_is_sign(tokens, at, ",") || hf_source_is_sign(tokens, at, ";")) {
            level.commas++;
            if (level.open != HF_SOURCE_NO) {
                level.item = at + 1;
                level.assignment = HF_SOURCE_NO;
            }
        } else if (hf_source_assigns(tokens, at)) {
            level.assignment = at;
        }
    }
    return level;
}

uint32_t hf_source_callee(const struct hf_source_file *file, uint32_t open)
{
    static const char *const others[] = {"if", "elsif", "elseif", "elif", "unless", "while",
        "until", "for", "foreach", "switch", "case", "catch", "return", "and", "or", "not", "in",
        "when", "match", "my", "our", "print", "use", "function", "fn", "yield", "local", "do",
        "then", "else", "is", "lambda", NULL};
    const struct hf_source_tokens *tokens = &file->tokens;
    bool is_name = open != 0 && hf_source_is_sign(tokens, open, "(") &&
                   hf_source_is_kind(tokens, open - 1, HF_SOURCE_NAME) &&
                   (!hf_source_is_any_word(tokens, open - 1, others) ||
                       (open > 1 && hf_source_is_member_sign(tokens, open - 2)));
    return is_name ? open - 1 : HF_SOURCE_NO;
}

bool hf_source_is_index(const struct hf_source_file *file, uint32_t open)
{
    static const char *const words[] = {"return", "in", "and", "or", "not", "yield", "else", "push",
        "then", "do", "when", "if", "unless", "map", "puts", "bless", "case", NULL};
    const struct hf_source_tokens *tokens = &file->tokens;
    uint32_t statement = open < tokens->count ? tokens->items[open].statement : HF_SOURCE_NO;
    if (open == 0 || hf_source_is_sign(tokens, open, "(") || statement == HF_SOURCE_NO ||
        file->outline.statements[statement].begin == open)
        return false;
    bool is_brace = hf_source_is_sign(tokens, open, "{");
    if (is_brace && tokens->language != HF_SOURCE_PERL)
        return false;
    if (hf_source_is_kind(tokens, open - 1, HF_SOURCE_NAME))
        return (!is_brace || tokens->items[open - 1].sigil != 0) &&
               !hf_source_is_any_word(tokens, open - 1, words);
    return expression_closes(tokens, open - 1) || hf_source_is_sign(tokens, open - 1, "->") ||
           hf_source_is_kind(tokens, open - 1, HF_SOURCE_STRING);
}

uint32_t hf_source_chain_begin(const struct hf_source_file *file, uint32_t at, uint32_t floor)
{
    const struct hf_source_tokens *tokens = &file->tokens;
    for (int hops = 0; hops < CHAIN_MAX; hops++) {
        uint32_t pair = tokens->items[at].pair;
        if (expression_closes(tokens, at) && pair != HF_SOURCE_NO && pair >= floor && pair < at) {
            at = pair;
            bool goes_on = at > floor && (hf_source_callee(file, at) != HF_SOURCE_NO ||
                                             hf_source_is_index(file, at));
            if (goes_on) {
                at--;
                continue;
            }
        }
        if (at >= floor + 2 && hf_source_is_member_sign(tokens, at - 1)) {
            at -= 2;
            continue;
        }
        if (at > floor && hf_source_is_member_sign(tokens, at)) {
            at--;
            continue;
        }
        if (at > floor && (hf_source_is_word(tokens, at - 1, "new") ||
                              hf_source_is_word(tokens, at - 1, "await")))
            at--;
        return at;
    }
    return at;
}

uint32_t hf_source_chain_end(const struct hf_source_file *file, uint32_t at, uint32_t end,
    uint32_t *out_call, bool *out_is_path)
{
    const struct hf_source_tokens *tokens = &file->tokens;
    uint32_t last = at;
    *out_call = HF_SOURCE_NO;
    *out_is_path = false;
    for (at++; at < end;) {
        uint32_t pair = tokens->items[at].pair;
        bool has_pair = pair != HF_SOURCE_NO && pair > at && pair < end;
        if (hf_source_is_member_sign(tokens, at) && at + 1 < end) {
            *out_is_path = true;
            *out_call = HF_SOURCE_NO;
            at++;
            if (!hf_source_is_kind(tokens, at, HF_SOURCE_NAME))
                continue;
            last = at++;
            /* A method of Ruby is called without brackets, too. */
            if (tokens->language == HF_SOURCE_RUBY)
                *out_call = last;
        } else if (has_pair && hf_source_is_sign(tokens, at, "(") && last == at - 1) {
            *out_is_path = true;
            *out_call = last;
            at = pair + 1;
        } else if (has_pair && hf_source_is_index(file, at)) {
            *out_is_path = true;
            *out_call = HF_SOURCE_NO;
            at = pair + 1;
        } else {
            break;
        }
    }
    return at;
}

bool hf_source_is_variable(const struct hf_source_tokens *tokens, uint32_t at)
{
    enum hf_source_language language = tokens->language;
    if (!hf_source_is_kind(tokens, at, HF_SOURCE_NAME))
        return false;
    const struct hf_source_token *token = &tokens->items[at];
    bool has_sigils = language == HF_SOURCE_PERL || language == HF_SOURCE_PHP;
    if (has_sigils)
        return token->sigil != 0 && !(at != 0 && hf_source_is_sign(tokens, at - 1, "::"));
    if (at != 0 && hf_source_is_member_sign(tokens, at - 1))
        return false;
    bool is_symbol = language == HF_SOURCE_RUBY && at != 0 &&
                     hf_source_is_sign(tokens, at - 1, ":") &&
                     tokens->items[at - 1].at + 1 == token->at;
    bool is_key = hf_source_is_sign(tokens, at + 1, ":") && language != HF_SOURCE_LUA &&
                  language != HF_SOURCE_PYTHON &&
                  tokens->items[at + 1].at == token->at + token->size;
    return !is_symbol && !is_key;
}

bool hf_source_is_slice(const struct hf_source_tokens *tokens, uint32_t token)
{
    uint32_t open = token != 0 ? token - 1 : 0;
    uint32_t close = hf_source_is_sign(tokens, open, "{") ? tokens->items[open].pair : HF_SOURCE_NO;
    return tokens->language == HF_SOURCE_PERL && close == token + 1 &&
           (hf_source_is_sign(tokens, close + 1, "{") || hf_source_is_sign(tokens, close + 1, "["));
}

uint32_t hf_source_argument_name(
    const struct hf_source_tokens *tokens, uint32_t open, uint32_t number)
{
    uint32_t end = tokens->items[open].pair, i = open + 1;
    for (; end != HF_SOURCE_NO && i < end && number != 0; i = hf_source_next(tokens, i))
        number -= hf_source_is_sign(tokens, i, ",");
    while (hf_source_is_compiled(tokens->language) && i < end &&
           (hf_source_is_sign(tokens, i, "&") || hf_source_is_sign(tokens, i, "*") ||
               hf_source_is_word(tokens, i, "mut")))
        i++;
    return end != HF_SOURCE_NO && i < end && hf_source_is_kind(tokens, i, HF_SOURCE_NAME)
               ? i
               : HF_SOURCE_NO;
}
