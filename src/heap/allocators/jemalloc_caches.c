#include "heap/allocators/jemalloc_caches.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define WORD 8u
#define PAGE 4096u
#define SEARCHED (256u << 10) /* of a thread's own data */
#define BINS_MAX 80           /* classes up to 8 MiB: 73 */
#define BEFORE_STACK UINT64_C(0x7a7a7a7a7a7a7a7a)
#define BEHIND_STACK UINT64_C(0xa7a7a7a7a7a7a7a7)

struct bin {
    uint64_t head, requests;
    uint16_t low_water, full, empty, unused;
};

struct caches_reader {
    struct hf_jemalloc_caches *caches;
    struct hf_process_reader *own, *stacks; /* of the thread; what its bins point to */
};

/* Bytes from where a bin's stack is full up to its head, and from there to where it is empty. */
static uint16_t bin_room(const struct bin *bin)
{
    return (uint16_t)(bin->head - bin->full);
}

static uint16_t bin_held(const struct bin *bin)
{
    return (uint16_t)(bin->empty - bin->head);
}

static bool may_be_bin(const struct bin *bin)
{
    return bin->head != 0 && bin->head % WORD == 0 && bin->full % WORD == 0 &&
           bin->empty % WORD == 0 && bin_room(bin) + bin_held(bin) <= UINT16_MAX;
}

static bool has_word(struct caches_reader *r, uint64_t at, uint64_t wanted)
{
    uint64_t word;
    return hf_process_word(r->stacks, at, &word) && word == wanted;
}

static bool read_bin(struct caches_reader *r, uint64_t at, struct bin *out)
{
    return hf_process_copy(r->own, at, out, sizeof *out) && may_be_bin(out);
}

static bool caches_add(struct caches_reader *r, const struct bin *bin, unsigned size_class)
{
    uint64_t block;
    for (uint64_t i = 0; i < bin_held(bin) / WORD; i++) {
        if (hf_process_word(r->stacks, bin->head + i * WORD, &block) && block != 0 &&
            hf_map_put(&r->caches->blocks, block, size_class, NULL) == NULL)
            return false;
    }
    return true;
}

/* How many bins of a thread begin at an address; 0: none. */
static unsigned count_bins(struct caches_reader *r, uint64_t at, uint64_t *out_stack)
{
    struct bin bin;
    uint64_t next = 0;
    for (unsigned i = 0; i < BINS_MAX; i++, at += sizeof bin) {
        if (!read_bin(r, at, &bin) || (i != 0 && bin.head - bin_room(&bin) != next))
            return 0;
        if (i == 0)
            *out_stack = bin.head - bin_room(&bin) - WORD;
        if (i == 0 && !has_word(r, *out_stack, BEFORE_STACK))
            return 0;
        next = bin.head + bin_held(&bin);
        if (has_word(r, next, BEHIND_STACK))
            return i + 1;
    }
    return 0;
}

/* False: no memory. */
static bool add_bins(struct caches_reader *r, uint64_t at, unsigned count, uint64_t stack)
{
    struct hf_jemalloc_caches *caches = r->caches;
    struct bin bin;
    if (!hf_vec_reserve(&caches->stacks, &caches->stack_capacity, caches->stack_count + 1,
            sizeof *caches->stacks))
        return false;
    caches->stacks[caches->stack_count++] = stack;
    for (unsigned i = 0; i < count; i++) {
        if (read_bin(r, at + i * sizeof bin, &bin) && !caches_add(r, &bin, i))
            return false;
    }
    return true;
}

/* Of one thread; false: no memory. Where its own data are is not known of one that has begun while
 * nobody stopped it (memory/race.h), and is the program's to say. */
static bool caches_read_thread(struct caches_reader *r, uint64_t own_end)
{
    if (own_end < SEARCHED)
        return true;
    uint64_t stack, word, end = own_end - (sizeof(struct bin) - WORD);
    uint64_t at = (own_end - SEARCHED) & ~(uint64_t)(WORD - 1);
    for (; hf_process_next_word(r->own, &at, end, &word); at += WORD) {
        unsigned count = word != 0 ? count_bins(r, at, &stack) : 0;
        if (count != 0)
            return add_bins(r, at, count, stack);
    }
    return true;
}

enum hf_status hf_jemalloc_caches_read(
    struct hf_jemalloc_caches *caches, const struct hf_process_image *image, struct hf_error *err)
{
    struct caches_reader r = {.caches = caches};
    r.own = hf_process_reader_new(image);
    r.stacks = hf_process_reader_new(image);
    bool has_memory = r.own != NULL && r.stacks != NULL;
    for (size_t i = 0; i < image->thread_count && has_memory; i++)
        has_memory = caches_read_thread(&r, image->threads[i].registers.fs_base);
    hf_sort_u64(caches->stacks, caches->stack_count);
    free(r.own);
    free(r.stacks);
    return has_memory ? HF_OK : hf_error_memory(err);
}

void hf_jemalloc_caches_done(struct hf_jemalloc_caches *caches)
{
    hf_map_done(&caches->blocks);
    free(caches->stacks);
    *caches = (struct hf_jemalloc_caches){0};
}

bool hf_jemalloc_caches_begin_in(
    const struct hf_jemalloc_caches *caches, uint64_t start, uint64_t end)
{
    size_t i = hf_lower_bound_u64(caches->stacks, caches->stack_count, start);
    return i < caches->stack_count && caches->stacks[i] < end;
}
