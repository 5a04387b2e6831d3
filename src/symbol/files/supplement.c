#include "symbol/files/supplement.h"

#include "elf/links.h"
#include "os/path.h"
#include "symbol/debug_paths.h"

/* What is looked for. */
struct wanted {
    struct hf_debug_file *file; /* where it goes */
    struct hf_sightings *sightings;
    struct hf_text path, id;
};

/* Takes the file if it exists and has the id. */
static bool supplement_try_file(const struct wanted *wanted, const char *path)
{
    if (!hf_debug_file_open(wanted->file, path, wanted->sightings))
        return false;
    if (hf_text_equal(hf_elf_supplement_id(&wanted->file->elf), wanted->id))
        return true;
    hf_debug_file_close(wanted->file);
    return false;
}

/* As DIR/usr/lib/debug/.dwz/lib.debug, then DIR/lib/debug/.dwz/lib.debug ... to DIR/lib.debug. */
static bool try_below(const struct wanted *wanted, const char *folder)
{
    char path[PATH_MAX];
    for (struct hf_text rest = wanted->path; rest.size != 0;) {
        rest = hf_text_from(rest, 1);
        if (hf_path_format(path, "%s/%.*s", folder, (int)rest.size, rest.data) &&
            supplement_try_file(wanted, path))
            return true;
        rest = hf_text_from(rest, hf_text_find(rest, '/'));
    }
    return false;
}

static bool supplement_search(
    const struct wanted *wanted, const char *from, const struct hf_symbol_options *options)
{
    char folder[PATH_MAX], path[PATH_MAX];
    bool is_absolute = hf_text_starts(wanted->path, "/");
    int size = (int)wanted->path.size;
    const char *name = wanted->path.data;
    if (is_absolute && hf_path_format(path, "%.*s", size, name) &&
        supplement_try_file(wanted, path))
        return true;
    if (!is_absolute && hf_folder_of(from, folder) &&
        hf_path_format(path, "%s/%.*s", folder, size, name) && supplement_try_file(wanted, path))
        return true;
    for (size_t i = 0; i < options->symdir_count; i++) {
        const char *symdir = options->symdirs[i];
        if ((is_absolute && try_below(wanted, symdir)) ||
            (hf_build_id_path(wanted->id, symdir, path) && supplement_try_file(wanted, path)))
            return true;
    }
    return hf_build_id_path(wanted->id, HF_DEBUG_FOLDER, path) && supplement_try_file(wanted, path);
}

bool hf_supplement_find(struct hf_debug_file *supplement, const struct hf_elf *elf,
    const char *path, const struct hf_symbol_options *options, struct hf_sightings *sightings,
    struct hf_error *err)
{
    struct wanted wanted = {.file = supplement, .sightings = sightings};
    if (!hf_elf_supplement(elf, &wanted.path, &wanted.id))
        return true;
    if (supplement_search(&wanted, path, options))
        return hf_debug_sections_load(&supplement->sections, &supplement->inflated,
                   &supplement->elf, "", err) == HF_OK;
    char by_id[PATH_MAX];
    bool has_id = hf_build_id_path(wanted.id, HF_DEBUG_FOLDER, by_id);
    hf_error_set(err, HF_ERR_INPUT,
        "its debug information continues in %.*s, which was not found%s%s; install its debug "
        "symbols or give their folder with --symdir",
        (int)wanted.path.size, wanted.path.data, has_id ? ", nor " : "", has_id ? by_id : "");
    return false;
}
