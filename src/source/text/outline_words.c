/* Ruby and Lua: blocks begin with words, and end with "end". */
#include "source/text/outline_parser.h"

/* The header ends before token `at`: its block begins. */
static void outline_begin_pending(struct hf_outline_parser *p)
{
    enum hf_outline_kind kind = p->pending;
    p->pending = HF_OUTLINE_GROUP;
    if (kind == HF_OUTLINE_GROUP)
        return;
    hf_outline_open(p, kind, p->pending_name, p->pending_parameters, p->pending_goes_on);
}

static void outline_await(struct hf_outline_parser *p, enum hf_outline_kind kind, uint32_t name,
    uint32_t parameters, bool goes_on)
{
    p->pending = kind;
    p->pending_name = name;
    p->pending_parameters = parameters;
    p->pending_goes_on = goes_on;
}

/* Behind the parameters of a block: "|a, b|". */
static uint32_t ruby_parameters(const struct hf_outline_parser *p, uint32_t at)
{
    uint32_t i = at + 1;
    if (!hf_source_is_sign(p->tokens, i, "|"))
        return hf_source_is_sign(p->tokens, i, "||") ? i : at;
    do
        i++;
    while (i < p->tokens->count && !hf_source_is_sign(p->tokens, i, "|"));
    return i;
}

/* A word that begins a block of Ruby; false: it is none. */
static bool ruby_takes_word(struct hf_outline_parser *p, uint32_t at)
{
    static const char *const headers[] = {"if", "unless", "while", "until", "case", "for", NULL};
    static const char *const branches[] = {"else", "elsif", "when", "ensure", "rescue", "in", NULL};
    const struct hf_source_tokens *tokens = p->tokens;
    bool begins = p->current == HF_SOURCE_NO;
    bool is_value =
        !begins && at != 0 &&
        (hf_source_is_sign(tokens, at - 1, "=") || hf_source_is_sign(tokens, at - 1, "||="));
    if (begins && hf_source_is_any_word(tokens, at, branches)) {
        hf_outline_mark_last(p);
        return false;
    }
    if (!begins && !is_value)
        return false;
    if (hf_source_is_word(tokens, at, "begin")) {
        hf_outline_go_on(p, at);
        hf_outline_open(p, is_value ? HF_OUTLINE_CLOSURE : HF_OUTLINE_CONTROL, HF_SOURCE_NO,
            HF_SOURCE_NO, is_value);
        return true;
    }
    if (hf_source_is_any_word(tokens, at, headers)) {
        outline_await(p, is_value ? HF_OUTLINE_CLOSURE : HF_OUTLINE_CONTROL, HF_SOURCE_NO,
            HF_SOURCE_NO, is_value);
    } else if (begins && hf_source_is_word(tokens, at, "def")) {
        uint32_t name = at + 1;
        if (hf_source_is_sign(tokens, name + 1, "."))
            name += 2;
        outline_await(p, HF_OUTLINE_FUNCTION, name,
            hf_source_is_sign(tokens, name + 1, "(") ? name + 2 : HF_SOURCE_NO, false);
    } else if (begins && hf_source_is_any_word(tokens, at, hf_outline_classes)) {
        outline_await(p, HF_OUTLINE_CLASS, at + 1, HF_SOURCE_NO, false);
    }
    hf_outline_go_on(p, at);
    return true;
}

/* "{" or "do" with which a function is given a block. */
static bool ruby_opens_block(const struct hf_outline_parser *p, uint32_t at)
{
    static const char *const values[] = {"return", "and", "or", "not", "puts", "in", "when", NULL};
    const struct hf_source_tokens *tokens = p->tokens;
    if (p->current == HF_SOURCE_NO || at == 0)
        return false;
    if (hf_source_is_word(tokens, at, "do"))
        return p->pending != HF_OUTLINE_CONTROL;
    if (!hf_source_is_sign(tokens, at, "{"))
        return false;
    return (hf_source_is_kind(tokens, at - 1, HF_SOURCE_NAME) &&
               !hf_source_is_any_word(tokens, at - 1, values)) ||
           hf_source_is_sign(tokens, at - 1, ")") || hf_source_is_sign(tokens, at - 1, "->");
}

uint32_t hf_outline_take_ruby(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    bool in_group = hf_outline_in_group(p),
         is_member = at != 0 && hf_source_is_sign(tokens, at - 1, ".");
    bool is_end = hf_source_is_word(tokens, at, "end") && !is_member;
    bool is_line = tokens->items[at].is_first && !in_group && p->current != HF_SOURCE_NO &&
                   at != 0 && !hf_outline_line_goes_on(p, at);
    bool is_then = hf_source_is_word(tokens, at, "then") && !in_group;
    bool is_done =
        hf_source_is_word(tokens, at, "do") && p->pending == HF_OUTLINE_CONTROL && !in_group;
    if (is_line || is_end || is_then || is_done ||
        (hf_source_is_sign(tokens, at, ";") && !in_group)) {
        if (p->pending != HF_OUTLINE_GROUP && !is_end)
            outline_begin_pending(p);
        else if (!is_end)
            hf_outline_end(p);
        if (is_end)
            hf_outline_close(p, at);
        if (is_end || is_then || is_done || !is_line)
            return at;
    }
    if (hf_source_is_sign(tokens, at, "=") && p->pending == HF_OUTLINE_FUNCTION && !in_group &&
        at != 0 && hf_source_is_sign(tokens, at - 1, ")"))
        p->pending = HF_OUTLINE_GROUP; /* "def total(x) = x" */
    bool is_name = hf_source_is_kind(tokens, at, HF_SOURCE_NAME) && !is_member && !in_group;
    if (is_name && ruby_takes_word(p, at))
        return at;
    if (hf_source_is_sign(tokens, at, "}") && !in_group) {
        hf_outline_close(p, at);
        return at;
    }
    if (ruby_opens_block(p, at)) {
        uint32_t last = ruby_parameters(p, at);
        for (uint32_t i = at; i <= last && i < tokens->count; i++)
            hf_outline_go_on(p, i);
        hf_outline_open(p, HF_OUTLINE_CLOSURE, HF_SOURCE_NO, HF_SOURCE_NO, true);
        return last;
    }
    hf_outline_go_on(p, at);
    hf_outline_brackets(p, at);
    return at;
}

/* "function a.b:name(", "name = function(": the token of the name; HF_SOURCE_NO: it has none. */
static uint32_t lua_name(const struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t name = HF_SOURCE_NO;
    for (uint32_t i = at + 1; i < tokens->count && !hf_source_is_sign(tokens, i, "("); i++) {
        if (hf_source_is_kind(tokens, i, HF_SOURCE_NAME))
            name = i;
    }
    return name != HF_SOURCE_NO ? name : hf_outline_given_name(p, at);
}

static struct hf_text lua_class(const struct hf_outline_parser *p, uint32_t name)
{
    bool has_class = name != HF_SOURCE_NO && name >= 2 &&
                     (hf_source_is_sign(p->tokens, name - 1, ":") ||
                         hf_source_is_sign(p->tokens, name - 1, "."));
    return has_class ? hf_source_token_text(p->tokens, name - 2) : (struct hf_text){NULL, 0};
}

static void lua_open_function(struct hf_outline_parser *p, uint32_t at)
{
    uint32_t parameters = at;
    while (parameters < p->tokens->count && !hf_source_is_sign(p->tokens, parameters, "("))
        parameters++;
    uint32_t name = lua_name(p, at);
    bool is_statement = p->current != HF_SOURCE_NO && !hf_outline_in_group(p) &&
                        (p->outline->statements[p->current].begin == at ||
                            hf_source_is_word(p->tokens, at - 1, "local"));
    hf_outline_open(p, name != HF_SOURCE_NO ? HF_OUTLINE_FUNCTION : HF_OUTLINE_CLOSURE, name,
        parameters + 1, !is_statement);
    uint32_t function = hf_outline_top(p)->function;
    if (name != HF_SOURCE_NO && function != HF_SOURCE_NO && p->too_deep == 0)
        p->outline->functions[function].class = lua_class(p, name);
}

uint32_t hf_outline_take_lua(struct hf_outline_parser *p, uint32_t at)
{
    static const char *const headers[] = {"if", "for", "while", "repeat", "do", NULL};
    static const char *const openers[] = {"then", "do", "repeat", NULL};
    static const char *const branches[] = {"else", "elseif", NULL};
    const struct hf_source_tokens *tokens = p->tokens;
    bool in_group = hf_outline_in_group(p);
    if (tokens->items[at].is_first && !in_group && p->current != HF_SOURCE_NO && at != 0 &&
        p->pending == HF_OUTLINE_GROUP && !hf_outline_line_goes_on(p, at))
        hf_outline_end(p);
    if (hf_source_is_word(tokens, at, "end") || hf_source_is_word(tokens, at, "until")) {
        hf_outline_close(p, at);
        return at;
    }
    if (hf_source_is_any_word(tokens, at, branches)) {
        hf_outline_end(p);
        hf_outline_mark_last(p);
    }
    if (hf_source_is_sign(tokens, at, ";") && !in_group) {
        hf_outline_end(p);
        return at;
    }
    hf_outline_go_on(p, at);
    if (hf_source_is_any_word(tokens, at, headers) && p->pending == HF_OUTLINE_GROUP)
        outline_await(p, HF_OUTLINE_CONTROL, HF_SOURCE_NO, HF_SOURCE_NO, false);
    if (hf_source_is_any_word(tokens, at, openers) && p->pending != HF_OUTLINE_GROUP)
        outline_begin_pending(p);
    else if (hf_source_is_any_word(tokens, at, openers) || hf_source_is_word(tokens, at, "else"))
        hf_outline_end(p);
    if (hf_source_is_word(tokens, at, "function")) {
        uint32_t open = at;
        while (open < tokens->count && !hf_source_is_sign(tokens, open, "("))
            hf_outline_go_on(p, open++);
        uint32_t close = open < tokens->count ? tokens->items[open].pair : HF_SOURCE_NO;
        for (uint32_t i = open; close != HF_SOURCE_NO && i <= close; i++)
            hf_outline_go_on(p, i);
        lua_open_function(p, at);
        return close != HF_SOURCE_NO ? close : at;
    }
    hf_outline_brackets(p, at);
    return at;
}
