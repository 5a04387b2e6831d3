#include "source/cycles.h"

#include "base/containers/sorted.h"
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

/* Whether another statement of the function has `holder` hold what `held` is; *out_line: which. */
static bool cycle_is_closed(const struct hf_source_at *at, uint32_t function, uint32_t first,
    uint32_t end, struct hf_text holder, struct hf_text held, uint32_t *out_line)
{
    for (uint32_t i = first; i < end && hf_source_step(at->flow); i++) {
        if (hf_source_statement_of(at, i)->function != function ||
            !cycle_is_put(at, i, holder, held))
            continue;
        *out_line = at->file->tokens.items[hf_source_statement_of(at, i)->begin].line;
        return true;
    }
    return false;
}

/* The statements of a function, and of those in it, as the numbers first .. end. */
static void cycle_range(
    const struct hf_source_at *at, uint32_t function, uint32_t *out_first, uint32_t *out_end)
{
    const struct hf_source_outline *outline = &at->file->outline;
    uint32_t begin, end;
    hf_source_range_of(at, function, &begin, &end);
    begin--; /* the bracket before it */
    *out_first =
        (uint32_t)HF_FIRST_ABOVE(outline->statements, outline->statement_count, begin, begin);
    *out_end = *out_first;
    while (*out_end < outline->statement_count && outline->statements[*out_end].begin < end)
        ++*out_end;
}

/* "my $try; $try = sub { ... $try->() ... };" of Perl, which has `name`, too: that refers to
 * itself.
 */
static bool cycle_is_of_closure(const struct hf_source_at *at, uint32_t number, struct hf_text name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t begin = hf_source_statement_of(at, number)->begin, open = begin + 3;
    if (tokens->language != HF_SOURCE_PERL || open >= tokens->count ||
        !hf_source_is_variable(tokens, begin) || !hf_source_is_sign(tokens, begin + 1, "=") ||
        !hf_source_is_word(tokens, begin + 2, "sub") || !hf_source_is_sign(tokens, open, "{") ||
        tokens->items[open].pair == HF_SOURCE_NO)
        return false;
    struct hf_text itself = hf_source_text_of(at, begin);
    bool has_itself = false, has_name = hf_text_equal(itself, name);
    for (uint32_t i = open; i < tokens->items[open].pair && hf_source_step(at->flow); i++) {
        bool is_variable = hf_source_is_variable(tokens, i);
        has_itself |= is_variable && hf_text_equal(hf_source_text_of(at, i), itself);
        has_name |= is_variable && hf_text_equal(hf_source_text_of(at, i), name);
    }
    return has_itself && has_name;
}

bool hf_source_is_tied(
    const struct hf_source_at *at, uint32_t function, struct hf_text name, uint32_t *out_line)
{
    static const char *const weakens[] = {"weaken", "undef", NULL};
    enum hf_source_language language = at->file->tokens.language;
    uint32_t first, end, held_at, holder_at;
    if (function == HF_SOURCE_NO || (language != HF_SOURCE_PERL && language != HF_SOURCE_RUST))
        return false;
    cycle_range(at, function, &first, &end);
    for (uint32_t i = first; i < end && hf_source_step(at->flow); i++) {
        if (hf_source_statement_of(at, i)->function != function)
            continue;
        if (cycle_is_of_closure(at, i, name)) {
            *out_line = at->file->tokens.items[hf_source_statement_of(at, i)->begin].line;
            return !hf_source_has_word(at, function, weakens);
        }
        holder_at = cycle_holder(at, i, &held_at);
        if (holder_at == HF_SOURCE_NO)
            continue;
        struct hf_text holder = hf_source_text_of(at, holder_at),
                       held = hf_source_text_of(at, held_at);
        if ((hf_text_equal(name, holder) || hf_text_equal(name, held)) &&
            !hf_text_equal(holder, held) &&
            cycle_is_closed(at, function, first, end, holder, held, out_line))
            return !hf_source_has_word(at, function, weakens);
    }
    return false;
}
