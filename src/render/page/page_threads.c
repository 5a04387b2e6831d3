#include "render/page/page_threads.h"

#include "base/budget.h"
#include "base/checked.h"

#include <stdlib.h>

#define NOT_LISTED UINT32_MAX

static int page_threads_compare_uids(const void *a, const void *b)
{
    const struct hf_page_thread *x = a, *y = b;
    return (x->uid > y->uid) - (x->uid < y->uid);
}

static int page_threads_compare_totals(const void *a, const void *b)
{
    const struct hf_page_thread *x = a, *y = b;
    int order = (x->total < y->total) - (x->total > y->total);
    return order != 0 ? order : page_threads_compare_uids(a, b);
}

static int page_threads_compare_rows(const void *a, const void *b)
{
    const struct hf_page_thread_row *x = a, *y = b;
    int order = (x->item > y->item) - (x->item < y->item);
    return order != 0 ? order : (x->position > y->position) - (x->position < y->position);
}

static void page_threads_choose(struct hf_page_threads *threads, const struct hf_profile *folded)
{
    bool ignored = false;
    for (size_t i = 0; i < folded->thread_count; i++)
        threads->items[i] =
            (struct hf_page_thread){.thread = (uint32_t)i, .uid = folded->threads[i].uid};
    for (size_t i = 0; i < folded->sample_count; i++) {
        uint32_t thread = folded->samples[i].thread;
        if (thread != HF_THREAD_ALL)
            threads->items[thread].total = hf_add_saturating(threads->items[thread].total,
                hf_profile_value(folded, i, folded->default_type), &ignored);
    }
    qsort(
        threads->items, folded->thread_count, sizeof *threads->items, page_threads_compare_totals);
    threads->count =
        folded->thread_count < HF_PAGE_THREADS ? folded->thread_count : HF_PAGE_THREADS;
    threads->left_out = folded->thread_count - threads->count;
    qsort(threads->items, threads->count, sizeof *threads->items, page_threads_compare_uids);
}

/* `items_of`: room for every thread; `positions`: for every node. */
static void list_rows(struct hf_page_threads *threads, const struct hf_profile *folded,
    const struct hf_trie_data *trie, uint32_t *items_of, uint32_t *positions)
{
    for (size_t i = 0; i < folded->thread_count; i++)
        items_of[i] = NOT_LISTED;
    for (uint32_t i = 0; i < threads->count; i++)
        items_of[threads->items[i].thread] = i;
    for (uint32_t i = 0; i < trie->node_count; i++)
        positions[trie->preorder[i]] = i;
    for (size_t i = 0; i < folded->sample_count; i++) {
        const struct hf_sample *sample = &folded->samples[i];
        if (sample->thread != HF_THREAD_ALL && items_of[sample->thread] != NOT_LISTED)
            threads->rows[threads->row_count++] =
                (struct hf_page_thread_row){items_of[sample->thread], positions[sample->node], i};
    }
    qsort(threads->rows, threads->row_count, sizeof *threads->rows, page_threads_compare_rows);
}

enum hf_status hf_page_threads_init(struct hf_page_threads *out_threads,
    const struct hf_profile *folded, const struct hf_trie_data *trie, struct hf_error *err)
{
    struct hf_page_threads *threads = out_threads;
    *threads = (struct hf_page_threads){0};
    if (folded->thread_count == 0)
        return HF_OK;
    uint32_t *items_of = hf_budget_calloc(folded->thread_count, sizeof *items_of);
    uint32_t *positions = hf_budget_calloc(folded->stacks.count, sizeof *positions);
    threads->items = hf_budget_calloc(folded->thread_count, sizeof *threads->items);
    threads->rows = hf_budget_calloc(folded->sample_count + 1, sizeof *threads->rows);
    bool has_memory =
        items_of != NULL && positions != NULL && threads->items != NULL && threads->rows != NULL;
    if (has_memory) {
        page_threads_choose(threads, folded);
        list_rows(threads, folded, trie, items_of, positions);
    }
    hf_budget_free(items_of);
    hf_budget_free(positions);
    return has_memory ? HF_OK : hf_error_memory(err);
}

/* One type of the rows [from, to), as a step from nothing. */
static void page_threads_put_step(const struct hf_page_threads *threads,
    const struct hf_profile *folded, size_t type, size_t from, size_t to, struct hf_out *out)
{
    size_t count = 0, last = 0;
    for (size_t i = from; i < to; i++)
        count += hf_profile_value(folded, threads->rows[i].sample, type) != 0;
    hf_trie_data_put_number(out, count);
    for (size_t i = from; i < to; i++) {
        uint64_t value = hf_profile_value(folded, threads->rows[i].sample, type);
        if (value == 0)
            continue;
        hf_trie_data_put_number(out, threads->rows[i].position - last);
        hf_trie_data_put_number(out, value);
        hf_trie_data_put_number(out, 0);
        last = threads->rows[i].position;
    }
}

void hf_page_threads_write(
    const struct hf_page_threads *threads, const struct hf_profile *folded, struct hf_out *out)
{
    size_t from = 0;
    for (size_t i = 0; i < threads->count; i++) {
        size_t to = from;
        while (to < threads->row_count && threads->rows[to].item == i)
            to++;
        for (size_t type = 0; type < folded->type_count; type++)
            page_threads_put_step(threads, folded, type, from, to, out);
        from = to;
    }
}

void hf_page_threads_done(struct hf_page_threads *threads)
{
    hf_budget_free(threads->items);
    hf_budget_free(threads->rows);
    *threads = (struct hf_page_threads){0};
}
