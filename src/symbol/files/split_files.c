#include "symbol/files/split_files.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "os/path.h"
#include "symbol/debug_paths.h"

#include <stdlib.h>

/* A .dwo file, or the part of one in the package: then `file` is not open. */
struct hf_split_opened {
    struct hf_split_file split;
    struct hf_debug_file file;
    struct hf_inflated info; /* of .debug_info.dwo, where there are several */
};

/* What is looked for. */
struct split_files_search {
    struct hf_split_files *files;
    const struct hf_unit *skeleton;
    struct hf_dwarf_effort *effort;
    struct hf_split_opened *found;
    struct hf_error fault; /* why the last file that there was is not the one */
};

static void opened_free(struct hf_split_opened *opened)
{
    if (opened == NULL)
        return;
    hf_split_file_close(&opened->split);
    hf_inflated_done(&opened->info);
    hf_debug_file_close(&opened->file);
    free(opened);
}

void hf_split_files_done(struct hf_split_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        opened_free(files->opened[i]);
    free(files->opened);
    hf_map_done(&files->by_id);
    hf_debug_file_close(&files->package_file);
    *files = (struct hf_split_files){0};
}

static struct hf_split_opened *opened_new(struct split_files_search *s)
{
    struct hf_split_opened *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        hf_error_memory(&s->fault);
    return opened;
}

/* Keeps what was found, for all units that it has. False if there is no memory for that. */
static bool split_files_keep(struct split_files_search *s, struct hf_split_opened *opened)
{
    struct hf_split_files *files = s->files;
    if (!hf_vec_reserve(
            &files->opened, &files->capacity, files->count + 1, sizeof(*files->opened))) {
        opened_free(opened);
        hf_error_memory(&s->fault);
        return false;
    }
    uint32_t index = (uint32_t)files->count;
    files->opened[files->count++] = opened;
    for (size_t i = 0; i < opened->split.units.count; i++) {
        uint64_t id = opened->split.units.items[i].dwo_id;
        if (id != 0 && hf_map_put(&files->by_id, id, index, NULL) == NULL) {
            hf_error_memory(&s->fault);
            return false;
        }
    }
    s->found = opened;
    return true;
}

/* Tries the units of each section of that name: GCC gives type units of DWARF 5 sections apart. */
static enum hf_status open_units(
    struct hf_split_opened *opened, struct split_files_search *s, struct hf_error *err)
{
    struct hf_debug_file *file = &opened->file;
    uint64_t id = s->skeleton->dwo_id;
    enum hf_status status = hf_split_file_open(&opened->split, &file->sections, id, s->effort, err);
    for (size_t i = 0; i < file->elf.section_count && status == HF_ERR_INPUT; i++) {
        if (!hf_text_is(file->elf.sections[i].name, ".debug_info.dwo"))
            continue;
        hf_split_file_close(&opened->split);
        hf_inflated_done(&opened->info);
        status = hf_debug_section_load(
            &file->sections.info, &opened->info, &file->elf, &file->elf.sections[i], err);
        if (status == HF_OK)
            status = hf_split_file_open(&opened->split, &file->sections, id, s->effort, err);
    }
    return status;
}

/* Takes the .dwo file if it exists and has the unit. */
static bool split_files_try_file(struct split_files_search *s, const char *path)
{
    struct hf_split_files *files = s->files;
    struct hf_split_opened *opened = opened_new(s);
    if (opened == NULL || !hf_debug_file_open(&opened->file, path, files->sightings)) {
        free(opened);
        return false;
    }
    struct hf_debug_file *file = &opened->file;
    enum hf_status status =
        hf_debug_sections_load(&file->sections, &file->inflated, &file->elf, ".dwo", &s->fault);
    if (status == HF_OK && files->file_count == HF_LIMIT_SPLIT_FILES)
        status = hf_error_set(&s->fault, HF_ERR_LIMIT,
            "is one of more than %u files (HF_LIMIT_SPLIT_FILES)", HF_LIMIT_SPLIT_FILES);
    if (status == HF_OK)
        status = open_units(opened, s, &s->fault);
    if (status != HF_OK) {
        hf_error_context(&s->fault, "%s", path);
        opened_free(opened);
        return false;
    }
    files->file_count++;
    files->source.bytes += hf_dwarf_bytes(&file->sections);
    return split_files_keep(s, opened);
}

enum hf_status hf_split_files_find_package(struct hf_split_files *files, struct hf_error *err)
{
    if (files->has_package)
        return HF_OK;
    files->has_package = true;
    const char *const paths[] = {files->image_path, files->debug_path};
    char path[PATH_MAX];
    struct hf_debug_file *file = &files->package_file;
    for (size_t i = 0; i < HF_COUNT(paths) && file->path == NULL; i++) {
        bool is_open = paths[i] != NULL && hf_path_format(path, "%s.dwp", paths[i]) &&
                       hf_debug_file_open(file, path, files->sightings);
        struct hf_text name = hf_text_basename(hf_text_of(paths[i] != NULL ? paths[i] : ""));
        for (size_t d = 0; d < files->options.symdir_count && name.size != 0 && !is_open; d++)
            is_open = hf_path_format(path, "%s/%.*s.dwp", files->options.symdirs[d], (int)name.size,
                          name.data) &&
                      hf_debug_file_open(file, path, files->sightings);
    }
    if (file->path == NULL)
        return HF_OK;
    struct hf_text index = {NULL, 0};
    const struct hf_elf_section *section = hf_elf_section(&file->elf, ".debug_cu_index");
    enum hf_status status = HF_OK;
    if (section != NULL)
        status = hf_debug_section_load(&index, &file->inflated, &file->elf, section, err);
    if (status == HF_OK)
        status = hf_debug_sections_load(&file->sections, &file->inflated, &file->elf, ".dwo", err);
    if (status == HF_OK)
        status = hf_package_read(&files->package, index, &file->sections, err);
    if (status != HF_OK)
        files->package = (struct hf_package){0};
    files->source.bytes += hf_dwarf_bytes(&file->sections);
    return status;
}

/* Of thousands of .dwo files, only what was missed is asked: to look at each would take long. */
enum hf_status hf_split_files_check(const struct hf_split_files *files, struct hf_error *err)
{
    const struct hf_debug_file *package = &files->package_file;
    enum hf_status status = HF_OK;
    if (package->path != NULL)
        status = hf_file_map_check(&package->map, package->path, HF_OK, err);
    for (size_t i = 0; i < files->count && status == HF_OK; i++) {
        const struct hf_debug_file *file = &files->opened[i]->file;
        if (!hf_file_map_is_whole(&file->map))
            status = hf_file_map_check(&file->map, file->path, HF_OK, err);
    }
    return status;
}

static bool find_in_package(struct split_files_search *s)
{
    struct hf_split_files *files = s->files;
    enum hf_status status = hf_split_files_find_package(files, &s->fault);
    if (files->package_file.path == NULL)
        return false;
    struct hf_split_opened *opened = opened_new(s);
    if (opened == NULL)
        return false;
    struct hf_dwarf_sections part;
    uint64_t id = s->skeleton->dwo_id;
    if (status == HF_OK)
        status = hf_package_find(&files->package, id, &part, &s->fault);
    if (status == HF_OK)
        status = hf_split_file_open(&opened->split, &part, id, s->effort, &s->fault);
    if (status == HF_OK)
        return split_files_keep(s, opened);
    hf_error_context(&s->fault, "%s", files->package_file.path);
    opened_free(opened);
    return false;
}

/* In a folder: at the path that the unit says, if that is not absolute, and by the name alone. */
static bool find_below(struct split_files_search *s, const char *folder)
{
    char path[PATH_MAX];
    struct hf_text name = s->skeleton->dwo_name, base = hf_text_basename(name);
    bool has_folder = base.size != name.size && !hf_text_starts(name, "/");
    return (has_folder && hf_path_format(path, "%s/%.*s", folder, (int)name.size, name.data) &&
               split_files_try_file(s, path)) ||
           (hf_path_format(path, "%s/%.*s", folder, (int)base.size, base.data) &&
               split_files_try_file(s, path));
}

static bool find_file(struct split_files_search *s)
{
    char said[PATH_MAX], path[PATH_MAX], folder[PATH_MAX];
    struct hf_text name = s->skeleton->dwo_name, from = s->skeleton->comp_dir;
    bool is_absolute = hf_text_starts(name, "/");
    bool is_said = is_absolute ? hf_path_format(said, "%.*s", (int)name.size, name.data)
                               : hf_path_format(said, "%.*s/%.*s", (int)from.size, from.data,
                                     (int)name.size, name.data);
    if (is_said && split_files_try_file(s, said))
        return true;
    if (hf_folder_of(s->files->image_path, folder) && find_below(s, folder))
        return true;
    for (size_t i = 0; i < s->files->options.symdir_count; i++) {
        const char *symdir = s->files->options.symdirs[i];
        if ((is_said && said[0] == '/' && hf_path_format(path, "%s%s", symdir, said) &&
                split_files_try_file(s, path)) ||
            find_below(s, symdir))
            return true;
    }
    return false;
}

static enum hf_status split_files_find(void *context, const struct hf_unit *skeleton,
    struct hf_dwarf_effort *effort, struct hf_split_file **out_file, struct hf_error *err)
{
    struct split_files_search s = {.files = context, .skeleton = skeleton, .effort = effort};
    const uint32_t *known = hf_map_find(&s.files->by_id, skeleton->dwo_id);
    if (known != NULL)
        s.found = s.files->opened[*known];
    if (s.found != NULL || find_in_package(&s) || find_file(&s)) {
        *out_file = &s.found->split;
        return HF_OK;
    }
    struct hf_text name = skeleton->dwo_name, from = skeleton->comp_dir;
    if (s.fault.status == HF_OK)
        hf_error_set(&s.fault, HF_ERR_INPUT,
            "%.*s was not found in %.*s or beside the program, and there is no package %s.dwp",
            (int)name.size, name.data, (int)from.size, from.data, s.files->image_path);
    char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX];
    hf_error_format(&s.fault, text, sizeof text);
    bool would_help = s.fault.status == HF_ERR_INPUT;
    return hf_error_set(err, s.fault.status, "%s%s", text,
        would_help ? "; give the folder of the right .dwo or .dwp files with --symdir" : "");
}

void hf_split_files_init(struct hf_split_files *files, const char *image_path,
    const char *debug_path, const struct hf_symbol_options *options, struct hf_sightings *sightings)
{
    *files = (struct hf_split_files){
        .source = {.find = split_files_find, .context = files},
        .image_path = image_path,
        .debug_path = debug_path,
        .options = *options,
        .sightings = sightings,
    };
}
