#include "source/cycles.h"

#include "source/text/words.h"

/* A statement of the function: "push @{ $holder->{children} }, $held", or
 * "holder.borrow_mut().children.push(held)". */
static bool cycle_is_put(
    const struct hf_source_at *at, uint32_t number, struct hf_text holder, struct hf_text held)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_statement *statement = hf_source_statement_of(at, number);
    bool is_perl = tokens->language == HF_SOURCE_PERL, puts = false, has_holder = false;
    if (is_perl && !hf_source_is_word(tokens, statement->begin, "push"))
        return false;
    if (!is_perl && !hf_text_equal(hf_source_text_of(at, statement->begin), holder))
        return false;
    for (uint32_t i = statement->begin; i < statement->end && hf_source_step(at->flow); i++) {
        struct hf_text text = hf_source_text_of(at, i);
        if (has_holder && puts && hf_source_is_variable(tokens, i) && hf_text_equal(text, held))
            return true;
        has_holder |= hf_source_is_variable(tokens, i) && hf_text_equal(text, holder);
        puts |= is_perl || hf_source_means(tokens, i, HF_SOURCE_VERB);
    }
    return false;
}

/* What a statement has a member of `held` hold: "held.parent = Some(holder.clone())". The token of
 * its name; HF_SOURCE_NO: nothing that counts. */
static uint32_t cycle_holder(const struct hf_source_at *at, uint32_t number, uint32_t *out_held)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_statement *statement = hf_source_statement_of(at, number);
    uint32_t call, begin = statement->begin, end = statement->end, found = HF_SOURCE_NO;
    bool is_path;
    if (begin >= end || !hf_source_is_variable(tokens, begin))
        return HF_SOURCE_NO;
    uint32_t sign = hf_source_chain_end(at->file, begin, end, &call, &is_path);
    if (!is_path || sign >= end || !hf_source_is_sign(tokens, sign, "="))
        return HF_SOURCE_NO;
    *out_held = begin;
    if (tokens->language == HF_SOURCE_PERL)
        return sign + 1 < end && hf_source_is_variable(tokens, sign + 1) ? sign + 1 : HF_SOURCE_NO;
    for (uint32_t i = sign + 1; i + 2 < end; i++) {
        if (hf_source_is_word(tokens, i, "downgrade"))
            return HF_SOURCE_NO;
        if (!hf_source_is_word(tokens, i, "clone"))
            continue;
        bool is_method = hf_source_is_sign(tokens, i - 1, ".");
        uint32_t name = is_method ? i - 2 : i + 3; /* "a.clone()", "Rc::clone(&a)" */
        if (name < end && hf_source_is_variable(tokens, name))
            found = name;
    }
    return found;
}

/* The function weakens a reference. */
static bool cycle_is_weak(const struct hf_source_at *at, uint32_t function)
{
    uint32_t first, end;
    hf_source_range_of(at, function, &first, &end);
    for (uint32_t i = first; i < end && hf_source_step(at->flow); i++) {
        if (hf_source_is_word(&at->file->tokens, i, "weaken"))
            return true;
    }
    return false;
}

bool hf_source_is_tied(
    const struct hf_source_at *at, uint32_t function, struct hf_text name, uint32_t *out_line)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_outline *outline = &at->file->outline;
    if (function == HF_SOURCE_NO ||
        (tokens->language != HF_SOURCE_PERL && tokens->language != HF_SOURCE_RUST))
        return false;
    for (uint32_t i = 0; i < outline->statement_count && hf_source_step(at->flow); i++) {
        uint32_t held_at, holder_at = HF_SOURCE_NO;
        if (outline->statements[i].function == function)
            holder_at = cycle_holder(at, i, &held_at);
        if (holder_at == HF_SOURCE_NO)
            continue;
        struct hf_text holder = hf_source_text_of(at, holder_at),
                       held = hf_source_text_of(at, held_at);
        if ((!hf_text_equal(name, holder) && !hf_text_equal(name, held)) ||
            hf_text_equal(holder, held))
            continue;
        for (uint32_t k = 0; k < outline->statement_count && hf_source_step(at->flow); k++) {
            const struct hf_source_statement *statement = &outline->statements[k];
            if (statement->function != function || !cycle_is_put(at, k, holder, held))
                continue;
            *out_line = tokens->items[statement->begin].line;
            return !cycle_is_weak(at, function);
        }
    }
    return false;
}
