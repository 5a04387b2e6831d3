#include "spec/script_lines.h"

#include "base/budget.h"
#include "base/containers/vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BLANK " \t\r"
#define WAY_MAX 400 /* lines above, and below */
#define DECORATORS_MAX 16
#define FLOWS_MAX 3 /* from a variable to the next, to the one that is returned */
#define SIGILS "$@%"

/* A function of a script: its header is the line `begin`, and `end` the first line behind it. */
struct script_function {
    const struct hf_script_lines *lines;
    enum hf_script_language language;
    uint32_t begin, end;
    uint32_t lines_left; /* to be looked at */
    bool has_name;
};

/* One that a statement fills. All-zero: none. */
struct script_variable {
    struct hf_text name; /* without its sigil */
    bool has_sigil, is_new;
    bool is_whole; /* it is assigned, not added to */
};

bool hf_script_lines_find(struct hf_script_lines *lines, struct hf_text text)
{
    *lines = (struct hf_script_lines){.text = text};
    size_t at = 0;
    while (at < text.size) {
        if (!hf_vec_reserve(
                &lines->starts, &lines->capacity, lines->count + 1, sizeof *lines->starts))
            return false;
        lines->starts[lines->count++] = (uint32_t)at;
        at += hf_text_find(hf_text_from(text, at), '\n') + 1;
    }
    return true;
}

void hf_script_lines_done(struct hf_script_lines *lines)
{
    hf_budget_put_back(lines->capacity * sizeof *lines->starts);
    free(lines->starts);
    *lines = (struct hf_script_lines){0};
}

/* Counted from 1; empty: there is no such line. */
static struct hf_text script_line_at(const struct hf_script_lines *lines, uint32_t line)
{
    if (line == 0 || line > lines->count)
        return (struct hf_text){NULL, 0};
    struct hf_text rest = hf_text_from(lines->text, lines->starts[line - 1]);
    return hf_text_first(rest, hf_text_find(rest, '\n'));
}

static struct hf_text script_statement_at(const struct hf_script_lines *lines, uint32_t line)
{
    return hf_text_trim_end(hf_text_trim_start(script_line_at(lines, line), BLANK), BLANK);
}

static size_t script_indent(struct hf_text line)
{
    return line.size - hf_text_trim_start(line, BLANK).size;
}

static bool script_is_word(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_';
}

/* Removes `word` from the start of `text`, if it stands there whole, and the blanks behind it. */
static bool script_take_word(struct hf_text *text, const char *word)
{
    struct hf_text rest = *text;
    if (!hf_text_take(&rest, word) ||
        (rest.size != 0 && (script_is_word(rest.data[0]) || rest.data[0] == '$')))
        return false;
    *text = hf_text_trim_start(rest, BLANK);
    return true;
}

static bool script_take_any(struct hf_text *text, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (script_take_word(text, *words))
            return true;
    }
    return false;
}

/* Whether a variable is there, in Perl and PHP by its sigil: a key may have its name. */
static bool script_has_variable(struct hf_text text, const struct script_variable *variable)
{
    struct hf_text name = variable->name;
    for (size_t i = 0; name.size != 0 && i + name.size <= text.size; i++) {
        char before = i != 0 ? text.data[i - 1] : ' ';
        bool is_whole = !script_is_word(before) &&
                        (i + name.size == text.size || !script_is_word(text.data[i + name.size]));
        if (is_whole && (!variable->has_sigil || strchr(SIGILS "{", before) != NULL) &&
            memcmp(text.data + i, name.data, name.size) == 0)
            return true;
    }
    return false;
}

/* Where the "=" of "a = b" or "a ||= b" is; not "a == b", "a => b" or "a =~ b". Size: nowhere. */
static size_t script_assignment(struct hf_text line)
{
    for (size_t i = 1; i + 1 < line.size; i++) {
        char before = line.data[i - 1], after = line.data[i + 1];
        bool shifts = before == '<' && i > 1 && line.data[i - 2] == '<'; /* "a <<= b" */
        if (line.data[i] == '=' && (shifts || strchr("=<>!~", before) == NULL) &&
            strchr("=>~", after) == NULL)
            return i;
    }
    return line.size;
}

/* A container is told to keep something, in the words of any language. */
static bool script_stores(struct hf_text line, enum hf_script_language language)
{
    static const char *const verbs[] = {"setdefault", "append", "push", "add", "insert", "set",
        "put", "store", "unshift", "array_push", "setItem", "remember"};
    for (size_t i = 0; i < HF_COUNT(verbs); i++) {
        struct hf_text rest = line;
        size_t size = strlen(verbs[i]), at;
        while ((at = hf_text_find_string(rest, verbs[i])) != rest.size) {
            bool is_whole =
                (at == 0 || !(script_is_word(rest.data[at - 1]) || rest.data[at - 1] == '$')) &&
                at + size < rest.size && rest.data[at + size] == '(';
            if (is_whole)
                return true;
            rest = hf_text_from(rest, at + size);
        }
    }
    if (hf_text_starts(line, "push ") || hf_text_starts(line, "unshift "))
        return true;
    return language == HF_SCRIPT_RUBY && hf_text_has(line, " << ");
}

/* The decorators above a "def" keep what it returns. */
static bool python_keeps(const struct script_function *function)
{
    for (uint32_t i = 1; i <= DECORATORS_MAX && i < function->begin; i++) {
        struct hf_text above = script_statement_at(function->lines, function->begin - i);
        if (!hf_text_starts(above, "@"))
            return false;
        if (hf_text_has(above, "cache") || hf_text_has(above, "memo"))
            return true;
    }
    return false;
}

/*
 * "def f(x):", "sub f {", "public function f()", "const f = (x) => {", "f(x) {". *out_has_name: not
 * "each(function (x) {", which is given to another function and called by that.
 */
static bool script_is_header(struct hf_text text, bool *out_has_name)
{
    static const char *const modifiers[] = {"public", "private", "protected", "static", "final",
        "abstract", "async", "local", "export", "default", NULL};
    static const char *const functions[] = {"def", "sub", "function", "fn", NULL};
    static const char *const blocks[] = {"if", "for", "foreach", "while", "switch", "catch", "else",
        "elsif", "elseif", "unless", "until", "do", "try", "return", "with", "match", "class",
        NULL};
    struct hf_text rest = text;
    while (script_take_any(&rest, modifiers))
        continue;
    struct hf_text plain = rest;
    bool is_function = script_take_any(&plain, functions);
    *out_has_name =
        is_function && plain.size != 0 && (script_is_word(plain.data[0]) || plain.data[0] == '&');
    if (is_function || hf_text_has(rest, "function(") || hf_text_has(rest, "function (") ||
        hf_text_has(rest, "sub {"))
        return true;
    if (hf_text_ends(rest, "=> {")) {
        *out_has_name = script_assignment(rest) != rest.size;
        return true;
    }
    *out_has_name = true;
    return hf_text_ends(rest, "{") && hf_text_find(rest, '(') != rest.size &&
           !hf_text_starts(rest, "}") && !script_take_any(&plain, blocks) &&
           script_assignment(rest) == rest.size;
}

/* Finds the function that a line is of, by indentation. */
static bool script_function_of(struct script_function *function, uint32_t line)
{
    const struct hf_script_lines *lines = function->lines;
    size_t indent = script_indent(script_line_at(lines, line));
    uint32_t at = line;
    bool is_found = false;
    while (!is_found && at > 1 && line - at < WAY_MAX && indent != 0) {
        struct hf_text above = script_line_at(lines, --at);
        struct hf_text statement = script_statement_at(lines, at);
        if (statement.size == 0 || script_indent(above) >= indent)
            continue;
        is_found = script_is_header(statement, &function->has_name);
        if (!hf_text_is(statement, "{") && !hf_text_starts(statement, ")"))
            indent = script_indent(above);
    }
    if (!is_found)
        return false;
    function->begin = at;
    for (at = line + 1; at <= lines->count && at - line < WAY_MAX; at++) {
        struct hf_text below = script_line_at(lines, at);
        if (hf_text_trim_start(below, BLANK).size != 0 && script_indent(below) <= indent)
            break;
    }
    function->end = at;
    return true;
}

/* The last statement of a function of Ruby is its value. */
static bool ruby_is_last(const struct script_function *function, uint32_t line)
{
    if (function->language != HF_SCRIPT_RUBY || line + 1 != function->end)
        return false;
    struct hf_text header = script_line_at(function->lines, function->begin);
    struct hf_text after = script_line_at(function->lines, function->end);
    return hf_text_is(script_statement_at(function->lines, function->end), "end") &&
           script_indent(header) == script_indent(after);
}

/* What a line returns; false: it does not. */
static bool script_returns(
    const struct script_function *function, uint32_t line, struct hf_text *out_value)
{
    struct hf_text text = script_statement_at(function->lines, line);
    bool is_return = hf_text_take(&text, "return");
    if (is_return && (text.size == 0 || script_is_word(text.data[0]) || text.data[0] == '$'))
        return false;
    *out_value = text;
    return (is_return || ruby_is_last(function, line)) && text.size != 0;
}

static const char *const script_control[] = {
    "for", "foreach", "while", "if", "elsif", "elif", "unless", "until", NULL};

/* The value is kept where it is returned: "return seen.setdefault(key, Node())". */
static bool script_value_is_kept(const struct script_function *function, struct hf_text value)
{
    bool assigns = function->language == HF_SCRIPT_PYTHON ? hf_text_has(value, ":=")
                                                          : script_assignment(value) != value.size;
    return assigns || script_stores(value, function->language);
}

/* How a statement goes on behind the variable that it begins with: whether it fills that. */
static bool script_fills(
    const struct script_function *function, struct hf_text rest, bool *out_is_whole)
{
    static const char *const verbs[] = {
        "append", "push", "add", "insert", "extend", "update", NULL};
    size_t assigned = script_assignment(rest), called = hf_text_find(rest, '(');
    struct hf_text method = rest, behind = hf_text_trim_start(rest, BLANK);
    *out_is_whole = assigned < rest.size && behind.data == rest.data + assigned;
    if (assigned < called || (assigned < rest.size && hf_text_starts(rest, "[")))
        return true;
    if (hf_text_starts(behind, "=~ s") || hf_text_starts(behind, "=~ tr"))
        return true;
    if (hf_text_take(&method, ".") || hf_text_take(&method, "->"))
        return script_take_any(&method, verbs);
    return function->language == HF_SCRIPT_RUBY && hf_text_starts(behind, "<< ");
}

/* The variable that a statement fills; all-zero: it does something else, or it is of an object. */
static struct script_variable script_filled(
    const struct script_function *function, struct hf_text statement)
{
    static const char *const declare[] = {"my", "local", "const", "let", "var", NULL};
    static const char *const calls[] = {"push", "unshift", "array_push", "table.insert", NULL};
    static const char *const of_others[] = {"self", "this", "static", "parent", "super", NULL};
    const struct script_variable none = {0};
    struct script_variable filled = {0};
    struct hf_text rest = statement;
    bool is_call = script_take_any(&rest, calls);
    filled.is_new = !is_call && script_take_any(&rest, declare);
    if (function->language == HF_SCRIPT_RUBY && hf_text_starts(statement, "@"))
        return none;
    rest = hf_text_trim_start(rest, is_call || filled.is_new ? "({ " : "");
    filled.has_sigil = rest.size != 0 && strchr(SIGILS, rest.data[0]) != NULL;
    rest = hf_text_trim_start(rest, SIGILS "{");
    size_t size = 0;
    while (size < rest.size && script_is_word(rest.data[size]))
        size++;
    filled.name = hf_text_first(rest, size);
    struct hf_text name = filled.name;
    if (size == 0 || script_take_any(&name, of_others))
        return none;
    bool fills = script_fills(function, hf_text_from(rest, size), &filled.is_whole);
    filled.is_whole |= filled.is_new;
    return is_call || filled.is_new || fills ? filled : none;
}

/* What stands behind "=" is made there: a literal, or an object. What a call gives may be
 * anybody's. */
static bool script_is_fresh(struct hf_text value)
{
    static const char *const makers[] = {
        "new", "array", "list", "dict", "set", "Array", "Hash", "Set", "String", "qw", NULL};
    value = hf_text_trim_start(value, "= \t");
    if (value.size == 0)
        return true; /* "my %fields;" */
    return strchr("[{('\"`0123456789", value.data[0]) != NULL || script_take_any(&value, makers);
}

static bool script_is_own(struct script_function *function, const struct script_variable *variable,
    int flows, bool *out_is_returned);

/* What one line of the function does with the variable; false: it stores it, or nobody can tell. */
static bool script_see(struct script_function *function, uint32_t line,
    const struct script_variable *variable, int flows, bool *is_declared, bool *is_returned)
{
    struct hf_text statement = script_statement_at(function->lines, line), value, rest = statement;
    if (hf_text_starts(statement, "global ") || hf_text_starts(statement, "static "))
        return false;
    if (script_returns(function, line, &value)) {
        *is_returned = true;
        return !script_value_is_kept(function, value);
    }
    struct script_variable filled = script_filled(function, statement);
    struct hf_text after = hf_text_from(statement, script_assignment(statement));
    if (hf_text_equal(filled.name, variable->name)) {
        bool declares =
            filled.is_new ||
            (filled.is_whole && (filled.has_sigil || function->language != HF_SCRIPT_OTHER));
        *is_declared |= declares;
        return variable->is_whole || !declares || script_is_fresh(after);
    }
    if (script_take_any(&rest, script_control)) {
        *is_declared |= script_take_word(&rest, "my") || hf_text_starts(rest, "(");
        return !script_stores(rest, function->language);
    }
    if (filled.name.size == 0)
        return !script_has_variable(after, variable) &&
               !script_stores(statement, function->language);
    bool is_other_returned, is_read = script_has_variable(after, variable) || after.size == 0;
    if (!is_read)
        return true;
    bool is_own =
        flows < FLOWS_MAX && script_is_own(function, &filled, flows + 1, &is_other_returned);
    *is_returned |= is_own && is_other_returned;
    return is_own;
}

/* A variable is the function's own, and given to nobody but who called; *out_is_returned: to them.
 */
static bool script_is_own(struct script_function *function, const struct script_variable *variable,
    int flows, bool *out_is_returned)
{
    struct hf_text header = script_statement_at(function->lines, function->begin);
    bool is_declared =
        function->language != HF_SCRIPT_RUBY && script_has_variable(header, variable);
    *out_is_returned = false;
    for (uint32_t line = function->begin + 1; line < function->end; line++) {
        struct hf_text statement = script_statement_at(function->lines, line);
        if (function->lines_left == 0)
            return false;
        function->lines_left--;
        if (script_has_variable(statement, variable) &&
            !script_see(function, line, variable, flows, &is_declared, out_is_returned))
            return false;
    }
    return is_declared;
}

enum hf_script_use hf_script_line_use(
    const struct hf_script_lines *lines, uint32_t line, enum hf_script_language language)
{
    struct script_function function = {
        .lines = lines, .language = language, .lines_left = HF_SCRIPT_LINES_SEEN};
    bool is_of_function = script_function_of(&function, line);
    struct hf_text value;
    if (script_returns(&function, line, &value)) {
        bool is_kept = script_value_is_kept(&function, value) ||
                       (language == HF_SCRIPT_PYTHON && is_of_function && python_keeps(&function));
        return is_kept ? HF_SCRIPT_KEEPS : HF_SCRIPT_HANDS_ON;
    }
    bool is_returned;
    if (!is_of_function || !function.has_name ||
        (language == HF_SCRIPT_PYTHON && python_keeps(&function)))
        return HF_SCRIPT_KEEPS;
    struct hf_text statement = script_statement_at(lines, line), rest = statement;
    if (script_take_any(&rest, script_control))
        return script_stores(rest, language) ? HF_SCRIPT_KEEPS : HF_SCRIPT_PASSES;
    struct script_variable filled = script_filled(&function, statement);
    if (filled.is_whole &&
        script_value_is_kept(&function, hf_text_from(statement, script_assignment(statement) + 1)))
        return HF_SCRIPT_KEEPS; /* "my $message = $self->{open}{$id} //= Message->new" */
    if (filled.name.size == 0 || !script_is_own(&function, &filled, 0, &is_returned))
        return HF_SCRIPT_KEEPS;
    return is_returned ? HF_SCRIPT_HANDS_ON : HF_SCRIPT_PASSES;
}
