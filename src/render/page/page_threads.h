/*
 * page_threads.h: what each thread of a folded profile holds, as an HTML page carries it.
 *
 *     thread = { step }    ; for each type of value; page_data.h says what a step is
 *
 * Time and memory grow with the samples of threads, however many threads share them. A page lists
 * the HF_PAGE_THREADS that hold most.
 */
#ifndef HF_RENDER_PAGE_THREADS_H
#define HF_RENDER_PAGE_THREADS_H

#include "render/trie_data.h"

#define HF_PAGE_THREADS 1000u /* more is no list to choose from */

struct hf_page_threads {
    struct hf_page_thread {
        uint32_t thread; /* of the profile */
        uint64_t uid, total;
    } * items; /* by uid */
    size_t count, left_out;
    struct hf_page_thread_row {
        uint32_t item, position; /* of a node, in preorder */
        size_t sample;
    } * rows; /* by item and position */
    size_t row_count;
};

/* Needs hf_page_threads_done in any case. */
HF_MUST_CHECK enum hf_status hf_page_threads_init(struct hf_page_threads *out_threads,
    const struct hf_profile *folded, const struct hf_trie_data *trie, struct hf_error *err);
void hf_page_threads_done(struct hf_page_threads *threads);

/* Writes the columns of all that are listed. Errors of `out` latch there. */
void hf_page_threads_write(
    const struct hf_page_threads *threads, const struct hf_profile *folded, struct hf_out *out);

#endif
