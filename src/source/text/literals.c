#include "source/text/literals.h"

#include <ctype.h>

#define RAW_MAX 20 /* letters that begin and end a raw string */

/* A value may begin here, no operator between two: "/" begins a pattern, "<<" a here document. */
bool hf_script_expects_value(const struct hf_script_reader *reader)
{
    static const char *const words[] = {"return", "if", "elsif", "unless", "while", "until", "and",
        "or", "not", "in", "when", "case", "split", "grep", "map", "join", "push", "print", "puts",
        "x", "then", "do", "else", "yield", NULL};
    const struct hf_source_token *last = hf_script_last(reader);
    uint32_t at = (uint32_t)reader->tokens->count - 1;
    if (last == NULL || (last->is_first && last->line != reader->line))
        return true;
    if (last->kind == HF_SOURCE_SIGN)
        return strchr(")]}", reader->text.data[last->at]) == NULL;
    bool is_perls_list = reader->language == HF_SOURCE_PERL && hf_script_char(reader, 0) != '/' &&
                         hf_script_char(reader, 0) != '<'; /* "keys %index" */
    return last->kind == HF_SOURCE_NAME && last->sigil == 0 &&
           (is_perls_list || hf_source_is_any_word(reader->tokens, at, words));
}

char hf_script_closing(char open)
{
    switch (open) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: return open;
    }
}

/* Behind "}" of what is put into a string of Ruby: "#{rows.join("\n")}". */
static size_t literal_filling(struct hf_text text, size_t at)
{
    size_t depth = 0;
    for (; at < text.size; at++) {
        depth += text.data[at] == '{';
        if (text.data[at] == '}' && --depth == 0)
            return at;
    }
    return at;
}

/* The end of what is quoted from `at`, where its first sign stands; it may hold pairs of that. */
size_t hf_script_quoted(const struct hf_script_reader *reader, size_t at, bool *is_filled)
{
    const struct hf_text text = reader->text;
    char open = text.data[at], close = hf_script_closing(open);
    bool ends_with_line =
        hf_source_is_compiled(reader->language) &&
        (reader->language != HF_SOURCE_RUST || open == '\''); /* text of Rust has lines */
    size_t depth = 0;
    for (; at < text.size; at++) {
        char c = text.data[at];
        if (c == '\\')
            at++;
        else if (c == '\n' && ends_with_line)
            return at; /* it is none: an apostrophe, say */
        else if (c == '#' && open == '"' && hf_text_starts(hf_text_from(text, at), "#{") &&
                 reader->language == HF_SOURCE_RUBY) {
            *is_filled = true;
            at = literal_filling(text, at);
        } else if (c == close && (depth == 1 || open == close) && depth != 0)
            return at + 1;
        else if (c == open)
            depth++;
        else if (c == close)
            depth--;
        else if (c == '$' || c == '#' || c == '{' || c == '@')
            *is_filled = true;
    }
    return text.size;
}

static void literal_put_string(
    struct hf_script_reader *reader, size_t begin, size_t end, bool fills)
{
    struct hf_source_token token = hf_script_token(reader, HF_SOURCE_STRING);
    token.is_filled = fills;
    (void)hf_script_put(reader, token, begin, end > reader->text.size ? reader->text.size : end);
    bool was_first = reader->is_first;
    hf_script_skip(reader, end);
    reader->is_first = was_first && reader->line == token.line;
}

/* A template of JavaScript: `a ${b(`c`)} d`. */
static size_t literal_template(const struct hf_script_reader *reader)
{
    size_t depth = 0, at = reader->at + 1;
    for (; at < reader->text.size; at++) {
        char c = reader->text.data[at];
        if (c == '\\')
            at++;
        else if (c == '`' && depth == 0)
            return at + 1;
        else if (c == '{' && (depth != 0 || reader->text.data[at - 1] == '$'))
            depth++;
        else if (c == '}' && depth != 0)
            depth--;
    }
    return reader->text.size;
}

/* "<<~EOT", "<<'EOT'", "<<<EOT": the text begins on the next line, and ends with its word. */
bool hf_script_takes_heredoc(struct hf_script_reader *reader)
{
    size_t at = 2;
    bool is_php = reader->language == HF_SOURCE_PHP;
    if ((!is_php && reader->language != HF_SOURCE_PERL && reader->language != HF_SOURCE_RUBY) ||
        !hf_script_sees(reader, is_php ? "<<<" : "<<") || !hf_script_expects_value(reader))
        return false;
    at += is_php;
    while (strchr("~- ", hf_script_char(reader, at)) != NULL && hf_script_char(reader, at) != '\0')
        at++;
    char quote = hf_script_char(reader, at);
    bool is_quoted = quote == '"' || quote == '\'';
    at += is_quoted;
    size_t begin = at;
    while (hf_script_is_part(hf_script_char(reader, at)))
        at++;
    if (at == begin || (!is_quoted && islower((unsigned char)hf_script_char(reader, begin)) != 0))
        return false;
    if (reader->heredoc_count < HF_SCRIPT_HEREDOCS)
        reader->heredocs[reader->heredoc_count++] =
            hf_text_first(hf_text_from(reader->text, reader->at + begin), at - begin);
    literal_put_string(reader, reader->at, reader->at + at + is_quoted, quote != '\'');
    return true;
}

/* The lines of here documents are no tokens. */
void hf_script_skip_heredocs(struct hf_script_reader *reader)
{
    for (size_t i = 0; i < reader->heredoc_count; i++) {
        bool is_over = false;
        while (!is_over && reader->at < reader->text.size) {
            struct hf_text rest = hf_text_from(reader->text, reader->at);
            struct hf_text line = hf_text_first(rest, hf_text_find(rest, '\n'));
            struct hf_text word = hf_text_trim_start(line, " \t");
            struct hf_text last = reader->heredocs[i];
            is_over = word.size >= last.size && hf_text_equal(hf_text_first(word, last.size), last);
            bool goes_on = is_over && reader->language == HF_SOURCE_PHP;
            size_t size = goes_on ? (size_t)(word.data - line.data) + last.size : line.size + 1;
            hf_script_skip(reader, reader->at + size);
        }
    }
    reader->heredoc_count = 0;
}

/* q(...), qw(...), m{...}, s/.../.../, %w[...], %r{...}, and /.../ */
static bool literal_takes_quote(struct hf_script_reader *reader)
{
    static const char *const perl[] = {"qw", "qq", "qr", "q", "tr", "m", "s", "y", NULL};
    static const char *const ruby[] = {"%w", "%i", "%q", "%Q", "%r", "%W", "%I", "%", NULL};
    bool is_perl = reader->language == HF_SOURCE_PERL, is_ruby = reader->language == HF_SOURCE_RUBY;
    bool has_patterns = is_perl || is_ruby || reader->language == HF_SOURCE_JAVASCRIPT;
    const struct hf_source_token *last = hf_script_last(reader);
    bool is_member = last != NULL && last->kind == HF_SOURCE_SIGN && last->size == 2 &&
                     reader->text.data[last->at] == '-';
    size_t size = 0;
    bool is_filled = false;
    if (has_patterns && hf_script_char(reader, 0) == '/' && hf_script_expects_value(reader)) {
        size = 0;
    } else if ((is_perl || is_ruby) && !is_member) {
        const char *const *word = is_perl ? perl : ruby;
        while (*word != NULL && !hf_script_sees(reader, *word))
            word++;
        size = *word != NULL ? strlen(*word) : 0;
        char quote = hf_script_char(reader, size);
        if (size == 0 || quote == '\0' || strchr(is_perl ? "({[</|!" : "({[<", quote) == NULL ||
            (size == 1 && is_ruby && !hf_script_expects_value(reader)) ||
            (is_perl && hf_script_char(reader, size) == '<' && size == 1 && quote == '<'))
            return false;
    } else {
        return false;
    }
    size_t end = hf_script_quoted(reader, reader->at + size, &is_filled);
    bool has_two = is_perl && size != 0 && strchr("sty", hf_script_char(reader, 0)) != NULL;
    if (has_two && end < reader->text.size) {
        char open = hf_script_char(reader, size);
        end = hf_script_quoted(reader, open == hf_script_closing(open) ? end - 1 : end, &is_filled);
    }
    while (
        end < reader->text.size && has_patterns && isalpha((unsigned char)reader->text.data[end]))
        end++; /* "/x/gi" */
    literal_put_string(reader, reader->at, end, size != 0 && is_filled);
    return true;
}

/* R"x(...)x", r#"..."#: the string ends with what it began with; 0: it is none. */
static size_t literal_raw(const struct hf_script_reader *reader)
{
    char end[RAW_MAX + 3];
    size_t at = 1, size = 0;
    bool is_rust = reader->language == HF_SOURCE_RUST;
    if (hf_script_char(reader, 0) == (is_rust ? 'b' : 'L') || hf_script_char(reader, 0) == 'u')
        at++;
    if (hf_script_char(reader, at - 1) != (is_rust ? 'r' : 'R'))
        return 0;
    end[size++] = is_rust ? '"' : ')';
    at += !is_rust && hf_script_char(reader, at) == '"';
    while (size < RAW_MAX && (is_rust ? hf_script_char(reader, at) == '#'
                                      : hf_script_is_part(hf_script_char(reader, at))))
        end[size++] = hf_script_char(reader, at++);
    if (hf_script_char(reader, at) != (is_rust ? '"' : '(') ||
        (!is_rust && hf_script_char(reader, at - size) != '"'))
        return 0;
    if (!is_rust)
        end[size++] = '"';
    end[size] = '\0';
    struct hf_text rest = hf_text_from(reader->text, reader->at + at + 1);
    return at + 1 + hf_text_find_string(rest, end) + size;
}

/* 'x', but not the lifetime 'a of Rust, which is no token. */
static bool literal_takes_letter(struct hf_script_reader *reader)
{
    size_t end = 2;
    if (reader->language == HF_SOURCE_RUST && hf_script_char(reader, 1) != '\\') {
        while ((unsigned char)hf_script_char(reader, end) >= 0x80)
            end++;
        if (hf_script_char(reader, end) != '\'') {
            for (end = 1; hf_script_is_part(hf_script_char(reader, end));)
                end++;
            reader->at += end;
            return true;
        }
    }
    bool ignored = false;
    literal_put_string(reader, reader->at, hf_script_quoted(reader, reader->at, &ignored), false);
    return true;
}

/* The same of C, C++ and Rust. */
static bool literal_takes_text(struct hf_script_reader *reader)
{
    char c = hf_script_char(reader, 0);
    bool ignored = false;
    size_t raw = strchr("RLurb", c) != NULL && c != '\0' ? literal_raw(reader) : 0;
    if (raw != 0)
        literal_put_string(reader, reader->at, reader->at + raw, false);
    else if (c == '"')
        literal_put_string(
            reader, reader->at, hf_script_quoted(reader, reader->at, &ignored), false);
    else
        return c == '\'' && literal_takes_letter(reader);
    return true;
}

bool hf_script_takes_string(struct hf_script_reader *reader)
{
    char c = hf_script_char(reader, 0);
    bool is_filled = false;
    if (hf_source_is_compiled(reader->language))
        return literal_takes_text(reader);
    if (reader->language == HF_SOURCE_PYTHON &&
        (hf_script_sees(reader, "\"\"\"") || hf_script_sees(reader, "'''"))) {
        const char mark[] = {c, c, c, '\0'};
        struct hf_text rest = hf_text_from(reader->text, reader->at + 3);
        literal_put_string(
            reader, reader->at, reader->at + 6 + hf_text_find_string(rest, mark), false);
        return true;
    }
    if (reader->language == HF_SOURCE_LUA && hf_script_sees(reader, "[[")) {
        struct hf_text rest = hf_text_from(reader->text, reader->at);
        literal_put_string(
            reader, reader->at, reader->at + hf_text_find_string(rest, "]]") + 2, false);
        return true;
    }
    if (c == '`' && reader->language == HF_SOURCE_JAVASCRIPT) {
        literal_put_string(reader, reader->at, literal_template(reader), true);
        return true;
    }
    if (c == '"' || c == '\'' || c == '`') {
        size_t end = hf_script_quoted(reader, reader->at, &is_filled);
        literal_put_string(reader, reader->at, end, is_filled && c != '\'');
        return true;
    }
    return literal_takes_quote(reader);
}
