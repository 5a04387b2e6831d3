/*
 * Memory contexts. Input: the memory of a process from 0x100000 on, whose first word is
 * TopMemoryContext; code is at 0x7000.
 */
#include "attach/postgres/context_fields.h"
#include "attach/postgres/context_growth.h"
#include "attach/postgres/context_tables.h"
#include "fuzz.h"
#include "tell.h"

#include <stdlib.h>

#define BASE UINT64_C(0x100000)

static size_t read_input(void *context, uint64_t address, void *out, size_t size)
{
    const struct hf_text *memory = context;
    if (address < BASE || address - BASE >= memory->size)
        return 0;
    struct hf_text there = hf_text_first(hf_text_from(*memory, (size_t)(address - BASE)), size);
    memcpy(out, there.data, there.size);
    return there.size;
}

static void read_twice(
    const struct hf_context_source *source, const struct hf_context_layout *layout)
{
    struct hf_context_growth growth = {0};
    for (unsigned i = 0; i < 2; i++) {
        struct hf_contexts contexts;
        struct hf_context_tables tables = {.count = 0};
        char bytes[HF_CONTEXT_LABEL_MAX];
        struct hf_text label;
        uint64_t parent;
        if (hf_contexts_read(&contexts, source, layout, NULL) == HF_OK &&
            hf_context_growth_add(&growth, &contexts, i, NULL) != HF_OK)
            abort();
        for (size_t j = 0; j < contexts.count; j++) {
            const struct hf_memory_context *context = &contexts.items[j];
            bool has_label =
                hf_context_label(source, layout, context->address, bytes, &label, &parent);
            if (has_label && label.size == 0)
                abort();
            fuzz_tell("0x%llx in %u: %llu bytes, %llu unused, ",
                (unsigned long long)context->address, context->parent,
                (unsigned long long)context->allocated_bytes,
                (unsigned long long)context->unused_bytes);
            fuzz_tell_text(hf_intern_at(&contexts.texts, context->name));
            fuzz_tell(" (");
            fuzz_tell_text(hf_intern_at(&contexts.texts, context->ident));
            fuzz_tell(") ");
            fuzz_tell_named("label", has_label ? label : HF_TEXT(""));
        }
        fuzz_tell("%d torn\n", (int)contexts.torn);
        hf_context_tables_add(&tables, source, &contexts);
        hf_context_tables_add_named(&tables, source, (struct hf_code_range){BASE, BASE + 512});
        hf_contexts_done(&contexts);
    }
    if (hf_context_growth_rank(&growth, NULL) != HF_OK)
        growth.count = 0;
    for (size_t i = 0; i < growth.count; i++) {
        fuzz_tell("row %d: %llu used\n", (int)i,
            (unsigned long long)growth.rows[i].least[HF_CONTEXT_AFTER].used_bytes);
        const struct hf_context_held *least = growth.rows[i].least; /* nothing changed meanwhile */
        if (least[HF_CONTEXT_BEFORE].used_bytes != least[HF_CONTEXT_AFTER].used_bytes)
            abort();
    }
    hf_context_growth_done(&growth);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_text memory = {(const char *)data, size};
    const struct hf_code_range code = {0x7000, 0x8000};
    const struct hf_context_source source = {{read_input, &memory}, BASE, &code, 1};
    struct hf_context_layout layout;
    struct hf_contexts contexts;
    if (hf_context_layout_find(&source, &layout, NULL) != HF_OK)
        return 0;
    if (hf_contexts_read(&contexts, &source, &layout, NULL) == HF_OK)
        hf_context_fields_find(&layout, &source, &contexts);
    fuzz_tell("methods %d, parent %d, first child %d, next child %d, name %d, ident %d, allocated "
              "%d, freed %d, blocks %d, free %d%s%s\n",
        layout.methods, layout.parent, layout.first_child, layout.next_child, layout.name,
        layout.ident, layout.allocated, layout.freed, layout.blocks, layout.free,
        layout.methods_are_inside ? ", inside" : "",
        layout.counts_children ? ", with children" : "");
    hf_contexts_done(&contexts);
    read_twice(&source, &layout);
    return 0;
}
