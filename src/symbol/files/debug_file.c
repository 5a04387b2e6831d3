#include "symbol/files/debug_file.h"

#include <stdlib.h>

bool hf_debug_file_open(
    struct hf_debug_file *file, const char *path, struct hf_sightings *sightings)
{
    bool is_there = hf_file_is_readable(path) && hf_file_map_open(&file->map, path, NULL) == HF_OK;
    hf_sightings_add(sightings, path, is_there ? &file->map.stamp : NULL);
    if (!is_there)
        return false;
    file->path = strdup(path);
    struct hf_text bytes = {(const char *)file->map.data, file->map.size};
    if (file->path != NULL && hf_elf_open(&file->elf, bytes, file->path, NULL) == HF_OK &&
        hf_file_map_is_sound(&file->map, path))
        return true;
    if (!hf_file_map_is_sound(&file->map, path))
        sightings->is_incomplete = true;
    hf_debug_file_close(file);
    return false;
}

void hf_debug_file_close(struct hf_debug_file *file)
{
    hf_inflated_done(&file->inflated);
    hf_elf_close(&file->elf);
    hf_file_map_close(&file->map);
    free(file->path);
    *file = (struct hf_debug_file){0};
}
