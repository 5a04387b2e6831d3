#include "heap/allocators/tcmalloc_tables.h"

#include <stdlib.h>
#include <string.h>

#define WORD 8u
#define ADDRESS_BITS 48u
#define PAGE_BITS_MIN 12u
#define PAGE_BITS_MAX 18u
#define LARGEST_BYTES (256u << 10) /* kMaxSize */
#define CLASSES_MIN 32u
#define CLASS_AT 8u /* of a central free list */
#define DATA_MIN (256u << 10)

#define EMPTY_AT                                                                                   \
    16u /* in it, the head of its spans of which all blocks are taken; then of others */
#define SAMPLES 32u
#define TRIED 3u /* of them, if the page map does not have the first */

struct table_finder {
    const struct hf_process_image *image;
    const struct hf_anonymous_ranges *ranges;
    struct hf_process_reader *data, *spans; /* far from one another */
};

/* ---- The size map ---- */

/* Classes from 0 on whose sizes rise up to the largest, and nothing behind; 0: it is none. */
static unsigned tcmalloc_count_classes(const uint32_t bytes[HF_TCMALLOC_CLASSES])
{
    unsigned count = 1;
    if (bytes[0] != 0 || bytes[1] != 8 || bytes[2] != 16)
        return 0;
    while (count < HF_TCMALLOC_CLASSES && bytes[count] > bytes[count - 1] && bytes[count] % 8 == 0)
        count++;
    for (unsigned i = count; i < HF_TCMALLOC_CLASSES; i++) {
        if (bytes[i] != 0)
            return 0;
    }
    return count >= CLASSES_MIN && bytes[count - 1] == LARGEST_BYTES ? count : 0;
}

/* Bits of an address within a page, from the span of the largest class; 0: there is no such page.
 */
static unsigned page_bits_of(const struct hf_tcmalloc_tables *t)
{
    for (unsigned bits = PAGE_BITS_MIN; bits <= PAGE_BITS_MAX; bits++) {
        if (t->class_pages[t->classes - 1] << bits == LARGEST_BYTES)
            return bits;
    }
    return 0;
}

static bool are_pages_right(const struct hf_tcmalloc_tables *t)
{
    for (unsigned i = 1; i < t->classes; i++) {
        uint64_t pages = t->class_pages[i];
        if (pages == 0 || pages > UINT16_MAX || pages << t->page_bits < t->class_bytes[i])
            return false;
    }
    return true;
}

/* Of which the bytes of blocks are at `at`. */
static bool read_size_map(struct table_finder *f, uint64_t at, struct hf_tcmalloc_tables *t)
{
    uint64_t pages_at = (at + sizeof t->class_bytes + WORD - 1) & ~(uint64_t)(WORD - 1);
    if (!hf_process_copy(f->spans, at, t->class_bytes, sizeof t->class_bytes))
        return false;
    t->classes = tcmalloc_count_classes(t->class_bytes);
    if (t->classes == 0 ||
        !hf_process_copy(
            f->spans, at - sizeof t->class_moved, t->class_moved, sizeof t->class_moved) ||
        !hf_process_copy(f->spans, pages_at, t->class_pages, sizeof t->class_pages))
        return false;
    t->page_bits = page_bits_of(t);
    t->leaf_bits = (ADDRESS_BITS - t->page_bits + 1) / 2;
    t->root_bits = ADDRESS_BITS - t->page_bits - t->leaf_bits;
    return t->page_bits != 0 && are_pages_right(t);
}

static bool find_size_map(struct table_finder *f, struct hf_tcmalloc_tables *t)
{
    uint64_t word, end = t->data.end;
    uint64_t at = t->data.start;
    for (; hf_process_next_word(f->data, &at, end, &word); at += WORD / 2) {
        if (word == UINT64_C(8) << 32 && read_size_map(f, at, t))
            return true;
    }
    return false;
}

/* ---- The central free lists ---- */

static bool is_central(struct table_finder *f, const struct hf_tcmalloc_tables *t, uint64_t central)
{
    uint64_t word;
    uint32_t chains;
    for (unsigned i = 1; i < t->classes; i++) {
        uint64_t list = central + i * HF_TCMALLOC_CENTRAL_BYTES;
        if (!hf_process_word(f->spans, list + CLASS_AT, &word) || word != i ||
            !hf_process_copy(
                f->spans, list + HF_TCMALLOC_CENTRAL_COUNT_AT, &chains, sizeof chains) ||
            chains > HF_TCMALLOC_CHAINS_MAX)
            return false;
    }
    return true;
}

/* The second one, of class 1, is looked for. */
static bool find_central(struct table_finder *f, struct hf_tcmalloc_tables *t)
{
    uint64_t word, end = t->data.end;
    uint64_t at = t->data.start + HF_TCMALLOC_CENTRAL_BYTES;
    for (; hf_process_next_word(f->data, &at, end, &word); at += WORD) {
        t->central = at - CLASS_AT - HF_TCMALLOC_CENTRAL_BYTES;
        if (word == 1 && t->central >= t->data.start && is_central(f, t, t->central))
            return true;
    }
    return false;
}

/* ---- The page map ---- */

/* Spans that the central lists have; each of the page map has to lead to them. */
struct samples {
    struct {
        uint64_t record, page;
    } items[SAMPLES];
    size_t count;
};

/* The first span of a list with a head at `head`, which is a record of a span, too. */
static void add_sample(struct table_finder *f, const struct hf_tcmalloc_tables *t,
    unsigned size_class, uint64_t head, struct samples *samples)
{
    struct hf_tcmalloc_span_record dummy, span;
    if (samples->count == SAMPLES || !hf_process_copy(f->data, head, &dummy, sizeof dummy) ||
        dummy.next == head || dummy.next % WORD != 0 ||
        !hf_process_copy(f->spans, dummy.next, &span, sizeof span) || span.before != head ||
        hf_tcmalloc_span_class(&span) != size_class || span.page >> (t->leaf_bits + t->root_bits))
        return;
    samples->items[samples->count].record = dummy.next;
    samples->items[samples->count++].page = span.page;
}

static void find_sample_spans(
    struct table_finder *f, const struct hf_tcmalloc_tables *t, struct samples *out)
{
    for (unsigned i = 1; i < t->classes; i++) {
        uint64_t list = t->central + i * HF_TCMALLOC_CENTRAL_BYTES;
        add_sample(f, t, i, list + EMPTY_AT, out);
        add_sample(f, t, i, list + EMPTY_AT + HF_TCMALLOC_SPAN_BYTES, out);
    }
}

/* True if this leaf has the span for its page. A word alone is read: they are far from one another.
 */
static bool has_sample(struct table_finder *f, const struct hf_tcmalloc_tables *t, uint64_t leaf,
    const struct samples *samples, size_t i)
{
    uint64_t word, at = samples->items[i].page & ((UINT64_C(1) << t->leaf_bits) - 1);
    return leaf % WORD == 0 && leaf <= UINT64_MAX - (WORD << t->leaf_bits) &&
           hf_anonymous_ranges_have(f->ranges, leaf, leaf + (WORD << t->leaf_bits)) &&
           hf_memory_copy(&f->image->memory, leaf + at * WORD, &word, sizeof word) &&
           word == samples->items[i].record;
}

/* Spans that a thread was moving may be wrong. */
static bool is_root(struct table_finder *f, const struct hf_tcmalloc_tables *t, uint64_t root,
    const struct samples *samples)
{
    size_t right = 0;
    uint64_t leaf;
    for (size_t i = 0; i < samples->count; i++) {
        uint64_t index = samples->items[i].page >> t->leaf_bits;
        right += hf_process_word(f->spans, root + index * WORD, &leaf) &&
                 has_sample(f, t, leaf, samples, i);
    }
    return right > samples->count / 2;
}

/* A word at `at` leads to a leaf that has sample `i`: where the root is then; else 0. */
static uint64_t root_by(struct table_finder *f, const struct hf_tcmalloc_tables *t, uint64_t at,
    const struct samples *samples, size_t i)
{
    uint64_t index = samples->items[i].page >> t->leaf_bits;
    if (at - t->data.start < index * WORD)
        return 0;
    uint64_t root = at - index * WORD;
    return t->data.end - root >= WORD << t->root_bits && is_root(f, t, root, samples) ? root : 0;
}

static bool find_root_by(
    struct table_finder *f, struct hf_tcmalloc_tables *t, const struct samples *samples, size_t i)
{
    uint64_t word, end = t->data.end;
    uint64_t at = t->data.start;
    for (; hf_process_next_word(f->data, &at, end, &word); at += WORD) {
        if (word != 0 && has_sample(f, t, word, samples, i))
            t->root = root_by(f, t, at, samples, i);
        if (t->root != 0)
            return true;
    }
    return false;
}

static bool find_root(struct table_finder *f, struct hf_tcmalloc_tables *t)
{
    struct samples samples = {.count = 0};
    find_sample_spans(f, t, &samples);
    for (size_t i = 0; i < samples.count && i < TRIED; i++) {
        if (find_root_by(f, t, &samples, i))
            return true;
    }
    return false;
}

static bool find_in_module(struct table_finder *f, struct hf_tcmalloc_tables *t)
{
    return find_size_map(f, t) && find_central(f, t) && find_root(f, t);
}

enum hf_status hf_tcmalloc_tables_find(const struct hf_process_image *image,
    const struct hf_anonymous_ranges *ranges, struct hf_tcmalloc_tables out[HF_TCMALLOCS_MAX],
    size_t *out_count, struct hf_error *err)
{
    struct table_finder f = {.image = image,
        .ranges = ranges,
        .data = hf_process_reader_new(image),
        .spans = hf_process_reader_new(image)};
    bool has_memory = f.data != NULL && f.spans != NULL;
    struct hf_process_range data;
    *out_count = 0;
    for (size_t i = 0;
         has_memory && *out_count < HF_TCMALLOCS_MAX && hf_next_module_data(image, &i, &data);) {
        struct hf_tcmalloc_tables *t = &out[*out_count];
        *t = (struct hf_tcmalloc_tables){.data = data};
        if (data.end - data.start >= DATA_MIN && find_in_module(&f, t))
            (*out_count)++;
    }
    free(f.data);
    free(f.spans);
    return has_memory ? HF_OK : hf_error_memory(err);
}
