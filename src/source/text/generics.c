#include "source/text/generics.h"

#define GENERICS_MAX 80 /* tokens between "<" and ">" */

/* "template <typename T = int>" has values, too. */
static bool generics_is_of_type(
    const struct hf_source_tokens *tokens, uint32_t at, bool of_template)
{
    static const char *const all[] = {"::", ",", "*", "&", "...", "(", ")", "[", "]", "->", NULL};
    static const char *const of_rust[] = {"=", "+", ":", ";", NULL};
    return hf_source_is_kind(tokens, at, HF_SOURCE_NAME) ||
           hf_source_is_kind(tokens, at, HF_SOURCE_NUMBER) ||
           hf_source_is_any_sign(tokens, at, all) ||
           (of_template && hf_source_is_sign(tokens, at, "=")) ||
           (tokens->language == HF_SOURCE_RUST && hf_source_is_any_sign(tokens, at, of_rust));
}

/* Behind the arguments of a template, or of a generic type, that begin at `at`; `at`: none do. */
static uint32_t generics_end(const struct hf_source_tokens *tokens, uint32_t at)
{
    int depth = 0, brackets = 0;
    bool is_named = at != 0 && !hf_source_is_word(tokens, at - 1, "operator") &&
                    (hf_source_is_kind(tokens, at - 1, HF_SOURCE_NAME) ||
                        hf_source_is_sign(tokens, at - 1, "::"));
    bool of_template = at != 0 && hf_source_is_word(tokens, at - 1, "template");
    for (uint32_t i = at; is_named && i < tokens->count && i - at < GENERICS_MAX; i++) {
        bool is_open = hf_source_is_sign(tokens, i, "<"),
             is_double = hf_source_is_sign(tokens, i, ">>"),
             is_close = is_double || hf_source_is_sign(tokens, i, ">");
        depth += is_open - is_close - is_double;
        if (depth == 0 && brackets == 0 && is_close)
            return i + 1;
        brackets += hf_source_is_sign(tokens, i, "(") || hf_source_is_sign(tokens, i, "[");
        brackets -= hf_source_is_sign(tokens, i, ")") || hf_source_is_sign(tokens, i, "]");
        if (depth <= 0 || brackets < 0 ||
            (!is_open && !is_close && !generics_is_of_type(tokens, i, of_template)))
            break;
    }
    return at;
}

/* Sets `statement` of each token to its number without the arguments; returns how many are left. */
static uint32_t generics_number(struct hf_source_tokens *tokens)
{
    uint32_t kept = 0, colons = HF_SOURCE_NO; /* the last one that is kept, if it is "::" */
    for (uint32_t i = 0; i < tokens->count; i++) {
        uint32_t end = hf_source_is_sign(tokens, i, "<") ? generics_end(tokens, i) : i;
        if (end == i) {
            colons = hf_source_is_sign(tokens, i, "::") ? i : HF_SOURCE_NO;
            tokens->items[i].statement = kept++;
            continue;
        }
        if (colons != HF_SOURCE_NO) { /* "Vec::<u8>::new" */
            tokens->items[colons].statement = HF_SOURCE_NO;
            kept--;
        }
        colons = HF_SOURCE_NO;
        i = end - 1;
    }
    return kept;
}

void hf_source_drop_generics(struct hf_source_tokens *tokens)
{
    struct hf_source_token *items = tokens->items;
    uint32_t kept = generics_number(tokens);
    for (uint32_t i = 0; i < tokens->count; i++) {
        if (items[i].pair != HF_SOURCE_NO)
            items[i].pair = items[items[i].pair].statement;
    }
    for (uint32_t i = 0; i < tokens->count; i++) {
        uint32_t to = items[i].statement;
        if (to == HF_SOURCE_NO)
            continue;
        items[to] = items[i];
        items[to].statement = HF_SOURCE_NO;
    }
    tokens->count = kept;
}
