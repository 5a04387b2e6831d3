#include "attach/postgres/contexts.h"

#include "attach/postgres/memory_pages.h"
#include "base/containers/map.h"
#include "base/containers/vec.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 3          /* of a list */
#define WHOLE_TRIES 5    /* of all */
#define NAME_BYTES 64u   /* NAMEDATALEN */
#define IDENT_BYTES 128u /* of queries the beginning; PostgreSQL itself shows 100 */
#define BLOCK_WORDS 6u
#define HELD_MAX (UINT64_C(1) << 44) /* of one context; what is above is no number of bytes */
#define WORD sizeof(uint64_t)

/* A tree that is being read. */
struct contexts_walk {
    const struct hf_context_source *source;
    const struct hf_context_layout *layout;
    struct hf_contexts *contexts;
    struct hf_map known;           /* addresses to indices */
    struct hf_memory_pages *pages; /* what `source` reads through; NULL: nothing is kept */
};

/* The text that a field points to, put into `bytes`; its beginning, if it is longer. */
static struct hf_text text_at(
    const struct hf_context_source *source, uint64_t address, char *bytes, size_t size)
{
    struct hf_text text = {bytes, 0};
    if (address != 0)
        (void)hf_memory_text(&source->memory, address, bytes, size, &text);
    return text;
}

static uint64_t ident_of(
    const struct hf_context_layout *layout, const struct hf_context_words *words)
{
    return layout->ident != HF_CONTEXT_NONE ? words->at[layout->ident] : 0;
}

/* The block at `address` of an AllocSet: its words, if it belongs to that context. */
static bool contexts_read_block(const struct contexts_walk *walk, uint64_t context,
    uint64_t address, uint64_t words[BLOCK_WORDS])
{
    return address != 0 &&
           hf_memory_copy(&walk->source->memory, address, words, BLOCK_WORDS * WORD) &&
           words[0] == context && words[walk->layout->free] <= words[walk->layout->free + 1] &&
           words[walk->layout->free] > address;
}

static enum hf_status contexts_sum_blocks(const struct contexts_walk *walk, uint64_t context,
    uint64_t address, uint64_t *out_bytes, struct hf_error *err)
{
    uint64_t words[BLOCK_WORDS];
    *out_bytes = 0;
    for (unsigned i = 0; contexts_read_block(walk, context, address, words); i++) {
        if (i == HF_LIMIT_CONTEXT_BLOCKS)
            return hf_error_set(err, HF_ERR_LIMIT,
                "a memory context has more than %u blocks (HF_LIMIT_CONTEXT_BLOCKS)",
                HF_LIMIT_CONTEXT_BLOCKS);
        *out_bytes += words[walk->layout->free + 1] - address;
        address = words[walk->layout->free - 1];
    }
    return HF_OK;
}

static enum hf_status contexts_measure(const struct contexts_walk *walk,
    const struct hf_context_words *words, struct hf_memory_context *context, struct hf_error *err)
{
    const struct hf_context_layout *layout = walk->layout;
    uint64_t block[BLOCK_WORDS];
    enum hf_status status = HF_OK;
    if (layout->allocated != HF_CONTEXT_NONE)
        context->allocated_bytes = words->at[layout->allocated];
    if (layout->freed != HF_CONTEXT_NONE)
        context->allocated_bytes -= words->at[layout->freed];
    if (layout->blocks == HF_CONTEXT_NONE)
        return HF_OK;
    uint64_t newest = words->at[layout->blocks];
    if (layout->allocated == HF_CONTEXT_NONE)
        status =
            contexts_sum_blocks(walk, context->address, newest, &context->allocated_bytes, err);
    if (contexts_read_block(walk, context->address, newest, block))
        context->unused_bytes = block[layout->free + 1] - block[layout->free];
    return status;
}

/* Adds a context that was loaded. *out_is_sound is false if it turns out to be none. */
static enum hf_status contexts_add(struct contexts_walk *walk, uint64_t address, uint32_t parent,
    const struct hf_context_words *words, bool *out_is_sound, struct hf_error *err)
{
    const struct hf_context_layout *layout = walk->layout;
    struct hf_contexts *contexts = walk->contexts;
    struct hf_memory_context context = {.address = address, .parent = parent};
    char name_bytes[NAME_BYTES], ident_bytes[IDENT_BYTES];
    struct hf_text name =
        text_at(walk->source, words->at[layout->name], name_bytes, sizeof name_bytes);
    struct hf_text ident =
        text_at(walk->source, ident_of(layout, words), ident_bytes, sizeof ident_bytes);
    *out_is_sound = name.size != 0;
    if (!*out_is_sound)
        return HF_OK;
    if (contexts->count == HF_LIMIT_CONTEXTS)
        return hf_error_set(err, HF_ERR_LIMIT,
            "the process has more than %u memory contexts (HF_LIMIT_CONTEXTS)", HF_LIMIT_CONTEXTS);
    context.methods =
        layout->methods_are_inside ? address + layout->methods * WORD : words->at[layout->methods];
    enum hf_status status = contexts_measure(walk, words, &context, err);
    if (status != HF_OK)
        return status;
    if (!hf_intern_put(&contexts->texts, name.data, name.size, &context.name) ||
        !hf_intern_put(&contexts->texts, ident.data, ident.size, &context.ident) ||
        !hf_vec_reserve(
            &contexts->items, &contexts->capacity, contexts->count + 1, sizeof *contexts->items) ||
        hf_map_put(&walk->known, address, (uint32_t)contexts->count, NULL) == NULL)
        return hf_error_memory(err);
    contexts->items[contexts->count++] = context;
    return HF_OK;
}

/* Reads a list of children once; *out_is_whole is false if it was torn. Sound ones are kept. */
static enum hf_status read_list(
    struct contexts_walk *walk, uint32_t parent, bool *out_is_whole, struct hf_error *err)
{
    const struct hf_memory_context *above = &walk->contexts->items[parent];
    uint64_t above_address = above->address;
    uint64_t above_parent =
        above->parent != HF_CONTEXT_TOP ? walk->contexts->items[above->parent].address : 0;
    struct hf_context_words words;
    enum hf_status status = HF_OK;
    *out_is_whole = true;
    if (!hf_context_load(walk->source, walk->layout, above_address, above_parent, &words))
        return HF_OK; /* it is gone, and its children with it */
    uint64_t address = words.at[walk->layout->first_child];
    for (size_t steps = 0; address != 0 && *out_is_whole && status == HF_OK; steps++) {
        *out_is_whole = steps <= walk->contexts->count && /* not in a circle */
                        hf_context_load(walk->source, walk->layout, address, above_address, &words);
        if (*out_is_whole && hf_map_find(&walk->known, address) == NULL)
            status = contexts_add(walk, address, parent, &words, out_is_whole, err);
        address = words.at[walk->layout->next_child];
    }
    return status;
}

static enum hf_status read_children(
    struct contexts_walk *walk, uint32_t parent, struct hf_error *err)
{
    bool is_whole = false;
    enum hf_status status = HF_OK;
    for (int tries = 0; tries < TRIES && !is_whole && status == HF_OK; tries++) {
        if (tries != 0)
            hf_memory_pages_forget(walk->pages);
        status = read_list(walk, parent, &is_whole, err);
    }
    walk->contexts->torn += !is_whole;
    return status;
}

/* What the program counted of a context and all below it becomes that of the context alone. */
static void subtract_children(struct hf_contexts *contexts)
{
    for (size_t i = 1; i < contexts->count; i++) {
        struct hf_memory_context *above = &contexts->items[contexts->items[i].parent];
        uint64_t own = contexts->items[i].allocated_bytes;
        above->allocated_bytes -= own < above->allocated_bytes ? own : above->allocated_bytes;
    }
}

static enum hf_status read_tree(struct contexts_walk *walk, struct hf_error *err)
{
    struct hf_context_words words;
    struct hf_contexts *contexts = walk->contexts;
    uint64_t top = hf_context_top(walk->source);
    bool is_sound = false;
    enum hf_status status = HF_OK;
    if (hf_context_load(walk->source, walk->layout, top, 0, &words))
        status = contexts_add(walk, top, HF_CONTEXT_TOP, &words, &is_sound, err);
    if (status == HF_OK && !is_sound)
        status = hf_error_set(err, HF_ERR_INPUT,
            "TopMemoryContext is no longer readable: the process is ending, or became another "
            "program (exec)");
    for (size_t i = 0; i < contexts->count && status == HF_OK; i++)
        status = read_children(walk, (uint32_t)i, err);
    if (status != HF_OK)
        return status;
    if (walk->layout->counts_children)
        subtract_children(contexts);
    for (size_t i = 0; i < contexts->count; i++) {
        struct hf_memory_context *context = &contexts->items[i];
        if (context->unused_bytes > context->allocated_bytes) /* the two did not belong together */
            context->unused_bytes = 0;
    }
    return HF_OK;
}

enum hf_status hf_contexts_read(struct hf_contexts *contexts,
    const struct hf_context_source *source, const struct hf_context_layout *layout,
    struct hf_error *err)
{
    struct hf_context_source paged = *source;
    struct contexts_walk walk = {.source = &paged, .layout = layout, .contexts = contexts};
    *contexts = (struct hf_contexts){0};
    walk.pages = hf_memory_pages_new(&source->memory);
    if (walk.pages == NULL)
        return hf_error_memory(err);
    paged.memory = hf_memory_of_pages(walk.pages);
    enum hf_status status = read_tree(&walk, err);
    hf_map_done(&walk.known);
    hf_memory_pages_free(walk.pages);
    return status;
}

enum hf_status hf_contexts_read_whole(struct hf_contexts *contexts,
    const struct hf_context_source *source, const struct hf_context_layout *layout,
    struct hf_error *err)
{
    enum hf_status status = hf_contexts_read(contexts, source, layout, err);
    for (int tries = 1; status == HF_OK && contexts->torn != 0 && tries < WHOLE_TRIES; tries++) {
        hf_contexts_done(contexts);
        status = hf_contexts_read(contexts, source, layout, err);
    }
    return status;
}

void hf_contexts_done(struct hf_contexts *contexts)
{
    free(contexts->items);
    hf_intern_done(&contexts->texts);
    *contexts = (struct hf_contexts){0};
}

void hf_context_put_ident(struct hf_text ident, struct hf_out *out)
{
    bool was_digit = false;
    for (size_t i = 0; i < ident.size; i++) {
        bool is_digit = ident.data[i] >= '0' && ident.data[i] <= '9';
        if (!is_digit || !was_digit)
            hf_out_char(out, is_digit ? '#' : ident.data[i]);
        was_digit = is_digit;
    }
}

/* True of an AllocSet whose blocks are not its own: it was deleted, and only looks alive. */
static bool contexts_is_ruin(
    const struct contexts_walk *walk, uint64_t address, const struct hf_context_words *words)
{
    struct hf_context_words top;
    uint64_t block[BLOCK_WORDS];
    const struct hf_context_layout *layout = walk->layout;
    return layout->blocks != HF_CONTEXT_NONE &&
           hf_context_load(walk->source, layout, hf_context_top(walk->source), 0, &top) &&
           top.at[layout->methods] == words->at[layout->methods] &&
           !contexts_read_block(walk, address, words->at[layout->blocks], block);
}

/* Of a context that was loaded. */
static bool contexts_held(const struct hf_context_source *source,
    const struct hf_context_layout *layout, uint64_t address, const struct hf_context_words *words,
    uint64_t *out_bytes)
{
    struct hf_context_layout own = *layout;
    struct hf_memory_context context = {.address = address};
    const struct contexts_walk walk = {.source = source, .layout = &own};
    if (layout->counts_children) /* what it counts is not its own: its blocks are */
        own.allocated = own.freed = HF_CONTEXT_NONE;
    if (contexts_is_ruin(&walk, address, words) ||
        contexts_measure(&walk, words, &context, NULL) != HF_OK)
        return false;
    *out_bytes = context.allocated_bytes;
    return context.allocated_bytes != 0 && context.allocated_bytes < HELD_MAX;
}

bool hf_context_held(const struct hf_context_source *source, const struct hf_context_layout *layout,
    uint64_t address, uint64_t *out_bytes)
{
    struct hf_context_words words;
    return hf_context_load(source, layout, address, HF_CONTEXT_ANY_PARENT, &words) &&
           contexts_held(source, layout, address, &words, out_bytes);
}

bool hf_context_label(const struct hf_context_source *source,
    const struct hf_context_layout *layout, uint64_t address, char out[HF_CONTEXT_LABEL_MAX],
    struct hf_text *out_label, uint64_t *out_parent)
{
    struct hf_context_words words;
    struct hf_out label = {.data = out, .capacity = HF_CONTEXT_LABEL_MAX};
    char name_bytes[NAME_BYTES], ident_bytes[IDENT_BYTES];
    uint64_t held;
    if (!hf_context_load(source, layout, address, HF_CONTEXT_ANY_PARENT, &words))
        return false;
    hf_out_text(&label, text_at(source, words.at[layout->name], name_bytes, sizeof name_bytes));
    struct hf_text ident =
        text_at(source, ident_of(layout, &words), ident_bytes, sizeof ident_bytes);
    if (ident.size != 0 && contexts_held(source, layout, address, &words, &held) &&
        held >= HF_CONTEXT_LARGE_BYTES) {
        hf_out_string(&label, ": ");
        hf_context_put_ident(ident, &label);
    }
    *out_label = hf_out_view(&label); /* it fits: HF_CONTEXT_LABEL_MAX */
    *out_parent = words.at[layout->parent];
    return label.size != 0;
}
