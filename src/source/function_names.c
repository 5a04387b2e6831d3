#include "source/function_names.h"

#define SCOPES_MAX 8 /* around a function */

/* Of "add<int, std::string>": behind what begins with the "<" at `at`. */
static size_t name_behind_arguments(struct hf_text name, size_t at)
{
    size_t depth = 0;
    for (; at < name.size; at++) {
        depth += name.data[at] == '<';
        if (name.data[at] == '>' && name.data[at - 1] != '-' && --depth == 0)
            return at + 1;
    }
    return at;
}

struct hf_text hf_source_bare_name(struct hf_text name)
{
    static const char *const parts[] = {"[abi:", ".part.", ".constprop.", ".isra.", ".cold"};
    static const char anonymous[] = "(anonymous namespace)";
    size_t from = 0, end = 0;
    struct hf_text rest = name;
    while (hf_text_take(&rest, "block ") || hf_text_take(&rest, "in "))
        name = rest;
    for (size_t i = 0; i < HF_COUNT(parts); i++)
        name = hf_text_first(name, hf_text_find_string(name, parts[i]));
    for (size_t i = 0; i < name.size; i++) {
        struct hf_text here = hf_text_from(name, i);
        bool is_anonymous = hf_text_starts(here, anonymous);
        bool is_list = name.data[i] == '<' && i > from && /* not "<lambda>", "operator<" */
                       !hf_text_ends(hf_text_first(name, i), "operator");
        if (name.data[i] == '(' && !is_anonymous)
            break;
        if (is_anonymous)
            i += strlen(anonymous) - 1;
        else if (is_list)
            i = name_behind_arguments(name, i) - 1;
        else if (strchr(".#:~*^ ", name.data[i]) != NULL)
            from = end = i + 1;
        else
            end = i + 1;
    }
    return hf_text_from(hf_text_first(name, end), from);
}

uint32_t hf_source_scope(const struct hf_source_file *source, uint32_t *at)
{
    static const char *const words[] = {
        "namespace", "class", "struct", "mod", "impl", "trait", NULL};
    const struct hf_source_tokens *tokens = &source->tokens;
    while (*at != 0) {
        uint32_t pair = tokens->items[--*at].pair;
        if (pair != HF_SOURCE_NO && pair < *at)
            *at = pair;
        else if (hf_source_is_sign(tokens, *at, "{"))
            break;
    }
    if (!hf_source_is_sign(tokens, *at, "{") || tokens->items[*at].statement == HF_SOURCE_NO)
        return HF_SOURCE_NO;
    uint32_t begin = source->outline.statements[tokens->items[*at].statement].begin, found = begin;
    while (found < *at && !hf_source_is_any_word(tokens, found, words))
        found++;
    if (hf_source_is_word(tokens, found, "impl")) {
        for (uint32_t i = found; i < *at; i++) {
            if (hf_source_is_word(tokens, i, "for"))
                found = i;
        }
    }
    return found < *at ? found + 1 : HF_SOURCE_NO;
}

void hf_source_path(const struct hf_source_file *source, uint32_t function, struct hf_out *path)
{
    const struct hf_source_tokens *tokens = &source->tokens;
    const struct hf_source_function *of = &source->outline.functions[function];
    uint32_t scopes[SCOPES_MAX], at = of->begin, begin = of->begin;
    size_t count = 0;
    while (count < SCOPES_MAX && at != 0) {
        uint32_t scope = hf_source_scope(source, &at);
        if (scope == HF_SOURCE_NO)
            continue;
        scopes[count++] = scope;
        at = source->outline.statements[tokens->items[at].statement].begin;
    }
    while (count-- != 0) {
        uint32_t scope = scopes[count];
        bool has_name = hf_source_is_kind(tokens, scope, HF_SOURCE_NAME);
        if (!has_name)
            hf_out_string(path, "(anonymous namespace)");
        for (; hf_source_is_kind(tokens, scope, HF_SOURCE_NAME); scope += 2) {
            hf_out_text(path, hf_source_token_text(tokens, scope));
            if (!hf_source_is_sign(tokens, scope + 1, "::"))
                break;
            hf_out_string(path, "::");
        }
        hf_out_string(path, "::");
    }
    while (begin >= 2 && hf_source_is_sign(tokens, begin - 1, "::") &&
           hf_source_is_kind(tokens, begin - 2, HF_SOURCE_NAME))
        begin -= 2; /* "void Store::add(" */
    for (; begin <= of->begin; begin++)
        hf_out_text(path, hf_source_token_text(tokens, begin));
}
