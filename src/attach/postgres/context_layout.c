#include "attach/postgres/context_layout.h"

#include <string.h>

#define TOP_NAME "TopMemoryContext"
#define DEPTH 64u    /* contexts below each other, until one has a sibling */
#define LENGTH 1000u /* of lists, as far as they are compared */

static bool context_layout_is_code(const struct hf_context_source *source, uint64_t address)
{
    for (size_t i = 0; i < source->code_count; i++) {
        if (address >= source->code[i].start && address < source->code[i].end)
            return true;
    }
    return false;
}

static bool are_functions(const struct hf_context_source *source, const uint64_t *words)
{
    for (size_t i = 0; i < HF_CONTEXT_TABLE_FUNCTIONS; i++) {
        if (!context_layout_is_code(source, words[i]))
            return false;
    }
    return true;
}

bool hf_context_is_table(const struct hf_context_source *source, uint64_t address)
{
    uint64_t words[HF_CONTEXT_TABLE_FUNCTIONS];
    return hf_memory_copy(&source->memory, address, words, sizeof words) &&
           are_functions(source, words);
}

static bool has_methods(const struct hf_context_source *source,
    const struct hf_context_layout *layout, const struct hf_context_words *words)
{
    if (layout->methods_are_inside)
        return are_functions(source, &words->at[layout->methods]);
    return hf_context_is_table(source, words->at[layout->methods]);
}

static bool context_layout_read_words(
    const struct hf_context_source *source, uint64_t address, struct hf_context_words *out)
{
    memset(out, 0, sizeof *out);
    return address != 0 && address % sizeof(uint64_t) == 0 &&
           source->memory.read(source->memory.context, address, out->at, sizeof out->at) != 0;
}

bool hf_context_load(const struct hf_context_source *source, const struct hf_context_layout *layout,
    uint64_t address, uint64_t parent, struct hf_context_words *out_words)
{
    return context_layout_read_words(source, address, out_words) &&
           (parent == HF_CONTEXT_ANY_PARENT || out_words->at[layout->parent] == parent) &&
           has_methods(source, layout, out_words);
}

uint64_t hf_context_top(const struct hf_context_source *source)
{
    uint64_t top;
    return hf_memory_copy(&source->memory, source->top_variable, &top, sizeof top) ? top : 0;
}

static bool find_name(const struct hf_context_source *source, const struct hf_context_words *top,
    struct hf_context_layout *layout)
{
    char text[sizeof TOP_NAME];
    for (uint8_t i = 1; i < HF_CONTEXT_WORDS; i++) {
        layout->name = i;
        if (hf_memory_copy(&source->memory, top->at[i], text, sizeof text) &&
            memcmp(text, TOP_NAME, sizeof text) == 0)
            return true;
    }
    return false;
}

static bool find_methods(const struct hf_context_source *source, const struct hf_context_words *top,
    struct hf_context_layout *layout)
{
    for (uint8_t i = 1; i + HF_CONTEXT_TABLE_FUNCTIONS <= HF_CONTEXT_WORDS; i++) {
        layout->methods = i;
        for (int inside = 0; inside < 2; inside++) {
            layout->methods_are_inside = inside == 1;
            if (has_methods(source, layout, top))
                return true;
        }
    }
    return false;
}

/* Contexts of a list that agree about who is above them. */
static size_t length_of_list(const struct hf_context_source *source, uint64_t above,
    uint64_t address, const struct hf_context_layout *layout)
{
    struct hf_context_words words;
    size_t length = 0;
    while (length < LENGTH && hf_context_load(source, layout, address, above, &words)) {
        address = words.at[layout->next_child];
        length++;
    }
    return length;
}

/*
 * The longest list from a first child on. It may have become the second meanwhile, and then the one
 * before it is a sibling, too.
 */
static bool find_sibling(const struct hf_context_source *source, uint64_t above,
    uint64_t first_address, const struct hf_context_words *first, struct hf_context_layout *layout)
{
    size_t longest = 1;
    struct hf_context_layout tried = *layout;
    for (uint8_t i = 1; i < HF_CONTEXT_WORDS; i++) {
        if (i == layout->first_child || i == layout->parent || first->at[i] == first_address)
            continue;
        tried.next_child = i;
        size_t length = 1 + length_of_list(source, above, first->at[i], &tried);
        if (length <= longest)
            continue;
        longest = length;
        layout->next_child = i;
    }
    return longest > 1;
}

/* Goes from first child to first child, until one of them has a sibling. */
static bool find_next_child(const struct hf_context_source *source, uint64_t top_address,
    const struct hf_context_words *top, struct hf_context_layout *layout)
{
    uint64_t above = top_address, address = top->at[layout->first_child];
    struct hf_context_words words;
    for (unsigned depth = 0; depth < DEPTH; depth++) {
        if (!hf_context_load(source, layout, address, above, &words))
            return false;
        if (find_sibling(source, above, address, &words, layout))
            return true;
        above = address;
        address = words.at[layout->first_child];
    }
    return false;
}

/* The parent is NULL in the top, and in the first child it is the top. */
static bool find_links(const struct hf_context_source *source, uint64_t top_address,
    const struct hf_context_words *top, struct hf_context_layout *layout)
{
    struct hf_context_words child;
    for (uint8_t first = 1; first < HF_CONTEXT_WORDS; first++) {
        if (first == layout->name || !context_layout_read_words(source, top->at[first], &child))
            continue;
        layout->first_child = first;
        for (uint8_t i = 1; i < HF_CONTEXT_WORDS; i++) {
            layout->parent = i;
            if (top->at[i] == 0 && child.at[i] == top_address &&
                find_next_child(source, top_address, top, layout))
                return true;
        }
    }
    return false;
}

enum hf_status hf_context_layout_find(
    const struct hf_context_source *source, struct hf_context_layout *out, struct hf_error *err)
{
    struct hf_context_words top;
    struct hf_context_layout layout;
    memset(&layout, HF_CONTEXT_NONE, sizeof layout);
    layout.counts_children = false;
    uint64_t address = hf_context_top(source);
    if (context_layout_read_words(source, address, &top) && find_name(source, &top, &layout) &&
        find_methods(source, &top, &layout) && find_links(source, address, &top, &layout)) {
        *out = layout;
        return HF_OK;
    }
    return hf_error_set(err, HF_ERR_INPUT,
        "TopMemoryContext does not point to a memory context of PostgreSQL 9.4 or later, or of "
        "Greenplum 6 or later");
}
