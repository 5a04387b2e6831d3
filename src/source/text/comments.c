#include "source/text/comments.h"

#include "source/text/literals.h"

#include <ctype.h>

/* "#[derive(Debug)]", "#![doc = "a]b"]" of Rust; any other "#" is a sign. */
static bool comment_takes_attribute(struct hf_script_reader *reader)
{
    size_t depth = 0, at = reader->at + 1 + hf_script_sees(reader, "#!");
    struct hf_text text = reader->text;
    bool ignored;
    if (!hf_script_sees(reader, "#[") && !hf_script_sees(reader, "#!["))
        return false;
    for (; at < text.size; at++) {
        if (text.data[at] == '"')
            at = hf_script_quoted(reader, at, &ignored) - 1;
        depth = depth + (text.data[at] == '[') - (text.data[at] == ']');
        if (depth == 0)
            break;
    }
    hf_script_skip(reader, at + 1);
    return true;
}

/* Behind the line that begins at `at`, with those that "\\" at the end of one joins to it. */
static size_t comment_line_end(struct hf_text text, size_t at)
{
    for (; at < text.size; at++) {
        size_t before = at - (at > 1 && text.data[at - 1] == '\r');
        if (text.data[at] == '\n' && text.data[before - 1] != '\\')
            break;
    }
    return at;
}

/* The word of a directive: "if" of "#  if 0"; `*text` becomes what stands behind it. */
static struct hf_text comment_directive(struct hf_text *text)
{
    size_t size = 0;
    *text = hf_text_trim_start(hf_text_from(*text, 1), " \t");
    while (size < text->size && hf_script_is_part(text->data[size]))
        size++;
    struct hf_text word = hf_text_first(*text, size);
    *text = hf_text_trim_start(hf_text_from(*text, size), " \t");
    return word;
}

/* Goes to the line of the "#else", "#elif" or "#endif" of the condition that the reader is in. */
static void comment_skip_branch(struct hf_script_reader *reader)
{
    size_t depth = 0, at = reader->at;
    struct hf_text text = reader->text;
    while (at < text.size) {
        size_t end = comment_line_end(text, at);
        struct hf_text line = hf_text_first(hf_text_from(text, at), end - at);
        line = hf_text_trim_start(line, " \t\n");
        if (hf_text_starts(line, "#")) {
            struct hf_text word = comment_directive(&line);
            bool ends = hf_text_is(word, "endif");
            if (depth == 0 && (ends || hf_text_starts(word, "el")))
                break;
            depth += hf_text_starts(word, "if");
            depth -= ends;
        }
        at = end + 1;
    }
    hf_script_skip(reader, at);
}

/*
 * "#define x \\": no tokens. Both branches of a condition are read, as nobody knows which one was
 * compiled, but not what "#if 0" leaves out, nor a second one if the first opens or closes
 * brackets: "if (a) {" of both would be two.
 */
bool hf_script_takes_directive(struct hf_script_reader *reader)
{
    if (hf_script_char(reader, 0) != '#' || !hf_source_is_compiled(reader->language))
        return false;
    if (reader->language == HF_SOURCE_RUST)
        return comment_takes_attribute(reader);
    struct hf_text line = hf_text_from(reader->text, reader->at);
    struct hf_text word = comment_directive(&line);
    size_t *depth = &reader->condition_depth;
    bool is_known = *depth != 0 && *depth <= HF_SCRIPT_CONDITIONS;
    bool is_over =
        hf_text_starts(word, "el") && is_known && reader->conditions[*depth - 1] != reader->depth;
    bool is_out = hf_text_is(word, "if") && hf_text_starts(line, "0") &&
                  !(line.size > 1 && hf_script_is_part(line.data[1]));
    if (hf_text_starts(word, "if") && ++*depth <= HF_SCRIPT_CONDITIONS)
        reader->conditions[*depth - 1] = reader->depth;
    *depth -= hf_text_is(word, "endif") && *depth != 0;
    hf_script_skip(reader, comment_line_end(reader->text, reader->at));
    if (is_over || is_out)
        comment_skip_branch(reader);
    return true;
}

/* Comments of Rust lie within each other. */
static void comment_skip_nested(struct hf_script_reader *reader)
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
    hf_script_skip(reader, at + 1);
}

bool hf_script_takes_comment(struct hf_script_reader *reader)
{
    enum hf_source_language language = reader->language;
    bool is_compiled = hf_source_is_compiled(language);
    bool has_hash = language != HF_SOURCE_JAVASCRIPT && language != HF_SOURCE_LUA && !is_compiled;
    bool has_slashes = language == HF_SOURCE_JAVASCRIPT || language == HF_SOURCE_PHP || is_compiled;
    bool at_line = reader->at == reader->line_at;
    if (language == HF_SOURCE_RUST && hf_script_sees(reader, "/*")) {
        comment_skip_nested(reader);
    } else if (has_slashes && hf_script_sees(reader, "/*")) {
        hf_script_skip_past(reader, "*/");
    } else if (language == HF_SOURCE_LUA && hf_script_sees(reader, "--[[")) {
        hf_script_skip_past(reader, "]]");
    } else if (language == HF_SOURCE_RUBY && at_line && hf_script_sees(reader, "=begin")) {
        hf_script_skip_past(reader, "\n=end");
    } else if (language == HF_SOURCE_PERL && at_line && hf_script_char(reader, 0) == '=' &&
               hf_script_is_letter(hf_script_char(reader, 1))) {
        hf_script_skip_past(reader, "\n=cut");
    } else if (at_line &&
               (hf_script_sees(reader, "__END__\n") || hf_script_sees(reader, "__DATA__\n"))) {
        hf_script_skip(reader, reader->text.size);
    } else if ((has_hash && hf_script_char(reader, 0) == '#' && !hf_script_sees(reader, "#[")) ||
               (has_hash && language != HF_SOURCE_PHP && hf_script_char(reader, 0) == '#') ||
               (has_slashes && hf_script_sees(reader, "//")) ||
               (language == HF_SOURCE_LUA && hf_script_sees(reader, "--"))) {
        struct hf_text rest = hf_text_from(reader->text, reader->at);
        hf_script_skip(reader, reader->at + hf_text_find(rest, '\n'));
    } else {
        return false;
    }
    return true;
}
