#include "spec/line.h"

#include "base/limits.h"
#include "base/strings/num.h"

bool hf_spec_begin(struct hf_spec_line *l, struct hf_arena *arena, struct hf_text text)
{
    if (text.size > HF_LIMIT_SPEC_BYTES) {
        l->status = hf_error_set(l->err, HF_ERR_LIMIT,
            "%s: longer than %u bytes (HF_LIMIT_SPEC_BYTES)", l->name, HF_LIMIT_SPEC_BYTES);
        return false;
    }
    l->rest = (struct hf_text){hf_arena_copy(arena, text.data, text.size), text.size};
    if (l->rest.data == NULL)
        l->status = hf_error_memory(l->err);
    return l->rest.data != NULL;
}

bool hf_spec_next_line(struct hf_spec_line *l)
{
    if (l->rest.size == 0)
        return false;
    struct hf_text all = hf_text_first(l->rest, hf_text_find(l->rest, '\n'));
    l->rest = hf_text_from(l->rest, all.size + 1);
    l->text = hf_text_trim_end(all, "\r");
    l->at = 0;
    l->number++;
    return true;
}

bool hf_spec_expected_at(struct hf_spec_line *l, size_t at, const char *what)
{
    struct hf_text found = hf_text_from(l->text, at);
    size_t end = 0;
    while (end < found.size && memchr(" \t#", found.data[end], 3) == NULL)
        end++;
    found = hf_text_first(found, end < 40 ? end : 40);
    if (found.size == 0)
        l->status = hf_error_set(l->err, HF_ERR_INPUT,
            "column %zu: expected %s, found the end of the line", at + 1, what);
    else
        l->status = hf_error_set(l->err, HF_ERR_INPUT, "column %zu: expected %s, found '%.*s'",
            at + 1, what, (int)found.size, found.data);
    hf_error_at_line(l->err, l->name, l->number);
    return false;
}

bool hf_spec_expected(struct hf_spec_line *l, const char *what)
{
    return hf_spec_expected_at(l, l->at, what);
}

struct hf_text hf_spec_rest(const struct hf_spec_line *l)
{
    return hf_text_from(l->text, l->at);
}

bool hf_spec_take(struct hf_spec_line *l, const char *text)
{
    if (!hf_text_starts(hf_spec_rest(l), text))
        return false;
    l->at += strlen(text);
    return true;
}

bool hf_spec_next_word(struct hf_spec_line *l)
{
    while (hf_spec_take(l, " ") || hf_spec_take(l, "\t"))
        ;
    return l->at < l->text.size && l->text.data[l->at] != '#';
}

struct hf_text hf_spec_take_text(struct hf_spec_line *l)
{
    struct hf_text word = hf_spec_rest(l);
    size_t size = 0;
    while (size < word.size && memchr(" \t#", word.data[size], sizeof " \t#") == NULL)
        size++; /* a NUL ends it, too, and nobody expects one */
    l->at += size;
    return hf_text_first(word, size);
}

int hf_spec_take_word(struct hf_spec_line *l, const char *const *words, int count)
{
    size_t start = l->at;
    struct hf_text word = hf_spec_take_text(l);
    for (int i = 0; i < count; i++)
        if (hf_text_is(word, words[i]))
            return i;
    l->at = start;
    return -1;
}

bool hf_spec_take_number(struct hf_spec_line *l, uint64_t *out_number)
{
    struct hf_text rest = hf_spec_rest(l);
    bool is_hex = hf_text_take(&rest, "0x");
    if (!(is_hex ? hf_num_take_hex(&rest, out_number) : hf_num_take_u64(&rest, out_number)))
        return hf_spec_expected(l, "a number");
    l->at = l->text.size - rest.size;
    return true;
}
