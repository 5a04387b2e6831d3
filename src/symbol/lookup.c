#include "symbol/lookup.h"

#include "base/sorted.h"
#include "elf/plt.h"
#include "os/turns.h"

#include <stdlib.h>
#include <string.h>

#define THREADS_AT_MOST 8

void hf_lookup_done(struct hf_lookup *lookup)
{
    free(lookup->addresses);
    free(lookup->symbols);
    free(lookup->starts);
    hf_arena_done(&lookup->names);
    hf_dwarf_result_done(&lookup->dwarf);
    *lookup = (struct hf_lookup){0};
}

/* What lies beyond the limit stays without a symbol. */
static enum hf_status find_symbols(struct hf_lookup *lookup, const struct hf_elf *elf,
    struct hf_notes *notes, struct hf_error *err)
{
    enum hf_status status =
        hf_symtab_resolve(elf, lookup->addresses, lookup->count, lookup->symbols, err);
    if (status != HF_ERR_LIMIT)
        return status;
    char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX];
    hf_error_format(err, text, sizeof text);
    hf_notes_add(notes, HF_NOTE_INFO, "%s: some names are missing: %s", elf->name, text);
    return HF_OK;
}

/* True if a function begins or ends behind `symbol`, up to `address`, which `fde` precedes. */
static bool is_beyond(const struct hf_fde *fde, uint64_t symbol, uint64_t address)
{
    return fde->start > symbol || (fde->end > symbol && fde->end <= address);
}

/* By call frame information; symbols without size that reach too far are taken away. */
static void find_starts(struct hf_lookup *lookup, const struct hf_callframes *callframes)
{
    for (size_t i = 0; i < lookup->count; i++) {
        struct hf_fde fde;
        uint64_t address = lookup->addresses[i];
        struct hf_symbol *symbol = &lookup->symbols[i];
        bool is_named = lookup->dwarf.places[i].count != 0 || symbol->size != 0;
        if (is_named || !hf_callframes_before(callframes, address, &fde))
            continue;
        if (symbol->name.size != 0 && is_beyond(&fde, symbol->address, address))
            *symbol = (struct hf_symbol){0};
        if (symbol->name.size == 0 && address < fde.end)
            lookup->starts[i] = fde.start;
    }
}

static void note_missing(const struct hf_dwarf_result *dwarf, const struct hf_module_files *files,
    struct hf_notes *notes)
{
    char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX];
    if (dwarf->damaged_units != 0) {
        hf_error_format(&dwarf->first_damage, text, sizeof text);
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: %llu units of its debug information are damaged or of an unknown kind, so some "
            "names or lines are missing: %s",
            files->path, (unsigned long long)dwarf->damaged_units, text);
    }
    if (dwarf->missing_names != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: of %llu functions and inlined calls the name, or a part of it, is missing: %s",
            files->path, (unsigned long long)dwarf->missing_names, files->why);
    if (dwarf->split_units != 0) {
        hf_error_format(&dwarf->first_split, text, sizeof text);
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: functions of %llu units have the names of their symbols, and no inlined calls: "
            "the rest is in files of their own (-gsplit-dwarf): %s",
            files->path, (unsigned long long)dwarf->split_units, text);
    }
}

enum hf_status hf_lookup_run(struct hf_lookup *lookup, const struct hf_module_files *files,
    const uint64_t *addresses, size_t count, struct hf_notes *notes, struct hf_error *err)
{
    *lookup = (struct hf_lookup){0};
    lookup->addresses = calloc(count + 1, sizeof *lookup->addresses);
    lookup->symbols = calloc(count + 1, sizeof *lookup->symbols);
    lookup->starts = calloc(count + 1, sizeof *lookup->starts);
    if (lookup->addresses == NULL || lookup->symbols == NULL || lookup->starts == NULL)
        return hf_error_memory(err);
    if (count != 0)
        memcpy(lookup->addresses, addresses, count * sizeof *addresses);
    hf_sort_u64(lookup->addresses, count);
    lookup->count = hf_unique_u64(lookup->addresses, count);
    enum hf_status status = hf_dwarf_resolve(&files->sections, lookup->addresses, lookup->count,
        hf_processors(THREADS_AT_MOST), &lookup->dwarf, err);
    for (size_t i = 0; i < lookup->count && status == HF_OK; i++) {
        const struct hf_dwarf_place *place = &lookup->dwarf.places[i];
        if (place->count != 0)
            lookup->symbols[i].plain = place->frames[place->count - 1].name;
    }
    if (status == HF_OK)
        status = find_symbols(lookup, &files->image, notes, err);
    if (status == HF_OK && files->debug.section_count != 0)
        status = find_symbols(lookup, &files->debug, notes, err);
    if (status == HF_OK)
        status = hf_plt_resolve(
            &files->image, lookup->addresses, lookup->count, lookup->symbols, &lookup->names, err);
    if (status != HF_OK)
        return status;
    find_starts(lookup, &files->callframes);
    note_missing(&lookup->dwarf, files, notes);
    return HF_OK;
}

size_t hf_lookup_find(const struct hf_lookup *lookup, uint64_t address)
{
    return hf_lower_bound_u64(lookup->addresses, lookup->count, address);
}
