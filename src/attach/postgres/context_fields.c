#include "attach/postgres/context_fields.h"

#include <stdlib.h>

#define TEXT_BYTES 64u
#define BYTES_MAX                                                                                  \
    (UINT64_C(1) << 44) /* of one context; a pointer of a PIE program is above that                \
                         */
#define BLOCK_WORDS 6u

#define ALIKE 16u /* contexts of one name that are looked at: 80,000 would tell no more */

/* The contexts, and a field that is tried. */
struct trial {
    const struct hf_context_source *source;
    const struct hf_context_layout *layout;
    const struct hf_contexts *contexts;
    uint32_t *chosen; /* of them, those that are looked at */
    size_t chosen_count;
    uint8_t word;
};

/* Whether a word of a context can be the field. What all can be is the field, if some surely are.
 */
enum verdict { CAN_BE, SURELY_IS, CANNOT_BE };
typedef enum verdict try_context(
    const struct trial *trial, uint64_t address, const struct hf_context_words *words);

static bool holds_for_all(const struct trial *trial, try_context *try)
{
    bool is_sure = false;
    struct hf_context_words words;
    for (size_t i = 0; i < trial->chosen_count; i++) {
        const struct hf_memory_context *context = &trial->contexts->items[trial->chosen[i]];
        uint64_t parent =
            context->parent != HF_CONTEXT_TOP ? trial->contexts->items[context->parent].address : 0;
        if (!hf_context_load(trial->source, trial->layout, context->address, parent, &words))
            continue;
        enum verdict verdict = try(trial, context->address, &words);
        if (verdict == CANNOT_BE)
            return false;
        is_sure |= verdict == SURELY_IS;
    }
    return is_sure;
}

static bool is_taken(const struct hf_context_layout *layout, uint8_t word)
{
    uint8_t inside = layout->methods_are_inside ? HF_CONTEXT_TABLE_FUNCTIONS : 1;
    return word == layout->parent || word == layout->first_child || word == layout->next_child ||
           word == layout->name || word == layout->ident || word == layout->allocated ||
           (word >= layout->methods && word < layout->methods + inside);
}

/* The first word from `from` on, up to `to`, that can be the field. */
static uint8_t context_fields_find(struct trial *trial, uint8_t from, uint8_t to, try_context *try)
{
    for (uint8_t word = from; word < to && word + 1u < HF_CONTEXT_WORDS; word++) {
        trial->word = word;
        if (!is_taken(trial->layout, word) && holds_for_all(trial, try))
            return word;
    }
    return HF_CONTEXT_NONE;
}

/* True if there is memory at `address`. */
static bool context_fields_is_address(const struct trial *trial, uint64_t address)
{
    char byte;
    return hf_memory_copy(&trial->source->memory, address, &byte, sizeof byte);
}

/* NULL, or a text. What begins with an address of something, or is a context, is none. */
static enum verdict try_ident(
    const struct trial *trial, uint64_t address, const struct hf_context_words *words)
{
    (void)address;
    uint64_t first;
    char bytes[TEXT_BYTES];
    struct hf_text text;
    struct hf_context_words other;
    uint64_t at = words->at[trial->word];
    if (at == 0)
        return CAN_BE;
    bool ends = hf_memory_text(&trial->source->memory, at, bytes, sizeof bytes, &text);
    if ((!ends && text.size != sizeof bytes) ||
        hf_context_load(trial->source, trial->layout, at, HF_CONTEXT_ANY_PARENT, &other) ||
        (hf_memory_copy(&trial->source->memory, at, &first, sizeof first) &&
            context_fields_is_address(trial, first)))
        return CANNOT_BE;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            return CANNOT_BE;
    }
    return text.size != 0 ? SURELY_IS : CAN_BE;
}

/*
 * A multiple of 8. One that could be an address is no sign, since in a program that is not moved
 * when it is loaded addresses are small.
 */
static enum verdict try_allocated(
    const struct trial *trial, uint64_t address, const struct hf_context_words *words)
{
    uint64_t value = words->at[trial->word];
    uint64_t top = hf_context_top(trial->source);
    if (value % sizeof(uint64_t) != 0 || value >= BYTES_MAX || (value == 0 && address == top))
        return CANNOT_BE;
    return value != 0 && !context_fields_is_address(trial, value) ? SURELY_IS : CAN_BE;
}

/* Two counts: ever allocated, and then, not more, ever freed. */
static enum verdict try_pair(
    const struct trial *trial, uint64_t address, const struct hf_context_words *words)
{
    (void)address;
    uint64_t allocated = words->at[trial->word], freed = words->at[trial->word + 1];
    if (allocated == 0 || allocated >= BYTES_MAX || freed > allocated ||
        allocated % sizeof(uint64_t) != 0 || freed % sizeof(uint64_t) != 0)
        return CANNOT_BE;
    return !context_fields_is_address(trial, allocated) ? SURELY_IS : CAN_BE;
}

/* Where in a block its free part begins, and then its end; 0: it is none of this context. */
static uint8_t free_in_block(
    const struct hf_context_source *source, uint64_t context, uint64_t address)
{
    uint64_t words[BLOCK_WORDS];
    if (address == 0 || !hf_memory_copy(&source->memory, address, words, sizeof words) ||
        words[0] != context)
        return 0;
    for (uint8_t i = 2; i + 1u < BLOCK_WORDS; i++) {
        if (words[i] > address && words[i] <= words[i + 1] && words[i + 1] < address + BYTES_MAX)
            return i;
    }
    return 0;
}

/* The contexts of other kinds have no such block. That at the top has, in every version. */
static enum verdict try_blocks(
    const struct trial *trial, uint64_t address, const struct hf_context_words *words)
{
    if (free_in_block(trial->source, address, words->at[trial->word]) != 0)
        return SURELY_IS;
    return address == hf_context_top(trial->source) ? CANNOT_BE : CAN_BE;
}

static uint8_t find_free(
    const struct hf_context_source *source, const struct hf_context_layout *layout)
{
    struct hf_context_words words;
    uint64_t top = hf_context_top(source);
    if (!hf_context_load(source, layout, top, 0, &words))
        return 0;
    return free_in_block(source, top, words.at[layout->blocks]);
}

/* Some of each name. False without memory. */
static bool context_fields_choose(struct trial *trial)
{
    const struct hf_contexts *contexts = trial->contexts;
    uint32_t *alike = calloc((size_t)contexts->texts.count + 1, sizeof *alike);
    trial->chosen = calloc(contexts->count + 1, sizeof *trial->chosen);
    for (size_t i = 0; alike != NULL && trial->chosen != NULL && i < contexts->count; i++) {
        if (alike[contexts->items[i].name]++ < ALIKE)
            trial->chosen[trial->chosen_count++] = (uint32_t)i;
    }
    free(alike);
    return trial->chosen_count != 0;
}

static void context_fields_try(struct trial *trial, struct hf_context_layout *layout)
{
    const struct hf_context_source *source = trial->source;
    uint8_t last = layout->parent;
    const uint8_t others[] = {
        layout->methods, layout->first_child, layout->next_child, layout->name};
    for (size_t i = 0; i < sizeof others; i++)
        last = others[i] > last ? others[i] : last;
    uint8_t end = (uint8_t)(last + 4); /* of what an AllocSet has first are its blocks the last */
    layout->ident = context_fields_find(trial, 1, end, try_ident);
    if (layout->methods_are_inside) {
        layout->allocated = context_fields_find(trial, (uint8_t)(layout->name + 1), end, try_pair);
        layout->counts_children = layout->allocated != HF_CONTEXT_NONE;
        if (layout->counts_children)
            layout->freed = (uint8_t)(layout->allocated + 1);
    } else {
        layout->allocated = context_fields_find(trial, 1, end, try_allocated);
    }
    layout->blocks = context_fields_find(trial, 1, HF_CONTEXT_WORDS, try_blocks);
    if (layout->blocks != HF_CONTEXT_NONE) {
        layout->free = find_free(source, layout);
        if (layout->free == 0)
            layout->blocks = HF_CONTEXT_NONE;
    }
}

void hf_context_fields_find(struct hf_context_layout *layout,
    const struct hf_context_source *source, const struct hf_contexts *contexts)
{
    struct trial trial = {.source = source, .layout = layout, .contexts = contexts};
    if (context_fields_choose(&trial))
        context_fields_try(&trial, layout);
    free(trial.chosen);
}
