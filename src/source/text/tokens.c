#include "source/text/tokens.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "source/text/generics.h"

#include <ctype.h>
#include <stdlib.h>

#define HEREDOCS_MAX 4
#define RAW_MAX 20        /* letters that begin and end a raw string */
#define CONDITIONS_MAX 20 /* "#if" within each other; of deeper ones both branches are read */
#define BRACKETS_MAX 1000 /* open at once; deeper ones have no other */

struct script_reader {
    struct hf_source_tokens *tokens;
    struct hf_text text;
    enum hf_source_language language;
    size_t at, line_at;
    uint32_t line;
    bool is_first, is_out_of_memory;
    uint32_t open[BRACKETS_MAX];
    size_t depth;
    size_t conditions[CONDITIONS_MAX], condition_depth; /* how many were open at each "#if" */
    struct hf_text heredocs[HEREDOCS_MAX]; /* that begin on the next line: their last words */
    size_t heredoc_count;
};

enum hf_source_language hf_source_language_of(struct hf_text path)
{
    static const struct {
        const char *ending;
        enum hf_source_language language;
    } endings[] = {
        {".py", HF_SOURCE_PYTHON},
        {".rb", HF_SOURCE_RUBY},
        {".pl", HF_SOURCE_PERL},
        {".pm", HF_SOURCE_PERL},
        {".php", HF_SOURCE_PHP},
        {".js", HF_SOURCE_JAVASCRIPT},
        {".mjs", HF_SOURCE_JAVASCRIPT},
        {".cjs", HF_SOURCE_JAVASCRIPT},
        {".ts", HF_SOURCE_JAVASCRIPT},
        {".lua", HF_SOURCE_LUA},
        {".c", HF_SOURCE_C},
        {".cc", HF_SOURCE_CPP},
        {".cpp", HF_SOURCE_CPP},
        {".cxx", HF_SOURCE_CPP},
        {".h", HF_SOURCE_CPP},
        {".hh", HF_SOURCE_CPP},
        {".hpp", HF_SOURCE_CPP},
        {".rs", HF_SOURCE_RUST},
    };
    for (size_t i = 0; i < HF_COUNT(endings); i++) {
        if (hf_text_ends(path, endings[i].ending))
            return endings[i].language;
    }
    return HF_SOURCE_NONE;
}

bool hf_source_is_compiled(enum hf_source_language language)
{
    return language == HF_SOURCE_C || language == HF_SOURCE_CPP || language == HF_SOURCE_RUST;
}

static char reader_char(const struct script_reader *reader, size_t ahead)
{
    size_t at = reader->at + ahead;
    return at < reader->text.size ? reader->text.data[at] : '\0';
}

static bool reader_sees(const struct script_reader *reader, const char *string)
{
    return hf_text_starts(hf_text_from(reader->text, reader->at), string);
}

static bool script_is_letter(char c)
{
    return isalpha((unsigned char)c) != 0 || c == '_' || (unsigned char)c >= 0x80;
}

static bool script_is_part(char c)
{
    return script_is_letter(c) || isdigit((unsigned char)c) != 0;
}

/* Goes on to `to`, and counts the lines. */
static void reader_skip(struct script_reader *reader, size_t to)
{
    if (to > reader->text.size)
        to = reader->text.size;
    for (; reader->at < to; reader->at++) {
        if (reader->text.data[reader->at] == '\n') {
            reader->line++;
            reader->line_at = reader->at + 1;
            reader->is_first = true;
        }
    }
}

/* Behind the first `string` from here, or to the end. */
static void reader_skip_past(struct script_reader *reader, const char *string)
{
    struct hf_text rest = hf_text_from(reader->text, reader->at);
    reader_skip(reader, reader->at + hf_text_find_string(rest, string) + strlen(string));
}

static struct hf_source_token *reader_last(const struct script_reader *reader)
{
    size_t count = reader->tokens->count;
    return count != 0 ? &reader->tokens->items[count - 1] : NULL;
}

/* Adds the token from `begin` to where the reader is; the line is that of its begin. */
static struct hf_source_token *reader_put(
    struct script_reader *reader, struct hf_source_token token, size_t begin, size_t end)
{
    struct hf_source_tokens *tokens = reader->tokens;
    static struct hf_source_token nowhere;
    if (!hf_vec_reserve(
            &tokens->items, &tokens->capacity, tokens->count + 1, sizeof *tokens->items)) {
        reader->is_out_of_memory = true;
        return &nowhere;
    }
    token.at = (uint32_t)begin;
    token.size = (uint32_t)(end - begin);
    token.pair = token.statement = HF_SOURCE_NO;
    tokens->items[tokens->count] = token;
    reader->is_first = false;
    return &tokens->items[tokens->count++];
}

static struct hf_source_token reader_token(
    const struct script_reader *reader, enum hf_source_kind kind)
{
    return (struct hf_source_token){.kind = (uint8_t)kind,
        .line = reader->line,
        .column = (uint32_t)(reader->at - reader->line_at),
        .is_first = reader->is_first};
}

/* A value may begin here, no operator between two: "/" begins a pattern, "<<" a here document. */
static bool reader_expects_value(const struct script_reader *reader)
{
    static const char *const words[] = {"return", "if", "elsif", "unless", "while", "until", "and",
        "or", "not", "in", "when", "case", "split", "grep", "map", "join", "push", "print", "puts",
        "x", "then", "do", "else", "yield", NULL};
    const struct hf_source_token *last = reader_last(reader);
    uint32_t at = (uint32_t)reader->tokens->count - 1;
    if (last == NULL || (last->is_first && last->line != reader->line))
        return true;
    if (last->kind == HF_SOURCE_SIGN)
        return strchr(")]}", reader->text.data[last->at]) == NULL;
    bool is_perls_list = reader->language == HF_SOURCE_PERL && reader_char(reader, 0) != '/' &&
                         reader_char(reader, 0) != '<'; /* "keys %index" */
    return last->kind == HF_SOURCE_NAME && last->sigil == 0 &&
           (is_perls_list || hf_source_is_any_word(reader->tokens, at, words));
}

static char script_closing(char open)
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
static size_t reader_filling(struct hf_text text, size_t at)
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
static size_t reader_quoted(const struct script_reader *reader, size_t at, bool *is_filled)
{
    const struct hf_text text = reader->text;
    char open = text.data[at], close = script_closing(open);
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
            at = reader_filling(text, at);
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

static void reader_put_string(struct script_reader *reader, size_t begin, size_t end, bool fills)
{
    struct hf_source_token token = reader_token(reader, HF_SOURCE_STRING);
    token.is_filled = fills;
    (void)reader_put(reader, token, begin, end > reader->text.size ? reader->text.size : end);
    bool was_first = reader->is_first;
    reader_skip(reader, end);
    reader->is_first = was_first && reader->line == token.line;
}

/* A template of JavaScript: `a ${b(`c`)} d`. */
static size_t reader_template(const struct script_reader *reader)
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

/* "#[derive(Debug)]", "#![doc = "a]b"]" of Rust; any other "#" is a sign. */
static bool reader_takes_attribute(struct script_reader *reader)
{
    size_t depth = 0, at = reader->at + 1 + reader_sees(reader, "#!");
    struct hf_text text = reader->text;
    bool ignored;
    if (!reader_sees(reader, "#[") && !reader_sees(reader, "#!["))
        return false;
    for (; at < text.size; at++) {
        if (text.data[at] == '"')
            at = reader_quoted(reader, at, &ignored) - 1;
        depth = depth + (text.data[at] == '[') - (text.data[at] == ']');
        if (depth == 0)
            break;
    }
    reader_skip(reader, at + 1);
    return true;
}

/* Behind the line that begins at `at`, with those that "\\" at the end of one joins to it. */
static size_t reader_line_end(struct hf_text text, size_t at)
{
    for (; at < text.size; at++) {
        size_t before = at - (at > 1 && text.data[at - 1] == '\r');
        if (text.data[at] == '\n' && text.data[before - 1] != '\\')
            break;
    }
    return at;
}

/* The word of a directive: "if" of "#  if 0"; `*text` becomes what stands behind it. */
static struct hf_text reader_directive(struct hf_text *text)
{
    size_t size = 0;
    *text = hf_text_trim_start(hf_text_from(*text, 1), " \t");
    while (size < text->size && script_is_part(text->data[size]))
        size++;
    struct hf_text word = hf_text_first(*text, size);
    *text = hf_text_trim_start(hf_text_from(*text, size), " \t");
    return word;
}

/* Goes to the line of the "#else", "#elif" or "#endif" of the condition that the reader is in. */
static void reader_skip_branch(struct script_reader *reader)
{
    size_t depth = 0, at = reader->at;
    struct hf_text text = reader->text;
    while (at < text.size) {
        size_t end = reader_line_end(text, at);
        struct hf_text line = hf_text_first(hf_text_from(text, at), end - at);
        line = hf_text_trim_start(line, " \t\n");
        if (hf_text_starts(line, "#")) {
            struct hf_text word = reader_directive(&line);
            bool ends = hf_text_is(word, "endif");
            if (depth == 0 && (ends || hf_text_starts(word, "el")))
                break;
            depth += hf_text_starts(word, "if");
            depth -= ends;
        }
        at = end + 1;
    }
    reader_skip(reader, at);
}

/*
 * "#define x \\": no tokens. Both branches of a condition are read, as nobody knows which one was
 * compiled, but not what "#if 0" leaves out, nor a second one if the first opens or closes
 * brackets: "if (a) {" of both would be two.
 */
static bool reader_takes_directive(struct script_reader *reader)
{
    if (reader_char(reader, 0) != '#' || !hf_source_is_compiled(reader->language))
        return false;
    if (reader->language == HF_SOURCE_RUST)
        return reader_takes_attribute(reader);
    struct hf_text line = hf_text_from(reader->text, reader->at);
    struct hf_text word = reader_directive(&line);
    size_t *depth = &reader->condition_depth;
    bool is_known = *depth != 0 && *depth <= CONDITIONS_MAX;
    bool is_over =
        hf_text_starts(word, "el") && is_known && reader->conditions[*depth - 1] != reader->depth;
    bool is_out = hf_text_is(word, "if") && hf_text_starts(line, "0") &&
                  !(line.size > 1 && script_is_part(line.data[1]));
    if (hf_text_starts(word, "if") && ++*depth <= CONDITIONS_MAX)
        reader->conditions[*depth - 1] = reader->depth;
    *depth -= hf_text_is(word, "endif") && *depth != 0;
    reader_skip(reader, reader_line_end(reader->text, reader->at));
    if (is_over || is_out)
        reader_skip_branch(reader);
    return true;
}

/* Comments of Rust lie within each other. */
static void reader_skip_nested(struct script_reader *reader)
{
    size_t depth = 0, at = reader->at;
    for (; at + 1 < reader->text.size; at++) {
        struct hf_text rest = hf_text_from(reader->text, at);
        bool opens = hf_text_starts(rest, "/*"), closes = hf_text_starts(rest, "*/");
        at += opens || closes;
        depth += opens;
        if (closes && --depth == 0)
            break;
    }
    reader_skip(reader, at + 1);
}

static bool reader_takes_comment(struct script_reader *reader)
{
    enum hf_source_language language = reader->language;
    bool is_compiled = hf_source_is_compiled(language);
    bool has_hash = language != HF_SOURCE_JAVASCRIPT && language != HF_SOURCE_LUA && !is_compiled;
    bool has_slashes = language == HF_SOURCE_JAVASCRIPT || language == HF_SOURCE_PHP || is_compiled;
    bool at_line = reader->at == reader->line_at;
    if (language == HF_SOURCE_RUST && reader_sees(reader, "/*")) {
        reader_skip_nested(reader);
    } else if (has_slashes && reader_sees(reader, "/*")) {
        reader_skip_past(reader, "*/");
    } else if (language == HF_SOURCE_LUA && reader_sees(reader, "--[[")) {
        reader_skip_past(reader, "]]");
    } else if (language == HF_SOURCE_RUBY && at_line && reader_sees(reader, "=begin")) {
        reader_skip_past(reader, "\n=end");
    } else if (language == HF_SOURCE_PERL && at_line && reader_char(reader, 0) == '=' &&
               script_is_letter(reader_char(reader, 1))) {
        reader_skip_past(reader, "\n=cut");
    } else if (at_line && (reader_sees(reader, "__END__\n") || reader_sees(reader, "__DATA__\n"))) {
        reader_skip(reader, reader->text.size);
    } else if ((has_hash && reader_char(reader, 0) == '#' && !reader_sees(reader, "#[")) ||
               (has_hash && language != HF_SOURCE_PHP && reader_char(reader, 0) == '#') ||
               (has_slashes && reader_sees(reader, "//")) ||
               (language == HF_SOURCE_LUA && reader_sees(reader, "--"))) {
        struct hf_text rest = hf_text_from(reader->text, reader->at);
        reader_skip(reader, reader->at + hf_text_find(rest, '\n'));
    } else {
        return false;
    }
    return true;
}

/* "<<~EOT", "<<'EOT'", "<<<EOT": the text begins on the next line, and ends with its word. */
static bool reader_takes_heredoc(struct script_reader *reader)
{
    size_t at = 2;
    bool is_php = reader->language == HF_SOURCE_PHP;
    if ((!is_php && reader->language != HF_SOURCE_PERL && reader->language != HF_SOURCE_RUBY) ||
        !reader_sees(reader, is_php ? "<<<" : "<<") || !reader_expects_value(reader))
        return false;
    at += is_php;
    while (strchr("~- ", reader_char(reader, at)) != NULL && reader_char(reader, at) != '\0')
        at++;
    char quote = reader_char(reader, at);
    bool is_quoted = quote == '"' || quote == '\'';
    at += is_quoted;
    size_t begin = at;
    while (script_is_part(reader_char(reader, at)))
        at++;
    if (at == begin || (!is_quoted && islower((unsigned char)reader_char(reader, begin)) != 0))
        return false;
    if (reader->heredoc_count < HEREDOCS_MAX)
        reader->heredocs[reader->heredoc_count++] =
            hf_text_first(hf_text_from(reader->text, reader->at + begin), at - begin);
    reader_put_string(reader, reader->at, reader->at + at + is_quoted, quote != '\'');
    return true;
}

/* The lines of here documents are no tokens. */
static void reader_skip_heredocs(struct script_reader *reader)
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
            reader_skip(reader, reader->at + size);
        }
    }
    reader->heredoc_count = 0;
}

/* q(...), qw(...), m{...}, s/.../.../, %w[...], %r{...}, and /.../ */
static bool reader_takes_quote(struct script_reader *reader)
{
    static const char *const perl[] = {"qw", "qq", "qr", "q", "tr", "m", "s", "y", NULL};
    static const char *const ruby[] = {"%w", "%i", "%q", "%Q", "%r", "%W", "%I", "%", NULL};
    bool is_perl = reader->language == HF_SOURCE_PERL, is_ruby = reader->language == HF_SOURCE_RUBY;
    bool has_patterns = is_perl || is_ruby || reader->language == HF_SOURCE_JAVASCRIPT;
    const struct hf_source_token *last = reader_last(reader);
    bool is_member = last != NULL && last->kind == HF_SOURCE_SIGN && last->size == 2 &&
                     reader->text.data[last->at] == '-';
    size_t size = 0;
    bool is_filled = false;
    if (has_patterns && reader_char(reader, 0) == '/' && reader_expects_value(reader)) {
        size = 0;
    } else if ((is_perl || is_ruby) && !is_member) {
        const char *const *word = is_perl ? perl : ruby;
        while (*word != NULL && !reader_sees(reader, *word))
            word++;
        size = *word != NULL ? strlen(*word) : 0;
        char quote = reader_char(reader, size);
        if (size == 0 || quote == '\0' || strchr(is_perl ? "({[</|!" : "({[<", quote) == NULL ||
            (size == 1 && is_ruby && !reader_expects_value(reader)) ||
            (is_perl && reader_char(reader, size) == '<' && size == 1 && quote == '<'))
            return false;
    } else {
        return false;
    }
    size_t end = reader_quoted(reader, reader->at + size, &is_filled);
    bool has_two = is_perl && size != 0 && strchr("sty", reader_char(reader, 0)) != NULL;
    if (has_two && end < reader->text.size) {
        char open = reader_char(reader, size);
        end = reader_quoted(reader, open == script_closing(open) ? end - 1 : end, &is_filled);
    }
    while (
        end < reader->text.size && has_patterns && isalpha((unsigned char)reader->text.data[end]))
        end++; /* "/x/gi" */
    reader_put_string(reader, reader->at, end, size != 0 && is_filled);
    return true;
}

/* R"x(...)x", r#"..."#: the string ends with what it began with; 0: it is none. */
static size_t reader_raw(const struct script_reader *reader)
{
    char end[RAW_MAX + 3];
    size_t at = 1, size = 0;
    bool is_rust = reader->language == HF_SOURCE_RUST;
    if (reader_char(reader, 0) == (is_rust ? 'b' : 'L') || reader_char(reader, 0) == 'u')
        at++;
    if (reader_char(reader, at - 1) != (is_rust ? 'r' : 'R'))
        return 0;
    end[size++] = is_rust ? '"' : ')';
    at += !is_rust && reader_char(reader, at) == '"';
    while (size < RAW_MAX &&
           (is_rust ? reader_char(reader, at) == '#' : script_is_part(reader_char(reader, at))))
        end[size++] = reader_char(reader, at++);
    if (reader_char(reader, at) != (is_rust ? '"' : '(') ||
        (!is_rust && reader_char(reader, at - size) != '"'))
        return 0;
    if (!is_rust)
        end[size++] = '"';
    end[size] = '\0';
    struct hf_text rest = hf_text_from(reader->text, reader->at + at + 1);
    return at + 1 + hf_text_find_string(rest, end) + size;
}

/* 'x', but not the lifetime 'a of Rust, which is no token. */
static bool reader_takes_letter(struct script_reader *reader)
{
    size_t end = 2;
    if (reader->language == HF_SOURCE_RUST && reader_char(reader, 1) != '\\') {
        while ((unsigned char)reader_char(reader, end) >= 0x80)
            end++;
        if (reader_char(reader, end) != '\'') {
            for (end = 1; script_is_part(reader_char(reader, end));)
                end++;
            reader->at += end;
            return true;
        }
    }
    bool ignored = false;
    reader_put_string(reader, reader->at, reader_quoted(reader, reader->at, &ignored), false);
    return true;
}

/* The same of C, C++ and Rust. */
static bool reader_takes_text(struct script_reader *reader)
{
    char c = reader_char(reader, 0);
    bool ignored = false;
    size_t raw = strchr("RLurb", c) != NULL && c != '\0' ? reader_raw(reader) : 0;
    if (raw != 0)
        reader_put_string(reader, reader->at, reader->at + raw, false);
    else if (c == '"')
        reader_put_string(reader, reader->at, reader_quoted(reader, reader->at, &ignored), false);
    else
        return c == '\'' && reader_takes_letter(reader);
    return true;
}

static bool reader_takes_string(struct script_reader *reader)
{
    char c = reader_char(reader, 0);
    bool is_filled = false;
    if (hf_source_is_compiled(reader->language))
        return reader_takes_text(reader);
    if (reader->language == HF_SOURCE_PYTHON &&
        (reader_sees(reader, "\"\"\"") || reader_sees(reader, "'''"))) {
        const char mark[] = {c, c, c, '\0'};
        struct hf_text rest = hf_text_from(reader->text, reader->at + 3);
        reader_put_string(
            reader, reader->at, reader->at + 6 + hf_text_find_string(rest, mark), false);
        return true;
    }
    if (reader->language == HF_SOURCE_LUA && reader_sees(reader, "[[")) {
        struct hf_text rest = hf_text_from(reader->text, reader->at);
        reader_put_string(
            reader, reader->at, reader->at + hf_text_find_string(rest, "]]") + 2, false);
        return true;
    }
    if (c == '`' && reader->language == HF_SOURCE_JAVASCRIPT) {
        reader_put_string(reader, reader->at, reader_template(reader), true);
        return true;
    }
    if (c == '"' || c == '\'' || c == '`') {
        size_t end = reader_quoted(reader, reader->at, &is_filled);
        reader_put_string(reader, reader->at, end, is_filled && c != '\'');
        return true;
    }
    return reader_takes_quote(reader);
}

/* The name of so many bytes is only the beginning of a text, or of a raw name of Rust. */
static bool reader_has_prefix(const struct script_reader *reader, size_t size)
{
    static const char *const all[] = {"L", "u", "U", "u8", "b", "c"};
    struct hf_text name = hf_text_first(hf_text_from(reader->text, reader->at), size);
    char next = reader_char(reader, size);
    if (reader->language == HF_SOURCE_RUST && hf_text_is(name, "r") && next == '#')
        return script_is_letter(reader_char(reader, size + 1));
    for (size_t i = 0; i < HF_COUNT(all) && (next == '"' || next == '\''); i++) {
        if (hf_text_is(name, all[i]))
            return true;
    }
    return false;
}

static bool reader_takes_name(struct script_reader *reader)
{
    struct hf_source_token token = reader_token(reader, HF_SOURCE_NAME);
    enum hf_source_language language = reader->language;
    bool has_sigils =
        language == HF_SOURCE_PERL || language == HF_SOURCE_PHP || language == HF_SOURCE_RUBY;
    char c = reader_char(reader, 0);
    size_t from = 0;
    if (has_sigils && c == '$')
        token.sigil = '$';
    else if ((language == HF_SOURCE_PERL && (c == '@' || c == '%')) ||
             (language == HF_SOURCE_RUBY && c == '@'))
        token.sigil = c;
    while (token.sigil != 0 && (reader_char(reader, from) == token.sigil))
        from++;
    if (language == HF_SOURCE_PERL && c == '$' && reader_char(reader, from) == '#')
        from++; /* "$#list" */
    size_t end = from;
    while (script_is_part(reader_char(reader, end)))
        end++;
    bool is_bare = end > from && script_is_letter(reader_char(reader, from));
    if (end == from && c == '$' && language == HF_SOURCE_PERL &&
        strchr("{$", reader_char(reader, from)) == NULL)
        end++; /* "$@" */
    if (end == from || (token.sigil == 0 && !is_bare) ||
        (token.sigil == '%' && (!is_bare || !reader_expects_value(reader))))
        return false;
    if (language == HF_SOURCE_PYTHON && end <= 2 &&
        strchr("'\"", reader_char(reader, end)) != NULL) {
        reader->at += end; /* f"..." */
        return true;
    }
    if (hf_source_is_compiled(language) && reader_has_prefix(reader, end)) {
        reader->at += end + (reader_char(reader, end) == '#'); /* L"...", b'x', r#type */
        return true;
    }
    if (language == HF_SOURCE_RUBY && strchr("?!", reader_char(reader, end)) != NULL &&
        reader_char(reader, end + 1) != '=')
        end++;
    (void)reader_put(reader, token, reader->at + from, reader->at + end);
    reader->at += end;
    return true;
}

static bool reader_takes_number(struct script_reader *reader)
{
    size_t end = 0;
    if (isdigit((unsigned char)reader_char(reader, 0)) == 0)
        return false;
    bool is_c = reader->language == HF_SOURCE_CPP || reader->language == HF_SOURCE_C;
    while (script_is_part(reader_char(reader, end)) || /* "1'000", "0xDEAD'BEEF" */
           (is_c && reader_char(reader, end) == '\'' &&
               isxdigit((unsigned char)reader_char(reader, end + 1)) != 0) ||
           (reader_char(reader, end) == '.' &&
               isdigit((unsigned char)reader_char(reader, end + 1)) != 0))
        end++;
    (void)reader_put(reader, reader_token(reader, HF_SOURCE_NUMBER), reader->at, reader->at + end);
    reader->at += end;
    return true;
}

static void reader_pair(struct script_reader *reader, uint32_t at)
{
    struct hf_source_token *items = reader->tokens->items;
    char c = reader->text.data[items[at].at];
    if (strchr("([{", c) != NULL) {
        if (reader->depth < BRACKETS_MAX)
            reader->open[reader->depth++] = at;
    } else if (strchr(")]}", c) != NULL && reader->depth != 0) {
        uint32_t open = reader->open[reader->depth - 1];
        if (script_closing(reader->text.data[items[open].at]) != c)
            return;
        reader->depth--;
        items[at].pair = open;
        items[open].pair = at;
    }
}

static void reader_take_sign(struct script_reader *reader)
{
    static const char *const signs[] = {"**=", "//=", "||=", "&&=", "?\?=", "<=>",
        "===", "!==", "...", "<<=", ">>=", "?->", "**", "//", "||", "&&", "?\?", "=>", "->",
        "==", "!=", "<=", ">=", "=~", "!~",
        "~=", "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "^=", ":=", "<<", ">>", "::", "..",
        "&.", "?.", "++", "--"};
    size_t size = 1;
    for (size_t i = 0; size == 1 && i < HF_COUNT(signs); i++) {
        if (reader_sees(reader, signs[i]))
            size = strlen(signs[i]);
    }
    uint32_t at = (uint32_t)reader->tokens->count;
    (void)reader_put(reader, reader_token(reader, HF_SOURCE_SIGN), reader->at, reader->at + size);
    reader->at += size;
    if (at < reader->tokens->count)
        reader_pair(reader, at);
}

/* "\@list", "&$code", "@{$list}": what stands before a value and says what of it is meant. */
static bool reader_skips_sign(struct script_reader *reader)
{
    char c = reader_char(reader, 0), next = reader_char(reader, 1);
    bool is_perl = reader->language == HF_SOURCE_PERL;
    if (c == '\\' ||
        (is_perl && strchr("@%$&", c) != NULL && c != '\0' && (next == '{' || next == '$') &&
            (c == '@' || reader_expects_value(reader)))) {
        reader->at++;
        return true;
    }
    return false;
}

static void reader_take(struct script_reader *reader)
{
    char c = reader_char(reader, 0);
    if (c == '\n') {
        reader_skip(reader, reader->at + 1);
        reader_skip_heredocs(reader);
    } else if (isspace((unsigned char)c) != 0 || c == '\0') {
        reader->at++;
    } else if (c == '?' && reader->language == HF_SOURCE_RUST && reader_char(reader, 1) != '.') {
        reader->at++;
    } else if (reader_takes_comment(reader) || reader_takes_directive(reader) ||
               reader_takes_heredoc(reader) || reader_takes_string(reader) ||
               reader_skips_sign(reader) || reader_takes_name(reader) ||
               reader_takes_number(reader)) {
        return;
    } else {
        reader_take_sign(reader);
    }
}

bool hf_source_tokens_find(
    struct hf_source_tokens *tokens, struct hf_text text, enum hf_source_language language)
{
    *tokens = (struct hf_source_tokens){.text = text, .language = language};
    struct script_reader reader = {
        .tokens = tokens, .text = text, .language = language, .line = 1, .is_first = true};
    if (language == HF_SOURCE_PHP)
        reader_skip_past(&reader, "<?php");
    while (reader.at < text.size && !reader.is_out_of_memory)
        reader_take(&reader);
    if (language == HF_SOURCE_CPP || language == HF_SOURCE_RUST)
        hf_source_drop_generics(tokens);
    return !reader.is_out_of_memory;
}

void hf_source_tokens_done(struct hf_source_tokens *tokens)
{
    hf_budget_put_back(tokens->capacity * sizeof *tokens->items);
    free(tokens->items);
    *tokens = (struct hf_source_tokens){0};
}

struct hf_text hf_source_token_text(const struct hf_source_tokens *tokens, uint32_t at)
{
    if (at >= tokens->count)
        return (struct hf_text){NULL, 0};
    return hf_text_first(hf_text_from(tokens->text, tokens->items[at].at), tokens->items[at].size);
}

bool hf_source_is_kind(const struct hf_source_tokens *tokens, uint32_t at, enum hf_source_kind kind)
{
    return at < tokens->count && tokens->items[at].kind == kind;
}

bool hf_source_is_word(const struct hf_source_tokens *tokens, uint32_t at, const char *word)
{
    return hf_source_is_kind(tokens, at, HF_SOURCE_NAME) &&
           hf_text_is(hf_source_token_text(tokens, at), word);
}

bool hf_source_is_sign(const struct hf_source_tokens *tokens, uint32_t at, const char *sign)
{
    return hf_source_is_kind(tokens, at, HF_SOURCE_SIGN) &&
           hf_text_is(hf_source_token_text(tokens, at), sign);
}

bool hf_source_is_any_word(
    const struct hf_source_tokens *tokens, uint32_t at, const char *const *words)
{
    while (*words != NULL && !hf_source_is_word(tokens, at, *words))
        words++;
    return *words != NULL;
}

bool hf_source_is_any_sign(
    const struct hf_source_tokens *tokens, uint32_t at, const char *const *signs)
{
    while (*signs != NULL && !hf_source_is_sign(tokens, at, *signs))
        signs++;
    return *signs != NULL;
}
