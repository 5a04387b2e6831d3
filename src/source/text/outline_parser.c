#include "source/text/outline_parser.h"

#include "base/containers/vec.h"

const char *const hf_outline_controls[] = {"if", "for", "foreach", "while", "switch", "catch",
    "else", "elsif", "elseif", "unless", "until", "do", "try", "with", "match", "finally", "elif",
    "except", "case", "async", NULL};

const char *const hf_outline_modifiers[] = {"public", "private", "protected", "static", "final",
    "abstract", "readonly", "async", "export", "default", "get", "set", "local", NULL};

const char *const hf_outline_classes[] = {
    "class", "interface", "trait", "enum", "module", "namespace", NULL};

struct hf_outline_block *hf_outline_top(struct hf_outline_parser *p)
{
    return &p->blocks[p->depth];
}

static void outline_push(struct hf_outline_parser *p, struct hf_outline_block block)
{
    block.last = HF_SOURCE_NO;
    if (p->depth + 1 < HF_OUTLINE_BLOCKS)
        p->blocks[++p->depth] = block;
    else
        p->too_deep++;
}

static void outline_pop(struct hf_outline_parser *p)
{
    if (p->too_deep != 0)
        p->too_deep--;
    else if (p->depth != 0)
        p->depth--;
}

bool hf_outline_in_group(struct hf_outline_parser *p)
{
    return hf_outline_top(p)->kind == HF_OUTLINE_GROUP && p->depth != 0;
}

void hf_outline_go_on(struct hf_outline_parser *p, uint32_t at)
{
    struct hf_source_outline *outline = p->outline;
    const struct hf_outline_block *top = hf_outline_top(p);
    if (p->current == HF_SOURCE_NO) {
        if (!hf_vec_reserve(&outline->statements, &outline->statement_capacity,
                outline->statement_count + 1, sizeof *outline->statements)) {
            p->is_out_of_memory = true;
            return;
        }
        p->current = (uint32_t)outline->statement_count++;
        outline->statements[p->current] = (struct hf_source_statement){.begin = at,
            .function = top->function,
            .within = top->within,
            .control = top->control,
            .is_of_closure = top->kind == HF_OUTLINE_CLOSURE};
    }
    outline->statements[p->current].end = at + 1;
    p->tokens->items[at].statement = p->current;
}

void hf_outline_end(struct hf_outline_parser *p)
{
    if (p->current != HF_SOURCE_NO)
        hf_outline_top(p)->last = p->current;
    p->current = HF_SOURCE_NO;
}

void hf_outline_mark_last(struct hf_outline_parser *p)
{
    uint32_t last = hf_outline_top(p)->last;
    if (last != HF_SOURCE_NO)
        p->outline->statements[last].is_last = true;
}

static uint32_t outline_add_function(
    struct hf_outline_parser *p, uint32_t name, uint32_t parameters, struct hf_text class)
{
    struct hf_source_outline *outline = p->outline;
    if (!hf_vec_reserve(&outline->functions, &outline->function_capacity,
            outline->function_count + 1, sizeof *outline->functions)) {
        p->is_out_of_memory = true;
        return HF_SOURCE_NO;
    }
    outline->functions[outline->function_count] =
        (struct hf_source_function){.name = hf_source_token_text(p->tokens, name),
            .class = class,
            .header = p->current,
            .outer = hf_outline_top(p)->function,
            .begin = name,
            .end = name + 1,
            .parameters = parameters,
            .is_cached = p->is_cached};
    p->is_cached = false;
    return (uint32_t)outline->function_count++;
}

void hf_outline_open(struct hf_outline_parser *p, enum hf_outline_kind kind, uint32_t name,
    uint32_t parameters, bool goes_on)
{
    struct hf_outline_block *top = hf_outline_top(p);
    struct hf_outline_block block = {.kind = kind,
        .goes_on = goes_on,
        .statement = p->current,
        .function = top->function,
        .within = goes_on ? p->current : top->within,
        .control = kind == HF_OUTLINE_CONTROL && !goes_on ? p->current : HF_SOURCE_NO,
        .column = p->current != HF_SOURCE_NO
                      ? p->tokens->items[p->outline->statements[p->current].begin].column
                      : 0,
        .class = top->class};
    if (kind == HF_OUTLINE_CONTROL && top->kind == HF_OUTLINE_CLOSURE && !goes_on)
        block.kind = HF_OUTLINE_CLOSURE; /* its statements are the closure's */
    if (kind == HF_OUTLINE_FUNCTION) {
        block.function = outline_add_function(p, name, parameters, top->class);
        block.within = HF_SOURCE_NO;
    }
    if (kind == HF_OUTLINE_CLASS)
        block.class = hf_source_token_text(p->tokens, name);
    if (kind == HF_OUTLINE_CONTROL && p->current != HF_SOURCE_NO)
        p->outline->statements[p->current].is_header = true;
    if (!goes_on)
        hf_outline_end(p);
    p->current = HF_SOURCE_NO;
    outline_push(p, block);
}

void hf_outline_leave(struct hf_outline_parser *p, uint32_t end)
{
    while (hf_outline_in_group(p) && p->too_deep == 0)
        outline_pop(p);
    if (p->depth == 0 || p->too_deep != 0) {
        outline_pop(p);
        return;
    }
    hf_outline_end(p);
    hf_outline_mark_last(p);
    struct hf_outline_block block = *hf_outline_top(p);
    outline_pop(p);
    if (block.kind == HF_OUTLINE_FUNCTION && block.function != HF_SOURCE_NO &&
        block.function != hf_outline_top(p)->function)
        p->outline->functions[block.function].end = end;
    p->current = block.goes_on ? block.statement : HF_SOURCE_NO;
}

void hf_outline_close(struct hf_outline_parser *p, uint32_t at)
{
    uint32_t statement = p->depth != 0 ? hf_outline_top(p)->statement : HF_SOURCE_NO;
    hf_outline_leave(p, at + 1);
    if (p->current != HF_SOURCE_NO)
        hf_outline_go_on(p, at);
    else
        p->tokens->items[at].statement = statement;
}

uint32_t hf_outline_given_name(const struct hf_outline_parser *p, uint32_t before)
{
    const struct hf_source_tokens *tokens = p->tokens;
    while (before != 0 && (hf_source_is_word(tokens, before, "function") ||
                              hf_source_is_word(tokens, before, "async") ||
                              hf_source_is_word(tokens, before, "sub")))
        before--;
    bool is_given = before != 0 && hf_source_is_sign(tokens, before, "=") &&
                    hf_source_is_kind(tokens, before - 1, HF_SOURCE_NAME);
    return is_given ? before - 1 : HF_SOURCE_NO;
}

bool hf_outline_line_goes_on(const struct hf_outline_parser *p, uint32_t at)
{
    static const char *const values[] = {")", "]", "}", "++", "--", NULL};
    static const char *const next[] = {
        ".", "&.", "?.", "?", ":", "||", "&&", "=", "+", "..", "=>", ")", "]", "}", ",", NULL};
    static const char *const words[] = {"and", "or", "not", "in", NULL};
    const struct hf_source_tokens *tokens = p->tokens;
    bool before = hf_source_is_kind(tokens, at - 1, HF_SOURCE_SIGN) &&
                  !hf_source_is_any_sign(tokens, at - 1, values);
    bool is_parameters =
        tokens->language == HF_SOURCE_RUBY && hf_source_is_sign(tokens, at - 1, "|");
    return (before && !is_parameters) || hf_source_is_any_sign(tokens, at, next) ||
           hf_source_is_any_word(tokens, at - 1, words);
}

void hf_outline_brackets(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    if (hf_source_is_sign(tokens, at, "(") || hf_source_is_sign(tokens, at, "[") ||
        hf_source_is_sign(tokens, at, "{")) {
        struct hf_outline_block *top = hf_outline_top(p);
        outline_push(p, (struct hf_outline_block){.kind = HF_OUTLINE_GROUP,
                            .function = top->function,
                            .within = top->within,
                            .control = top->control,
                            .class = top->class});
    } else if ((hf_source_is_sign(tokens, at, ")") || hf_source_is_sign(tokens, at, "]") ||
                   hf_source_is_sign(tokens, at, "}")) &&
               hf_outline_in_group(p)) {
        outline_pop(p);
    }
}
