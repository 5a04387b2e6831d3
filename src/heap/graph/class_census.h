/*
 * class_census.h: the blocks of a heap that are objects of C++, by their class.
 *
 * A class *retains* the memory that would be free without its objects: the sum of what each object
 * retains (dominators.h), except objects that another one of the class retains. A block that
 * several objects hold together is retained by none of them, so the sum is the least that the class
 * keeps.
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     struct hf_process_image image = {0};
 *     struct hf_block_graph graph = {0};
 *     struct hf_dominators tree = {0};
 *     struct hf_class_census census;
 *     const struct hf_class_census_of of = {&heap, &image, &graph, &tree};
 *     status = hf_class_census_make(&census, &of, err);
 *     for (size_t i = 0; status == HF_OK && i < census.count; i++)
 *         hf_out_u64(out, census.rows[i].retained_bytes);
 *     hf_class_census_done(&census);
 */
#ifndef HF_HEAP_CLASS_CENSUS_H
#define HF_HEAP_CLASS_CENSUS_H

#include "heap/graph/dominators.h"
#include "heap/object_classes.h"

struct hf_class_row {
    uint32_t class; /* object_classes.h */
    uint64_t retained_bytes;
    struct hf_heap_sum all, lost; /* directly and indirectly */
};

struct hf_class_census {
    /* Those that retain most come first; of equal ones, those with most bytes. */
    struct hf_class_row *rows;
    size_t count, capacity;
    struct hf_object_classes classes;
};

/* Graph and tree must be those of this heap; all is borrowed. */
struct hf_class_census_of {
    const struct hf_heap *heap;
    const struct hf_process_image *image;
    const struct hf_block_graph *graph;
    const struct hf_dominators *tree;
};

/* Reads the first word of each block, and the tables of the classes. Call done in any case.
 * HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_class_census_make(
    struct hf_class_census *census, const struct hf_class_census_of *of, struct hf_error *err);
void hf_class_census_done(struct hf_class_census *census);

/* Sorts by lost bytes, most first, and leaves out rows without any. */
void hf_class_census_keep_lost(struct hf_class_census *census);

#endif
