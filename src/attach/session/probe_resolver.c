#include "attach/session/probe_resolver.h"

#include "attach/postgres/postgres.h"
#include "attach/probes/ifunc.h"
#include "attach/probes/probe_site.h"
#include "attach/probes/spec_match.h"
#include "base/containers/vec.h"
#include "os/process/proc.h"
#include "profile/notes.h"
#include "spec/pattern.h"
#include "spec/system_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct probe_resolver_resolver {
    struct hf_probes *probes;
    struct hf_notes *notes;
    struct hf_images images;
    struct hf_site_finder finder;
    /* Of the spec that is looked at. */
    const struct hf_spec *spec;
    struct hf_spec_match fit;
    bool *is_found; /* by entry */
    size_t first;   /* of its probes */
    /* Of the object that is looked through. */
    const struct hf_spec_match_object *object;
    enum hf_status status;
    struct hf_error *err;
};

static const struct hf_code_image *probe_resolver_image_of(
    const struct probe_resolver_resolver *r, uint32_t image)
{
    return &r->images.images[image];
}

/* The probe that is there already, or NULL. */
static struct hf_probe *find_probe(
    const struct probe_resolver_resolver *r, const struct hf_probe *probe)
{
    for (size_t i = 0; i < r->probes->count; i++) {
        struct hf_probe *other = &r->probes->items[i];
        if (other->path == probe->path && other->entry_offset == probe->entry_offset &&
            other->entry->role == probe->entry->role)
            return other;
    }
    return NULL;
}

static enum hf_status probe_resolver_add_probe(struct probe_resolver_resolver *r,
    const struct hf_spec_entry *entry, uint32_t image, uint64_t offset, struct hf_text name)
{
    struct hf_probe probe;
    struct hf_probes *probes = r->probes;
    if (!hf_site_finder_find(&r->finder, entry, image, offset, &probe))
        return HF_OK; /* a symbol of something else, or of code that is not mapped */
    if (!hf_site_finder_trusts(&r->finder, image))
        return hf_error_set(r->err, HF_ERR_INPUT,
            "process %u: %s is not the file that the process loaded: their build-ids differ",
            r->images.pid, probe_resolver_image_of(r, image)->path);
    r->is_found[entry - r->spec->entries] = true;
    /* Of several names of a function that of the first line counts. */
    struct hf_probe *known = probe.path != NULL ? find_probe(r, &probe) : NULL;
    if (known != NULL && (known < probes->items + r->first || known->entry <= entry))
        return HF_OK;
    struct hf_text file = hf_text_basename(hf_text_of(probe_resolver_image_of(r, image)->path));
    probe.file = hf_arena_copy(&probes->arena, file.data, file.size);
    probe.function = hf_arena_copy(&probes->arena, name.data, name.size);
    if (probe.path == NULL || probe.file == NULL || probe.function == NULL ||
        !hf_vec_reserve(&probes->items, &probes->capacity, probes->count + 1, sizeof probe))
        return hf_error_memory(r->err);
    hf_site_finder_move(&r->finder, image, &probe);
    if (probe.has_breakpoint && hf_proc_tracer(r->images.pid) != 0)
        return hf_error_set(r->err, HF_ERR_INPUT,
            "process %u is traced by process %u, which may have a breakpoint in %s of %s; a probe "
            "there would remove it",
            r->images.pid, hf_proc_tracer(r->images.pid), probe.function, probe.file);
    /* A breakpoint in the wrong place would be the end of the process. */
    if (!hf_file_map_is_whole(&probe_resolver_image_of(r, image)->file))
        return hf_error_set(r->err, HF_ERR_INPUT,
            "process %u: %s was cut short while it was read, so its functions cannot be found; try "
            "again when no process writes to it",
            r->images.pid, probe_resolver_image_of(r, image)->path);
    if (known != NULL)
        *known = probe;
    else
        probes->items[probes->count++] = probe;
    return HF_OK;
}

/* Where in its file the function of a symbol is; false, and it is said: nowhere yet. */
static bool probe_resolver_locate(struct probe_resolver_resolver *r, const struct hf_symbol *symbol,
    unsigned type, uint64_t *out_offset)
{
    uint64_t address;
    const struct hf_code_image *image = probe_resolver_image_of(r, r->object->image);
    if (type != STT_GNU_IFUNC)
        return hf_elf_offset_of_address(&image->elf, symbol->address, out_offset);
    if (!hf_ifunc_target(&r->images, r->object->image, symbol, &address)) {
        hf_notes_add(r->notes, HF_NOTE_INFO,
            "%.*s of %s is not probed: it is one of several functions (IFUNC), and the process has "
            "not chosen yet",
            (int)symbol->name.size, symbol->name.data, image->path);
        return false;
    }
    const struct hf_code_segment *segment = hf_images_at(&r->images, address);
    *out_offset = address - segment->start + segment->file_offset;
    return true;
}

static void probe_resolver_take_symbol(
    void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    (void)is_local;
    struct probe_resolver_resolver *r = context;
    uint64_t offset;
    for (size_t i = 0; i < r->spec->entry_count && r->status == HF_OK; i++) {
        const struct hf_spec_entry *entry = &r->spec->entries[i];
        if (type == STT_OBJECT || entry->locator.kind != HF_SPEC_SYMBOL)
            continue;
        enum hf_symbol_match match =
            hf_spec_match_symbol(entry->locator.symbol, r->object->prefix, symbol->name);
        if (match == HF_SYMBOL_OTHER || !probe_resolver_locate(r, symbol, type, &offset))
            continue;
        r->status = probe_resolver_add_probe(r, entry, r->object->image, offset, symbol->name);
        if (match == HF_SYMBOL_CLONE)
            hf_notes_add(r->notes, HF_NOTE_INFO,
                "%.*s of %s is a copy that the compiler made for some callers: its arguments may "
                "differ",
                (int)symbol->name.size, symbol->name.data,
                probe_resolver_image_of(r, r->object->image)->path);
    }
}

static const struct hf_spec_entry *table_entry(const struct probe_resolver_resolver *r)
{
    for (size_t i = 0; i < r->spec->entry_count; i++)
        if (r->spec->entries[i].locator.kind == HF_SPEC_TABLE)
            return &r->spec->entries[i];
    return NULL;
}

/* What its symbol says; without, as in a stripped server, what it does: "alloc of contexts". */
static struct hf_text name_of_slot(const struct probe_resolver_resolver *r,
    const struct hf_spec_entry *entry, const struct hf_code_image *image, uint64_t offset,
    char fallback[64])
{
    struct hf_symbol symbol = {0};
    uint64_t address;
    if (hf_elf_address_of_offset(&image->elf, offset, &address) &&
        hf_symtab_resolve(&image->elf, &address, 1, &symbol, r->err) == HF_OK &&
        symbol.name.size != 0 && symbol.address == address)
        return symbol.name;
    int size = snprintf(fallback, 64, "%s of contexts", hf_role_name(entry->role));
    return (struct hf_text){fallback, (size_t)size};
}

static enum hf_status take_slot(struct probe_resolver_resolver *r,
    const struct hf_spec_entry *entry, const struct hf_context_tables *tables)
{
    enum hf_status status = HF_OK;
    char fallback[64];
    for (size_t i = 0; i < tables->count && status == HF_OK; i++) {
        if (entry->locator.number >= HF_CONTEXT_SLOTS)
            break;
        uint64_t address = tables->functions[i][entry->locator.number];
        const struct hf_code_segment *segment = hf_images_at(&r->images, address);
        if (segment == NULL)
            continue;
        uint64_t offset = address - segment->start + segment->file_offset;
        struct hf_text name =
            name_of_slot(r, entry, probe_resolver_image_of(r, segment->image), offset, fallback);
        status = probe_resolver_add_probe(r, entry, segment->image, offset, name);
    }
    return status;
}

/* The functions that are known by their place in the tables of methods of contexts. */
static enum hf_status take_tables(struct probe_resolver_resolver *r)
{
    struct hf_postgres postgres;
    struct hf_context_tables tables;
    if (table_entry(r) == NULL)
        return HF_OK;
    enum hf_status status = hf_postgres_open(&postgres, r->images.pid, r->err);
    if (status == HF_OK)
        status = hf_postgres_tables(&postgres, &tables, r->err);
    hf_postgres_close(&postgres);
    for (size_t i = 0; i < r->spec->entry_count && status == HF_OK; i++)
        if (r->spec->entries[i].locator.kind == HF_SPEC_TABLE)
            status = take_slot(r, &r->spec->entries[i], &tables);
    return status;
}

static bool has_build_id(const struct hf_elf *elf, struct hf_text digits)
{
    char text[2 * 64 + 1];
    if (elf->build_id.size == 0 || elf->build_id.size > 64)
        return false;
    for (size_t i = 0; i < elf->build_id.size; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", (unsigned char)elf->build_id.data[i]);
    return hf_text_is(digits, text);
}

static enum hf_status take_offsets(struct probe_resolver_resolver *r)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < r->spec->entry_count; i++) {
        const struct hf_spec_locator *locator = &r->spec->entries[i].locator;
        for (uint32_t j = 0; j < r->images.image_count && status == HF_OK; j++)
            if (locator->kind == HF_SPEC_OFFSET &&
                has_build_id(&probe_resolver_image_of(r, j)->elf, locator->build_id))
                status = probe_resolver_add_probe(
                    r, &r->spec->entries[i], j, locator->number, HF_TEXT("the function"));
    }
    return status;
}

static enum hf_status take_system_calls(struct probe_resolver_resolver *r)
{
    struct hf_probes *probes = r->probes;
    for (size_t i = 0; i < r->spec->entry_count; i++) {
        const struct hf_spec_entry *entry = &r->spec->entries[i];
        if (entry->locator.kind != HF_SPEC_SYSTEM_CALL)
            continue;
        if (!hf_vec_reserve(
                &probes->items, &probes->capacity, probes->count + 1, sizeof *probes->items))
            return hf_error_memory(r->err);
        r->is_found[i] = true;
        probes->items[probes->count++] = (struct hf_probe){
            .path = "",
            .file = "the kernel",
            .function = hf_system_call_name(entry->locator.number),
            .offset = entry->locator.number,
            .jumps_to = UINT64_MAX,
            .is_emulated = true,
            .is_system_call = true,
            .returns = hf_spec_entry_returns(entry),
            .entry = entry,
        };
    }
    return HF_OK;
}

/* Says which function of the spec is nowhere. */
static enum hf_status check_found(struct probe_resolver_resolver *r)
{
    for (size_t i = 0; i < r->spec->entry_count; i++) {
        const struct hf_spec_entry *entry = &r->spec->entries[i];
        const struct hf_code_image *image = probe_resolver_image_of(r, r->fit.items[0].image);
        if (r->is_found[i] || entry->is_optional)
            continue;
        if (entry->locator.kind == HF_SPEC_SYMBOL)
            return hf_error_set(r->err, HF_ERR_INPUT,
                "process %u: spec %.*s: the function for %s, %.*s, is in no symbol table of %s%s",
                r->images.pid, (int)r->spec->name.size, r->spec->name.data,
                hf_role_name(entry->role), (int)entry->locator.symbol.size,
                entry->locator.symbol.data, image->path,
                r->fit.count > 1 ? " or of the other files that the spec names" : "");
        return hf_error_set(r->err, HF_ERR_INPUT,
            "process %u: the function of line %u of spec %.*s is in none of its mapped files",
            r->images.pid, entry->line, (int)r->spec->name.size, r->spec->name.data);
    }
    return HF_OK;
}

/* In the order of the lines, and of addresses. */
static int compare_probes(const void *a_probe, const void *b_probe)
{
    const struct hf_probe *a = a_probe, *b = b_probe;
    if (a->entry != b->entry)
        return a->entry < b->entry ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

/*
 * True if all that the probed function does is to jump to another that is probed for the same: its
 * calls are seen there.
 */
static bool is_forwarder(const struct probe_resolver_resolver *r, const struct hf_probe *probe)
{
    for (size_t i = 0; i < r->probes->count; i++) {
        const struct hf_probe *other = &r->probes->items[i];
        if (other->path == probe->path && other->entry_offset == probe->jumps_to &&
            other != probe && hf_spec_entries_agree(other->entry, probe->entry))
            return true;
    }
    return false;
}

static void drop_forwarders(struct probe_resolver_resolver *r)
{
    struct hf_probes *probes = r->probes;
    for (size_t i = r->first; i < probes->count; i++)
        if (!is_forwarder(r, &probes->items[i]))
            probes->items[i].jumps_to = UINT64_MAX;
    size_t kept = r->first;
    for (size_t i = r->first; i < probes->count; i++)
        if (probes->items[i].jumps_to == UINT64_MAX)
            probes->items[kept++] = probes->items[i];
    probes->count = kept;
}

static enum hf_status take_spec(struct probe_resolver_resolver *r)
{
    struct hf_probes *probes = r->probes;
    r->first = probes->count;
    free(r->is_found);
    r->is_found = calloc(r->spec->entry_count, sizeof *r->is_found);
    if (r->is_found == NULL || !hf_vec_reserve(&probes->specs, &probes->spec_capacity,
                                   probes->spec_count + 1, sizeof(struct hf_spec *)))
        return hf_error_memory(r->err);
    for (size_t i = 0; i < r->fit.count && r->status == HF_OK; i++) {
        r->object = &r->fit.items[i];
        enum hf_status status = hf_symtab_each(&probe_resolver_image_of(r, r->object->image)->elf,
            probe_resolver_take_symbol, r, r->err);
        r->status = r->status == HF_OK ? status : r->status;
    }
    if (r->status == HF_OK)
        r->status = take_tables(r);
    if (r->status == HF_OK)
        r->status = take_offsets(r);
    if (r->status == HF_OK)
        r->status = take_system_calls(r);
    if (r->status == HF_OK)
        r->status = check_found(r);
    if (r->status != HF_OK)
        return r->status;
    probes->specs[probes->spec_count++] = r->spec;
    if (probes->count > r->first)
        qsort(probes->items + r->first, probes->count - r->first, sizeof *probes->items,
            compare_probes);
    drop_forwarders(r);
    return HF_OK;
}

/* The first spec of a file that fits. */
static enum hf_status take_file(struct probe_resolver_resolver *r, const struct hf_specs *specs)
{
    for (size_t i = 0; i < specs->count; i++) {
        r->spec = &specs->items[i];
        enum hf_status status = hf_spec_match_find(&r->fit, r->spec, r->err);
        if (status != HF_OK || r->fit.count != 0)
            return status == HF_OK ? take_spec(r) : status;
    }
    return hf_spec_match_refuse(&r->fit, specs, r->err);
}

static enum hf_status probe_resolver_start(struct probe_resolver_resolver *r, uint32_t pid)
{
    struct hf_error err;
    enum hf_status status = hf_images_open(&r->images, pid, r->err);
    if (status != HF_OK)
        return status;
    r->fit = hf_spec_match_of(&r->images);
    status = hf_site_finder_init(&r->finder, &r->images, &r->probes->arena, &err);
    if (status == HF_ERR_SYSTEM)
        hf_notes_add(r->notes, HF_NOTE_INFO, "%s; without it, many probes are expensive", err.text);
    return status == HF_ERR_MEMORY ? hf_error_memory(r->err) : HF_OK;
}

enum hf_status hf_probes_resolve(struct hf_probes *probes, uint32_t pid,
    const struct hf_specs *specs, size_t count, bool is_any, struct hf_notes *notes,
    struct hf_error *err)
{
    *probes = (struct hf_probes){0};
    struct probe_resolver_resolver r = {.probes = probes, .notes = notes, .err = err};
    enum hf_status status = probe_resolver_start(&r, pid);
    probes->has_go = status == HF_OK && hf_images_have_go(&r.images);
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        r.status = HF_OK;
        status = take_file(&r, &specs[i]);
        bool is_other = status == HF_ERR_INPUT && is_any;
        if (is_other && (i + 1 < count || probes->spec_count != 0))
            status = HF_OK;
    }
    hf_site_finder_done(&r.finder);
    hf_spec_match_done(&r.fit);
    hf_images_close(&r.images);
    free(r.is_found);
    return status;
}

void hf_probes_done(struct hf_probes *probes)
{
    free(probes->items);
    free(probes->specs);
    hf_arena_done(&probes->arena);
    *probes = (struct hf_probes){0};
}
