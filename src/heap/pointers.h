/*
 * pointers.h: which words are pointers to blocks of a heap.
 *
 * A word that is an address within a block is. One with something in its 16 high bits is, if the
 * others are the address of a block's start, whatever the lowest three are: a tagged pointer.
 *
 * The last word of a block of glibc's is the head of the next chunk, to which lists of free chunks
 * point: that is no pointer to the block.
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

/* Bytes ahead, at which words are looked at. */
#define HF_POINTERS_FAR 4096u
#define HF_POINTERS_NEAR 2048u

struct hf_pointers {
    const struct hf_heap *heap; /* borrowed */
    struct hf_process_reader *reader;
    struct hf_block_index index;
    uint64_t last_end; /* the caller's: the address of the last word that was an end */
};

/* Words that belong together: of a block, or of a range of roots. */
struct hf_pointer_words {
    uint64_t start, end;
};

/* Of a sorted heap. Call done in any case. HF_ERR_MEMORY, HF_ERR_LIMIT. */
HF_MUST_CHECK enum hf_status hf_pointers_init(struct hf_pointers *pointers,
    const struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);
void hf_pointers_done(struct hf_pointers *pointers);

/* What hf_pointers_target answers of a word that may be in a block. */
uint32_t hf_pointers_target_of(const struct hf_pointers *pointers, uint64_t word);

/* The number of the block that a word points to, or HF_BLOCK_NONE. Of a word with something in its
 * 16 high bits the window is that of the others. */
static inline uint32_t hf_pointers_target(const struct hf_pointers *pointers, uint64_t word)
{
    return hf_block_index_may_have(&pointers->index, word) ? hf_pointers_target_of(pointers, word)
                                                           : HF_BLOCK_NONE;
}

/*
 * Says that the words at `at` and behind it are asked for next: what hf_pointers_target needs for
 * those a little further on is fetched meanwhile. Pointers lead anywhere, and so each would wait
 * for memory twice.
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
 * The same of a word that lies at no multiple of 8, as in packed structures. There are seven times
 * as many of these, parts of two words each: one below 4 GiB, as a number often is, has to be the
 * address of a block's start; and a tag is none.
 */
uint32_t hf_pointers_target_at_odd_place(const struct hf_pointers *pointers, uint64_t word);

/*
 * Whether a word at `at`, one of `words`, which seems to point to `target`, is rather the end of
 * the block before.
 *
 * A vector has the end of its block behind the addresses of its first element and behind its last,
 * an iterator of a deque behind those of an element and of the first of its piece. Where blocks lie
 * side by side, as in jemalloc's slabs, that is the address of the next one.
 */
bool hf_pointers_is_end(const struct hf_pointers *pointers, const struct hf_pointer_words *words,
    uint64_t at, uint64_t word, uint32_t target);

#endif
