#include "symbol/lookup/kept_files.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

struct hf_kept_file {
    struct hf_module_files files; /* first: it is what users have */
    uint64_t given_bytes;         /* to the budget of who had it, before and since */
    uint64_t units_counted;
};

static uint64_t given_now(void)
{
    const struct hf_budget *budget = hf_budget_scope.budget;
    return budget != NULL ? atomic_load(&budget->given_bytes) : 0;
}

static void kept_file_close(struct hf_kept_file *file)
{
    hf_module_files_close(&file->files);
    free(file);
}

static void kept_files_remove(struct hf_kept_files *kept, size_t at)
{
    kept->count--;
    memmove(kept->items + at, kept->items + at + 1, (kept->count - at) * sizeof(*kept->items));
}

/* True while the same search would find the same files, which nobody has written to. */
static bool is_as_it_was(struct hf_module_files *files)
{
    const struct hf_sightings *sightings = &files->sightings;
    if (!hf_sighting_holds(files->path, &files->image_map.stamp, true) ||
        !hf_module_files_are_sound(files))
        return false;
    for (size_t i = 0; i < sightings->count; i++) {
        const struct hf_sighting *s = &sightings->items[i];
        if (!hf_sighting_holds(s->path, &s->stamp, s->is_there))
            return false;
    }
    return !sightings->is_incomplete;
}

/* Takes it out of those that are kept; NULL: there is none that may be used. */
static struct hf_kept_file *take_again(struct hf_kept_files *kept, const char *path)
{
    for (size_t i = 0; kept != NULL && i < kept->count; i++) {
        struct hf_kept_file *file = kept->items[i];
        if (strcmp(file->files.path, path) != 0)
            continue;
        kept_files_remove(kept, i);
        if (is_as_it_was(&file->files))
            return file;
        kept_file_close(file);
        return NULL;
    }
    return NULL;
}

struct hf_module_files *hf_kept_files_take(
    struct hf_kept_files *kept, const char *path, bool *out_is_open)
{
    uint64_t given_before = given_now();
    struct hf_kept_file *file = take_again(kept, path);
    if (file != NULL) {
        hf_budget_give(file->given_bytes);
        file->files.told = (struct hf_dwarf_damage){0}; /* another profile has to be told */
        file->given_bytes = 0 - given_before;
        *out_is_open = true;
        return &file->files;
    }
    file = calloc(1, sizeof *file);
    if (file == NULL)
        return NULL;
    file->given_bytes = 0 - given_before;
    *out_is_open = path != NULL && hf_module_files_open(&file->files, path);
    return &file->files;
}

/* What the files have in memory of their own. */
static size_t kept_file_bytes(const struct hf_module_files *files)
{
    size_t symbols = files->image_symbols.capacity + files->debug_symbols.capacity;
    size_t inflated = files->inflated.count != 0 ? hf_dwarf_bytes(&files->sections) : 0;
    return (files->resolver != NULL ? hf_resolver_bytes(files->resolver) : 0) + inflated +
           symbols * (sizeof(struct hf_symbol) + sizeof(uint64_t)) +
           files->symbol_names.arena.total_bytes;
}

static void kept_files_trim(struct hf_kept_files *kept)
{
    size_t bytes = 0, first = kept->count;
    while (first != 0 && bytes <= HF_LIMIT_RESIDENT_BYTES)
        bytes += kept_file_bytes(&kept->items[--first]->files);
    if (bytes <= HF_LIMIT_RESIDENT_BYTES)
        return;
    for (size_t i = 0; i <= first; i++)
        kept_file_close(kept->items[i]);
    kept->count -= first + 1;
    memmove(kept->items, kept->items + first + 1, kept->count * sizeof(*kept->items));
}

void hf_kept_files_put(struct hf_kept_files *kept, struct hf_module_files *files)
{
    struct hf_kept_file *file = (struct hf_kept_file *)files;
    if (kept != NULL && files->resolver != NULL) {
        uint64_t decoded = hf_resolver_units_decoded(files->resolver);
        kept->units_decoded += decoded - file->units_counted;
        file->units_counted = decoded;
    }
    bool is_file = files->image_map.size != 0;
    if (kept == NULL || !is_file || !hf_module_files_are_sound(files) ||
        !hf_vec_reserve(&kept->items, &kept->capacity, kept->count + 1, sizeof(*kept->items))) {
        kept_file_close(file);
        return;
    }
    file->given_bytes += given_now();
    hf_module_files_close_cache(files);
    kept->items[kept->count++] = file;
    kept_files_trim(kept);
}

void hf_kept_files_drop(struct hf_module_files *files)
{
    kept_file_close((struct hf_kept_file *)files);
}

void hf_kept_files_done(struct hf_kept_files *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        kept_file_close(kept->items[i]);
    free(kept->items);
    *kept = (struct hf_kept_files){0};
}
