#include "source/text/tokens.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "source/text/comments.h"
#include "source/text/generics.h"
#include "source/text/literals.h"

#include <ctype.h>
#include <stdlib.h>

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

/* The name of so many bytes is only the beginning of a text, or of a raw name of Rust. */
static bool reader_has_prefix(const struct hf_script_reader *reader, size_t size)
{
    static const char *const all[] = {"L", "u", "U", "u8", "b", "c"};
    struct hf_text name = hf_text_first(hf_text_from(reader->text, reader->at), size);
    char next = hf_script_char(reader, size);
    if (reader->language == HF_SOURCE_RUST && hf_text_is(name, "r") && next == '#')
        return hf_script_is_letter(hf_script_char(reader, size + 1));
    for (size_t i = 0; i < HF_COUNT(all) && (next == '"' || next == '\''); i++) {
        if (hf_text_is(name, all[i]))
            return true;
    }
    return false;
}

static bool reader_takes_name(struct hf_script_reader *reader)
{
    struct hf_source_token token = hf_script_token(reader, HF_SOURCE_NAME);
    enum hf_source_language language = reader->language;
    bool has_sigils =
        language == HF_SOURCE_PERL || language == HF_SOURCE_PHP || language == HF_SOURCE_RUBY;
    char c = hf_script_char(reader, 0);
    size_t from = 0;
    if (has_sigils && c == '$')
        token.sigil = '$';
    else if ((language == HF_SOURCE_PERL && (c == '@' || c == '%')) ||
             (language == HF_SOURCE_RUBY && c == '@'))
        token.sigil = c;
    while (token.sigil != 0 && (hf_script_char(reader, from) == token.sigil))
        from++;
    if (language == HF_SOURCE_PERL && c == '$' && hf_script_char(reader, from) == '#')
        from++; /* "$#list" */
    size_t end = from;
    while (hf_script_is_part(hf_script_char(reader, end)))
        end++;
    bool is_bare = end > from && hf_script_is_letter(hf_script_char(reader, from));
    if (end == from && c == '$' && language == HF_SOURCE_PERL &&
        strchr("{$", hf_script_char(reader, from)) == NULL)
        end++; /* "$@" */
    if (end == from || (token.sigil == 0 && !is_bare) ||
        (token.sigil == '%' && (!is_bare || !hf_script_expects_value(reader))))
        return false;
    if (language == HF_SOURCE_PYTHON && end <= 2 &&
        strchr("'\"", hf_script_char(reader, end)) != NULL) {
        reader->at += end; /* f"..." */
        return true;
    }
    if (hf_source_is_compiled(language) && reader_has_prefix(reader, end)) {
        reader->at += end + (hf_script_char(reader, end) == '#'); /* L"...", b'x', r#type */
        return true;
    }
    if (language == HF_SOURCE_RUBY && strchr("?!", hf_script_char(reader, end)) != NULL &&
        hf_script_char(reader, end + 1) != '=')
        end++;
    (void)hf_script_put(reader, token, reader->at + from, reader->at + end);
    reader->at += end;
    return true;
}

static bool reader_takes_number(struct hf_script_reader *reader)
{
    size_t end = 0;
    if (isdigit((unsigned char)hf_script_char(reader, 0)) == 0)
        return false;
    bool is_c = reader->language == HF_SOURCE_CPP || reader->language == HF_SOURCE_C;
    while (hf_script_is_part(hf_script_char(reader, end)) || /* "1'000", "0xDEAD'BEEF" */
           (is_c && hf_script_char(reader, end) == '\'' &&
               isxdigit((unsigned char)hf_script_char(reader, end + 1)) != 0) ||
           (hf_script_char(reader, end) == '.' &&
               isdigit((unsigned char)hf_script_char(reader, end + 1)) != 0))
        end++;
    (void)hf_script_put(
        reader, hf_script_token(reader, HF_SOURCE_NUMBER), reader->at, reader->at + end);
    reader->at += end;
    return true;
}

static void reader_pair(struct hf_script_reader *reader, uint32_t at)
{
    struct hf_source_token *items = reader->tokens->items;
    char c = reader->text.data[items[at].at];
    if (strchr("([{", c) != NULL) {
        if (reader->depth < HF_SCRIPT_BRACKETS)
            reader->open[reader->depth++] = at;
    } else if (strchr(")]}", c) != NULL && reader->depth != 0) {
        uint32_t open = reader->open[reader->depth - 1];
        if (hf_script_closing(reader->text.data[items[open].at]) != c)
            return;
        reader->depth--;
        items[at].pair = open;
        items[open].pair = at;
    }
}

static void reader_take_sign(struct hf_script_reader *reader)
{
    static const char *const signs[] = {"**=", "//=", "||=", "&&=", "?\?=", "<=>",
        "===", "!==", "...", "<<=", ">>=", "?->", "**", "//", "||", "&&", "?\?", "=>", "->",
        "==", "!=", "<=", ">=", "=~", "!~",
        "~=", "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "^=", ":=", "<<", ">>", "::", "..",
        "&.", "?.", "++", "--"};
    size_t size = 1;
    for (size_t i = 0; size == 1 && i < HF_COUNT(signs); i++) {
        if (hf_script_sees(reader, signs[i]))
            size = strlen(signs[i]);
    }
    uint32_t at = (uint32_t)reader->tokens->count;
    (void)hf_script_put(
        reader, hf_script_token(reader, HF_SOURCE_SIGN), reader->at, reader->at + size);
    reader->at += size;
    if (at < reader->tokens->count)
        reader_pair(reader, at);
}

/* "\@list", "&$code", "@{$list}": what stands before a value and says what of it is meant. */
static bool reader_skips_sign(struct hf_script_reader *reader)
{
    char c = hf_script_char(reader, 0), next = hf_script_char(reader, 1);
    bool is_perl = reader->language == HF_SOURCE_PERL;
    if (c == '\\' ||
        (is_perl && strchr("@%$&", c) != NULL && c != '\0' && (next == '{' || next == '$') &&
            (c == '@' || hf_script_expects_value(reader)))) {
        reader->at++;
        return true;
    }
    return false;
}

static void reader_take(struct hf_script_reader *reader)
{
    char c = hf_script_char(reader, 0);
    if (c == '\n') {
        hf_script_skip(reader, reader->at + 1);
        hf_script_skip_heredocs(reader);
    } else if (isspace((unsigned char)c) != 0 || c == '\0') {
        reader->at++;
    } else if (c == '?' && reader->language == HF_SOURCE_RUST && hf_script_char(reader, 1) != '.') {
        reader->at++;
    } else if (hf_script_takes_comment(reader) || hf_script_takes_directive(reader) ||
               hf_script_takes_heredoc(reader) || hf_script_takes_string(reader) ||
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
    struct hf_script_reader reader = {
        .tokens = tokens, .text = text, .language = language, .line = 1, .is_first = true};
    if (language == HF_SOURCE_PHP)
        hf_script_skip_past(&reader, "<?php");
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
