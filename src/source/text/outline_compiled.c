/*
 * C, C++ and Rust: what a statement begins with, and what stands before "{", says what that opens.
 *
 * The header of a loop or a condition of C ends with its ")": what follows is a statement of its
 * own, with braces or without. A block of Rust within a statement ("let x = match y {") is a
 * function without a name, whose value is that of its last statement.
 */
#include "source/text/outline_parser.h"

#include <ctype.h>

#define HEADER_MAX 400 /* tokens of a header that are looked at */
#define BODY_MAX 2000  /* of a statement before what it opens, e.g. members of a constructor */

static const char *const compiled_controls[] = {
    "if", "for", "while", "switch", "catch", "constexpr", NULL};
static const char *const compiled_branches[] = {"else", "do", "try", NULL};
static const char *const compiled_classes[] = {
    "class", "struct", "union", "enum", "namespace", NULL};
static const char *const compiled_labels[] = {
    "case", "default", "public", "private", "protected", NULL};
static const char *const rust_blocks[] = {
    "if", "for", "while", "match", "loop", "unsafe", "else", "async", NULL};

static bool outline_is_rust(const struct hf_outline_parser *p)
{
    return p->tokens->language == HF_SOURCE_RUST;
}

static bool outline_in_function(struct hf_outline_parser *p)
{
    return hf_outline_top(p)->function != HF_SOURCE_NO;
}

static uint32_t outline_statement_begin(const struct hf_outline_parser *p)
{
    return p->outline->statements[p->current].begin;
}

/* "[...] {", "[...](...) -> T {" */
static bool outline_is_lambda(const struct hf_outline_parser *p, uint32_t at)
{
    static const char *const between[] = {"mutable", "noexcept", "const", NULL};
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t i = at - 1;
    for (int steps = 0; steps < 8 && i != 0; steps++, i--) {
        if (hf_source_is_sign(tokens, i, ")") || hf_source_is_sign(tokens, i, "]"))
            break;
        if (!hf_source_is_any_word(tokens, i, between) && !hf_source_is_sign(tokens, i, "->") &&
            !(hf_source_is_kind(tokens, i, HF_SOURCE_NAME) || hf_source_is_sign(tokens, i, "::")))
            return false;
    }
    if (hf_source_is_sign(tokens, i, ")")) {
        i = tokens->items[i].pair;
        if (i == HF_SOURCE_NO || i == 0)
            return false;
        i--;
    }
    uint32_t open = hf_source_is_sign(tokens, i, "]") ? tokens->items[i].pair : HF_SOURCE_NO;
    return open != HF_SOURCE_NO && open != 0 &&
           (hf_source_is_kind(tokens, open - 1, HF_SOURCE_SIGN)
                   ? !hf_source_is_sign(tokens, open - 1, ")") &&
                         !hf_source_is_sign(tokens, open - 1, "]")
                   : hf_source_is_word(tokens, open - 1, "return"));
}

/* "G_DEFINE_TYPE(Feed, feed, G_TYPE_OBJECT)" stands before the function: brackets of a name in
 * capitals that end at `close`, and behind them another declaration, with brackets of its own. */
static bool outline_is_macro(
    const struct hf_source_tokens *tokens, uint32_t name, uint32_t close, uint32_t end)
{
    struct hf_text text = hf_source_token_text(tokens, name);
    for (size_t i = 0; i < text.size; i++) {
        if (islower((unsigned char)text.data[i]) != 0)
            return false;
    }
    if (!hf_source_is_kind(tokens, close + 1, HF_SOURCE_NAME))
        return false;
    for (uint32_t i = close + 1; i + 1 < end && !hf_source_is_sign(tokens, i, "="); i++) {
        if (hf_source_is_kind(tokens, i, HF_SOURCE_NAME) && hf_source_is_sign(tokens, i + 1, "("))
            return i > close + 1;
    }
    return false;
}

/* The name of the function whose body may begin at `at`: that before the first brackets of the
 * statement; HF_SOURCE_NO: it is none. */
static uint32_t outline_function_name(
    const struct hf_outline_parser *p, uint32_t at, uint32_t *out_parameters)
{
    static const char *const others[] = {"__attribute__", "__declspec", "alignas", "_Alignas",
        "decltype", "noexcept", "explicit", "requires", "asm", "sizeof", NULL};
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t i = outline_statement_begin(p);
    for (int hops = 0; hops < HEADER_MAX && i < at && !hf_source_is_sign(tokens, i, "="); hops++) {
        uint32_t pair = tokens->items[i].pair;
        bool opens = pair != HF_SOURCE_NO && pair > i;
        if (hf_source_is_word(tokens, i, "operator") && hf_source_is_sign(tokens, i + 2, "(")) {
            *out_parameters = i + 3; /* "operator<(" */
            return i;
        }
        if (opens && i != 0 && hf_source_is_sign(tokens, i, "(") &&
            hf_source_is_kind(tokens, i - 1, HF_SOURCE_NAME) &&
            !hf_source_is_any_word(tokens, i - 1, others) &&
            !outline_is_macro(tokens, i - 1, pair, at)) {
            bool calls = hf_source_is_word(tokens, i - 1, "operator") &&
                         hf_source_is_sign(tokens, pair + 1, "(");
            *out_parameters = calls ? pair + 2 : i + 1;
            return i - 1;
        }
        i = opens ? pair + 1 : i + 1;
    }
    return HF_SOURCE_NO;
}

/* "{" of "Foo(int a) : a_{a} {": the first is no body. */
static bool outline_is_initializer(
    const struct hf_outline_parser *p, uint32_t parameters, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t close = tokens->items[parameters - 1].pair;
    bool has_list = false;
    if (close == HF_SOURCE_NO || !hf_source_is_kind(tokens, at - 1, HF_SOURCE_NAME) || at < 2)
        return false;
    for (uint32_t i = close; i < at && i - close < HEADER_MAX; i++)
        has_list |= hf_source_is_sign(tokens, i, ":");
    return has_list &&
           (hf_source_is_sign(tokens, at - 2, ",") || hf_source_is_sign(tokens, at - 2, ":"));
}

static void outline_open_function(struct hf_outline_parser *p, uint32_t name, uint32_t parameters)
{
    const struct hf_source_tokens *tokens = p->tokens;
    size_t before = p->outline->function_count;
    hf_outline_open(p, HF_OUTLINE_FUNCTION, name, parameters, false);
    uint32_t at = name - (name != 0 && hf_source_is_sign(tokens, name - 1, "~"));
    if (p->outline->function_count > before && at >= 2 && hf_source_is_sign(tokens, at - 1, "::"))
        p->outline->functions[before].class = hf_source_token_text(tokens, at - 2);
}

/* The last part of the name of a class: "Shelf" of "impl Display for store::Shelf where". */
static uint32_t outline_class_name(const struct hf_outline_parser *p, uint32_t at)
{
    static const char *const ends[] = {"where", "final", NULL};
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t begin = outline_statement_begin(p), name = HF_SOURCE_NO;
    for (uint32_t i = begin; i < at && i - begin < HEADER_MAX; i++) {
        if (hf_source_is_any_word(tokens, i, ends) || hf_source_is_sign(tokens, i, ":"))
            break;
        if (hf_source_is_sign(tokens, i, "=") ||
            (hf_source_is_sign(tokens, i, "(") && !outline_is_rust(p)))
            return HF_SOURCE_NO;
        if (hf_source_is_kind(tokens, i, HF_SOURCE_NAME))
            name = i;
    }
    return name;
}

/* A class, an impl, a namespace; false: none begins here. */
static bool outline_opens_class(struct hf_outline_parser *p, uint32_t at)
{
    static const char *const of_rust[] = {"impl", "trait", "mod", "struct", "enum", "union", NULL};
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t begin = outline_statement_begin(p), i = begin;
    const char *const *words = outline_is_rust(p) ? of_rust : compiled_classes;
    while (i < at && i - begin < 8 && !hf_source_is_any_word(tokens, i, words))
        i++;
    if (!hf_source_is_any_word(tokens, i, words))
        return false;
    uint32_t name = outline_class_name(p, at);
    if (name == HF_SOURCE_NO)
        return false;
    bool has_name = name > i;
    has_name &= !hf_source_is_word(tokens, i, "namespace") && !hf_source_is_word(tokens, i, "mod");
    hf_outline_open(p, HF_OUTLINE_CLASS, name, HF_SOURCE_NO, false);
    if (!has_name)
        hf_outline_top(p)->class = (struct hf_text){NULL, 0};
    return true;
}

static bool outline_opens_c(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t parameters;
    if (outline_in_function(p) && at > 1 && outline_is_lambda(p, at)) {
        hf_outline_open(p, HF_OUTLINE_CLOSURE, HF_SOURCE_NO, HF_SOURCE_NO, true);
        return true;
    }
    if (hf_outline_in_group(p) || at - outline_statement_begin(p) > BODY_MAX)
        return false;
    if (outline_in_function(p))
        return hf_source_is_any_word(tokens, outline_statement_begin(p), compiled_classes) &&
               outline_opens_class(p, at);
    uint32_t name = outline_function_name(p, at, &parameters);
    if (name != HF_SOURCE_NO) {
        if (outline_is_initializer(p, parameters, at))
            return false;
        outline_open_function(p, name, parameters);
        return true;
    }
    if (outline_opens_class(p, at))
        return true;
    bool is_extern = hf_source_is_kind(tokens, at - 1, HF_SOURCE_STRING);
    if (is_extern) /* extern "C" { */
        hf_outline_open(p, HF_OUTLINE_CONTROL, HF_SOURCE_NO, HF_SOURCE_NO, false);
    return is_extern;
}

/* "fn name(...) {" of Rust; false: it is none. */
static bool rust_opens_function(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t i = outline_statement_begin(p);
    for (uint32_t begin = i; i < at && i - begin < 10 && !hf_source_is_word(tokens, i, "fn");)
        i++;
    if (!hf_source_is_word(tokens, i, "fn") || !hf_source_is_sign(tokens, i + 2, "("))
        return false;
    outline_open_function(p, i + 1, i + 3);
    return true;
}

/* A block within a statement: behind "match x", "if x", "else", "|x|"; not "Point {". */
static bool rust_is_block(const struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t begin = outline_statement_begin(p);
    if (hf_source_is_sign(tokens, at - 1, "|") || hf_source_is_sign(tokens, at - 1, "||") ||
        hf_source_is_sign(tokens, at - 1, "=") || hf_source_is_sign(tokens, at - 1, "(") ||
        hf_source_is_any_word(tokens, at - 1, rust_blocks))
        return true;
    for (uint32_t i = at; i-- > begin && at - i < HEADER_MAX;) {
        uint32_t pair = tokens->items[i].pair;
        if (hf_source_is_any_word(tokens, i, rust_blocks))
            return true;
        if (hf_source_is_sign(tokens, i, ",") || hf_source_is_sign(tokens, i, "{") ||
            hf_source_is_sign(tokens, i, "(") || hf_source_is_sign(tokens, i, ";"))
            break;
        if (pair != HF_SOURCE_NO && pair < i && pair >= begin)
            i = pair;
    }
    return false;
}

/* "macro_rules! row {", "extern "C" {", "thread_local! {": with "}", the statement ends. */
static bool rust_opens_item(struct hf_outline_parser *p, uint32_t at)
{
    for (uint32_t i = outline_statement_begin(p); i < at; i++) {
        if (hf_source_is_sign(p->tokens, i, "="))
            return false;
    }
    hf_outline_open(p, HF_OUTLINE_CONTROL, HF_SOURCE_NO, HF_SOURCE_NO, false);
    return true;
}

static bool outline_opens_rust(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t begin = outline_statement_begin(p);
    bool in_group = hf_outline_in_group(p);
    if (!in_group && rust_opens_function(p, at))
        return true;
    if (!outline_in_function(p))
        return !in_group && (outline_opens_class(p, at) || rust_opens_item(p, at));
    bool is_arm = !in_group && hf_source_is_sign(tokens, at - 1, "=>");
    bool is_control = !in_group && (is_arm || hf_source_is_any_word(tokens, begin, rust_blocks));
    bool is_block = rust_is_block(p, at);
    if (is_control && (is_block || is_arm)) {
        p->outline->statements[p->current].is_last |= is_arm;
        hf_outline_open(p, HF_OUTLINE_CONTROL, HF_SOURCE_NO, HF_SOURCE_NO, false);
        return true;
    }
    if (is_block)
        hf_outline_open(p, HF_OUTLINE_CLOSURE, HF_SOURCE_NO, HF_SOURCE_NO, true);
    return is_block;
}

/* The token ends a header of C, or a label: what follows is a statement of its own. */
static bool outline_ends_header(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    uint32_t begin = outline_statement_begin(p);
    if (hf_source_is_any_word(tokens, begin, compiled_branches) && begin == at)
        return true;
    if (hf_source_is_sign(tokens, at, ")")) {
        uint32_t open = tokens->items[at].pair;
        return open != HF_SOURCE_NO && open != 0 &&
               hf_source_is_any_word(tokens, open - 1, compiled_controls) &&
               (open - 1 == begin || open - 2 == begin);
    }
    return hf_source_is_sign(tokens, at, ":") &&
           (hf_source_is_any_word(tokens, begin, compiled_labels) || at == begin + 1);
}

/* "," between the arms of a match, "=>" behind the pattern of one. */
static bool rust_ends_part(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    if (hf_source_is_sign(tokens, at, ",")) {
        hf_outline_end(p);
        hf_outline_mark_last(p);
        return true;
    }
    if (hf_source_is_word(tokens, at, "else") && p->current == HF_SOURCE_NO)
        hf_outline_mark_last(p); /* of the branch before */
    return false;
}

/* ";" at `at` is behind a parameter, as C had them before 1989: "int f(a, b) int a; char *b; {". */
static bool outline_is_old(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    if (tokens->language != HF_SOURCE_C || p->current == HF_SOURCE_NO || outline_in_function(p))
        return false;
    uint32_t parameters, last = at - 1;
    uint32_t name = outline_function_name(p, at, &parameters);
    if (name == HF_SOURCE_NO || parameters == 0)
        return false;
    uint32_t close = tokens->items[parameters - 1].pair;
    if (hf_source_is_sign(tokens, last, "]") && tokens->items[last].pair != HF_SOURCE_NO)
        last = tokens->items[last].pair - 1; /* "char *v[];" */
    if (close == HF_SOURCE_NO || last <= close + 1 ||
        !hf_source_is_kind(tokens, last, HF_SOURCE_NAME))
        return false;
    for (uint32_t i = parameters; i < close && i - parameters < HEADER_MAX; i += 2) {
        if (!hf_source_is_kind(tokens, i, HF_SOURCE_NAME) ||
            !(i + 1 == close || hf_source_is_sign(tokens, i + 1, ",")))
            return false;
        if (hf_text_equal(hf_source_token_text(tokens, i), hf_source_token_text(tokens, last)))
            return true;
    }
    return false;
}

void hf_outline_take_compiled(struct hf_outline_parser *p, uint32_t at)
{
    const struct hf_source_tokens *tokens = p->tokens;
    bool in_group = hf_outline_in_group(p), is_rust = outline_is_rust(p);
    bool is_brace = hf_source_is_sign(tokens, at, "{");
    if (hf_source_is_sign(tokens, at, ";") && !in_group && !outline_is_old(p, at)) {
        hf_outline_end(p);
        hf_outline_top(p)->last = HF_SOURCE_NO; /* it has no value */
        return;
    }
    if (hf_source_is_sign(tokens, at, "}") && !in_group) {
        hf_outline_close(p, at);
        return;
    }
    if (!in_group && is_rust && rust_ends_part(p, at))
        return;
    if (is_brace && p->current == HF_SOURCE_NO && !in_group) {
        hf_outline_open(p, HF_OUTLINE_CONTROL, HF_SOURCE_NO, HF_SOURCE_NO, false);
        return;
    }
    if (is_brace && p->current != HF_SOURCE_NO) {
        p->tokens->items[at].statement = p->current;
        if (at != 0 && (is_rust ? outline_opens_rust(p, at) : outline_opens_c(p, at)))
            return;
    }
    hf_outline_go_on(p, at);
    if (p->is_out_of_memory)
        return;
    hf_outline_brackets(p, at);
    bool is_pattern =
        is_rust && hf_source_is_sign(tokens, at, "=>") && !hf_source_is_sign(tokens, at + 1, "{");
    if (!hf_outline_in_group(p) && p->current != HF_SOURCE_NO &&
        (is_pattern || (!is_rust && outline_ends_header(p, at)))) {
        p->outline->statements[p->current].is_header = true;
        hf_outline_end(p);
    }
}
