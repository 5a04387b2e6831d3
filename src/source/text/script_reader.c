#include "source/text/script_reader.h"

#include "base/containers/vec.h"

#include <ctype.h>

char hf_script_char(const struct hf_script_reader *reader, size_t ahead)
{
    size_t at = reader->at + ahead;
    return at < reader->text.size ? reader->text.data[at] : '\0';
}

bool hf_script_sees(const struct hf_script_reader *reader, const char *string)
{
    return hf_text_starts(hf_text_from(reader->text, reader->at), string);
}

bool hf_script_is_letter(char c)
{
    return isalpha((unsigned char)c) != 0 || c == '_' || (unsigned char)c >= 0x80;
}

bool hf_script_is_part(char c)
{
    return hf_script_is_letter(c) || isdigit((unsigned char)c) != 0;
}

/* Goes on to `to`, and counts the lines. */
void hf_script_skip(struct hf_script_reader *reader, size_t to)
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
void hf_script_skip_past(struct hf_script_reader *reader, const char *string)
{
    struct hf_text rest = hf_text_from(reader->text, reader->at);
    hf_script_skip(reader, reader->at + hf_text_find_string(rest, string) + strlen(string));
}

struct hf_source_token *hf_script_last(const struct hf_script_reader *reader)
{
    size_t count = reader->tokens->count;
    return count != 0 ? &reader->tokens->items[count - 1] : NULL;
}

/* Adds the token from `begin` to where the reader is; the line is that of its begin. */
struct hf_source_token *hf_script_put(
    struct hf_script_reader *reader, struct hf_source_token token, size_t begin, size_t end)
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

struct hf_source_token hf_script_token(
    const struct hf_script_reader *reader, enum hf_source_kind kind)
{
    return (struct hf_source_token){.kind = (uint8_t)kind,
        .line = reader->line,
        .column = (uint32_t)(reader->at - reader->line_at),
        .is_first = reader->is_first};
}
