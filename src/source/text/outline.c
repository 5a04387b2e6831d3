/* Python here: blocks are indented. The others are called. */
#include "source/text/outline.h"

#include "base/budget.h"
#include "source/text/outline_parser.h"

#include <stdlib.h>

/* "\" at its end joins a line with the next. */
static bool python_is_joined(const struct hf_source_tokens *tokens, uint32_t at)
{
    size_t end = tokens->items[at].at;
    while (end != 0 && tokens->text.data[end - 1] != '\n')
        end--;
    return end >= 2 && tokens->text.data[end - 2] == '\\';
}

static void python_see_decorator(struct hf_outline_parser *p, uint32_t at)
{
    struct hf_text text = hf_source_token_text(p->tokens, at);
    uint32_t begin = p->outline->statements[p->current].begin;
    if (hf_source_is_sign(p->tokens, begin, "@"))
        p->is_cached |= hf_text_has(text, "cache") || hf_text_has(text, "memo");
}

/* ":" ends a header; a block begins there if it is that of a function or a class. */
static void python_end_header(struct hf_outline_parser *p)
{
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t begin = p->outline->statements[p->current].begin;
    begin += hf_source_is_word(tokens, begin, "async");
    if (hf_source_is_word(tokens, begin, "def"))
        hf_outline_open(p, HF_OUTLINE_FUNCTION, begin + 1, begin + 3, false);
    else if (hf_source_is_word(tokens, begin, "class"))
        hf_outline_open(p, HF_OUTLINE_CLASS, begin + 1, HF_SOURCE_NO, false);
    else if (hf_source_is_any_word(tokens, begin, hf_outline_controls)) {
        p->outline->statements[p->current].is_header = true;
        hf_outline_end(p);
    }
}

static void outline_take_python(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    bool in_group = hf_outline_in_group(p);
    if (tokens->items[at].is_first && !in_group && !python_is_joined(tokens, at)) {
        hf_outline_end(p);
        while (p->depth != 0 && tokens->items[at].column <= hf_outline_top(p)->column)
            hf_outline_leave(p, at);
        p->current = HF_SOURCE_NO;
    }
    if (hf_source_is_sign(tokens, at, ";") && !in_group) {
        hf_outline_end(p);
        return;
    }
    hf_outline_go_on(p, at);
    if (p->is_out_of_memory)
        return;
    python_see_decorator(p, at);
    if (hf_source_is_sign(tokens, at, ":") && !in_group)
        python_end_header(p);
    hf_outline_brackets(p, at);
}

bool hf_source_outline_find(struct hf_source_outline *outline, struct hf_source_tokens *tokens)
{
    *outline = (struct hf_source_outline){0};
    struct hf_outline_parser *p = hf_budget_calloc(1, sizeof *p);
    if (p == NULL)
        return false;
    p->outline = outline;
    p->tokens = tokens;
    p->current = HF_SOURCE_NO;
    p->blocks[0] = (struct hf_outline_block){.kind = HF_OUTLINE_CONTROL,
        .function = HF_SOURCE_NO,
        .within = HF_SOURCE_NO,
        .control = HF_SOURCE_NO,
        .last = HF_SOURCE_NO};
    for (uint32_t at = 0; at < tokens->count && !p->is_out_of_memory; at++) {
        switch (tokens->language) {
        case HF_SOURCE_PYTHON: outline_take_python(p, at); break;
        case HF_SOURCE_RUBY: at = hf_outline_take_ruby(p, at); break;
        case HF_SOURCE_LUA: at = hf_outline_take_lua(p, at); break;
        case HF_SOURCE_C:
        case HF_SOURCE_CPP:
        case HF_SOURCE_RUST: hf_outline_take_compiled(p, at); break;
        default: hf_outline_take_braces(p, at); break;
        }
    }
    while (p->depth != 0)
        hf_outline_leave(p, (uint32_t)tokens->count);
    bool is_done = !p->is_out_of_memory;
    hf_budget_free(p);
    return is_done;
}

void hf_source_outline_done(struct hf_source_outline *outline)
{
    hf_budget_put_back(outline->statement_capacity * sizeof *outline->statements);
    hf_budget_put_back(outline->function_capacity * sizeof *outline->functions);
    free(outline->statements);
    free(outline->functions);
    *outline = (struct hf_source_outline){0};
}
