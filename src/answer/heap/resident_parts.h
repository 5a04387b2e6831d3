/*
 * resident_parts.h: what the resident memory of a process is, by name: blocks of its heaps that are
 * in use, what its allocators have free or for themselves, stacks, globals, code and files, shared
 * memory, and what is not understood.
 *
 * Every resident page is in one part, or in two if a block ends in it; so the parts add up to what
 * the kernel says of the process (Rss of smaps). Which pages of a heap are there says the snapshot;
 * how many each mapping has, the kernel. Where the two differ, because the process went on
 * meanwhile or because pages of zeroes do not count, the kernel's number holds.
 *
 * Source: proc(5), smaps and pagemap.
 *
 * Example:
 *
 *     struct hf_input smaps;
 *     struct hf_resident_places places = {0};
 *     struct hf_heap heap = {0};
 *     struct hf_process_image image = {0};
 *     struct hf_resident_parts parts = {0};
 *     hf_input_open_descriptor(&smaps, 3, "smaps");
 *     status = hf_resident_places_read(&places, &smaps, err);
 *     if (status == HF_OK)
 *         status = hf_resident_parts_make(&parts, &places, &heap, &image, err);
 *     for (size_t i = 0; status == HF_OK && i < parts.count; i++)
 *         hf_out_u64(out, parts.items[i].bytes);
 *     hf_resident_parts_done(&parts);
 *     hf_resident_places_done(&places);
 */
#ifndef HF_ANSWER_RESIDENT_PARTS_H
#define HF_ANSWER_RESIDENT_PARTS_H

#include "heap/heap.h"
#include "memory/process_image.h"
#include "os/process/resident.h"

enum hf_resident_part_kind {
    HF_PART_BLOCKS,   /* of an allocator: blocks in use, without their heads */
    HF_PART_FREE,     /* of an allocator: all else that is known, free memory and its own */
    HF_PART_UNREAD,   /* of an allocator: what could not be read */
    HF_PART_GLOBALS,  /* of modules: what differs from their files, or is in none */
    HF_PART_STACKS,   /* of threads, with what they have for themselves */
    HF_PART_FILES,    /* code, and what else is as a file has it */
    HF_PART_SHARED,   /* with other processes, and of no file */
    HF_PART_RECORDER, /* of who records the process */
    HF_PART_UNKNOWN,  /* anonymous memory that is none of these */
    HF_PART_KINDS
};

struct hf_resident_part {
    enum hf_resident_part_kind kind;
    const char *allocator; /* static; NULL: it is of none */
    uint64_t bytes;        /* not 0 */
    uint64_t mappings;     /* that have some of it */
};

struct hf_resident_parts {
    struct hf_resident_part *items; /* most bytes first */
    size_t count, capacity;
    uint64_t bytes; /* of all */
};

/* Of the process itself, as soon as there is a snapshot of it: what has anything resident. */
struct hf_resident_places {
    struct hf_resident_place *items; /* as the kernel has them, from low addresses on */
    size_t count, capacity;
};

/* Of an empty one. Call done in any case. Errors of reading. */
HF_MUST_CHECK enum hf_status hf_resident_places_read(
    struct hf_resident_places *places, struct hf_input *smaps, struct hf_error *err);
void hf_resident_places_done(struct hf_resident_places *places);

/* Of a sorted heap. Call done in any case. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_resident_parts_make(struct hf_resident_parts *parts,
    const struct hf_resident_places *places, const struct hf_heap *heap,
    const struct hf_process_image *image, struct hf_error *err);

/* All of a kind. */
uint64_t hf_resident_parts_bytes(
    const struct hf_resident_parts *parts, enum hf_resident_part_kind kind);
void hf_resident_parts_done(struct hf_resident_parts *parts);

#endif
