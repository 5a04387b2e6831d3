#include "heap/allocators/tcmalloc_caches.h"

#include "base/containers/map.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define WORD 8u
#define LIST_BYTES 32u
#define LISTS_BYTES (HF_TCMALLOC_CLASSES * LIST_BYTES)
#define SIZE_AT 24u /* in a list */
#define THREADS_MAX 65536u

struct thread_list {
    uint64_t first;
    uint32_t count, numbers[3];
    uint32_t bytes, unused;
};

struct tcmalloc_cache_reader {
    struct hf_tcmalloc_caches *caches;
    const struct hf_tcmalloc_spans *spans;
    const struct hf_tcmalloc_tables *tables;
    struct hf_process_reader *data, *blocks; /* far from one another */
    struct hf_map known;                     /* caches of threads */
    uint64_t left; /* blocks that may be in lists: no more than there are */
    bool is_out_of_memory;
};

/* ---- Lists ---- */

/* A block of this class may begin there. */
static bool is_block_of(
    const struct tcmalloc_cache_reader *r, uint64_t address, unsigned size_class)
{
    const struct hf_tcmalloc_span *span = hf_tcmalloc_span_at(r->spans, address);
    return span != NULL && span->size_class == size_class && span->place == HF_TCMALLOC_IN_USE &&
           (address - span->start) % r->tables->class_bytes[size_class] == 0;
}

static void add_list(
    struct tcmalloc_cache_reader *r, uint64_t block, uint64_t count, unsigned size_class)
{
    struct hf_tcmalloc_caches *c = r->caches;
    for (uint64_t i = 0; i < count && block != 0 && r->left != 0; i++, r->left--) {
        if (!is_block_of(r, block, size_class))
            return;
        if (!hf_vec_reserve(&c->blocks, &c->capacity, c->count + 1, sizeof *c->blocks)) {
            r->is_out_of_memory = true;
            return;
        }
        c->blocks[c->count++] = block;
        if (!hf_process_word(r->blocks, block, &block))
            return;
    }
}

/* ---- Caches of threads ---- */

static bool is_thread_cache(struct tcmalloc_cache_reader *r, uint64_t at)
{
    const struct hf_tcmalloc_tables *t = r->tables;
    uint32_t bytes;
    for (unsigned i = t->classes - 1; i != 0; i--) { /* from what is rarest */
        if (!hf_process_copy(r->blocks, at + i * LIST_BYTES + SIZE_AT, &bytes, sizeof bytes) ||
            bytes != t->class_bytes[i])
            return false;
    }
    return true;
}

static void add_thread_cache(struct tcmalloc_cache_reader *r, uint64_t at)
{
    struct hf_tcmalloc_caches *c = r->caches;
    bool is_new;
    if (at == 0 || at % WORD != 0 || at > UINT64_MAX - HF_TCMALLOC_CACHE_BYTES ||
        c->thread_count == THREADS_MAX || hf_map_find(&r->known, at) != NULL ||
        !is_thread_cache(r, at))
        return;
    if (hf_map_put(&r->known, at, 0, &is_new) == NULL ||
        !hf_vec_reserve(
            &c->threads, &c->thread_capacity, c->thread_count + 1, sizeof *c->threads)) {
        r->is_out_of_memory = true;
        return;
    }
    c->threads[c->thread_count++] = at;
}

static void tcmalloc_read_thread(struct tcmalloc_cache_reader *r, uint64_t at)
{
    struct thread_list lists[HF_TCMALLOC_CLASSES];
    uint64_t word;
    if (!hf_process_copy(r->blocks, at, lists, sizeof lists))
        return;
    for (unsigned i = 1; i < r->tables->classes; i++)
        add_list(r, lists[i].first, lists[i].count, i);
    for (unsigned i = LISTS_BYTES; i < HF_TCMALLOC_CACHE_BYTES; i += WORD) {
        if (hf_process_word(r->data, at + i, &word))
            add_thread_cache(r, word);
    }
}

static void tcmalloc_read_threads(struct tcmalloc_cache_reader *r)
{
    uint64_t word, end = r->tables->data.end;
    uint64_t at = r->tables->data.start;
    for (; hf_process_next_word(r->data, &at, end, &word); at += WORD)
        add_thread_cache(r, word);
    for (size_t i = 0; i < r->caches->thread_count && !r->is_out_of_memory; i++)
        tcmalloc_read_thread(r, r->caches->threads[i]);
}

/* ---- Chains of the central free lists ---- */

static void read_chains(struct tcmalloc_cache_reader *r, unsigned size_class)
{
    const struct hf_tcmalloc_tables *t = r->tables;
    uint64_t list = t->central + size_class * HF_TCMALLOC_CENTRAL_BYTES, first;
    uint32_t count;
    if (!hf_process_copy(r->data, list + HF_TCMALLOC_CENTRAL_COUNT_AT, &count, sizeof count) ||
        count > HF_TCMALLOC_CHAINS_MAX)
        return;
    for (unsigned i = 0; i < count; i++) {
        if (hf_process_word(r->data, list + HF_TCMALLOC_CENTRAL_CHAINS_AT + i * 2 * WORD, &first))
            add_list(r, first, t->class_moved[size_class], size_class);
    }
}

/* No list has more blocks than all spans of small ones. */
static uint64_t count_taken(const struct tcmalloc_cache_reader *r)
{
    uint64_t count = 0;
    for (size_t i = 0; i < r->spans->count; i++) {
        const struct hf_tcmalloc_span *span = &r->spans->items[i];
        if (span->place == HF_TCMALLOC_IN_USE && span->size_class != 0)
            count += span->taken;
    }
    return count;
}

enum hf_status hf_tcmalloc_caches_read(struct hf_tcmalloc_caches *caches,
    const struct hf_process_image *image, const struct hf_tcmalloc_spans *spans,
    const struct hf_tcmalloc_tables *tables, struct hf_error *err)
{
    struct tcmalloc_cache_reader r = {.caches = caches,
        .spans = spans,
        .tables = tables,
        .data = hf_process_reader_new(image),
        .blocks = hf_process_reader_new(image)};
    if (r.data == NULL || r.blocks == NULL) {
        r.is_out_of_memory = true;
    } else {
        r.left = count_taken(&r);
        tcmalloc_read_threads(&r);
        for (unsigned i = 1; i < tables->classes && !r.is_out_of_memory; i++)
            read_chains(&r, i);
    }
    hf_sort_u64(caches->blocks, caches->count);
    caches->count = hf_unique_u64(caches->blocks, caches->count);
    hf_map_done(&r.known);
    free(r.data);
    free(r.blocks);
    return r.is_out_of_memory ? hf_error_memory(err) : HF_OK;
}

void hf_tcmalloc_caches_done(struct hf_tcmalloc_caches *caches)
{
    free(caches->blocks);
    free(caches->threads);
    *caches = (struct hf_tcmalloc_caches){0};
}

bool hf_tcmalloc_caches_have(const struct hf_tcmalloc_caches *caches, uint64_t block)
{
    size_t i = hf_lower_bound_u64(caches->blocks, caches->count, block);
    return i < caches->count && caches->blocks[i] == block;
}
