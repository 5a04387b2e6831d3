#include "dwarf/lookup/line.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/out.h"
#include "dwarf/abbrev.h"
#include "dwarf/constants.h"
#include "dwarf/lookup/line_header.h"
#include "dwarf/lookup/place.h"

#include <stdlib.h>

/* One of the two tables of struct hf_line_files, while it is read. */
struct line_files_list {
    struct hf_line_file *items;
    size_t count, capacity;
};

static enum hf_status line_files_add(
    struct line_files_list *list, struct hf_text name, uint64_t folder, struct hf_error *err)
{
    if (list->count == HF_LIMIT_LINE_FILES)
        return hf_error_set(err, HF_ERR_LIMIT, "more than %u source files (HF_LIMIT_LINE_FILES)",
            HF_LIMIT_LINE_FILES);
    if (!hf_vec_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return hf_error_memory(err);
    list->items[list->count++] = (struct hf_line_file){.name = name, .folder = folder};
    return HF_OK;
}

/* Versions 2 to 4: names one after the other, an empty one ends. Number 0 is the unit's own. */
static enum hf_status read_old(
    struct hf_cursor *c, struct line_files_list *list, bool has_details, struct hf_error *err)
{
    enum hf_status status = line_files_add(list, HF_TEXT(""), 0, err);
    while (status == HF_OK) {
        struct hf_text name = hf_cursor_string(c);
        if (name.size == 0)
            break;
        uint64_t folder = 0;
        if (has_details) {
            folder = hf_cursor_uleb(c);
            hf_cursor_skip_leb(c); /* time of change */
            hf_cursor_skip_leb(c); /* size */
        }
        status = line_files_add(list, name, folder, err);
    }
    return status;
}

/* Version 5: a description of the fields, then the entries (section 6.2.4.1). */
static enum hf_status read_new(struct hf_cursor *c, struct line_files_list *list,
    const struct hf_line_header *header, const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct hf_abbrev_attribute fields[255];
    uint8_t field_count = hf_cursor_u8(c);
    for (unsigned i = 0; i < field_count; i++) {
        uint64_t content = hf_cursor_uleb(c), form = hf_cursor_uleb(c);
        if (form > UINT16_MAX)
            hf_cursor_fail(c);
        fields[i] = (struct hf_abbrev_attribute){
            .name = content <= UINT16_MAX ? (uint16_t)content : 0,
            .form = (uint16_t)form,
            .size = hf_form_size((uint16_t)form, &header->encoding),
        };
    }
    uint64_t count = hf_cursor_uleb(c);
    enum hf_status status = HF_OK;
    /* An entry takes at least a byte, so the bytes that remain bound the count. */
    for (uint64_t i = 0; i < count && status == HF_OK && hf_cursor_left(c) != 0; i++) {
        size_t before = hf_cursor_left(c);
        struct hf_line_file entry = {.name = HF_TEXT("")};
        for (unsigned f = 0; f < field_count; f++) {
            /* An inline string is read here, its bytes being in this section. */
            bool is_inline = fields[f].form == DW_FORM_string;
            struct hf_text text = is_inline ? hf_cursor_string(c) : HF_TEXT("");
            uint64_t value = is_inline ? 0 : hf_attribute_read(c, &fields[f], &header->encoding);
            if (fields[f].name == DW_LNCT_path)
                entry.name =
                    is_inline ? text : hf_unit_string(unit, sections, fields[f].form, value);
            else if (fields[f].name == DW_LNCT_directory_index)
                entry.folder = value;
        }
        if (hf_cursor_left(c) == before)
            hf_cursor_fail(c); /* fields without bytes: the count would be the only bound */
        else
            status = line_files_add(list, entry.name, entry.folder, err);
    }
    return status;
}

/* Appends the parts of a path, without "." and empty ones. */
static void append_parts(struct hf_out *path, struct hf_text parts)
{
    if (hf_text_starts(parts, "/") && path->size == 0)
        hf_out_char(path, '/');
    while (parts.size != 0) {
        struct hf_text part = hf_text_first(parts, hf_text_find(parts, '/'));
        parts = hf_text_from(parts, part.size + 1);
        if (part.size == 0 || hf_text_is(part, "."))
            continue;
        if (path->size != 0 && path->data[path->size - 1] != '/')
            hf_out_char(path, '/');
        hf_out_text(path, part);
    }
}

struct hf_line_file hf_line_files_find(
    struct hf_line_files *files, uint32_t number, struct hf_intern *texts)
{
    if (number >= files->file_count)
        return (struct hf_line_file){.path = HF_TEXT("")};
    struct hf_line_file *file = &files->files[number];
    if (file->path.data != NULL || file->name.size == 0)
        return *file;
    struct hf_text folder =
        file->folder < files->folder_count ? files->folders[file->folder].name : HF_TEXT("");
    struct hf_out path = {0};
    size_t unit_bytes = 0;
    if (!hf_text_starts(file->name, "/")) {
        bool is_of_unit = files->has_unit_folder && file->folder == 0;
        if (!hf_text_starts(folder, "/") && !is_of_unit)
            append_parts(&path, files->comp_dir);
        unit_bytes = path.size;
        append_parts(&path, folder);
        unit_bytes = is_of_unit ? path.size : unit_bytes;
    }
    append_parts(&path, file->name);
    uint32_t id;
    if (path.error.status == HF_OK && hf_intern_put(texts, path.data, path.size, &id))
        file->path = hf_intern_at(texts, id);
    if (unit_bytes < file->path.size && unit_bytes <= HF_FOLDER_BYTES_MAX)
        file->unit_folder_bytes = (uint16_t)unit_bytes;
    hf_out_done(&path);
    return *file;
}

static enum hf_status line_files_read_tables(struct hf_line_files *files, struct hf_cursor *c,
    const struct hf_line_header *header, const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct line_files_list folders = {0}, names = {0};
    bool is_new = header->encoding.version >= 5;
    enum hf_status status = is_new ? read_new(c, &folders, header, unit, sections, err)
                                   : read_old(c, &folders, false, err);
    if (status == HF_OK)
        status = is_new ? read_new(c, &names, header, unit, sections, err)
                        : read_old(c, &names, true, err);
    files->folders = folders.items;
    files->folder_count = folders.count;
    files->files = names.items;
    files->file_count = names.count;
    return status;
}

enum hf_status hf_line_files_read(struct hf_line_files *files, const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct hf_line_header header;
    *files = (struct hf_line_files){.comp_dir = unit->comp_dir};
    if (!unit->has_line)
        return HF_OK;
    enum hf_status status = hf_line_header_read(&header, unit, sections, err);
    if (status != HF_OK)
        return status;
    files->has_unit_folder = header.encoding.version >= 5;
    /* Two bytes make an entry. */
    uint64_t size = header.program_offset - header.tables_offset;
    if (!hf_dwarf_spend(sections, size / 2 * sizeof *files->files, err))
        return HF_ERR_LIMIT;
    struct hf_cursor c =
        hf_cursor_of(sections->line.data, (size_t)header.program_offset, ".debug_line");
    hf_cursor_seek(&c, header.tables_offset);
    return line_files_read_tables(files, &c, &header, unit, sections, err);
}

void hf_line_files_done(struct hf_line_files *files)
{
    free(files->folders);
    free(files->files);
    *files = (struct hf_line_files){0};
}
