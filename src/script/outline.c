#include "script/outline.h"

#include "base/budget.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define BLOCKS_MAX 200 /* within each other; what is deeper is not told apart */
#define TYPE_MAX 12    /* tokens between "(...)" and "{" */

enum outline_kind {
    OUTLINE_GROUP,
    OUTLINE_CONTROL,
    OUTLINE_FUNCTION,
    OUTLINE_CLOSURE,
    OUTLINE_CLASS
};

/* What is open: brackets, or a block. */
struct outline_block {
    enum outline_kind kind;
    bool goes_on;       /* so does the statement, behind the block */
    uint32_t statement; /* in which it was opened */
    uint32_t function, within, control;
    uint32_t last; /* its last statement so far */
    uint32_t column;
    struct hf_text class;
};

struct outline_parser {
    struct hf_script_outline *outline;
    struct hf_script_tokens *tokens;
    struct outline_block blocks[BLOCKS_MAX];
    size_t depth; /* the last one is open */
    size_t too_deep;
    uint32_t current; /* statement */
    enum outline_kind
        pending; /* the block that begins where the header ends; OUTLINE_GROUP: none */
    uint32_t pending_name, pending_parameters;
    bool pending_goes_on;
    bool is_cached, is_out_of_memory;
};

static const char *const outline_controls[] = {"if", "for", "foreach", "while", "switch", "catch",
    "else", "elsif", "elseif", "unless", "until", "do", "try", "with", "match", "finally", "elif",
    "except", "case", "async", NULL};
static const char *const outline_modifiers[] = {"public", "private", "protected", "static", "final",
    "abstract", "readonly", "async", "export", "default", "get", "set", "local", NULL};
static const char *const outline_classes[] = {
    "class", "interface", "trait", "enum", "module", "namespace", NULL};

static struct outline_block *outline_top(struct outline_parser *p)
{
    return &p->blocks[p->depth];
}

static void outline_push(struct outline_parser *p, struct outline_block block)
{
    block.last = HF_SCRIPT_NO;
    if (p->depth + 1 < BLOCKS_MAX)
        p->blocks[++p->depth] = block;
    else
        p->too_deep++;
}

static void outline_pop(struct outline_parser *p)
{
    if (p->too_deep != 0)
        p->too_deep--;
    else if (p->depth != 0)
        p->depth--;
}

static bool outline_in_group(struct outline_parser *p)
{
    return outline_top(p)->kind == OUTLINE_GROUP && p->depth != 0;
}

/* The statement goes on with token `at`, or begins there. */
static void outline_go_on(struct outline_parser *p, uint32_t at)
{
    struct hf_script_outline *outline = p->outline;
    const struct outline_block *top = outline_top(p);
    if (p->current == HF_SCRIPT_NO) {
        if (!hf_vec_reserve(&outline->statements, &outline->statement_capacity,
                outline->statement_count + 1, sizeof *outline->statements)) {
            p->is_out_of_memory = true;
            return;
        }
        p->current = (uint32_t)outline->statement_count++;
        outline->statements[p->current] = (struct hf_script_statement){.begin = at,
            .function = top->function,
            .within = top->within,
            .control = top->control,
            .is_of_closure = top->kind == OUTLINE_CLOSURE};
    }
    outline->statements[p->current].end = at + 1;
    p->tokens->items[at].statement = p->current;
}

static void outline_end(struct outline_parser *p)
{
    if (p->current != HF_SCRIPT_NO)
        outline_top(p)->last = p->current;
    p->current = HF_SCRIPT_NO;
}

static void outline_mark_last(struct outline_parser *p)
{
    uint32_t last = outline_top(p)->last;
    if (last != HF_SCRIPT_NO)
        p->outline->statements[last].is_last = true;
}

static uint32_t outline_add_function(
    struct outline_parser *p, uint32_t name, uint32_t parameters, struct hf_text class)
{
    struct hf_script_outline *outline = p->outline;
    if (!hf_vec_reserve(&outline->functions, &outline->function_capacity,
            outline->function_count + 1, sizeof *outline->functions)) {
        p->is_out_of_memory = true;
        return HF_SCRIPT_NO;
    }
    outline->functions[outline->function_count] =
        (struct hf_script_function){.name = hf_script_token_text(p->tokens, name),
            .class = class,
            .header = p->current,
            .begin = name,
            .end = name + 1,
            .parameters = parameters,
            .is_cached = p->is_cached};
    p->is_cached = false;
    return (uint32_t)outline->function_count++;
}

/* Opens a block behind token `at`. */
static void outline_open(struct outline_parser *p, enum outline_kind kind, uint32_t name,
    uint32_t parameters, bool goes_on)
{
    struct outline_block *top = outline_top(p);
    struct outline_block block = {.kind = kind,
        .goes_on = goes_on,
        .statement = p->current,
        .function = top->function,
        .within = goes_on ? p->current : top->within,
        .control = kind == OUTLINE_CONTROL && !goes_on ? p->current : HF_SCRIPT_NO,
        .column = p->current != HF_SCRIPT_NO
                      ? p->tokens->items[p->outline->statements[p->current].begin].column
                      : 0,
        .class = top->class};
    if (kind == OUTLINE_CONTROL && top->kind == OUTLINE_CLOSURE && !goes_on)
        block.kind = OUTLINE_CLOSURE; /* its statements are the closure's */
    if (kind == OUTLINE_FUNCTION) {
        block.function = outline_add_function(p, name, parameters, top->class);
        block.within = HF_SCRIPT_NO;
    }
    if (kind == OUTLINE_CLASS)
        block.class = hf_script_token_text(p->tokens, name);
    if (kind == OUTLINE_CONTROL && p->current != HF_SCRIPT_NO)
        p->outline->statements[p->current].is_header = true;
    if (!goes_on)
        outline_end(p);
    p->current = HF_SCRIPT_NO;
    outline_push(p, block);
}

/* Closes the innermost block, which ends before token `end`; brackets that are open in it are not
 * closed any more. */
static void outline_leave(struct outline_parser *p, uint32_t end)
{
    while (outline_in_group(p) && p->too_deep == 0)
        outline_pop(p);
    if (p->depth == 0 || p->too_deep != 0) {
        outline_pop(p);
        return;
    }
    outline_end(p);
    outline_mark_last(p);
    struct outline_block block = *outline_top(p);
    outline_pop(p);
    if (block.kind == OUTLINE_FUNCTION && block.function != HF_SCRIPT_NO &&
        block.function != outline_top(p)->function)
        p->outline->functions[block.function].end = end;
    p->current = block.goes_on ? block.statement : HF_SCRIPT_NO;
}

/* The same with the token that closes it, which is of the statement around it. */
static void outline_close(struct outline_parser *p, uint32_t at)
{
    uint32_t statement = p->depth != 0 ? outline_top(p)->statement : HF_SCRIPT_NO;
    outline_leave(p, at + 1);
    if (p->current != HF_SCRIPT_NO)
        outline_go_on(p, at);
    else
        p->tokens->items[at].statement = statement;
}

static bool outline_is_class(const struct outline_parser *p, uint32_t *out_name)
{
    uint32_t at = p->current != HF_SCRIPT_NO ? p->outline->statements[p->current].begin : 0;
    while (hf_script_is_any_word(p->tokens, at, outline_modifiers))
        at++;
    *out_name = at + 1;
    return p->current != HF_SCRIPT_NO && hf_script_is_any_word(p->tokens, at, outline_classes);
}

/* The token before "(" of the parameters of what "{" at `at` is the body of; HF_SCRIPT_NO: none. */
static uint32_t outline_before_parameters(
    const struct outline_parser *p, uint32_t at, uint32_t *out_parameters)
{
    static const char *const between[] = {":", "?", "|", "&", NULL};
    const struct hf_script_tokens *tokens = p->tokens;
    uint32_t i = at;
    for (size_t steps = 0; i != 0 && steps < TYPE_MAX; steps++) {
        i--;
        if (hf_script_is_sign(tokens, i, ")"))
            break;
        if (!hf_script_is_kind(tokens, i, HF_SCRIPT_NAME) &&
            !hf_script_is_any_sign(tokens, i, between))
            return HF_SCRIPT_NO;
    }
    for (int uses = 0; uses < 2; uses++) {
        uint32_t open = hf_script_is_sign(tokens, i, ")") ? tokens->items[i].pair : HF_SCRIPT_NO;
        if (open == HF_SCRIPT_NO || open == 0)
            return HF_SCRIPT_NO;
        *out_parameters = open + 1;
        if (open < 2 || !hf_script_is_word(tokens, open - 1, "use"))
            return open - 1;
        i = open - 2;
    }
    return HF_SCRIPT_NO;
}

/* Whether `at`, a name, is the method of a class or of an object: "add(x) {". */
static bool outline_is_method(const struct outline_parser *p, uint32_t at)
{
    static const char *const before[] = {"{", ",", "*", NULL};
    uint32_t i = p->current != HF_SCRIPT_NO ? p->outline->statements[p->current].begin : 0;
    if (p->current == HF_SCRIPT_NO || !hf_script_is_kind(p->tokens, at, HF_SCRIPT_NAME) ||
        hf_script_is_any_word(p->tokens, at, outline_controls))
        return false;
    while (i < at && (hf_script_is_any_word(p->tokens, i, outline_modifiers) ||
                         hf_script_is_sign(p->tokens, i, "*")))
        i++;
    return i == at || (at != 0 && hf_script_is_any_sign(p->tokens, at - 1, before));
}

/* The name that a function without one is given at once: "const add = (x) => {"; HF_SCRIPT_NO. */
static uint32_t outline_given_name(const struct outline_parser *p, uint32_t before)
{
    const struct hf_script_tokens *tokens = p->tokens;
    while (before != 0 && (hf_script_is_word(tokens, before, "function") ||
                              hf_script_is_word(tokens, before, "async") ||
                              hf_script_is_word(tokens, before, "sub")))
        before--;
    bool is_given = before != 0 && hf_script_is_sign(tokens, before, "=") &&
                    hf_script_is_kind(tokens, before - 1, HF_SCRIPT_NAME);
    return is_given ? before - 1 : HF_SCRIPT_NO;
}

/* "{" of PHP or JavaScript begins a block; false: it is a bracket as others. */
static bool outline_opens_block(struct outline_parser *p, uint32_t at)
{
    const struct hf_script_tokens *tokens = p->tokens;
    uint32_t parameters = HF_SCRIPT_NO, name;
    bool in_group = outline_in_group(p),
         is_arrow = at != 0 && hf_script_is_sign(tokens, at - 1, "=>");
    if (!in_group && outline_is_class(p, &name)) {
        outline_open(p, OUTLINE_CLASS, name, HF_SCRIPT_NO, false);
        return true;
    }
    uint32_t before = outline_before_parameters(p, is_arrow ? at - 1 : at, &parameters);
    if (is_arrow && tokens->language == HF_SCRIPT_JAVASCRIPT) {
        uint32_t given = outline_given_name(p, before != HF_SCRIPT_NO ? before : at - 3);
        bool has_name = given != HF_SCRIPT_NO && !in_group;
        outline_open(p, has_name ? OUTLINE_FUNCTION : OUTLINE_CLOSURE, given, parameters, true);
        return true;
    }
    if (before != HF_SCRIPT_NO) {
        bool is_function = before != 0 && (hf_script_is_word(tokens, before - 1, "function") ||
                                              hf_script_is_sign(tokens, before - 1, "&"));
        if (hf_script_is_word(tokens, before, "function") ||
            hf_script_is_word(tokens, before, "fn")) {
            uint32_t given = outline_given_name(p, before);
            bool has_name = given != HF_SCRIPT_NO && !in_group;
            outline_open(p, has_name ? OUTLINE_FUNCTION : OUTLINE_CLOSURE, given, parameters, true);
            return true;
        }
        if (is_function || outline_is_method(p, before)) {
            outline_open(p, OUTLINE_FUNCTION, before, parameters, in_group);
            return true;
        }
        if (hf_script_is_word(tokens, before, "match"))
            return false;
    }
    bool is_control = p->current == HF_SCRIPT_NO || before != HF_SCRIPT_NO ||
                      hf_script_is_any_word(tokens, at - 1, outline_controls);
    if (is_control && !in_group)
        outline_open(p, OUTLINE_CONTROL, HF_SCRIPT_NO, HF_SCRIPT_NO, false);
    return is_control && !in_group;
}

/* The same of Perl: "sub name {", "map {", "eval {", "if (...) {". */
static bool perl_opens_block(struct outline_parser *p, uint32_t at)
{
    static const char *const takers[] = {"map", "grep", "sort", "eval", "do", "sub", "first", "any",
        "all", "none", "try", "reduce", "BEGIN", NULL};
    const struct hf_script_tokens *tokens = p->tokens;
    uint32_t parameters = HF_SCRIPT_NO;
    if (p->current == HF_SCRIPT_NO) {
        outline_open(p, OUTLINE_CONTROL, HF_SCRIPT_NO, HF_SCRIPT_NO, false);
        return true;
    }
    bool has_signature = hf_script_is_sign(tokens, at - 1, ")");
    uint32_t before = has_signature ? outline_before_parameters(p, at, &parameters) : at - 1;
    if (before != HF_SCRIPT_NO && before != 0 && hf_script_is_word(tokens, before - 1, "sub")) {
        outline_open(p, OUTLINE_FUNCTION, before, parameters, false);
        return true;
    }
    if (before != HF_SCRIPT_NO && hf_script_is_kind(tokens, before, HF_SCRIPT_NAME) &&
        tokens->items[before].sigil == 0 && hf_script_is_any_word(tokens, before, takers)) {
        outline_open(p, OUTLINE_CLOSURE, HF_SCRIPT_NO, HF_SCRIPT_NO, true);
        return true;
    }
    uint32_t begin = p->outline->statements[p->current].begin;
    bool is_control = !outline_in_group(p) &&
                      hf_script_is_any_word(tokens, begin, outline_controls) &&
                      (has_signature || begin + 1 == at);
    if (is_control)
        outline_open(p, OUTLINE_CONTROL, HF_SCRIPT_NO, HF_SCRIPT_NO, false);
    return is_control;
}

/* A line goes on with what was begun on the line before. */
static bool outline_line_goes_on(const struct outline_parser *p, uint32_t at)
{
    static const char *const values[] = {")", "]", "}", "++", "--", NULL};
    static const char *const next[] = {
        ".", "&.", "?.", "?", ":", "||", "&&", "=", "+", "..", "=>", ")", "]", "}", ",", NULL};
    static const char *const words[] = {"and", "or", "not", "in", NULL};
    const struct hf_script_tokens *tokens = p->tokens;
    bool before = hf_script_is_kind(tokens, at - 1, HF_SCRIPT_SIGN) &&
                  !hf_script_is_any_sign(tokens, at - 1, values);
    bool is_parameters =
        tokens->language == HF_SCRIPT_RUBY && hf_script_is_sign(tokens, at - 1, "|");
    return (before && !is_parameters) || hf_script_is_any_sign(tokens, at, next) ||
           hf_script_is_any_word(tokens, at - 1, words);
}

static void outline_brackets(struct outline_parser *p, uint32_t at)
{
    const struct hf_script_tokens *tokens = p->tokens;
    if (hf_script_is_sign(tokens, at, "(") || hf_script_is_sign(tokens, at, "[") ||
        hf_script_is_sign(tokens, at, "{")) {
        struct outline_block *top = outline_top(p);
        outline_push(p, (struct outline_block){.kind = OUTLINE_GROUP,
                            .function = top->function,
                            .within = top->within,
                            .control = top->control,
                            .class = top->class});
    } else if ((hf_script_is_sign(tokens, at, ")") || hf_script_is_sign(tokens, at, "]") ||
                   hf_script_is_sign(tokens, at, "}")) &&
               outline_in_group(p)) {
        outline_pop(p);
    }
}

static void outline_take_braces(struct outline_parser *p, uint32_t at)
{
    const struct hf_script_tokens *tokens = p->tokens;
    bool is_perl = tokens->language == HF_SCRIPT_PERL, in_group = outline_in_group(p);
    if (tokens->language == HF_SCRIPT_JAVASCRIPT && tokens->items[at].is_first && at != 0 &&
        !in_group && p->current != HF_SCRIPT_NO && !outline_line_goes_on(p, at) &&
        !hf_script_is_sign(tokens, at, "{"))
        outline_end(p);
    if (hf_script_is_sign(tokens, at, ";") && !in_group) {
        bool is_package =
            is_perl && p->current != HF_SCRIPT_NO &&
            hf_script_is_word(tokens, p->outline->statements[p->current].begin, "package");
        if (is_package)
            outline_top(p)->class =
                hf_script_token_text(tokens, p->outline->statements[p->current].begin + 1);
        outline_end(p);
        return;
    }
    if (hf_script_is_sign(tokens, at, "}") && !in_group) {
        outline_close(p, at);
        return;
    }
    bool is_brace = hf_script_is_sign(tokens, at, "{");
    if (is_brace && p->current != HF_SCRIPT_NO)
        p->tokens->items[at].statement = p->current;
    if (is_brace && (is_perl ? perl_opens_block(p, at) : outline_opens_block(p, at)))
        return;
    outline_go_on(p, at);
    outline_brackets(p, at);
}

/* The header ends before token `at`: its block begins. */
static void outline_begin_pending(struct outline_parser *p)
{
    enum outline_kind kind = p->pending;
    p->pending = OUTLINE_GROUP;
    if (kind == OUTLINE_GROUP)
        return;
    outline_open(p, kind, p->pending_name, p->pending_parameters, p->pending_goes_on);
}

static void outline_await(struct outline_parser *p, enum outline_kind kind, uint32_t name,
    uint32_t parameters, bool goes_on)
{
    p->pending = kind;
    p->pending_name = name;
    p->pending_parameters = parameters;
    p->pending_goes_on = goes_on;
}

/* Behind the parameters of a block: "|a, b|". */
static uint32_t ruby_parameters(const struct outline_parser *p, uint32_t at)
{
    uint32_t i = at + 1;
    if (!hf_script_is_sign(p->tokens, i, "|"))
        return hf_script_is_sign(p->tokens, i, "||") ? i : at;
    do
        i++;
    while (i < p->tokens->count && !hf_script_is_sign(p->tokens, i, "|"));
    return i;
}

/* A word that begins a block of Ruby; false: it is none. */
static bool ruby_takes_word(struct outline_parser *p, uint32_t at)
{
    static const char *const headers[] = {"if", "unless", "while", "until", "case", "for", NULL};
    static const char *const branches[] = {"else", "elsif", "when", "ensure", "rescue", "in", NULL};
    const struct hf_script_tokens *tokens = p->tokens;
    bool begins = p->current == HF_SCRIPT_NO;
    bool is_value =
        !begins && at != 0 &&
        (hf_script_is_sign(tokens, at - 1, "=") || hf_script_is_sign(tokens, at - 1, "||="));
    if (begins && hf_script_is_any_word(tokens, at, branches)) {
        outline_mark_last(p);
        return false;
    }
    if (!begins && !is_value)
        return false;
    if (hf_script_is_word(tokens, at, "begin")) {
        outline_go_on(p, at);
        outline_open(
            p, is_value ? OUTLINE_CLOSURE : OUTLINE_CONTROL, HF_SCRIPT_NO, HF_SCRIPT_NO, is_value);
        return true;
    }
    if (hf_script_is_any_word(tokens, at, headers)) {
        outline_await(
            p, is_value ? OUTLINE_CLOSURE : OUTLINE_CONTROL, HF_SCRIPT_NO, HF_SCRIPT_NO, is_value);
    } else if (begins && hf_script_is_word(tokens, at, "def")) {
        uint32_t name = at + 1;
        if (hf_script_is_sign(tokens, name + 1, "."))
            name += 2;
        outline_await(p, OUTLINE_FUNCTION, name,
            hf_script_is_sign(tokens, name + 1, "(") ? name + 2 : HF_SCRIPT_NO, false);
    } else if (begins && hf_script_is_any_word(tokens, at, outline_classes)) {
        outline_await(p, OUTLINE_CLASS, at + 1, HF_SCRIPT_NO, false);
    }
    outline_go_on(p, at);
    return true;
}

/* "{" or "do" with which a function is given a block. */
static bool ruby_opens_block(const struct outline_parser *p, uint32_t at)
{
    static const char *const values[] = {"return", "and", "or", "not", "puts", "in", "when", NULL};
    const struct hf_script_tokens *tokens = p->tokens;
    if (p->current == HF_SCRIPT_NO || at == 0)
        return false;
    if (hf_script_is_word(tokens, at, "do"))
        return p->pending != OUTLINE_CONTROL;
    if (!hf_script_is_sign(tokens, at, "{"))
        return false;
    return (hf_script_is_kind(tokens, at - 1, HF_SCRIPT_NAME) &&
               !hf_script_is_any_word(tokens, at - 1, values)) ||
           hf_script_is_sign(tokens, at - 1, ")") || hf_script_is_sign(tokens, at - 1, "->");
}

static uint32_t outline_take_ruby(struct outline_parser *p, uint32_t at)
{
    const struct hf_script_tokens *tokens = p->tokens;
    bool in_group = outline_in_group(p),
         is_member = at != 0 && hf_script_is_sign(tokens, at - 1, ".");
    bool is_end = hf_script_is_word(tokens, at, "end") && !is_member;
    bool is_line = tokens->items[at].is_first && !in_group && p->current != HF_SCRIPT_NO &&
                   at != 0 && !outline_line_goes_on(p, at);
    bool is_then = hf_script_is_word(tokens, at, "then") && !in_group;
    bool is_done =
        hf_script_is_word(tokens, at, "do") && p->pending == OUTLINE_CONTROL && !in_group;
    if (is_line || is_end || is_then || is_done ||
        (hf_script_is_sign(tokens, at, ";") && !in_group)) {
        if (p->pending != OUTLINE_GROUP && !is_end)
            outline_begin_pending(p);
        else if (!is_end)
            outline_end(p);
        if (is_end)
            outline_close(p, at);
        if (is_end || is_then || is_done || !is_line)
            return at;
    }
    if (hf_script_is_sign(tokens, at, "=") && p->pending == OUTLINE_FUNCTION && !in_group &&
        at != 0 && hf_script_is_sign(tokens, at - 1, ")"))
        p->pending = OUTLINE_GROUP; /* "def total(x) = x" */
    bool is_name = hf_script_is_kind(tokens, at, HF_SCRIPT_NAME) && !is_member && !in_group;
    if (is_name && ruby_takes_word(p, at))
        return at;
    if (hf_script_is_sign(tokens, at, "}") && !in_group) {
        outline_close(p, at);
        return at;
    }
    if (ruby_opens_block(p, at)) {
        uint32_t last = ruby_parameters(p, at);
        for (uint32_t i = at; i <= last && i < tokens->count; i++)
            outline_go_on(p, i);
        outline_open(p, OUTLINE_CLOSURE, HF_SCRIPT_NO, HF_SCRIPT_NO, true);
        return last;
    }
    outline_go_on(p, at);
    outline_brackets(p, at);
    return at;
}

/* "function a.b:name(", "name = function(": the token of the name; HF_SCRIPT_NO: it has none. */
static uint32_t lua_name(const struct outline_parser *p, uint32_t at)
{
    const struct hf_script_tokens *tokens = p->tokens;
    uint32_t name = HF_SCRIPT_NO;
    for (uint32_t i = at + 1; i < tokens->count && !hf_script_is_sign(tokens, i, "("); i++) {
        if (hf_script_is_kind(tokens, i, HF_SCRIPT_NAME))
            name = i;
    }
    return name != HF_SCRIPT_NO ? name : outline_given_name(p, at);
}

static struct hf_text lua_class(const struct outline_parser *p, uint32_t name)
{
    bool has_class = name != HF_SCRIPT_NO && name >= 2 &&
                     (hf_script_is_sign(p->tokens, name - 1, ":") ||
                         hf_script_is_sign(p->tokens, name - 1, "."));
    return has_class ? hf_script_token_text(p->tokens, name - 2) : (struct hf_text){NULL, 0};
}

static void lua_open_function(struct outline_parser *p, uint32_t at)
{
    uint32_t parameters = at;
    while (parameters < p->tokens->count && !hf_script_is_sign(p->tokens, parameters, "("))
        parameters++;
    uint32_t name = lua_name(p, at);
    bool is_statement = p->current != HF_SCRIPT_NO && !outline_in_group(p) &&
                        (p->outline->statements[p->current].begin == at ||
                            hf_script_is_word(p->tokens, at - 1, "local"));
    outline_open(p, name != HF_SCRIPT_NO ? OUTLINE_FUNCTION : OUTLINE_CLOSURE, name, parameters + 1,
        !is_statement);
    uint32_t function = outline_top(p)->function;
    if (name != HF_SCRIPT_NO && function != HF_SCRIPT_NO && p->too_deep == 0)
        p->outline->functions[function].class = lua_class(p, name);
}

static uint32_t outline_take_lua(struct outline_parser *p, uint32_t at)
{
    static const char *const headers[] = {"if", "for", "while", "repeat", "do", NULL};
    static const char *const openers[] = {"then", "do", "repeat", NULL};
    static const char *const branches[] = {"else", "elseif", NULL};
    const struct hf_script_tokens *tokens = p->tokens;
    bool in_group = outline_in_group(p);
    if (tokens->items[at].is_first && !in_group && p->current != HF_SCRIPT_NO && at != 0 &&
        p->pending == OUTLINE_GROUP && !outline_line_goes_on(p, at))
        outline_end(p);
    if (hf_script_is_word(tokens, at, "end") || hf_script_is_word(tokens, at, "until")) {
        outline_close(p, at);
        return at;
    }
    if (hf_script_is_any_word(tokens, at, branches)) {
        outline_end(p);
        outline_mark_last(p);
    }
    if (hf_script_is_sign(tokens, at, ";") && !in_group) {
        outline_end(p);
        return at;
    }
    outline_go_on(p, at);
    if (hf_script_is_any_word(tokens, at, headers) && p->pending == OUTLINE_GROUP)
        outline_await(p, OUTLINE_CONTROL, HF_SCRIPT_NO, HF_SCRIPT_NO, false);
    if (hf_script_is_any_word(tokens, at, openers) && p->pending != OUTLINE_GROUP)
        outline_begin_pending(p);
    else if (hf_script_is_any_word(tokens, at, openers) || hf_script_is_word(tokens, at, "else"))
        outline_end(p);
    if (hf_script_is_word(tokens, at, "function")) {
        uint32_t open = at;
        while (open < tokens->count && !hf_script_is_sign(tokens, open, "("))
            outline_go_on(p, open++);
        uint32_t close = open < tokens->count ? tokens->items[open].pair : HF_SCRIPT_NO;
        for (uint32_t i = open; close != HF_SCRIPT_NO && i <= close; i++)
            outline_go_on(p, i);
        lua_open_function(p, at);
        return close != HF_SCRIPT_NO ? close : at;
    }
    outline_brackets(p, at);
    return at;
}

/* "\" at its end joins a line with the next. */
static bool python_is_joined(const struct hf_script_tokens *tokens, uint32_t at)
{
    size_t end = tokens->items[at].at;
    while (end != 0 && tokens->text.data[end - 1] != '\n')
        end--;
    return end >= 2 && tokens->text.data[end - 2] == '\\';
}

static void python_see_decorator(struct outline_parser *p, uint32_t at)
{
    struct hf_text text = hf_script_token_text(p->tokens, at);
    uint32_t begin = p->outline->statements[p->current].begin;
    if (hf_script_is_sign(p->tokens, begin, "@"))
        p->is_cached |= hf_text_has(text, "cache") || hf_text_has(text, "memo");
}

/* ":" ends a header; a block begins there if it is that of a function or a class. */
static void python_end_header(struct outline_parser *p)
{
    const struct hf_script_tokens *tokens = p->tokens;
    uint32_t begin = p->outline->statements[p->current].begin;
    begin += hf_script_is_word(tokens, begin, "async");
    if (hf_script_is_word(tokens, begin, "def"))
        outline_open(p, OUTLINE_FUNCTION, begin + 1, begin + 3, false);
    else if (hf_script_is_word(tokens, begin, "class"))
        outline_open(p, OUTLINE_CLASS, begin + 1, HF_SCRIPT_NO, false);
    else if (hf_script_is_any_word(tokens, begin, outline_controls)) {
        p->outline->statements[p->current].is_header = true;
        outline_end(p);
    }
}

static void outline_take_python(struct outline_parser *p, uint32_t at)
{
    const struct hf_script_tokens *tokens = p->tokens;
    bool in_group = outline_in_group(p);
    if (tokens->items[at].is_first && !in_group && !python_is_joined(tokens, at)) {
        outline_end(p);
        while (p->depth != 0 && tokens->items[at].column <= outline_top(p)->column)
            outline_leave(p, at);
        p->current = HF_SCRIPT_NO;
    }
    if (hf_script_is_sign(tokens, at, ";") && !in_group) {
        outline_end(p);
        return;
    }
    outline_go_on(p, at);
    if (p->is_out_of_memory)
        return;
    python_see_decorator(p, at);
    if (hf_script_is_sign(tokens, at, ":") && !in_group)
        python_end_header(p);
    outline_brackets(p, at);
}

bool hf_script_outline_find(struct hf_script_outline *outline, struct hf_script_tokens *tokens)
{
    *outline = (struct hf_script_outline){0};
    struct outline_parser *p = hf_budget_calloc(1, sizeof *p);
    if (p == NULL)
        return false;
    p->outline = outline;
    p->tokens = tokens;
    p->current = HF_SCRIPT_NO;
    p->blocks[0] = (struct outline_block){.kind = OUTLINE_CONTROL,
        .function = HF_SCRIPT_NO,
        .within = HF_SCRIPT_NO,
        .control = HF_SCRIPT_NO,
        .last = HF_SCRIPT_NO};
    for (uint32_t at = 0; at < tokens->count && !p->is_out_of_memory; at++) {
        switch (tokens->language) {
        case HF_SCRIPT_PYTHON: outline_take_python(p, at); break;
        case HF_SCRIPT_RUBY: at = outline_take_ruby(p, at); break;
        case HF_SCRIPT_LUA: at = outline_take_lua(p, at); break;
        default: outline_take_braces(p, at); break;
        }
    }
    while (p->depth != 0)
        outline_leave(p, (uint32_t)tokens->count);
    bool is_done = !p->is_out_of_memory;
    hf_budget_free(p);
    return is_done;
}

void hf_script_outline_done(struct hf_script_outline *outline)
{
    hf_budget_put_back(outline->statement_capacity * sizeof *outline->statements);
    hf_budget_put_back(outline->function_capacity * sizeof *outline->functions);
    free(outline->statements);
    free(outline->functions);
    *outline = (struct hf_script_outline){0};
}
