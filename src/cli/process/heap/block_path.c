#include "cli/process/heap/block_path.h"

#include "base/containers/vec.h"

#include <stdlib.h>
#include <string.h>

#define NOT_KNOWN UINT32_MAX
#define NAMED_MAX 4096 /* steps of a path, from its keeper on, whose members are looked up */

enum hf_status hf_block_paths_init(
    struct hf_block_paths *paths, const struct hf_block_paths_of *from, struct hf_error *err)
{
    const struct hf_heap *heap = from->heap;
    const struct hf_holdings_of *of = from->of;
    *paths = (struct hf_block_paths){
        .heap = heap, .graph = from->graph, .of = of, .holdings = from->holdings};
    paths->table_block_of = malloc((heap->count + 1) * sizeof *paths->table_block_of);
    if (paths->table_block_of == NULL)
        return hf_error_memory(err);
    memset(paths->table_block_of, 0xff, (heap->count + 1) * sizeof *paths->table_block_of);
    for (size_t i = 0; i < of->blocks->count; i++) {
        if (of->blocks->items[i].block != HF_BLOCK_NONE)
            paths->table_block_of[of->blocks->items[i].block] = (uint32_t)i;
    }
    enum hf_status status = hf_member_names_init(&paths->members, from->image, from->options, err);
    return status == HF_OK ? hf_object_classes_init(&paths->classes, heap, from->image, err)
                           : status;
}

void hf_block_paths_done(struct hf_block_paths *paths)
{
    free(paths->table_block_of);
    hf_object_classes_done(&paths->classes);
    hf_member_names_done(&paths->members);
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
        last->second = last->first;
        last->first = block;
        last->row = last->row != NOT_KNOWN ? last->row : row;
        return HF_OK;
    }
    if (!hf_vec_reserve(&path->steps, &path->capacity, path->count + 1, sizeof *path->steps))
        return hf_error_memory(err);
    path->steps[path->count++] = (struct hf_block_step){.bytes = bytes,
        .count = 1,
        .class = class,
        .row = row,
        .first = block,
        .second = block,
        .last = block};
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

/* ---- Members ---- */

/* The word of a variable that points to the first block of a path. */
static void find_member_of_keeper(
    struct hf_block_path *path, struct hf_block_paths *paths, struct hf_typed_block *out_block)
{
    const struct hf_block_keeper *keeper = &paths->of->keepers->items[path->keeper];
    bool is_variable = keeper->form == HF_KEEPER_ONE && keeper->kind == HF_ROOT_DATA &&
                       keeper->where != NULL && paths->graph != NULL;
    for (size_t i = 0; is_variable && i < paths->graph->root_count[HF_ROOT_DATA]; i++) {
        const struct hf_root *root = &paths->graph->roots[HF_ROOT_DATA][i];
        if (root->block != path->steps[0].first || root->address < keeper->where->start ||
            root->address >= keeper->where->end)
            continue;
        hf_member_of_variable(
            &paths->members, keeper->where->start, root->address, &path->member, out_block);
        return;
    }
}

/* Of a list, each block is what the one before is; else only the first of them is known. */
static void find_member_of_step(struct hf_block_path *path, struct hf_block_paths *paths, size_t at,
    struct hf_typed_block *of, struct hf_typed_block *out_next)
{
    struct hf_block_step *step = &path->steps[at];
    const struct hf_heap_block *blocks = paths->heap->blocks;
    struct hf_text class = hf_object_class_name(&paths->classes, step->class);
    if (step->first != step->last) {
        hf_member_of_block(&paths->members, &blocks[step->first], &blocks[step->second], class, of,
            &step->member, out_next);
        if (!hf_typed_blocks_are_same(of, out_next))
            *of = *out_next = (struct hf_typed_block){0};
    }
    if (at + 1 < path->count)
        hf_member_of_block(&paths->members, &blocks[step->last], &blocks[path->steps[at + 1].first],
            class, of, &step->member, out_next);
}

static void find_members(struct hf_block_path *path, struct hf_block_paths *paths)
{
    struct hf_typed_block of = {0}, next = {0};
    path->member = (struct hf_member_name){.name.size = 0};
    find_member_of_keeper(path, paths, &of);
    for (size_t i = 0; i < path->count && i < NAMED_MAX; i++) {
        find_member_of_step(path, paths, i, &of, &next);
        of = next;
        next = (struct hf_typed_block){0};
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
    if (status == HF_OK)
        find_members(path, paths);
    return status;
}

void hf_block_path_done(struct hf_block_path *path)
{
    free(path->steps);
    *path = (struct hf_block_path){0};
}
