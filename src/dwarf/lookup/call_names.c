#include "dwarf/lookup/call_names.h"

/* The place in the source of the address itself. */
static struct hf_dwarf_frame line_of_answer(
    struct hf_unit_store *store, const struct hf_answer *answer)
{
    if (!answer->has_line)
        return (struct hf_dwarf_frame){.file = HF_TEXT("")};
    struct hf_line_file file = hf_unit_store_file(store, answer->owner, answer->file);
    return (struct hf_dwarf_frame){.file = file.path,
        .line = answer->line,
        .detail = {.column = store->has_columns ? answer->column : 0,
            .folder_bytes = file.unit_folder_bytes & HF_FOLDER_BYTES_MAX,
            .is_near = answer->is_near}};
}

/* Where a call was inlined into what is around it. */
static struct hf_dwarf_frame line_of_call(
    struct hf_unit_store *store, const struct hf_answer *answer, const struct hf_inlined_call *call)
{
    struct hf_line_file file = {.path = HF_TEXT("")};
    if (call->outer != NULL)
        file = hf_unit_store_file(store, answer->owner, call->call_file);
    return (struct hf_dwarf_frame){.file = file.path,
        .line = call->call_line,
        .detail = {.column = store->has_columns ? call->call_column : 0,
            .folder_bytes = file.unit_folder_bytes & HF_FOLDER_BYTES_MAX}};
}

enum hf_status hf_call_names_read(struct hf_unit_store *store, const struct hf_answer *answer,
    struct hf_arena *arena, struct hf_dwarf_place *place, struct hf_error *err)
{
    if (answer->owner == HF_NO_UNIT)
        return HF_OK;
    struct hf_dwarf_frame at = line_of_answer(store, answer);
    place->file = at.file;
    place->line = at.line;
    place->detail = at.detail;
    if (answer->innermost == NULL)
        return HF_OK;
    struct hf_die_names *names = hf_unit_store_names(store, answer->owner);
    place->frames = hf_arena_alloc(arena, answer->depth * sizeof *place->frames);
    if (place->frames == NULL)
        return hf_error_memory(err);
    for (const struct hf_inlined_call *call = answer->innermost; call != NULL; call = call->outer) {
        struct hf_die_name name;
        enum hf_status status = hf_die_names_find(names, call->die, &name, err);
        if (status != HF_OK)
            return status;
        at.name = name.name;
        at.linkage = name.linkage;
        at.scope = name.scope;
        place->frames[place->count++] = at;
        at = line_of_call(store, answer, call);
    }
    return HF_OK;
}
