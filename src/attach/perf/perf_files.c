#include "attach/perf/perf_files.h"

#include <stdlib.h>

enum hf_status hf_perf_files_init(
    struct hf_perf_files *files, struct hf_perf_file *items, size_t count, struct hf_error *err)
{
    *files = (struct hf_perf_files){.items = items, .count = count};
    for (size_t i = 0; i < count; i++) {
        if (hf_map_put(&files->by_id, items[i].id, (uint32_t)i, NULL) == NULL ||
            hf_map_put(&files->threads, items[i].tid, 1, NULL) == NULL)
            return hf_error_memory(err);
    }
    return HF_OK;
}

void hf_perf_files_done(struct hf_perf_files *files)
{
    free(files->items);
    hf_map_done(&files->by_id);
    hf_map_done(&files->threads);
    *files = (struct hf_perf_files){0};
}

const struct hf_perf_file *hf_perf_files_find(const struct hf_perf_files *files, uint64_t id)
{
    const uint32_t *number = hf_map_find(&files->by_id, id);
    return number != NULL ? &files->items[*number] : NULL;
}

bool hf_perf_files_own(
    const struct hf_perf_files *files, const struct hf_perf_file *file, uint32_t tid)
{
    if (file->tid == tid)
        return true;
    const uint32_t *has_own = hf_map_find(&files->threads, tid);
    return has_own == NULL || *has_own == 0;
}

void hf_perf_files_forget_thread(struct hf_perf_files *files, uint32_t tid)
{
    uint32_t *has_own = hf_map_find(&files->threads, tid);
    if (has_own != NULL)
        *has_own = 0;
}
