#include "dwarf/lookup/unit_store.h"

#include "base/budget.h"
#include "base/limits.h"
#include "base/plural.h"

#include <stdlib.h>

#define MOST_NAME_BYTES (HF_LIMIT_RESIDENT_BYTES / 4)
#define MOST_INDEX_BYTES (HF_LIMIT_RESIDENT_BYTES / 4 * 3)

void hf_unit_store_init(struct hf_unit_store *store, const struct hf_dwarf_sections *sections)
{
    store->sections = *sections;
    store->sections.effort = &store->effort;
    if (sections->supplement != NULL) {
        store->supplement = *sections->supplement;
        store->supplement.effort = &store->effort;
        store->supplement.supplement = NULL;
        store->sections.supplement = &store->supplement;
    }
    store->names = (struct hf_die_names){.sections = &store->sections,
        .units = &store->units,
        .supplement_units = &store->supplement_units,
        .texts = &store->texts};
}

void hf_unit_store_done(struct hf_unit_store *store)
{
    for (size_t i = 0; i < store->units.count && store->kept != NULL; i++) {
        struct hf_kept_unit *kept = &store->kept[i];
        hf_line_files_done(&kept->files);
        hf_unit_index_free(kept->index);
        if (kept->split != NULL)
            hf_split_unit_close(kept->split);
        free(kept->split);
    }
    hf_budget_free(store->kept);
    hf_die_names_done(&store->names);
    hf_intern_done(&store->texts);
    hf_units_done(&store->units);
    hf_units_done(&store->supplement_units);
}

void hf_unit_store_add_damage(struct hf_unit_store *store, const struct hf_error *fault)
{
    if (store->damage.units++ == 0)
        store->damage.first = *fault;
}

struct hf_dwarf_damage hf_unit_store_damage(const struct hf_unit_store *store)
{
    struct hf_dwarf_damage damage = store->damage;
    uint64_t cut_chains = store->names.cut_chains;
    for (size_t i = 0; i < store->units.count && store->kept != NULL; i++)
        cut_chains += store->kept[i].split != NULL ? store->kept[i].split->names.cut_chains : 0;
    damage.missing_names = store->names.missing_count;
    if (cut_chains != 0 && damage.units++ == 0)
        hf_error_set(&damage.first, HF_ERR_LIMIT,
            "%llu %s found only behind more than %d references "
            "(HF_LIMIT_ORIGIN_DEPTH)",
            (unsigned long long)cut_chains,
            hf_plural(cut_chains, "function's name is", "functions' names are"),
            HF_LIMIT_ORIGIN_DEPTH);
    return damage;
}

/* Lists the units of a file; damage is counted. */
static enum hf_status scan_file(struct hf_unit_store *store, struct hf_units *units,
    const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct hf_error damage;
    enum hf_status status = hf_units_scan(units, sections, &damage);
    if (status == HF_ERR_MEMORY)
        return hf_error_memory(err);
    if (status != HF_OK)
        hf_unit_store_add_damage(store, &damage);
    return HF_OK;
}

enum hf_status hf_unit_store_scan(struct hf_unit_store *store, struct hf_error *err)
{
    enum hf_status status = scan_file(store, &store->units, &store->sections, err);
    if (status == HF_OK && store->sections.supplement != NULL)
        status = scan_file(store, &store->supplement_units, &store->supplement, err);
    if (status != HF_OK)
        return status;
    store->kept = hf_budget_calloc(store->units.count + 1, sizeof *store->kept);
    return store->kept != NULL ? HF_OK : hf_error_memory(err);
}

struct hf_unit_parts hf_unit_store_parts(struct hf_unit_store *store, uint32_t unit_index)
{
    struct hf_unit *unit = &store->units.items[unit_index];
    struct hf_split_unit *split = store->kept[unit_index].split;
    if (split == NULL)
        return (struct hf_unit_parts){
            unit, &store->sections, unit, &store->sections, store->has_columns};
    split->unit->queries = unit->queries;
    split->unit->query_count = unit->query_count;
    split->sections.effort = &store->effort;
    return (struct hf_unit_parts){
        split->unit, &split->sections, unit, &store->sections, store->has_columns};
}

struct hf_die_names *hf_unit_store_names(struct hf_unit_store *store, uint32_t unit)
{
    struct hf_split_unit *split = store->kept[unit].split;
    return split != NULL ? &split->names : &store->names;
}

struct hf_line_file hf_unit_store_file(struct hf_unit_store *store, uint32_t unit, uint32_t file)
{
    struct hf_kept_unit *kept = &store->kept[unit];
    if (!kept->has_files) {
        kept->has_files = true;
        /* Damage was counted when the lines were read, a limit was not; what came before holds. */
        struct hf_error fault;
        enum hf_status status =
            hf_line_files_read(&kept->files, &store->units.items[unit], &store->sections, &fault);
        if (status == HF_ERR_LIMIT)
            hf_unit_store_add_damage(store, &fault);
    }
    return hf_line_files_find(&kept->files, file, &store->texts);
}

static enum hf_status open_split(struct hf_unit_store *store, uint32_t unit, struct hf_error *err)
{
    struct hf_error fault;
    struct hf_split_source *source = store->sections.split;
    struct hf_split_unit *split = calloc(1, sizeof *split);
    if (split == NULL)
        return hf_error_memory(err);
    uint64_t bytes = source != NULL ? source->bytes : 0;
    enum hf_status status = hf_split_unit_open(
        split, &store->units.items[unit], &store->sections, &store->texts, &fault);
    if (status == HF_OK) {
        store->kept[unit].split = split;
    } else {
        free(split);
        if (store->damage.first_split.status == HF_OK)
            store->damage.first_split = fault;
    }
    if (source != NULL)
        hf_dwarf_grant(&store->effort, source->bytes - bytes);
    return status == HF_ERR_MEMORY ? hf_error_memory(err) : HF_OK;
}

enum hf_status hf_unit_store_find_split(
    struct hf_unit_store *store, uint32_t unit, struct hf_error *err)
{
    if (store->kept[unit].has_split || store->units.items[unit].dwo_name.size == 0)
        return HF_OK;
    store->kept[unit].has_split = true;
    return open_split(store, unit, err);
}

static void drop_index(struct hf_unit_store *store, struct hf_kept_unit *kept)
{
    if (kept->index != NULL)
        atomic_fetch_sub(&store->index_bytes, hf_unit_index_bytes(kept->index));
    hf_unit_index_free(kept->index);
    kept->index = NULL;
}

bool hf_unit_store_has_room(struct hf_unit_store *store)
{
    return atomic_load(&store->index_bytes) < MOST_INDEX_BYTES;
}

void hf_unit_store_make_index(struct hf_unit_store *store, uint32_t unit, bool is_thorough)
{
    struct hf_kept_unit *kept = &store->kept[unit];
    struct hf_unit_parts parts = hf_unit_store_parts(store, unit);
    drop_index(store, kept);
    atomic_fetch_add(&store->units_decoded, 1);
    kept->has_no_index = hf_unit_index_new(&parts, is_thorough, &kept->index, NULL) != HF_OK;
    kept->is_indexed_thoroughly = is_thorough;
    if (kept->index != NULL)
        atomic_fetch_add(&store->index_bytes, hf_unit_index_bytes(kept->index));
}

/* Of names and paths. */
static size_t unit_store_text_bytes(const struct hf_unit_store *store)
{
    return hf_die_names_bytes(&store->names) + store->texts.arena.total_bytes +
           store->texts.entries_capacity * sizeof *store->texts.entries +
           store->texts.slots_capacity * sizeof *store->texts.slots;
}

size_t hf_unit_store_bytes(struct hf_unit_store *store)
{
    return unit_store_text_bytes(store) + atomic_load(&store->index_bytes);
}

static void forget_names(struct hf_unit_store *store)
{
    if (unit_store_text_bytes(store) < MOST_NAME_BYTES)
        return;
    hf_die_names_forget(&store->names);
    for (size_t i = 0; i < store->units.count; i++) {
        hf_line_files_done(&store->kept[i].files);
        store->kept[i].has_files = false;
        if (store->kept[i].split != NULL)
            hf_die_names_forget(&store->kept[i].split->names);
    }
    hf_intern_done(&store->texts);
    store->generation++;
}

/*
 * When indexes fill their part, an eighth of them goes, those that were asked longest ago: so that
 * addresses all over a file that is too large make few of them anew.
 */
static void forget_indexes(struct hf_unit_store *store)
{
    if (hf_unit_store_has_room(store))
        return;
    while (atomic_load(&store->index_bytes) > MOST_INDEX_BYTES / 8 * 7) {
        struct hf_kept_unit *oldest = NULL;
        for (size_t i = 0; i < store->units.count; i++) {
            struct hf_kept_unit *kept = &store->kept[i];
            if (kept->index != NULL && (oldest == NULL || kept->last_run < oldest->last_run))
                oldest = kept;
        }
        drop_index(store, oldest);
        oldest->last_run = 0;
    }
}

static void grant_effort(struct hf_unit_store *store)
{
    hf_dwarf_effort_init(&store->effort, &store->sections);
    if (store->sections.supplement != NULL)
        hf_dwarf_grant(&store->effort, hf_dwarf_bytes(&store->supplement));
    if (store->sections.split != NULL)
        hf_dwarf_grant(&store->effort, store->sections.split->bytes);
}

void hf_unit_store_begin_run(struct hf_unit_store *store)
{
    grant_effort(store);
    for (size_t i = 0; i < store->units.count; i++)
        store->units.items[i].query_count = 0;
    if (store->kept != NULL) {
        forget_names(store);
        forget_indexes(store);
    }
    store->run++;
}
