#include "cli/compat/symbolizer_files.h"

#include <string.h>

static void symbolizer_file_close(struct hf_symbolizer_file *file)
{
    hf_module_files_close(&file->files);
    hf_printed_texts_done(&file->names);
    *file = (struct hf_symbolizer_file){0};
}

void hf_symbolizer_files_done(struct hf_symbolizer_files *files)
{
    for (size_t i = 0; i < HF_SYMBOLIZER_FILES; i++) {
        if (files->items[i].last_use != 0)
            symbolizer_file_close(&files->items[i]);
    }
}

static void symbolizer_file_open(struct hf_symbolizer_file *file, const char *path)
{
    struct hf_error err = {0};
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    file->is_open = hf_module_files_open_any(&file->files, path, &err) == HF_OK;
    hf_budget_leave(before);
    file->given_bytes = budget.given_bytes;
    if (!file->is_open)
        hf_error_format(&err, file->why, sizeof file->why);
}

struct hf_symbolizer_file *hf_symbolizer_files_at(
    struct hf_symbolizer_files *files, const char *path)
{
    struct hf_symbolizer_file *found = NULL, *oldest = &files->items[0];
    for (size_t i = 0; i < HF_SYMBOLIZER_FILES && found == NULL; i++) {
        struct hf_symbolizer_file *file = &files->items[i];
        if (file->last_use != 0 && strcmp(file->files.path, path) == 0)
            found = file;
        if (file->last_use < oldest->last_use)
            oldest = file;
    }
    if (found == NULL) {
        found = oldest;
        if (found->last_use != 0)
            symbolizer_file_close(found);
        symbolizer_file_open(found, path);
        if (found->files.path == NULL) {
            *found = (struct hf_symbolizer_file){0};
            return NULL;
        }
    }
    found->last_use = ++files->uses;
    return found;
}
