/*
 * pointers.h: which words are pointers to blocks of a heap.
 *
 * A word is a pointer if it is an address within a block. A word that has more in its 16 high bits
 * is a tagged pointer if the other bits are the address of a block's start; the lowest three may be
 * anything.
 *
 * In glibc's heaps, the last word of a block is the head of the next chunk, and lists of free
 * chunks point there: the address of that word is not a pointer to the block.
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     struct hf_process_image image = {0};
 *     struct hf_pointers pointers;
 *     status = hf_pointers_init(&pointers, &heap, &image, err);
 *     if (status == HF_OK && hf_pointers_target(&pointers, 0x55d000000018) != HF_BLOCK_NONE)
 *         hf_out_string(out, "a pointer");
 *     hf_pointers_done(&pointers);
 */
#ifndef HF_HEAP_POINTERS_H
#define HF_HEAP_POINTERS_H

#include "heap/block_index.h"
#include "memory/process_image.h"

/* How many bytes ahead words are fetched. */
#define HF_POINTERS_FAR 4096u
#define HF_POINTERS_NEAR 2048u

struct hf_pointers {
    const struct hf_heap *heap; /* borrowed */
    struct hf_process_reader *reader;
    struct hf_block_index index;
    uint64_t last_end; /* for the caller: the address of the last word that was an end */
};

/* Words that belong together: of a block, or of a range of roots. */
struct hf_pointer_words {
    uint64_t start, end;
};

/* The heap must be sorted. Call done in any case. HF_ERR_MEMORY, HF_ERR_LIMIT. */
HF_MUST_CHECK enum hf_status hf_pointers_init(struct hf_pointers *pointers,
    const struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);
void hf_pointers_done(struct hf_pointers *pointers);

/* What hf_pointers_target answers for a word that may be in a block. */
uint32_t hf_pointers_target_of(const struct hf_pointers *pointers, uint64_t word);

/* The number of the block that a word points to, or HF_BLOCK_NONE. The 16 high bits of a tagged
 * pointer do not change its window in the index. */
static inline uint32_t hf_pointers_target(const struct hf_pointers *pointers, uint64_t word)
{
    return hf_block_index_may_have(&pointers->index, word) ? hf_pointers_target_of(pointers, word)
                                                           : HF_BLOCK_NONE;
}

/*
 * Announces that the words from `at` on are looked at next, and begins to fetch what
 * hf_pointers_target will need for words a little further on. Pointers lead anywhere in memory, so
 * otherwise each would wait for memory twice.
 */
static inline void hf_pointers_look_ahead(const struct hf_pointers *pointers, uint64_t at)
{
    const struct hf_process_reader *reader = pointers->reader;
    uint64_t offset = at - reader->start, word;
    if (offset >= reader->size || reader->size - offset < HF_POINTERS_FAR + sizeof word)
        return;
    memcpy(&word, reader->bytes + offset + HF_POINTERS_FAR, sizeof word);
    if (hf_block_index_may_have(&pointers->index, word))
        hf_block_index_fetch_step(&pointers->index, word);
    memcpy(&word, reader->bytes + offset + HF_POINTERS_NEAR, sizeof word);
    if (hf_block_index_may_have(&pointers->index, word))
        hf_block_index_fetch_block(&pointers->index, word);
}

/*
 * The same for a word that does not lie at a multiple of 8, as in packed structures. There are
 * seven times as many such words, so the rules are stricter: a word below 4 GiB, as numbers often
 * are, must be the address of a block's start, and a tagged word is not a pointer.
 */
uint32_t hf_pointers_target_at_odd_place(const struct hf_pointers *pointers, uint64_t word);

/*
 * Whether the word at `at`, one of `words`, seems to point to `target`, but is rather the end of
 * the block before.
 *
 * In a vector, the end of its block comes after the addresses of its first element and of the end
 * of its last; in an iterator of a deque, after those of an element and of the first in its piece.
 * If blocks lie side by side, as in jemalloc's slabs, that end is the address of the next block.
 */
bool hf_pointers_is_end(const struct hf_pointers *pointers, const struct hf_pointer_words *words,
    uint64_t at, uint64_t word, uint32_t target);

#endif
