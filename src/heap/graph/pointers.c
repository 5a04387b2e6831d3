#include "heap/graph/pointers.h"

#include <stdlib.h>
#include <string.h>

#define WORD 8u

/* In glibc's heaps the last word of a block is the head of the next chunk. */
static bool is_next_head(
    const struct hf_pointers *p, const struct hf_heap_block *block, uint64_t word)
{
    if (block->bytes <= WORD || word != block->address + block->bytes - WORD)
        return false;
    const struct hf_heap_region *region = hf_heap_region_at(p->heap, word);
    return region == NULL || strcmp(region->allocator, "glibc") == 0;
}

/*
 * An address of user space has at most 47 bits, so programs keep something else in the 16 high ones
 * (a tag, a counter, a NaN), and perhaps in the 3 low ones. Numbers are often as large, so a tagged
 * word must be the start of a block: one random word in 2^45 is that of a given block.
 */
static uint32_t target_behind_tag(const struct hf_pointers *p, uint64_t word)
{
    uint64_t address = word & ((UINT64_C(1) << 48) - 8);
    uint32_t block = hf_block_index_find(&p->index, address);
    return block != HF_BLOCK_NONE && p->heap->blocks[block].address == address ? block
                                                                               : HF_BLOCK_NONE;
}

uint32_t hf_pointers_target_of(const struct hf_pointers *p, uint64_t word)
{
    if (word >> 48 != 0)
        return target_behind_tag(p, word);
    uint32_t block = hf_block_index_find(&p->index, word);
    if (block == HF_BLOCK_NONE)
        return HF_BLOCK_NONE;
    return is_next_head(p, &p->heap->blocks[block], word) ? HF_BLOCK_NONE : block;
}

uint32_t hf_pointers_target_at_odd_place(const struct hf_pointers *p, uint64_t word)
{
    uint32_t block = word >> 48 == 0 ? hf_pointers_target(p, word) : HF_BLOCK_NONE;
    bool is_start = block != HF_BLOCK_NONE && p->heap->blocks[block].address == word;
    return is_start || word >> 32 != 0 ? block : HF_BLOCK_NONE;
}

static uint64_t pointer_word_in(
    const struct hf_pointers *p, const struct hf_pointer_words *words, uint64_t at)
{
    uint64_t word;
    bool is_in = at >= words->start && at + WORD <= words->end;
    return is_in && hf_process_word(p->reader, at, &word) ? word : 0;
}

bool hf_pointers_is_end(const struct hf_pointers *p, const struct hf_pointer_words *words,
    uint64_t at, uint64_t word, uint32_t target)
{
    const struct hf_heap_block *blocks = p->heap->blocks;
    if (target == 0 || blocks[target].address != word ||
        blocks[target - 1].address + blocks[target - 1].bytes != word)
        return false;
    uint64_t start = blocks[target - 1].address;
    uint64_t before = pointer_word_in(p, words, at - WORD),
             first = pointer_word_in(p, words, at - 2 * WORD);
    if (before == start && pointer_word_in(p, words, at + WORD) == word)
        return true; /* the vector is full: its last element ends there, too */
    if (p->last_end == at - WORD && before != word)
        return false; /* the end before belongs to another vector; the next one begins here */
    return before >= start && before <= word && first >= start && first <= word &&
           (before == start || first == start);
}

enum hf_status hf_pointers_init(struct hf_pointers *pointers, const struct hf_heap *heap,
    const struct hf_process_image *image, struct hf_error *err)
{
    *pointers = (struct hf_pointers){.heap = heap, .reader = hf_process_reader_new(image)};
    if (pointers->reader == NULL)
        return hf_error_memory(err);
    return hf_block_index_init(&pointers->index, heap, err);
}

void hf_pointers_done(struct hf_pointers *pointers)
{
    hf_block_index_done(&pointers->index);
    free(pointers->reader);
    *pointers = (struct hf_pointers){0};
}
