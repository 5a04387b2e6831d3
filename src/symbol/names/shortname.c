#include "symbol/names/shortname.h"

struct shortener {
    struct hf_text name;
    size_t at; /* bytes of the name that are done with */
    struct hf_out out;
    size_t path_start; /* in out: where the name itself starts; a return type before it goes */
    bool is_wrapped;   /* inside of "void (*name(int))(char)" */
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

/* Bytes of "operator" and its symbol at `at`; 8 if a word follows; 0 if there is no operator. */
static size_t operator_size(struct hf_text name, size_t at)
{
    static const char *const symbols[] = {"()", "[]", "->*", "->", "<=>", "<<=", ">>=", "<<", ">>",
        "<=", ">=", "<", ">", "==", "!=", "&&", "||", "++", "--",
        "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+", "-", "*", "/", "%", "^", "&", "|", "~",
        "!", "=", ",", "\"\" "};
    if (name.data[at] != 'o')
        return 0; /* nearly always */
    struct hf_text rest = hf_text_from(name, at);
    if (!hf_text_starts(rest, "operator") || (at != 0 && is_word(name.data[at - 1])))
        return 0;
    rest = hf_text_from(rest, strlen("operator"));
    for (size_t i = 0; i < HF_COUNT(symbols); i++) {
        if (hf_text_starts(rest, symbols[i]))
            return strlen("operator") + strlen(symbols[i]);
    }
    return hf_text_starts(rest, " ") ? strlen("operator") : 0;
}

/* Length of the group that opens at `at`, closing bracket included; 0 if it never closes. */
static size_t group_size(struct hf_text name, size_t at)
{
    size_t round = 0, angle = 0, curly = 0, symbol;
    for (size_t i = at; i < name.size; i++) {
        switch (name.data[i]) {
        case 'o':
            symbol = operator_size(name, i);
            i += symbol != 0 ? symbol - 1 : 0;
            continue;
        case '(': round++; break;
        case ')': round -= round != 0; break;
        case '{': curly++; break;
        case '}': curly -= curly != 0; break;
        case '<': angle += round == 0; break;
        case '>':
            if (i > at && name.data[i - 1] == '-')
                continue; /* an arrow */
            angle -= round == 0 && angle != 0;
            break;
        default: continue;
        }
        if (round + angle + curly == 0)
            return i - at + 1;
    }
    return 0;
}

static struct hf_text shortname_rest_of(const struct shortener *s)
{
    return hf_text_from(s->name, s->at);
}

static void shortname_take(struct shortener *s, size_t size)
{
    hf_out_text(&s->out, hf_text_first(shortname_rest_of(s), size));
    s->at += size;
}

/* Takes or passes over a group of that size. False if it never closes. */
static bool take_sized_group(struct shortener *s, size_t size, bool is_kept)
{
    if (is_kept)
        shortname_take(s, size);
    else
        s->at += size;
    return size != 0;
}

static bool take_group(struct shortener *s, bool is_kept)
{
    return take_sized_group(s, group_size(s->name, s->at), is_kept);
}

/* " const" and the like, behind the parameters. */
static void skip_qualifiers(struct shortener *s)
{
    static const char *const words[] = {" const", " volatile", " &&", " &", " noexcept"};
    for (size_t i = 0; i < HF_COUNT(words); i++) {
        if (hf_text_starts(shortname_rest_of(s), words[i])) {
            s->at += strlen(words[i]);
            i = 0;
        }
    }
}

/* operator<, operator new, operator std::string: only the last two have blanks, and parameters. */
static bool take_operator(struct shortener *s, size_t size)
{
    shortname_take(s, size);
    if (size != strlen("operator")) {
        s->at += hf_text_starts(shortname_rest_of(s), " <"); /* "operator< <int>" */
        return true;
    }
    struct hf_text word = shortname_rest_of(s);
    bool is_named = hf_text_starts(word, " new") || hf_text_starts(word, " delete") ||
                    hf_text_starts(word, " co_await");
    while (s->at < s->name.size) {
        char c = s->name.data[s->at];
        /* A conversion has no parameters; its type may have: "operator void (*)(int)()". */
        if (c == '(' && (is_named || hf_text_starts(shortname_rest_of(s), "()")))
            return true;
        if (c != '(' && c != '<')
            shortname_take(s, 1);
        else if (!take_group(s, c == '('))
            return false;
    }
    return true;
}

/* Go: "net/http.(*conn).serve". Between two dots parentheses hold no parameters. */
static bool is_receiver(const struct shortener *s)
{
    size_t size = hf_text_ends(hf_out_view(&s->out), ".") ? group_size(s->name, s->at) : 0;
    return size != 0 && hf_text_starts(hf_text_from(shortname_rest_of(s), size), ".");
}

/* "[go.shape.func(int) string]" with what is in it. False if it never closes. */
static bool take_square(struct shortener *s)
{
    struct hf_text rest = shortname_rest_of(s);
    size_t depth = 0, at = 0;
    do {
        depth += rest.data[at] == '[';
        depth -= rest.data[at] == ']';
        at++;
    } while (depth != 0 && at < rest.size);
    shortname_take(s, at);
    return depth == 0;
}

/* Parameters, or something of a return type. */
static bool take_round(struct shortener *s, bool *out_is_end)
{
    if (hf_text_starts(shortname_rest_of(s), "(anonymous namespace)") || is_receiver(s))
        return take_group(s, true);
    bool is_at_start = s->out.size == s->path_start;
    if (is_at_start && hf_text_starts(shortname_rest_of(s), "(*")) {
        s->is_wrapped = true;
        s->at += 2;
        return true;
    }
    if (!take_group(s, false))
        return false;
    if (is_at_start)
        return true;
    skip_qualifiers(s);
    struct hf_text rest = shortname_rest_of(s);
    bool is_type = hf_text_starts(rest, " ") && !hf_text_starts(rest, " [clone");
    *out_is_end = !is_type && !hf_text_starts(rest, "::");
    return true;
}

/* Java's constructors. */
static bool is_initializer(struct hf_text group)
{
    return hf_text_is(group, "<init>") || hf_text_is(group, "<clinit>");
}

/* Template arguments go; Rust's "<T as Trait>" and "<impl Trait for T>" are names. */
static bool take_angle(struct shortener *s)
{
    struct hf_text made = hf_out_view(&s->out);
    size_t size = group_size(s->name, s->at);
    struct hf_text group = hf_text_first(shortname_rest_of(s), size);
    if (is_initializer(group))
        return take_sized_group(s, size, true);
    bool is_component = made.size == s->path_start || hf_text_ends(made, "::");
    bool is_name = made.size == s->path_start || hf_text_starts(group, "<impl ") ||
                   hf_text_starts(group, "<lambda") ||
                   (group.size != 0 && memmem(group.data, group.size, " as ", 4) != NULL);
    if (is_component && !is_name)
        s->out.size -= strlen("::"); /* Rust: "align_of::<f64>" */
    return take_sized_group(s, size, is_component && is_name);
}

static bool shortname_shorten(struct shortener *s)
{
    bool is_end = false, is_sound = true;
    while (s->at < s->name.size && !is_end && is_sound) {
        char c = s->name.data[s->at];
        size_t symbol = operator_size(s->name, s->at);
        if (symbol != 0) {
            is_sound = take_operator(s, symbol);
        } else if (c == '(') {
            is_sound = take_round(s, &is_end);
        } else if (c == '<') {
            is_sound = take_angle(s);
        } else if (c == '[') {
            is_sound = take_square(s);
        } else if (c == '{') {
            is_sound = take_group(s, true);
        } else if (c == ')' && s->is_wrapped) {
            is_end = true;
        } else if (c == ' ' && hf_text_starts(shortname_rest_of(s), " [clone")) {
            is_end = true;
        } else if (c == ' ') {
            s->out.size = s->path_start; /* what came before was a return type */
            s->at++;
        } else {
            shortname_take(s, 1);
        }
    }
    return is_sound;
}

/* Words that the demangler puts before a name, and that say what it is. */
static size_t prefix_size(struct hf_text name)
{
    static const char *const prefixes[] = {"non-virtual thunk to ", "virtual thunk to ",
        "covariant return thunk to ", "TLS init function for ", "TLS wrapper function for ",
        "transaction clone for ", "non-transaction clone for ", "guard variable for ",
        "vtable for ", "typeinfo for ", "typeinfo name for "};
    for (size_t i = 0; i < HF_COUNT(prefixes); i++) {
        if (hf_text_starts(name, prefixes[i]))
            return strlen(prefixes[i]);
    }
    return 0;
}

/*
 * Names that have neither return type nor parameters: Rust's "<Type as Trait>::method", Python's
 * "py::<module>:/a.py", Objective-C's "-[Class put:at:]", and what begins with a kind, as of V8
 * and of Go's types: "LazyCompile:~serve /a.js:12", "type:.eq.struct { X int }".
 */
static bool shortname_is_whole(struct hf_text name)
{
    size_t colon = hf_text_find(name, ':');
    for (size_t i = 0; i < colon; i++) {
        if (!is_word(name.data[i]))
            colon = 0;
    }
    struct hf_text rest = hf_text_from(name, colon);
    bool has_kind = colon != 0 && hf_text_starts(rest, ":") && !hf_text_starts(rest, "::");
    return has_kind || hf_text_starts(name, "<") || hf_text_starts(name, "py::") ||
           hf_text_starts(name, "-[") || hf_text_starts(name, "+[");
}

void hf_short_name(struct hf_text name, struct hf_out *out)
{
    struct shortener s = {.name = name};
    bool stays = shortname_is_whole(name);
    shortname_take(&s, prefix_size(name));
    s.path_start = s.out.size;
    if (!stays && shortname_shorten(&s) && s.out.size > s.path_start && s.out.error.status == HF_OK)
        hf_out_text(out, hf_out_view(&s.out));
    else
        hf_out_text(out, name);
    hf_out_done(&s.out);
}
