#include "attach/resolve.h"

#include "attach/malloc_owner.h"
#include "attach/postgres.h"
#include "attach/slide.h"
#include "base/vec.h"
#include "elf/symtab.h"
#include "profile/notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A file in which functions are looked for, and what "%" is in it. */
struct object {
    uint32_t image;
    struct hf_text prefix;
};

struct resolver {
    struct hf_probes *probes;
    struct hf_notes *notes;
    struct hf_images images;
    uint32_t program, malloc_owner;
    struct hf_slider *slider; /* NULL: it is missing */
    const char **paths;       /* by image: as of a probe; NULL: not asked yet */
    /* Of the spec that is looked at. */
    const struct hf_spec *spec;
    struct object *objects;
    size_t object_count, object_capacity;
    bool *is_found; /* by entry */
    /* Of the object that is looked through. */
    const struct object *object;
    enum hf_status status;
    struct hf_error *err;
};

static const struct hf_code_image *image_of(const struct resolver *r, uint32_t image)
{
    return &r->images.images[image];
}

/* "*" is any text, "?" any character. */
static bool glob_matches(struct hf_text glob, struct hf_text name)
{
    size_t at = 0, star = glob.size, resume = 0;
    for (size_t i = 0; i < name.size;) {
        if (at < glob.size && glob.data[at] == '*') {
            star = at++;
            resume = i;
        } else if (at < glob.size && (glob.data[at] == '?' || glob.data[at] == name.data[i])) {
            at++;
            i++;
        } else if (star < glob.size) {
            at = star + 1;
            i = ++resume;
        } else {
            return false;
        }
    }
    return hf_text_trim_start(hf_text_from(glob, at), "*").size == 0;
}

static bool is_glob(struct hf_text text)
{
    return hf_text_find(text, '*') != text.size || hf_text_find(text, '?') != text.size;
}

/* What is behind the name of a function in that of a copy the compiler made for some callers. */
static bool is_clone(struct hf_text rest)
{
    return hf_text_starts(rest, ".constprop.") || hf_text_starts(rest, ".isra.");
}

/* True if a symbol is what `wanted` means, where "%" stands for `prefix`. */
static bool is_meant(
    struct hf_text wanted, struct hf_text prefix, struct hf_text name, bool *out_is_clone)
{
    if (hf_text_take(&wanted, "%")) {
        if (!hf_text_equal(hf_text_first(name, prefix.size), prefix))
            return false;
        name = hf_text_from(name, prefix.size);
    }
    *out_is_clone = false;
    if (is_glob(wanted)) /* not the pieces of functions: ".cold", ".part.0" */
        return hf_text_find(name, '.') == name.size && glob_matches(wanted, name);
    if (!hf_text_equal(hf_text_first(name, wanted.size), wanted))
        return false;
    *out_is_clone = is_clone(hf_text_from(name, wanted.size));
    return name.size == wanted.size || *out_is_clone;
}

/* The path by which the kernel finds what is mapped; NULL without memory. */
static const char *path_of(struct resolver *r, const struct hf_code_segment *segment)
{
    char path[PATH_MAX + 64];
    struct hf_file_stamp stamp;
    const struct hf_code_image *image = image_of(r, segment->image);
    const char **known = &r->paths[segment->image];
    if (*known != NULL)
        return *known;
    int size = snprintf(path, sizeof path, "/proc/%" PRIu32 "/root%s", r->images.pid, image->path);
    if (strpbrk(image->path, " \t\n") != NULL || !hf_file_stamp_of(path, &stamp) ||
        stamp.inode != image->inode || stamp.device != image->device)
        size = snprintf(path, sizeof path, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
            r->images.pid, segment->start, segment->end);
    *known = hf_arena_copy(&r->probes->arena, path, (size_t)size);
    return *known;
}

/* The mapping that has the byte at `offset` of an image, or NULL. */
static const struct hf_code_segment *segment_of(
    const struct resolver *r, uint32_t image, uint64_t offset)
{
    for (size_t i = 0; i < r->images.segment_count; i++) {
        const struct hf_code_segment *segment = &r->images.segments[i];
        if (segment->image == image &&
            offset - segment->file_offset < segment->end - segment->start)
            return segment;
    }
    return NULL;
}

static bool is_known(const struct resolver *r, const struct hf_probe *probe)
{
    for (size_t i = 0; i < r->probes->count; i++) {
        const struct hf_probe *other = &r->probes->items[i];
        if (other->path == probe->path && other->entry_offset == probe->entry_offset &&
            other->entry->role == probe->entry->role)
            return true;
    }
    return false;
}

/* Moves the probe from the entry of its function. */
static void slide(struct resolver *r, const struct hf_elf *elf, struct hf_probe *probe)
{
    struct hf_slide found = {.refusal = HF_SLIDE_UNKNOWN};
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *s = &elf->segments[i];
        if (s->type != PT_LOAD || (s->flags & PF_X) == 0 ||
            probe->entry_offset - s->offset >= s->file_size)
            continue;
        struct hf_text code = hf_text_first(hf_text_from(elf->bytes, s->offset), s->file_size);
        found = hf_slide_find(r->slider, code, probe->entry_offset - s->offset,
            hf_spec_entry_arguments(probe->entry));
        break;
    }
    probe->offset += found.distance;
    probe->address += found.distance;
    probe->is_emulated = found.refusal == HF_SLIDE_FREE;
    probe->why_stepped = probe->is_emulated ? NULL : hf_slide_reason(found.refusal);
}

static enum hf_status add_probe(struct resolver *r, const struct hf_spec_entry *entry,
    uint32_t image, uint64_t offset, struct hf_text name)
{
    const struct hf_code_segment *segment = segment_of(r, image, offset);
    struct hf_probes *probes = r->probes;
    if (segment == NULL)
        return HF_OK; /* a symbol of something else, or of code that is not mapped */
    r->is_found[entry - r->spec->entries] = true;
    struct hf_probe probe = {
        .path = path_of(r, segment),
        .entry_offset = offset,
        .offset = offset,
        .address = segment->start + (offset - segment->file_offset),
        .returns = hf_spec_entry_returns(entry),
        .entry = entry,
    };
    if (probe.path != NULL && is_known(r, &probe))
        return HF_OK;
    struct hf_text file = hf_text_basename(hf_text_of(image_of(r, image)->path));
    probe.file = hf_arena_copy(&probes->arena, file.data, file.size);
    probe.function = hf_arena_copy(&probes->arena, name.data, name.size);
    if (probe.path == NULL || probe.file == NULL || probe.function == NULL ||
        !hf_vec_reserve(&probes->items, &probes->capacity, probes->count + 1, sizeof probe))
        return hf_error_memory(r->err);
    slide(r, &image_of(r, image)->elf, &probe);
    probes->items[probes->count++] = probe;
    return HF_OK;
}

static void take_symbol(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    (void)is_local;
    struct resolver *r = context;
    uint64_t offset;
    bool is_copy;
    if (type == STT_OBJECT)
        return;
    for (size_t i = 0; i < r->spec->entry_count && r->status == HF_OK; i++) {
        const struct hf_spec_entry *entry = &r->spec->entries[i];
        const struct hf_code_image *image = image_of(r, r->object->image);
        if (entry->locator.kind != HF_SPEC_SYMBOL ||
            !is_meant(entry->locator.symbol, r->object->prefix, symbol->name, &is_copy) ||
            !hf_elf_offset_of_address(&image->elf, symbol->address, &offset))
            continue;
        r->status = add_probe(r, entry, r->object->image, offset, symbol->name);
        if (is_copy)
            hf_notes_add(r->notes, HF_NOTE_INFO,
                "%.*s of %s is a copy that the compiler made for some callers: it may have other "
                "arguments",
                (int)symbol->name.size, symbol->name.data, image->path);
    }
}

/* What a test or a prefix asks of a file. */
struct question {
    struct resolver *r;
    uint32_t image;
    struct hf_text name;
    bool is_found;
};

static void see_name(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    (void)type;
    (void)is_local;
    struct question *question = context;
    question->is_found = question->is_found || hf_text_equal(symbol->name, question->name);
}

static bool passes(struct resolver *r, uint32_t image, const struct hf_spec_test *test)
{
    const struct hf_elf *elf = &image_of(r, image)->elf;
    if (test->is_string)
        return memmem(elf->bytes.data, elf->bytes.size, test->text.data, test->text.size) != NULL;
    struct question question = {.name = test->text};
    (void)!hf_symtab_each(elf, see_name, &question, NULL);
    return question.is_found;
}

/* True if the file has all of one `detect` line, or there is none. */
static bool is_detected(struct resolver *r, uint32_t image)
{
    const struct hf_spec *spec = r->spec;
    bool has_all = true;
    for (size_t i = 0; i < spec->test_count; i++) {
        if (i != 0 && spec->tests[i].line != spec->tests[i - 1].line) {
            if (has_all)
                return true;
            has_all = true;
        }
        has_all = has_all && passes(r, image, &spec->tests[i]);
    }
    return has_all;
}

static bool is_object(const struct resolver *r, uint32_t image)
{
    struct hf_text name = hf_text_basename(hf_text_of(image_of(r, image)->path));
    for (size_t i = 0; i < r->spec->object_count; i++) {
        const struct hf_spec_object *object = &r->spec->objects[i];
        if ((object->kind == HF_SPEC_EXE && image == r->program) ||
            (object->kind == HF_SPEC_AUTO && image == r->malloc_owner) ||
            (object->kind == HF_SPEC_LIBRARY && image != r->program &&
                glob_matches(object->glob, name)))
            return true;
    }
    return false;
}

static void add_object(struct resolver *r, uint32_t image, struct hf_text prefix)
{
    for (size_t i = 0; i < r->object_count; i++)
        if (r->objects[i].image == image && hf_text_equal(r->objects[i].prefix, prefix))
            return;
    if (!hf_vec_reserve(
            &r->objects, &r->object_capacity, r->object_count + 1, sizeof *r->objects)) {
        r->status = hf_error_memory(r->err);
        return;
    }
    r->objects[r->object_count++] = (struct object){image, prefix};
}

static void see_prefix(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    (void)is_local;
    struct question *question = context;
    struct hf_text glob = question->name, name = symbol->name;
    size_t star = hf_text_find(glob, '*');
    struct hf_text before = hf_text_first(glob, star), after = hf_text_from(glob, star + 1);
    if (type == STT_OBJECT || name.size + 1 < glob.size ||
        !hf_text_equal(hf_text_first(name, star), before) ||
        !hf_text_equal(hf_text_from(name, name.size - after.size), after))
        return;
    struct hf_text prefix = hf_text_from(name, star);
    prefix.size -= after.size;
    add_object(question->r, question->image, prefix);
}

/* The objects of a spec; none: it does not fit. */
static enum hf_status find_objects(struct resolver *r)
{
    r->object_count = 0;
    for (uint32_t i = 0; i < r->images.image_count && r->status == HF_OK; i++) {
        if (!is_object(r, i) || !is_detected(r, i))
            continue;
        struct question question = {r, i, r->spec->prefix, false};
        if (r->spec->prefix.size == 0)
            add_object(r, i, HF_TEXT(""));
        else
            (void)!hf_symtab_each(&image_of(r, i)->elf, see_prefix, &question, NULL);
    }
    return r->status;
}

static const struct hf_spec_entry *table_entry(const struct resolver *r)
{
    for (size_t i = 0; i < r->spec->entry_count; i++)
        if (r->spec->entries[i].locator.kind == HF_SPEC_TABLE)
            return &r->spec->entries[i];
    return NULL;
}

static enum hf_status take_slot(
    struct resolver *r, const struct hf_spec_entry *entry, const struct hf_context_tables *tables)
{
    enum hf_status status = HF_OK;
    char name[32];
    int size = snprintf(name, sizeof name, "table[%" PRIu64 "]", entry->locator.number);
    for (size_t i = 0; i < tables->count && status == HF_OK; i++) {
        if (entry->locator.number >= HF_CONTEXT_SLOTS)
            break;
        uint64_t address = tables->functions[i][entry->locator.number];
        const struct hf_code_segment *segment = hf_images_find(&r->images, address);
        if (segment != NULL)
            status =
                add_probe(r, entry, segment->image, address - segment->start + segment->file_offset,
                    (struct hf_text){name, (size_t)size});
    }
    return status;
}

/* The functions that are known by their place in the tables of methods of contexts. */
static enum hf_status take_tables(struct resolver *r)
{
    struct hf_postgres postgres;
    struct hf_contexts contexts;
    struct hf_context_tables tables = {.count = 0};
    if (table_entry(r) == NULL)
        return HF_OK;
    enum hf_status status = hf_postgres_open(&postgres, r->images.pid, r->err);
    if (status == HF_OK) {
        status = hf_contexts_read(&contexts, &postgres.source, &postgres.layout, r->err);
        if (status == HF_OK)
            hf_context_tables_of(&contexts, &postgres.source, &tables);
        hf_contexts_done(&contexts);
    }
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

static enum hf_status take_offsets(struct resolver *r)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < r->spec->entry_count; i++) {
        const struct hf_spec_locator *locator = &r->spec->entries[i].locator;
        for (uint32_t j = 0; j < r->images.image_count && status == HF_OK; j++)
            if (locator->kind == HF_SPEC_OFFSET &&
                has_build_id(&image_of(r, j)->elf, locator->build_id))
                status =
                    add_probe(r, &r->spec->entries[i], j, locator->number, HF_TEXT("the function"));
    }
    return status;
}

/* Says which function of the spec is nowhere. */
static enum hf_status check_found(struct resolver *r)
{
    for (size_t i = 0; i < r->spec->entry_count; i++) {
        const struct hf_spec_entry *entry = &r->spec->entries[i];
        const struct hf_code_image *image = image_of(r, r->objects[0].image);
        if (r->is_found[i] || entry->is_optional)
            continue;
        if (entry->locator.kind == HF_SPEC_SYMBOL)
            return hf_error_set(r->err, HF_ERR_INPUT,
                "process %u: spec %.*s wants to %s with %.*s, which is in no symbol table of "
                "%s%s",
                r->images.pid, (int)r->spec->name.size, r->spec->name.data,
                hf_role_name(entry->role), (int)entry->locator.symbol.size,
                entry->locator.symbol.data, image->path,
                r->object_count > 1 ? " and the other files that it names" : "");
        return hf_error_set(r->err, HF_ERR_INPUT,
            "process %u: the function of line %u of spec %.*s is in no file that it has mapped",
            r->images.pid, entry->line, (int)r->spec->name.size, r->spec->name.data);
    }
    return HF_OK;
}

static enum hf_status take_spec(struct resolver *r)
{
    struct hf_probes *probes = r->probes;
    free(r->is_found);
    r->is_found = calloc(r->spec->entry_count, sizeof *r->is_found);
    if (r->is_found == NULL || !hf_vec_reserve(&probes->specs, &probes->spec_capacity,
                                   probes->spec_count + 1, sizeof(struct hf_spec *)))
        return hf_error_memory(r->err);
    for (size_t i = 0; i < r->object_count && r->status == HF_OK; i++) {
        r->object = &r->objects[i];
        enum hf_status status =
            hf_symtab_each(&image_of(r, r->object->image)->elf, take_symbol, r, r->err);
        r->status = r->status == HF_OK ? status : r->status;
    }
    if (r->status == HF_OK)
        r->status = take_tables(r);
    if (r->status == HF_OK)
        r->status = take_offsets(r);
    if (r->status == HF_OK)
        r->status = check_found(r);
    if (r->status == HF_OK)
        probes->specs[probes->spec_count++] = r->spec;
    return r->status;
}

/* Says what a file of specs looks for, as its last one has it. */
static enum hf_status refuse(struct resolver *r, const struct hf_specs *specs)
{
    const struct hf_spec *spec = &specs->items[specs->count - 1];
    struct hf_text wanted = spec->test_count != 0 ? spec->tests[0].text : spec->prefix;
    return hf_error_set(r->err, HF_ERR_INPUT,
        "process %u does not fit spec %.*s: none of the files that it names is mapped%s%.*s",
        r->images.pid, (int)spec->name.size, spec->name.data, wanted.size != 0 ? " and has " : "",
        (int)wanted.size, wanted.data);
}

/* The first spec of a file that fits. */
static enum hf_status take_file(struct resolver *r, const struct hf_specs *specs)
{
    for (size_t i = 0; i < specs->count; i++) {
        r->spec = &specs->items[i];
        enum hf_status status = find_objects(r);
        if (status != HF_OK || r->object_count != 0)
            return status == HF_OK ? take_spec(r) : status;
    }
    return refuse(r, specs);
}

static enum hf_status start(struct resolver *r, uint32_t pid)
{
    struct hf_error err;
    enum hf_status status = hf_images_open(&r->images, pid, r->err);
    if (status != HF_OK)
        return status;
    r->paths = calloc(r->images.image_count + 1, sizeof *r->paths);
    if (r->paths == NULL)
        return hf_error_memory(r->err);
    r->program = hf_images_program(&r->images);
    r->malloc_owner = hf_malloc_owner(&r->images);
    status = hf_slider_new(&r->slider, &err);
    if (status == HF_ERR_SYSTEM)
        hf_notes_add(r->notes, HF_NOTE_INFO, "%s; until then many probes are dear", err.text);
    return status == HF_ERR_MEMORY ? hf_error_memory(r->err) : HF_OK;
}

enum hf_status hf_probes_resolve(struct hf_probes *probes, uint32_t pid,
    const struct hf_specs *specs, size_t count, bool is_any, struct hf_notes *notes,
    struct hf_error *err)
{
    *probes = (struct hf_probes){0};
    struct resolver r = {.probes = probes, .notes = notes, .err = err};
    enum hf_status status = start(&r, pid);
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        r.status = HF_OK;
        status = take_file(&r, &specs[i]);
        bool is_other = status == HF_ERR_INPUT && is_any;
        if (is_other && (i + 1 < count || probes->spec_count != 0))
            status = HF_OK;
    }
    hf_images_done(&r.images);
    hf_slider_free(r.slider);
    free(r.paths);
    free(r.objects);
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
