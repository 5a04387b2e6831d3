#include "cli/compat/arguments.h"

#include "base/containers/vec.h"
#include "os/file.h"

#include <stdlib.h>
#include <string.h>

/* The words of a file as an argument vector. */
struct words {
    char **items;
    size_t count, capacity;
};

static bool arguments_begin(struct words *words, bool *is_inside, char *at)
{
    if (*is_inside)
        return true;
    *is_inside = true;
    if (!hf_vec_reserve(&words->items, &words->capacity, words->count + 1, sizeof *words->items))
        return false;
    words->items[words->count++] = at;
    return true;
}

/* Splits `text` in place; a word is never longer than what it was written as. */
static bool arguments_split(struct words *words, char *text, size_t size)
{
    char *end = text, quote = '\0';
    bool is_inside = false;
    for (size_t i = 0; i < size; i++) {
        bool is_quote = quote != '\0' ? text[i] == quote : text[i] == '"' || text[i] == '\'';
        if (quote == '\0' && strchr(" \t\r\n\v\f", text[i]) != NULL) {
            if (is_inside)
                *end++ = '\0';
            is_inside = false;
            continue;
        }
        if (!arguments_begin(words, &is_inside, end))
            return false;
        if (is_quote)
            quote = quote == '\0' ? text[i] : '\0';
        else if (text[i] == '\\' && i + 1 < size)
            *end++ = text[++i];
        else
            *end++ = text[i];
    }
    *end = '\0';
    return true;
}

static enum hf_status arguments_add(
    struct hf_arguments *a, const char *operand, struct hf_error *err)
{
    if (!hf_vec_reserve(
            &a->operands.items, &a->capacity, a->operands.count + 1, sizeof *a->operands.items))
        return hf_error_memory(err);
    a->operands.items[a->operands.count++] = operand;
    return HF_OK;
}

static enum hf_status arguments_read_words(struct hf_arguments *a,
    const struct hf_option_group *groups, void *options, struct words *words, struct hf_text bytes,
    struct hf_error *err)
{
    char *text = hf_arena_alloc(&a->arena, bytes.size + 1);
    bool is_inside = false;
    if (text == NULL || !arguments_begin(words, &is_inside, NULL))
        return hf_error_memory(err);
    if (bytes.size != 0)
        memcpy(text, bytes.data, bytes.size);
    if (!arguments_split(words, text, bytes.size))
        return hf_error_memory(err);
    struct hf_operands found = {calloc(words->count + 1, sizeof *found.items), 0, NULL};
    enum hf_status status = found.items != NULL ? HF_OK : hf_error_memory(err);
    if (status == HF_OK)
        status = hf_options_parse(groups, options, (int)words->count, words->items, &found, err);
    for (size_t i = 0; i < found.count && status == HF_OK; i++)
        status = arguments_add(a, found.items[i], err);
    free(found.items);
    return status;
}

enum hf_status hf_arguments_expand(struct hf_arguments *a, const struct hf_option_group *groups,
    void *options, const struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < operands->count && status == HF_OK; i++) {
        const char *operand = operands->items[i];
        struct hf_file_map map;
        struct words words = {0};
        if (operand[0] != '@' || hf_file_map_open(&map, operand + 1, NULL) != HF_OK) {
            status = arguments_add(a, operand, err);
            continue;
        }
        struct hf_text bytes = {(const char *)map.data, map.size};
        status = arguments_read_words(a, groups, options, &words, bytes, err);
        status = hf_file_map_check(&map, operand + 1, status, err);
        if (status != HF_OK)
            hf_error_context(err, "%s", operand);
        hf_file_map_close(&map);
        free(words.items);
    }
    return status;
}

void hf_arguments_done(struct hf_arguments *arguments)
{
    free(arguments->operands.items);
    hf_arena_done(&arguments->arena);
    *arguments = (struct hf_arguments){0};
}
