/*
 * block_path.h: the blocks from a keeper to one of its blocks, for people: those of one size, one
 * class and one owner that follow one another are one step ("Node 64 B ×14"), so that a long list
 * is short. Where debug information tells, a step also knows by which member its last block leads
 * on (answer/heap/member_names.h).
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     struct hf_process_image image = {0};
 *     struct hf_holdings holdings = {0};
 *     struct hf_holdings_of of = {0};
 *     struct hf_block_paths paths;
 *     struct hf_block_path path = {0};
 *     struct hf_symbol_options options = {0};
 *     struct hf_block_paths_of all = {&heap, NULL, &image, &options, &of, &holdings};
 *     status = hf_block_paths_init(&paths, &all, err);
 *     if (status == HF_OK && heap.count != 0)
 *         status = hf_block_path_read(&path, &paths, 0, err);
 *     hf_block_path_done(&path);
 *     hf_block_paths_done(&paths);
 */
#ifndef HF_CLI_BLOCK_PATH_H
#define HF_CLI_BLOCK_PATH_H

#include "answer/heap/holdings.h"
#include "answer/heap/member_names.h"
#include "heap/object_classes.h"

struct hf_block_step {
    uint64_t bytes; /* of each block: what the program may use of it */
    uint64_t count;
    uint32_t class; /* object_classes.h; HF_CLASS_NONE */
    uint32_t row;   /* of the holdings: the place that has it; UINT32_MAX: not known */
    uint32_t first, second, last; /* blocks of the heap; first and last may be one */
    struct hf_member_name member; /* of the last one: it points to the next step */
};

struct hf_block_path {
    struct hf_block_step *steps; /* from the keeper to the block */
    size_t count, capacity;
    uint32_t keeper;              /* that it comes from: ONE, or LOST */
    struct hf_member_name member; /* of the keeper, a variable: it points to the first step */
};

/* What paths are read from. */
struct hf_block_paths_of {
    const struct hf_heap *heap;
    const struct hf_block_graph *graph; /* NULL: members of variables are not known */
    const struct hf_process_image *image;
    const struct hf_symbol_options *options;
    const struct hf_holdings_of *of;
    const struct hf_holdings *holdings;
};

/* All but its own is borrowed. */
struct hf_block_paths {
    const struct hf_heap *heap;
    const struct hf_block_graph *graph;
    const struct hf_holdings_of *of;
    const struct hf_holdings *holdings;
    /* Its own. */
    struct hf_object_classes classes;
    struct hf_member_names members;
    uint32_t *table_block_of; /* by block of the heap: of the table, UINT32_MAX: it is not there */
};

/* Call done in any case. */
HF_MUST_CHECK enum hf_status hf_block_paths_init(
    struct hf_block_paths *paths, const struct hf_block_paths_of *from, struct hf_error *err);
void hf_block_paths_done(struct hf_block_paths *paths);

/* Reads the path to a block into one that is all-zero or was read before. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_block_path_read(
    struct hf_block_path *path, struct hf_block_paths *paths, uint32_t block, struct hf_error *err);
void hf_block_path_done(struct hf_block_path *path);

#endif
