#include "symbol/lookup/go_calls.h"

#include "elf/go_table.h"

static bool go_copy_text(struct hf_intern *texts, struct hf_text *text)
{
    uint32_t id;
    if (text->size != 0 && !hf_intern_put(texts, text->data, text->size, &id))
        return false;
    if (text->size != 0)
        *text = hf_intern_at(texts, id);
    return true;
}

static bool put_calls(struct hf_dwarf_result *result, size_t at, const struct hf_go_call *calls,
    size_t count, struct hf_intern *texts)
{
    struct hf_dwarf_frame *frames = hf_arena_alloc(&result->arena, count * sizeof *frames);
    if (frames == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        frames[i] = (struct hf_dwarf_frame){
            .name = calls[i].name, .file = calls[i].file, .line = calls[i].line};
        if (!go_copy_text(texts, &frames[i].name) || !go_copy_text(texts, &frames[i].file))
            return false;
    }
    result->places[at] = (struct hf_dwarf_place){.frames = frames, .count = count};
    return true;
}

enum hf_status hf_go_calls_add(const struct hf_elf *elf, const uint64_t *addresses, size_t count,
    struct hf_dwarf_result *result, struct hf_intern *texts, struct hf_error *err)
{
    struct hf_go_table table;
    struct hf_go_call calls[HF_GO_CALLS];
    bool is_open = false;
    for (size_t i = 0; i < count; i++) {
        if (result->places[i].count != 0)
            continue;
        if (!is_open && !hf_go_table_read(&table, elf))
            return HF_OK;
        is_open = true;
        size_t found = hf_go_table_find(&table, addresses[i], calls);
        if (hf_go_table_check(&table, err) != HF_OK)
            return HF_ERR_LIMIT;
        if (found != 0 && !put_calls(result, i, calls, found, texts))
            return hf_error_memory(err);
    }
    return HF_OK;
}
