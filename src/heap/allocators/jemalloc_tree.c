#include "heap/allocators/jemalloc_tree.h"

#include "base/containers/map.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "heap/allocators/mapped_ranges.h"

#include <stdlib.h>
#include <string.h>

#define WORD 8u
#define PAGE_BITS 12
#define PAGE (1u << PAGE_BITS)
#define LEVEL_BITS 18
#define LEVEL_WORDS (UINT64_C(1) << LEVEL_BITS)
#define LEVEL_BYTES (LEVEL_WORDS * WORD)
#define LEAF_BITS (LEVEL_BITS + PAGE_BITS) /* of an address, below its part of the root */
#define LEAF_ALIGNMENT 64u                 /* CACHELINE */
#define RECORD_BITS UINT64_C(0xffffffffff80)
#define RECORD_BITMAP_AT 64u
#define RECORD_BYTES 128u
#define STATES 6

#define BASE_ALIGNMENT (UINT64_C(2) << 20) /* HUGEPAGE */
#define BASE_STEPS_MAX 512                 /* down from what lies in it to its head */
#define BASES_MAX 16384                    /* each is larger than those before; real: below 100 */
#define BASE_ARENA 0xfff
#define NO_BASE UINT32_MAX

/* Of a leaf, before it counts as one. */
#define PROBED_ENOUGH 32
#define PROBED_MIN 3 /* of all leaves of a root */
#define PROBED_WRONG_PART 8
#define PROBED_STALE_MAX 4096 /* words of what was split or merged stay at pages within */

struct extent_record {
    uint64_t bits, address, size;
};

struct tree_reader {
    struct hf_jemalloc_tree *tree; /* NULL: only the root is looked for */
    const struct hf_process_image *image;
    struct hf_anonymous_ranges ranges;
    /* Those of the root, of leaves, and of records are far from one another. */
    struct hf_process_reader *roots, *leaves, *records;
    uint64_t pages_read; /* of leaves */
    /* By multiples of BASE_ALIGNMENT: pages of the base block that begins there, or 0; so many of
     * them below begins the one that it lies in, or NO_BASE. */
    struct hf_map base_pages, base_steps;
    bool is_out_of_memory;
    struct probe {
        uint64_t root;
        unsigned right;
    } probes[HF_JEMALLOC_ROOTS_MAX];
    size_t probe_count;
};

uint64_t hf_jemalloc_class_bytes(unsigned size_class)
{
    if (size_class < 5)
        return size_class == 0 ? 8 : (uint64_t)size_class * 16;
    unsigned doubling = (size_class - 5) / 4, step = (size_class - 5) % 4 + 1;
    return (UINT64_C(64) << doubling) + (UINT64_C(16) << doubling) * step;
}

static bool lies_in_memory(const struct tree_reader *r, uint64_t start, uint64_t end)
{
    return hf_anonymous_ranges_have(&r->ranges, start, end);
}

/* A word of a root, if it is one. */
static bool may_be_leaf(const struct tree_reader *r, uint64_t word)
{
    return word != 0 && word % LEAF_ALIGNMENT == 0 && word <= UINT64_MAX - LEVEL_BYTES &&
           lies_in_memory(r, word, word + LEVEL_BYTES);
}

static void tree_reader_done(struct tree_reader *r)
{
    free(r->roots);
    free(r->leaves);
    free(r->records);
    hf_anonymous_ranges_done(&r->ranges);
    hf_map_done(&r->base_pages);
    hf_map_done(&r->base_steps);
}

/* Call done in any case. */
static enum hf_status tree_reader_init(struct tree_reader *r, struct hf_jemalloc_tree *tree,
    const struct hf_process_image *image, struct hf_error *err)
{
    *r = (struct tree_reader){.tree = tree, .image = image};
    r->roots = hf_process_reader_new(image);
    r->leaves = hf_process_reader_new(image);
    r->records = hf_process_reader_new(image);
    if (r->roots == NULL || r->leaves == NULL || r->records == NULL)
        return hf_error_memory(err);
    return hf_anonymous_ranges_find(&r->ranges, image, err);
}

/*
 * The index of the first word of a leaf from `i` on whose page was ever touched, counting its
 * pages; LEVEL_WORDS: there is none.
 */
static uint64_t leaf_next_word(struct tree_reader *r, uint64_t leaf, uint64_t i)
{
    uint64_t at = leaf + i * WORD;
    if (i != 0 && at % PAGE != 0)
        return i;
    at = hf_process_next_page(r->leaves, at, leaf + LEVEL_BYTES);
    r->pages_read++;
    return (at - leaf) / WORD;
}

static bool read_record(
    struct hf_process_reader *reader, uint64_t word, struct extent_record *out, uint64_t *out_at)
{
    *out_at = word & RECORD_BITS;
    return *out_at != 0 && hf_process_copy(reader, *out_at, out, sizeof *out);
}

static unsigned record_state(const struct extent_record *record)
{
    return record->bits >> 17 & 7;
}

static unsigned record_class(const struct extent_record *record)
{
    return record->bits >> 20 & 0xff;
}

/* What a leaf and the record both have is the same. Of an extent that is not in use the leaf may
 * have the class that it was of before. */
static bool agrees(uint64_t word, const struct extent_record *record)
{
    unsigned state = word >> 2 & 7;
    if (state != record_state(record) || state >= STATES || record->size < PAGE)
        return false;
    return state != HF_JEMALLOC_IN_USE ||
           (word >> 48 == record_class(record) && record_class(record) < HF_JEMALLOC_CLASSES &&
               (word & 1) == (record->bits >> 12 & 1));
}

/* ---- Base blocks ---- */

/* Pages of the base block that begins there; 0: none does. */
static uint32_t read_base_head(struct tree_reader *r, uint64_t start)
{
    struct {
        uint64_t size, next;
        struct extent_record left;
    } head;
    if (!hf_process_copy(r->records, start, &head, sizeof head) ||
        head.size % BASE_ALIGNMENT != 0 || head.size / PAGE > UINT32_MAX || head.size == 0 ||
        head.size > UINT64_MAX - start)
        return 0;
    uint64_t end = start + head.size;
    bool is_base = (head.left.bits & BASE_ARENA) == BASE_ARENA &&
                   record_class(&head.left) == HF_JEMALLOC_CLASSES && head.left.address > start &&
                   head.left.address <= end && end - head.left.address == head.left.size &&
                   lies_in_memory(r, start, end);
    return is_base ? (uint32_t)(head.size / PAGE) : 0;
}

/* The same, which are asked for again and again. */
static uint64_t base_end(struct tree_reader *r, uint64_t start)
{
    const uint32_t *known = hf_map_find(&r->base_pages, start);
    uint32_t pages = known != NULL ? *known : read_base_head(r, start);
    if (known == NULL && hf_map_put(&r->base_pages, start, pages, NULL) == NULL)
        r->is_out_of_memory = true;
    return pages != 0 ? start + (uint64_t)pages * PAGE : 0;
}

/* Where the base block that an address lies in begins; 0: in none. Of each BASE_ALIGNMENT bytes
 * the answer is the same. */
static uint64_t base_of(struct tree_reader *r, uint64_t inside)
{
    uint64_t first = inside & ~(BASE_ALIGNMENT - 1), start = first, found = 0;
    const uint32_t *known = hf_map_find(&r->base_steps, first);
    if (known != NULL)
        return *known != NO_BASE ? first - *known * BASE_ALIGNMENT : 0;
    uint32_t steps = 0;
    for (;
         steps < BASE_STEPS_MAX && start != 0 && found == 0 && lies_in_memory(r, start, first + 1);
         steps++, start -= BASE_ALIGNMENT) {
        if (base_end(r, start) > inside)
            found = start;
    }
    if (hf_map_put(&r->base_steps, first, found != 0 ? steps - 1 : NO_BASE, NULL) == NULL)
        r->is_out_of_memory = true;
    return found;
}

/* ---- Where the root is ---- */

static void add_probe(struct tree_reader *r, uint64_t root, unsigned right)
{
    for (size_t i = 0; i < r->probe_count; i++) {
        if (r->probes[i].root == root) {
            r->probes[i].right += right;
            return;
        }
    }
    if (r->probe_count != HF_JEMALLOC_ROOTS_MAX)
        r->probes[r->probe_count++] = (struct probe){root, right};
}

/* What a word of a leaf, which is not 0, speaks for. */
enum probed { PROBED_NOTHING, PROBED_STALE, PROBED_WRONG, PROBED_RIGHT };

static enum probed probe_word(struct tree_reader *r, uint64_t i, uint64_t word, uint64_t *out_index)
{
    struct extent_record record;
    uint64_t at;
    if ((word & RECORD_BITS) == 0)
        return word >> 48 == HF_JEMALLOC_CLASSES ? PROBED_NOTHING : PROBED_WRONG; /* emptied */
    if (!lies_in_memory(r, word & RECORD_BITS, (word & RECORD_BITS) + RECORD_BYTES) ||
        !read_record(r->records, word, &record, &at))
        return PROBED_WRONG;
    if (!agrees(word, &record))
        return PROBED_STALE;
    *out_index = record.address >> LEAF_BITS;
    bool is_first = (record.address >> PAGE_BITS) % LEVEL_WORDS == i;
    return is_first ? PROBED_RIGHT : PROBED_NOTHING; /* its last page, or one of a slab */
}

/* A word at `at`, which may be one of a root in start .. end, leads to `leaf`. */
static void probe_leaf(
    struct tree_reader *r, uint64_t at, uint64_t leaf, uint64_t start, uint64_t end)
{
    unsigned right = 0, wrong = 0, stale = 0;
    uint64_t index = 0, word, said = 0;
    for (uint64_t i = leaf_next_word(r, leaf, 0); i < LEVEL_WORDS && right < PROBED_ENOUGH;
         i = leaf_next_word(r, leaf, i + 1)) {
        if (r->pages_read > HF_LIMIT_JEMALLOC_LEAF_PAGES)
            break;
        if (!hf_process_word(r->leaves, leaf + i * WORD, &word) || word == 0)
            continue;
        enum probed probed = probe_word(r, i, word, &said);
        wrong += probed == PROBED_WRONG;
        stale += probed == PROBED_STALE;
        if (wrong > 1 + right / PROBED_WRONG_PART || stale > PROBED_STALE_MAX)
            return;
        if (probed != PROBED_RIGHT)
            continue;
        if (right++ != 0 && said != index)
            return;
        index = said;
    }
    bool has_room = index < LEVEL_WORDS && at - start >= index * WORD &&
                    end - (at - index * WORD) >= LEVEL_BYTES;
    if (right != 0 && has_room)
        add_probe(r, at - index * WORD, right);
}

/* Data of a module, and those behind them that are not in its file. */
static void probe_data(struct tree_reader *r, uint64_t start, uint64_t end)
{
    uint64_t word;
    for (uint64_t at = start; hf_process_next_word(r->roots, &at, end, &word); at += WORD) {
        if (may_be_leaf(r, word) && base_of(r, word) != 0)
            probe_leaf(r, at, word, start, end);
    }
}

static void probe_modules(struct tree_reader *r)
{
    struct hf_process_range data;
    for (size_t i = 0; hf_next_module_data(r->image, &i, &data);) {
        if (data.end - data.start >= LEVEL_BYTES)
            probe_data(r, data.start, data.end);
    }
}

enum hf_status hf_jemalloc_find_roots(
    const struct hf_process_image *image, struct hf_jemalloc_roots *out_roots, struct hf_error *err)
{
    struct tree_reader r;
    enum hf_status status = tree_reader_init(&r, NULL, image, err);
    out_roots->count = 0;
    if (status == HF_OK)
        probe_modules(&r);
    for (size_t i = 0; i < r.probe_count; i++) {
        if (r.probes[i].right >= PROBED_MIN)
            out_roots->addresses[out_roots->count++] = r.probes[i].root;
    }
    tree_reader_done(&r);
    return r.is_out_of_memory ? hf_error_memory(err) : status;
}

/* ---- What it leads to ---- */

static bool overlaps_extent(const struct hf_jemalloc_tree *tree, uint64_t start, uint64_t end)
{
    size_t i = HF_FIRST_ABOVE(tree->extents, tree->count, end, start);
    return i < tree->count && tree->extents[i].start < end;
}

/* Where a base block that ends behind `address` is among those that are known. */
static size_t base_at(const struct hf_jemalloc_tree *tree, uint64_t address)
{
    return HF_FIRST_ABOVE(tree->bases, tree->base_count, end, address);
}

static bool in_base(const struct hf_jemalloc_tree *tree, uint64_t start, uint64_t end)
{
    size_t i = base_at(tree, start);
    return i < tree->base_count && tree->bases[i].start < end;
}

static bool add_base(struct hf_jemalloc_tree *tree, uint64_t start, uint64_t end)
{
    if (!hf_vec_reserve(
            &tree->bases, &tree->base_capacity, tree->base_count + 1, sizeof *tree->bases))
        return false;
    size_t i = base_at(tree, start);
    memmove(tree->bases + i + 1, tree->bases + i, (tree->base_count - i) * sizeof *tree->bases);
    tree->bases[i] = (struct hf_jemalloc_base){start, end};
    tree->base_count++;
    return true;
}

/* The base block that has a leaf or a record; false: no memory. */
static bool add_base_of(struct tree_reader *r, uint64_t inside)
{
    struct hf_jemalloc_tree *tree = r->tree;
    if (tree->base_count == BASES_MAX || in_base(tree, inside, inside + 1))
        return true;
    uint64_t start = base_of(r, inside), end = start != 0 ? base_end(r, start) : 0;
    return !r->is_out_of_memory &&
           (start == 0 || in_base(tree, start, end) || add_base(tree, start, end));
}

/* The extent that begins at a page; false: no memory. */
static bool add_extent(struct tree_reader *r, uint64_t page, uint64_t word)
{
    struct hf_jemalloc_tree *tree = r->tree;
    struct extent_record record;
    uint64_t at, last = tree->count != 0 ? tree->extents[tree->count - 1].end : 0;
    if (!read_record(r->records, word, &record, &at) || !agrees(word, &record) ||
        record.address - record.address % PAGE != page || page < last)
        return true;
    uint64_t size = record.size & ~(uint64_t)(PAGE - 1);
    if (size > UINT64_MAX - page || !lies_in_memory(r, page, page + size))
        return true;
    if (!hf_vec_reserve(&tree->extents, &tree->capacity, tree->count + 1, sizeof *tree->extents))
        return false;
    struct hf_jemalloc_extent *extent = &tree->extents[tree->count++];
    unsigned state = record_state(&record);
    *extent = (struct hf_jemalloc_extent){.start = page,
        .end = page + size,
        .address = record.address,
        .state = state < HF_JEMALLOC_CHANGING ? state : HF_JEMALLOC_CHANGING,
        .is_slab = (word & 1) != 0,
        .size_class = record_class(&record)};
    if (!hf_process_copy(r->records, at + RECORD_BITMAP_AT, extent->free_regions,
            RECORD_BYTES - RECORD_BITMAP_AT))
        extent->state = HF_JEMALLOC_CHANGING;
    return add_base_of(r, at);
}

static enum hf_status read_leaf(
    struct tree_reader *r, uint64_t leaf, uint64_t first_address, struct hf_error *err)
{
    uint64_t word;
    for (uint64_t i = leaf_next_word(r, leaf, 0); i < LEVEL_WORDS;
         i = leaf_next_word(r, leaf, i + 1)) {
        if (r->pages_read > HF_LIMIT_JEMALLOC_LEAF_PAGES)
            return hf_error_set(err, HF_ERR_LIMIT,
                "the tables of the process's jemalloc have more than %u pages "
                "(HF_LIMIT_JEMALLOC_LEAF_PAGES)",
                HF_LIMIT_JEMALLOC_LEAF_PAGES);
        if (hf_process_word(r->leaves, leaf + i * WORD, &word) && (word & RECORD_BITS) != 0 &&
            !add_extent(r, first_address + (i << PAGE_BITS), word))
            return hf_error_memory(err);
    }
    return add_base_of(r, leaf) ? HF_OK : hf_error_memory(err);
}

static enum hf_status tree_read_root(struct tree_reader *r, uint64_t root, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t word;
    for (uint64_t i = 0; i < LEVEL_WORDS && status == HF_OK; i++) {
        uint64_t at = root + i * WORD;
        if (at % PAGE == 0)
            i = (hf_process_next_page(r->roots, at, root + LEVEL_BYTES) - root) / WORD;
        if (i < LEVEL_WORDS && hf_process_word(r->roots, root + i * WORD, &word) &&
            may_be_leaf(r, word))
            status = read_leaf(r, word, i << LEAF_BITS, err);
    }
    return status;
}

/* Base blocks that lie over extents are none. */
static void drop_wrong_bases(struct hf_jemalloc_tree *tree)
{
    size_t kept = 0;
    for (size_t i = 0; i < tree->base_count; i++) {
        struct hf_jemalloc_base base = tree->bases[i];
        if (!overlaps_extent(tree, base.start, base.end))
            tree->bases[kept++] = base;
    }
    tree->base_count = kept;
}

enum hf_status hf_jemalloc_tree_read(struct hf_jemalloc_tree *tree,
    const struct hf_process_image *image, uint64_t root, struct hf_error *err)
{
    struct tree_reader r;
    *tree = (struct hf_jemalloc_tree){0};
    enum hf_status status = tree_reader_init(&r, tree, image, err);
    if (status == HF_OK)
        status = tree_read_root(&r, root, err);
    drop_wrong_bases(tree);
    tree_reader_done(&r);
    return status;
}

void hf_jemalloc_tree_done(struct hf_jemalloc_tree *tree)
{
    free(tree->extents);
    free(tree->bases);
    *tree = (struct hf_jemalloc_tree){0};
}

const struct hf_jemalloc_extent *hf_jemalloc_extent_at(
    const struct hf_jemalloc_tree *tree, uint64_t address)
{
    size_t i = HF_FIRST_ABOVE(tree->extents, tree->count, end, address);
    return i < tree->count && tree->extents[i].start <= address ? &tree->extents[i] : NULL;
}
