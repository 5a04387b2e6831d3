#include "symbol/lookup/lookup.h"

#include "base/containers/intern.h"
#include "base/containers/sorted.h"
#include "base/limits.h"
#include "base/plural.h"
#include "elf/plt.h"
#include "os/ordered_workers.h"
#include "symbol/lookup/go_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_AT_MOST 8
#define COPIED_BYTES (1u << 20) /* longer names stay where they are: nobody reads them */

void hf_lookup_done(struct hf_lookup *lookup)
{
    free(lookup->addresses);
    free(lookup->findings);
    hf_dwarf_result_done(&lookup->dwarf);
    hf_arena_done(&lookup->arena);
    *lookup = (struct hf_lookup){0};
}

/* What is not known yet. */
struct lookup_search {
    struct hf_module_files *files;
    size_t *answers; /* their places in the look-up; as many addresses and symbols */
    uint64_t *addresses;
    struct hf_symbol *symbols;
    size_t count;
    struct hf_notes notes; /* that the search leads to */
};

static void search_done(struct lookup_search *search)
{
    free(search->answers);
    free(search->addresses);
    free(search->symbols);
    hf_notes_done(&search->notes);
}

/* By one pass over the tables; who asks again gets an index of them. */
static enum hf_status resolve_symbols(struct lookup_search *search, const struct hf_elf *elf,
    struct hf_symbol_index *index, struct hf_error *err)
{
    struct hf_error fault;
    if (search->files->look_ups > 1 && !index->is_made && !index->is_refused)
        index->is_refused = hf_symbol_index_make(index, elf, &fault) != HF_OK;
    return index->is_made
               ? hf_symbol_index_resolve(
                     index, search->addresses, search->count, search->symbols, err)
               : hf_symtab_resolve(elf, search->addresses, search->count, search->symbols, err);
}

/* What lies beyond a limit stays without a name, which is said. */
static enum hf_status note_limit(struct lookup_search *search, const struct hf_elf *elf,
    enum hf_status status, const struct hf_error *err)
{
    if (status != HF_ERR_LIMIT)
        return status;
    char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX];
    hf_error_format(err, text, sizeof text);
    hf_notes_add(&search->notes, HF_NOTE_INFO, "%s: some names are missing: %s", elf->name, text);
    return HF_OK;
}

static enum hf_status find_symbols(struct lookup_search *search, const struct hf_elf *elf,
    struct hf_symbol_index *index, struct hf_error *err)
{
    return note_limit(search, elf, resolve_symbols(search, elf, index, err), err);
}

/* True if a function begins or ends behind `symbol`, up to `address`, which `fde` precedes. */
static bool is_beyond(const struct hf_fde *fde, uint64_t symbol, uint64_t address)
{
    return fde->start > symbol || (fde->end > symbol && fde->end <= address);
}

/* By call frame information; symbols without size that reach too far are taken away. */
static void lookup_find_start(struct hf_finding *finding, struct hf_symbol *symbol,
    uint64_t address, const struct hf_callframes *callframes)
{
    struct hf_fde fde;
    bool is_named = finding->place.count != 0 || symbol->size != 0;
    if (is_named || !hf_callframes_before(callframes, address, &fde))
        return;
    if (symbol->name.size != 0 && is_beyond(&fde, symbol->address, address))
        *symbol = (struct hf_symbol){0};
    if (symbol->name.size == 0 && address < fde.end)
        finding->start = fde.start;
}

/* Of what is missing, what was not yet told. */
static void note_missing(
    struct hf_module_files *files, const struct hf_dwarf_damage *damage, struct hf_notes *notes)
{
    char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX];
    struct hf_dwarf_damage *told = &files->told;
    if (damage->units != told->units) {
        hf_error_format(&damage->first, text, sizeof text);
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: %llu %s damaged or of an unknown kind, so some "
            "names or lines are missing: %s",
            files->path, (unsigned long long)damage->units,
            hf_plural(damage->units, "unit of its debug information is",
                "units of its debug information are"),
            text);
    }
    if (damage->missing_names != told->missing_names)
        hf_notes_add(notes, HF_NOTE_INFO, "%s: %llu %s name, or a part of it: %s", files->path,
            (unsigned long long)damage->missing_names,
            hf_plural(damage->missing_names, "function or inlined call lacks its",
                "functions and inlined calls lack their"),
            files->why);
    if (damage->split_units != told->split_units) {
        hf_error_format(&damage->first_split, text, sizeof text);
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: functions of %llu %s have only symbol names and no inlined calls; their debug "
            "information is in separate files (-gsplit-dwarf): %s",
            files->path, (unsigned long long)damage->split_units,
            hf_plural(damage->split_units, "unit", "units"), text);
    }
    *told = *damage;
}

/* Sorts the addresses and makes room for their answers. */
static enum hf_status lookup_prepare(
    struct hf_lookup *l, const uint64_t *addresses, size_t count, struct hf_error *err)
{
    l->addresses = calloc(count + 1, sizeof *l->addresses);
    l->findings = calloc(count + 1, sizeof *l->findings);
    if (l->addresses == NULL || l->findings == NULL)
        return hf_error_memory(err);
    if (count != 0)
        memcpy(l->addresses, addresses, count * sizeof *addresses);
    hf_sort_u64(l->addresses, count);
    l->count = hf_unique_u64(l->addresses, count);
    return HF_OK;
}

/* Takes from the cache what it knows; the rest is to be searched for. */
static enum hf_status recall(struct hf_lookup *l, struct lookup_search *search,
    const struct hf_symbol_options *options, struct hf_error *err)
{
    struct hf_module_files *files = search->files;
    search->answers = calloc(l->count + 1, sizeof *search->answers);
    search->addresses = calloc(l->count + 1, sizeof *search->addresses);
    search->symbols = calloc(l->count + 1, sizeof *search->symbols);
    if (search->answers == NULL || search->addresses == NULL || search->symbols == NULL)
        return hf_error_memory(err);
    hf_module_files_open_cache(files, options);
    for (size_t i = 0; i < l->count; i++) {
        if (!hf_symbol_cache_find(&files->cache, l->addresses[i], &l->arena, &l->findings[i]))
            search->answers[search->count++] = i;
    }
    if (!hf_symbol_cache_is_sound(&files->cache)) {
        for (search->count = 0; search->count < l->count; search->count++)
            search->answers[search->count] = search->count;
    }
    return HF_OK;
}

/* What is found must not change any more when it is known that the files were sound. */
static enum hf_status copy_symbols(struct lookup_search *search, struct hf_error *err)
{
    struct hf_intern *names = &search->files->symbol_names;
    for (size_t i = 0; i < search->count; i++) {
        uint32_t id;
        struct hf_text *name = &search->symbols[i].name;
        if (name->size == 0 || name->size > COPIED_BYTES)
            continue;
        if (!hf_intern_put(names, name->data, name->size, &id))
            return hf_error_memory(err);
        *name = hf_intern_at(names, id);
    }
    return HF_OK;
}

/* Copies that would be too many are made anew. */
static void forget_copies(struct hf_module_files *files)
{
    if (files->symbol_names.arena.total_bytes < HF_LIMIT_RESIDENT_BYTES / 8)
        return;
    hf_intern_done(&files->symbol_names);
    files->names_generation++;
}

static enum hf_status lookup_resolve(struct hf_lookup *l, struct lookup_search *search,
    const struct hf_symbol_options *options, struct hf_error *err)
{
    struct hf_module_files *files = search->files;
    const struct hf_resolver_run how = {.threads = hf_processors(THREADS_AT_MOST),
        .expects_more = files->expects_more,
        .has_columns = options->columns};
    enum hf_status status =
        files->resolver != NULL ? HF_OK : hf_resolver_new(&files->sections, &files->resolver, err);
    if (status == HF_OK)
        status = hf_resolver_run(
            files->resolver, search->addresses, search->count, &how, &l->dwarf, err);
    if (status != HF_OK) {
        hf_resolver_free(files->resolver);
        files->resolver = NULL;
        files->names_generation++;
    }
    return status;
}

/* True if some of what was found may be worth less than what is there. */
static bool is_incomplete(const struct hf_dwarf_damage *damage, const struct hf_notes *notes)
{
    return damage->units != 0 || damage->missing_names != 0 || damage->split_units != 0 ||
           notes->count != 0 || notes->dropped != 0;
}

/* Marks the calls of functions that are helpers. */
static enum hf_status mark_helpers(struct hf_lookup *l, const struct lookup_search *search,
    const struct hf_symbol_options *options, struct hf_error *err)
{
    struct hf_helpers *helpers = &search->files->helpers;
    enum hf_status status = HF_OK;
    if (!options->helpers)
        return HF_OK;
    if (!helpers->is_found)
        status = hf_helpers_find(helpers, &search->files->sections, err);
    for (size_t i = 0; i < search->count && status == HF_OK; i++) {
        struct hf_dwarf_place *place = &l->dwarf.places[i];
        for (size_t n = 0; n < place->count; n++) {
            struct hf_dwarf_frame *frame = &place->frames[n];
            frame->detail.is_helper = hf_helpers_has(helpers, frame->name, frame->linkage);
            frame->detail.may_keep = hf_helpers_may_keep(helpers, frame->name, frame->linkage);
        }
    }
    return status;
}

/* Reads the files for what the cache does not know. */
static enum hf_status find_out(struct hf_lookup *l, struct lookup_search *search,
    const struct hf_symbol_options *options, struct hf_error *err)
{
    struct hf_module_files *files = search->files;
    hf_module_files_find_debug(files, options);
    files->look_ups++;
    for (size_t i = 0; i < search->count; i++)
        search->addresses[i] = l->addresses[search->answers[i]];
    enum hf_status status = lookup_resolve(l, search, options, err);
    if (status == HF_OK)
        status = mark_helpers(l, search, options, err);
    if (status == HF_OK) {
        status = hf_go_calls_add(
            &files->image, search->addresses, search->count, &l->dwarf, &files->symbol_names, err);
        status = note_limit(search, &files->image, status, err);
    }
    for (size_t i = 0; i < search->count && status == HF_OK; i++) {
        const struct hf_dwarf_place *place = &l->dwarf.places[i];
        if (place->count != 0)
            search->symbols[i].plain = place->frames[place->count - 1].name;
    }
    if (status == HF_OK)
        status = find_symbols(search, &files->image, &files->image_symbols, err);
    if (status == HF_OK && files->debug.section_count != 0)
        status = find_symbols(search, &files->debug, &files->debug_symbols, err);
    if (status == HF_OK)
        status = hf_plt_resolve(
            &files->image, search->addresses, search->count, search->symbols, &l->arena, err);
    if (status == HF_OK)
        status = copy_symbols(search, err);
    if (status != HF_OK)
        return status;
    note_missing(files, &l->dwarf.damage, &search->notes);
    bool is_kept = !is_incomplete(&l->dwarf.damage, &search->notes);
    for (size_t i = 0; i < search->count; i++) {
        uint64_t address = search->addresses[i];
        struct hf_finding *finding = &l->findings[search->answers[i]];
        *finding = (struct hf_finding){.place = l->dwarf.places[i]};
        lookup_find_start(finding, &search->symbols[i], address, &files->callframes);
        finding->symbol = search->symbols[i].name;
        finding->twins = search->symbols[i].twins;
        if (is_kept)
            hf_symbol_cache_add(&files->cache, address, finding);
    }
    return HF_OK;
}

/* What was found is worth nothing: files->why says why. */
static void lookup_forget(struct hf_lookup *lookup, struct hf_module_files *files)
{
    for (size_t i = 0; i < lookup->count; i++)
        lookup->findings[i] = (struct hf_finding){0};
    hf_symbol_cache_forget(&files->cache);
    lookup->is_void = true;
}

enum hf_status hf_lookup_run(struct hf_lookup *lookup, struct hf_module_files *files,
    const struct hf_symbol_options *options, const uint64_t *addresses, size_t count,
    struct hf_notes *notes, struct hf_error *err)
{
    struct lookup_search search = {.files = files};
    *lookup = (struct hf_lookup){0};
    forget_copies(files);
    enum hf_status status = lookup_prepare(lookup, addresses, count, err);
    if (status == HF_OK)
        status = recall(lookup, &search, options, err);
    if (status == HF_OK && (search.count != 0 || files->cache.entry.context.size == 0))
        status = find_out(lookup, &search, options, err);
    else if (status == HF_OK && !files->is_searched)
        (void)snprintf(files->why, sizeof files->why, "%.*s", (int)files->cache.entry.why.size,
            files->cache.entry.why.data);
    if (hf_module_files_are_sound(files)) {
        hf_notes_merge(notes, &search.notes);
    } else if (status != HF_ERR_MEMORY) {
        lookup_forget(lookup, files);
        status = HF_OK;
    }
    lookup->generation = (uint64_t)files->names_generation << 32 | lookup->dwarf.generation;
    search_done(&search);
    return status;
}

size_t hf_lookup_find(const struct hf_lookup *lookup, uint64_t address)
{
    return hf_lower_bound_u64(lookup->addresses, lookup->count, address);
}
