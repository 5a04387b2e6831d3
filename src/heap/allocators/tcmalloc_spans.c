#include "heap/allocators/tcmalloc_spans.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "base/limits.h"

#include <stdlib.h>

#define WORD 8u
#define PAGE 4096u

/* A word of the page map, and the page that it is of. */
struct span_word {
    uint64_t record, page;
};

struct span_reader {
    struct hf_tcmalloc_spans *spans;
    struct span_word *words; /* those of one page after the other that are the same once */
    size_t word_count, word_capacity;
    const struct hf_anonymous_ranges *ranges;
    const struct hf_tcmalloc_tables *tables;
    struct hf_process_reader *roots, *leaves, *records; /* far from one another */
    uint64_t pages_read;
};

static bool add_table(struct span_reader *r, uint64_t at)
{
    struct hf_tcmalloc_spans *s = r->spans;
    if (!hf_vec_reserve(&s->tables, &s->table_capacity, s->table_count + 1, sizeof *s->tables))
        return false;
    s->tables[s->table_count++] = at;
    return true;
}

/* Of the size that its class has; else it is being made, or no span at all. */
static uint8_t span_place(
    const struct hf_tcmalloc_tables *t, const struct hf_tcmalloc_span_record *record)
{
    unsigned place = hf_tcmalloc_span_place(record), size_class = hf_tcmalloc_span_class(record);
    if (place != HF_TCMALLOC_IN_USE || size_class == 0)
        return (uint8_t)place;
    bool is_right = size_class < t->classes && record->pages == t->class_pages[size_class];
    return is_right ? HF_TCMALLOC_IN_USE : HF_TCMALLOC_UNKNOWN;
}

static bool add_word(struct span_reader *r, uint64_t page, uint64_t record)
{
    if (record % WORD != 0 || (r->word_count != 0 && r->words[r->word_count - 1].record == record))
        return true;
    if (!hf_vec_reserve(&r->words, &r->word_capacity, r->word_count + 1, sizeof *r->words))
        return false;
    r->words[r->word_count++] = (struct span_word){record, page};
    return true;
}

/* The span to which a word leads, if it begins there; false: no memory. */
static bool add_span(struct span_reader *r, const struct span_word *word)
{
    struct hf_tcmalloc_spans *s = r->spans;
    const struct hf_tcmalloc_tables *t = r->tables;
    struct hf_tcmalloc_span_record record;
    uint64_t start = word->page << t->page_bits;
    if (!hf_process_copy(r->records, word->record, &record, sizeof record) ||
        record.page != word->page || record.pages == 0 ||
        record.pages > (UINT64_MAX - start) >> t->page_bits)
        return true;
    uint64_t end = start + (record.pages << t->page_bits);
    if (!hf_anonymous_ranges_have(r->ranges, start, end))
        return true;
    if (!hf_vec_reserve(&s->items, &s->capacity, s->count + 1, sizeof *s->items))
        return false;
    s->items[s->count++] = (struct hf_tcmalloc_span){
        .start = start,
        .end = end,
        .free_list = record.free_list,
        .taken = record.bits & UINT16_MAX,
        .size_class = (uint8_t)hf_tcmalloc_span_class(&record),
        .place = span_place(t, &record),
    };
    return add_table(r, word->record);
}

static int by_record(const void *a, const void *b)
{
    const struct span_word *left = a, *right = b;
    return (left->record > right->record) - (left->record < right->record);
}

static int by_span_start(const void *a, const void *b)
{
    const struct hf_tcmalloc_span *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

/* In the order of the records: they lie side by side, and pages of neighbours far apart. */
static bool read_spans(struct span_reader *r)
{
    struct hf_tcmalloc_spans *s = r->spans;
    if (r->word_count != 0)
        qsort(r->words, r->word_count, sizeof *r->words, by_record);
    for (size_t i = 0; i < r->word_count; i++) {
        if (!add_span(r, &r->words[i]))
            return false;
    }
    if (s->count != 0)
        qsort(s->items, s->count, sizeof *s->items, by_span_start);
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (kept == 0 || s->items[i].start >= s->items[kept - 1].end)
            s->items[kept++] = s->items[i];
    }
    s->count = kept;
    return true;
}

static enum hf_status span_read_leaf(
    struct span_reader *r, uint64_t leaf, uint64_t first_page, struct hf_error *err)
{
    uint64_t words = UINT64_C(1) << r->tables->leaf_bits, end = leaf + words * WORD, word;
    for (uint64_t i = 0; i < words; i++) {
        uint64_t at = leaf + i * WORD;
        if (i == 0 || at % PAGE == 0) {
            at = hf_process_next_page(r->leaves, at, end);
            i = (at - leaf) / WORD;
            if (i >= words)
                break;
            if (++r->pages_read > HF_LIMIT_TCMALLOC_LEAF_PAGES)
                return hf_error_set(err, HF_ERR_LIMIT,
                    "the tables of the process's tcmalloc have more than %u pages "
                    "(HF_LIMIT_TCMALLOC_LEAF_PAGES)",
                    HF_LIMIT_TCMALLOC_LEAF_PAGES);
            if (!add_table(r, at & ~(uint64_t)(PAGE - 1)))
                return hf_error_memory(err);
        }
        if (hf_process_word(r->leaves, at, &word) && word != 0 &&
            !add_word(r, first_page + i, word))
            return hf_error_memory(err);
    }
    return HF_OK;
}

static enum hf_status read_page_map(struct span_reader *r, struct hf_error *err)
{
    const struct hf_tcmalloc_tables *t = r->tables;
    uint64_t words = UINT64_C(1) << t->root_bits, leaf_bytes = WORD << t->leaf_bits, word;
    enum hf_status status = HF_OK;
    for (uint64_t i = 0; i < words && status == HF_OK; i++) {
        uint64_t at = t->root + i * WORD;
        if (at % PAGE == 0)
            i = (hf_process_next_page(r->roots, at, t->root + words * WORD) - t->root) / WORD;
        if (i < words && hf_process_word(r->roots, t->root + i * WORD, &word) && word != 0 &&
            word % WORD == 0 && word <= UINT64_MAX - leaf_bytes &&
            hf_anonymous_ranges_have(r->ranges, word, word + leaf_bytes))
            status = span_read_leaf(r, word, i << t->leaf_bits, err);
    }
    return status;
}

enum hf_status hf_tcmalloc_spans_read(struct hf_tcmalloc_spans *spans,
    const struct hf_process_image *image, const struct hf_anonymous_ranges *ranges,
    const struct hf_tcmalloc_tables *tables, struct hf_error *err)
{
    struct span_reader r = {.spans = spans,
        .ranges = ranges,
        .tables = tables,
        .roots = hf_process_reader_new(image),
        .leaves = hf_process_reader_new(image),
        .records = hf_process_reader_new(image)};
    bool has_memory = r.roots != NULL && r.leaves != NULL && r.records != NULL;
    enum hf_status status = has_memory ? read_page_map(&r, err) : hf_error_memory(err);
    if (status == HF_OK && !read_spans(&r))
        status = hf_error_memory(err);
    hf_sort_u64(spans->tables, spans->table_count);
    spans->table_count = hf_unique_u64(spans->tables, spans->table_count);
    free(r.words);
    free(r.roots);
    free(r.leaves);
    free(r.records);
    return status;
}

void hf_tcmalloc_spans_done(struct hf_tcmalloc_spans *spans)
{
    free(spans->items);
    free(spans->tables);
    *spans = (struct hf_tcmalloc_spans){0};
}

const struct hf_tcmalloc_span *hf_tcmalloc_span_at(
    const struct hf_tcmalloc_spans *spans, uint64_t address)
{
    size_t i = HF_FIRST_ABOVE(spans->items, spans->count, end, address);
    return i < spans->count && spans->items[i].start <= address ? &spans->items[i] : NULL;
}
