/* PHP, JavaScript and Perl: what stands before "{" says what it opens. */
#include "source/text/outline_parser.h"

#define TYPE_MAX 12 /* tokens between "(...)" and "{" */

static bool outline_is_class(const struct hf_outline_parser *p, uint32_t *out_name)
{
    uint32_t at = p->current != HF_SOURCE_NO ? p->outline->statements[p->current].begin : 0;
    while (hf_source_is_any_word(p->tokens, at, hf_outline_modifiers))
        at++;
    *out_name = at + 1;
    return p->current != HF_SOURCE_NO && hf_source_is_any_word(p->tokens, at, hf_outline_classes);
}

/* The token before "(" of the parameters of what "{" at `at` is the body of; HF_SOURCE_NO: none. */
static uint32_t outline_before_parameters(
    const struct hf_outline_parser *p, uint32_t at, uint32_t *out_parameters)
{
    static const char *const between[] = {":", "?", "|", "&", NULL};
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t i = at;
    for (size_t steps = 0; i != 0 && steps < TYPE_MAX; steps++) {
        i--;
        if (hf_source_is_sign(tokens, i, ")"))
            break;
        if (!hf_source_is_kind(tokens, i, HF_SOURCE_NAME) &&
            !hf_source_is_any_sign(tokens, i, between))
            return HF_SOURCE_NO;
    }
    for (int uses = 0; uses < 2; uses++) {
        uint32_t open = hf_source_is_sign(tokens, i, ")") ? tokens->items[i].pair : HF_SOURCE_NO;
        if (open == HF_SOURCE_NO || open == 0)
            return HF_SOURCE_NO;
        *out_parameters = open + 1;
        if (open < 2 || !hf_source_is_word(tokens, open - 1, "use"))
            return open - 1;
        i = open - 2;
    }
    return HF_SOURCE_NO;
}

/* Whether `at`, a name, is the method of a class or of an object: "add(x) {". */
static bool outline_is_method(const struct hf_outline_parser *p, uint32_t at)
{
    static const char *const before[] = {"{", ",", "*", NULL};
    uint32_t i = p->current != HF_SOURCE_NO ? p->outline->statements[p->current].begin : 0;
    if (p->current == HF_SOURCE_NO || !hf_source_is_kind(p->tokens, at, HF_SOURCE_NAME) ||
        hf_source_is_any_word(p->tokens, at, hf_outline_controls))
        return false;
    while (i < at && (hf_source_is_any_word(p->tokens, i, hf_outline_modifiers) ||
                         hf_source_is_sign(p->tokens, i, "*")))
        i++;
    return i == at || (at != 0 && hf_source_is_any_sign(p->tokens, at - 1, before));
}

/* "{" of PHP or JavaScript begins a block; false: it is a bracket as others. */
static bool outline_opens_block(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t parameters = HF_SOURCE_NO, name;
    bool in_group = hf_outline_in_group(p),
         is_arrow = at != 0 && hf_source_is_sign(tokens, at - 1, "=>");
    if (!in_group && outline_is_class(p, &name)) {
        hf_outline_open(p, HF_OUTLINE_CLASS, name, HF_SOURCE_NO, false);
        return true;
    }
    uint32_t before = outline_before_parameters(p, is_arrow ? at - 1 : at, &parameters);
    if (is_arrow && tokens->language == HF_SOURCE_JAVASCRIPT) {
        uint32_t given = hf_outline_given_name(p, before != HF_SOURCE_NO ? before : at - 3);
        bool has_name = given != HF_SOURCE_NO && !in_group;
        hf_outline_open(
            p, has_name ? HF_OUTLINE_FUNCTION : HF_OUTLINE_CLOSURE, given, parameters, true);
        return true;
    }
    if (before != HF_SOURCE_NO) {
        bool is_function = before != 0 && (hf_source_is_word(tokens, before - 1, "function") ||
                                              hf_source_is_sign(tokens, before - 1, "&"));
        if (hf_source_is_word(tokens, before, "function") ||
            hf_source_is_word(tokens, before, "fn")) {
            uint32_t given = hf_outline_given_name(p, before);
            bool has_name = given != HF_SOURCE_NO && !in_group;
            hf_outline_open(
                p, has_name ? HF_OUTLINE_FUNCTION : HF_OUTLINE_CLOSURE, given, parameters, true);
            return true;
        }
        if (is_function || outline_is_method(p, before)) {
            hf_outline_open(p, HF_OUTLINE_FUNCTION, before, parameters, in_group);
            return true;
        }
        if (hf_source_is_word(tokens, before, "match"))
            return false;
    }
    bool is_control = p->current == HF_SOURCE_NO || before != HF_SOURCE_NO ||
                      hf_source_is_any_word(tokens, at - 1, hf_outline_controls);
    if (is_control && !in_group)
        hf_outline_open(p, HF_OUTLINE_CONTROL, HF_SOURCE_NO, HF_SOURCE_NO, false);
    return is_control && !in_group;
}

/* The same of Perl: "sub name {", "map {", "eval {", "if (...) {". */
static bool perl_opens_block(struct hf_outline_parser *p, uint32_t at)
{
    static const char *const takers[] = {"map", "grep", "sort", "eval", "do", "sub", "first", "any",
        "all", "none", "try", "reduce", "BEGIN", NULL};
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t parameters = HF_SOURCE_NO, byte = tokens->items[at].at;
    char sigil = byte != 0 ? tokens->text.data[byte - 1] : ' ';
    if (sigil == '@' || sigil == '%' || sigil == '$')
        return false; /* "@{$message}{keys %fields} = ..." */
    if (p->current == HF_SOURCE_NO) {
        hf_outline_open(p, HF_OUTLINE_CONTROL, HF_SOURCE_NO, HF_SOURCE_NO, false);
        return true;
    }
    bool has_signature = hf_source_is_sign(tokens, at - 1, ")");
    uint32_t before = has_signature ? outline_before_parameters(p, at, &parameters) : at - 1;
    if (before != HF_SOURCE_NO && before != 0 && hf_source_is_word(tokens, before - 1, "sub")) {
        hf_outline_open(p, HF_OUTLINE_FUNCTION, before, parameters, false);
        return true;
    }
    if (before != HF_SOURCE_NO && hf_source_is_kind(tokens, before, HF_SOURCE_NAME) &&
        tokens->items[before].sigil == 0 && hf_source_is_any_word(tokens, before, takers)) {
        hf_outline_open(p, HF_OUTLINE_CLOSURE, HF_SOURCE_NO, HF_SOURCE_NO, true);
        return true;
    }
    uint32_t begin = p->outline->statements[p->current].begin;
    bool is_control = !hf_outline_in_group(p) &&
                      hf_source_is_any_word(tokens, begin, hf_outline_controls) &&
                      (has_signature || begin + 1 == at);
    if (is_control)
        hf_outline_open(p, HF_OUTLINE_CONTROL, HF_SOURCE_NO, HF_SOURCE_NO, false);
    return is_control;
}

void hf_outline_take_braces(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    bool is_perl = tokens->language == HF_SOURCE_PERL, in_group = hf_outline_in_group(p);
    if (tokens->language == HF_SOURCE_JAVASCRIPT && tokens->items[at].is_first && at != 0 &&
        !in_group && p->current != HF_SOURCE_NO && !hf_outline_line_goes_on(p, at) &&
        !hf_source_is_sign(tokens, at, "{"))
        hf_outline_end(p);
    if (hf_source_is_sign(tokens, at, ";") && !in_group) {
        bool is_package =
            is_perl && p->current != HF_SOURCE_NO &&
            hf_source_is_word(tokens, p->outline->statements[p->current].begin, "package");
        if (is_package)
            hf_outline_top(p)->class =
                hf_source_token_text(tokens, p->outline->statements[p->current].begin + 1);
        hf_outline_end(p);
        return;
    }
    if (hf_source_is_sign(tokens, at, "}") && !in_group) {
        hf_outline_close(p, at);
        return;
    }
    bool is_brace = hf_source_is_sign(tokens, at, "{");
    if (is_brace && p->current != HF_SOURCE_NO)
        p->tokens->items[at].statement = p->current;
    if (is_brace && (is_perl ? perl_opens_block(p, at) : outline_opens_block(p, at)))
        return;
    hf_outline_go_on(p, at);
    hf_outline_brackets(p, at);
}
