#include "symbol/shortname.h"

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

/* Bytes of the operator symbol that follows "operator" at `at`; 0 if none does. */
static size_t operator_symbol(struct hf_text name, size_t at)
{
    static const char *const symbols[] = {
        "()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">", "\"\" "};
    struct hf_text rest = hf_text_from(name, at);
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        if (hf_text_starts(rest, symbols[i]))
            return strlen(symbols[i]);
    }
    return 0;
}

/* Length of the group that opens at `at`, closing bracket included; 0 if it never closes. */
static size_t group_size(struct hf_text name, size_t at)
{
    size_t round = 0, angle = 0, curly = 0;
    for (size_t i = at; i < name.size; i++) {
        char c = name.data[i];
        bool is_arrow = c == '>' && i > at && name.data[i - 1] == '-';
        struct hf_text before = hf_text_first(name, i);
        if (hf_text_ends(before, "operator") && operator_symbol(name, i) != 0 && c != '(') {
            i += operator_symbol(name, i) - 1;
            continue;
        }
        round += c == '(';
        curly += c == '{';
        angle += c == '<' && round == 0;
        if (c == ')' && round != 0)
            round--;
        else if (c == '}' && curly != 0)
            curly--;
        else if (c == '>' && !is_arrow && round == 0 && angle != 0)
            angle--;
        if (round + angle + curly == 0)
            return i - at + 1;
    }
    return 0;
}

/* " const", "[abi:cxx11]", " [clone .cold]" and the like behind the parameters. */
static bool is_only_qualifiers(struct hf_text rest)
{
    static const char *const words[] = {" const", " volatile", " &&", " &", " noexcept"};
    while (rest.size != 0) {
        size_t before = rest.size;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (hf_text_starts(rest, words[i]))
                rest = hf_text_from(rest, strlen(words[i]));
        }
        if (hf_text_starts(rest, " [clone ") && hf_text_find(rest, ']') < rest.size)
            rest = hf_text_from(rest, hf_text_find(rest, ']') + 1);
        if (rest.size == before)
            return false;
    }
    return true;
}

struct shortener {
    struct hf_text name;
    struct hf_out short_name;
    size_t path_start; /* in short_name: where the name itself starts, after a return type */
};

/* Handles the bracket group at `at`; returns how many bytes of the name are done with. */
static size_t take_group(struct shortener *s, size_t at)
{
    struct hf_text rest = hf_text_from(s->name, at);
    size_t size = group_size(s->name, at);
    if (size == 0)
        return 0;
    char open = rest.data[0];
    char last = s->short_name.size != 0 ? s->short_name.data[s->short_name.size - 1] : '\0';
    bool is_anonymous =
        hf_text_starts(rest, "(anonymous namespace)") || hf_text_starts(rest, "{anonymous}");
    bool follows_name = is_word(last) || last == ')' || last == '}' || last == ']' || last == '>' ||
                        last == '<' || last == '=' || last == '~';
    bool is_kept = is_anonymous || open == '{' || !follows_name;
    /* decltype(...) and the like stand for a type, not for a call. */
    if (is_kept)
        hf_out_text(&s->short_name, hf_text_first(rest, size));
    return size;
}

static bool shorten(struct shortener *s)
{
    size_t at = 0;
    while (at < s->name.size) {
        struct hf_text rest = hf_text_from(s->name, at);
        char c = rest.data[0];
        bool starts_word = at == 0 || !is_word(s->name.data[at - 1]);
        if (starts_word && hf_text_starts(rest, "operator") &&
            (rest.size == 8 || !is_word(rest.data[8]))) {
            size_t size = 8 + operator_symbol(s->name, at + 8);
            hf_out_text(&s->short_name, hf_text_first(rest, size));
            at += size;
        } else if (c == '(' || c == '<' || c == '{') {
            size_t size = take_group(s, at);
            if (size == 0)
                return false;
            at += size;
            if (c == '(' && is_only_qualifiers(hf_text_from(s->name, at)))
                return true;
        } else if (c == ' ' && !hf_text_ends(hf_out_view(&s->short_name), "operator") &&
                   !hf_text_starts(rest, " [clone")) {
            /* What came before a blank was a return type, unless a conversion operator follows. */
            struct hf_text made = hf_text_from(hf_out_view(&s->short_name), s->path_start);
            if (memmem(made.data, made.size, "operator ", 9) == NULL)
                s->short_name.size = s->path_start;
            else
                hf_out_char(&s->short_name, ' ');
            at++;
        } else if (hf_text_starts(rest, " [clone")) {
            return true;
        } else {
            hf_out_char(&s->short_name, c);
            at++;
        }
    }
    return true;
}

void hf_short_name(struct hf_text name, struct hf_out *out)
{
    struct shortener s = {.name = name};
    /* Rust writes "<Type as Trait>::method": no parameters to drop, and the types are the name. */
    bool is_rust_path = hf_text_starts(name, "<");
    if (!is_rust_path && shorten(&s) && s.short_name.size != 0 &&
        s.short_name.error.status == HF_OK)
        hf_out_text(out, hf_out_view(&s.short_name));
    else
        hf_out_text(out, name);
    hf_out_done(&s.short_name);
}
