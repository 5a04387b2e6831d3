/*
 * jemalloc_tree.h: the extents of jemalloc, found in the memory of a process whose jemalloc has no
 * symbols.
 *
 *     root     262,144 words in a module's data: the leaf for each GiB of addresses, or 0
 *     leaf     262,144 words: what each page is of, or 0; of an extent that is no slab the first
 *              and the last page are there
 *     word     size class << 48 | extent record | state << 2 | is_head << 1 | is_slab
 *     record   at a multiple of 128: bits (arena 12, slab 1, committed 1, pai 1, zeroed 1,
 *              guarded 1, state 3, size class 8, free regions 10, ...), address, size | serial
 *              number (12 bits); in a slab's at 64: a bit for each region, 1: free
 *     state    0 in use, 1 dirty and 2 muzzy (kept for later), 3 retained (addresses only)
 *
 * Nothing says where the root is. It calibrates itself: a word of a module's data that leads to a
 * leaf, in a base block, leads to records; each has the address that it is for, and so says which
 * word of the root it was. All must agree, and so must what leaf and record both have.
 *
 * A base block is where jemalloc has its own data, leaves and records among them:
 *
 *     { size, next, a record of what is left of it: arena 0xfff, class 232, and it ends there }
 *
 * Source: rtree.h, edata.h, sc.h, base.h and pages.h below include/jemalloc/internal of jemalloc
 * 5.3.0, for x86-64 with addresses of 48 bits and pages of 4 KiB; held against Debian's 5.3.0. In
 * 5.2 and before the fields lie elsewhere, so its roots do not calibrate.
 *
 * All of it is what that process wants it to be. Extents come in the order of their addresses, none
 * over another, each in mapped memory.
 */
#ifndef HF_HEAP_JEMALLOC_TREE_H
#define HF_HEAP_JEMALLOC_TREE_H

#include "base/error.h"
#include "memory/process_image.h"

#define HF_JEMALLOC_REGIONS_MAX 512 /* of a slab */
#define HF_JEMALLOC_SMALL_CLASSES 36
#define HF_JEMALLOC_CLASSES 232
#define HF_JEMALLOC_ROOTS_MAX 8

enum hf_jemalloc_state {
    HF_JEMALLOC_IN_USE,
    HF_JEMALLOC_DIRTY,
    HF_JEMALLOC_MUZZY,
    HF_JEMALLOC_RETAINED,
    HF_JEMALLOC_CHANGING /* or merging: a thread was at it when it was stopped */
};

struct hf_jemalloc_extent {
    uint64_t start, end; /* whole pages */
    uint64_t address;    /* of the block, if it is no slab: in the first page */
    enum hf_jemalloc_state state;
    bool is_slab;
    unsigned size_class;
    uint64_t free_regions[HF_JEMALLOC_REGIONS_MAX / 64]; /* of a slab in use: bits */
};

/* Where jemalloc has its own data. */
struct hf_jemalloc_base {
    uint64_t start, end;
};

struct hf_jemalloc_tree {
    struct hf_jemalloc_extent *extents;
    size_t count, capacity;
    struct hf_jemalloc_base *bases; /* by address; none lies over another, nor over an extent */
    size_t base_count, base_capacity;
};

struct hf_jemalloc_roots {
    uint64_t addresses[HF_JEMALLOC_ROOTS_MAX];
    size_t count; /* 0: no jemalloc, or one that is not known */
};

/* HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_jemalloc_find_roots(const struct hf_process_image *image,
    struct hf_jemalloc_roots *out_roots, struct hf_error *err);

/* All that a root leads to. Call done in any case. HF_ERR_MEMORY; HF_ERR_LIMIT: more than
 * HF_LIMIT_JEMALLOC_LEAF_PAGES pages of leaves. */
HF_MUST_CHECK enum hf_status hf_jemalloc_tree_read(struct hf_jemalloc_tree *tree,
    const struct hf_process_image *image, uint64_t root, struct hf_error *err);
void hf_jemalloc_tree_done(struct hf_jemalloc_tree *tree);

/* The extent that has this address, or NULL. */
const struct hf_jemalloc_extent *hf_jemalloc_extent_at(
    const struct hf_jemalloc_tree *tree, uint64_t address);

/* Bytes of a block of a size class below HF_JEMALLOC_CLASSES. */
uint64_t hf_jemalloc_class_bytes(unsigned size_class);

#endif
