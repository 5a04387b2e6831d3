#include "cli/process/heap/block_path.h"

#include "base/containers/vec.h"

#include <stdlib.h>
#include <string.h>

#define NOT_KNOWN UINT32_MAX

enum hf_status hf_block_paths_init(struct hf_block_paths *paths, const struct hf_heap *heap,
    const struct hf_process_image *image, const struct hf_holdings_of *of,
    const struct hf_holdings *holdings, struct hf_error *err)
{
    *paths = (struct hf_block_paths){.heap = heap, .of = of, .holdings = holdings};
    paths->table_block_of = malloc((heap->count + 1) * sizeof *paths->table_block_of);
    if (paths->table_block_of == NULL)
        return hf_error_memory(err);
    memset(paths->table_block_of, 0xff, (heap->count + 1) * sizeof *paths->table_block_of);
    for (size_t i = 0; i < of->blocks->count; i++) {
        if (of->blocks->items[i].block != HF_BLOCK_NONE)
            paths->table_block_of[of->blocks->items[i].block] = (uint32_t)i;
    }
    return hf_object_classes_init(&paths->classes, heap, image, err);
}

void hf_block_paths_done(struct hf_block_paths *paths)
{
    free(paths->table_block_of);
    hf_object_classes_done(&paths->classes);
    *paths = (struct hf_block_paths){0};
}

static uint32_t row_of_block(const struct hf_block_paths *paths, uint32_t block)
{
    const struct hf_holdings *holdings = paths->holdings;
    uint32_t at = paths->table_block_of[block];
    uint32_t tally = at != NOT_KNOWN ? holdings->tally_of[at] : NOT_KNOWN;
    return tally != NOT_KNOWN ? holdings->row_of[tally] : NOT_KNOWN;
}

static enum hf_status add_step(
    struct hf_block_path *path, struct hf_block_paths *paths, uint32_t block, struct hf_error *err)
{
    uint64_t bytes = paths->heap->blocks[block].bytes;
    uint32_t class = hf_object_class_find(&paths->classes, &paths->heap->blocks[block]);
    uint32_t row = row_of_block(paths, block);
    struct hf_block_step *last = path->count != 0 ? &path->steps[path->count - 1] : NULL;
    bool is_same = last != NULL && last->bytes == bytes && last->class == class &&
                   (last->row == row || last->row == NOT_KNOWN || row == NOT_KNOWN);
    if (is_same) { /* of samples, the owner of most blocks is not known */
        last->count++;
        last->row = last->row != NOT_KNOWN ? last->row : row;
        return HF_OK;
    }
    if (!hf_vec_reserve(&path->steps, &path->capacity, path->count + 1, sizeof *path->steps))
        return hf_error_memory(err);
    path->steps[path->count++] = (struct hf_block_step){bytes, 1, class, row};
    return HF_OK;
}

/* It is found from its end. */
static void turn_around(struct hf_block_path *path)
{
    for (size_t i = 0; i < path->count / 2; i++) {
        struct hf_block_step step = path->steps[i];
        path->steps[i] = path->steps[path->count - 1 - i];
        path->steps[path->count - 1 - i] = step;
    }
}

enum hf_status hf_block_path_read(
    struct hf_block_path *path, struct hf_block_paths *paths, uint32_t block, struct hf_error *err)
{
    path->count = 0;
    enum hf_status status = add_step(path, paths, block, err);
    while (status == HF_OK && hf_keepers_before(paths->of->keepers, block, &block, &path->keeper))
        status = add_step(path, paths, block, err);
    turn_around(path);
    return status;
}

void hf_block_path_done(struct hf_block_path *path)
{
    free(path->steps);
    *path = (struct hf_block_path){0};
}
