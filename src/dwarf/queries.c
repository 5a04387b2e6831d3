#include "dwarf/queries.h"

#include <stdlib.h>

/* A map of blocks for addresses further apart than this would be larger than it helps. */
#define BLOCKS_SPAN_MAX (UINT64_C(1) << 33)

enum hf_status hf_queries_init(
    struct hf_queries *queries, const uint64_t *addresses, size_t count, struct hf_error *err)
{
    *queries = (struct hf_queries){.addresses = addresses, .count = count};
    queries->answers = calloc(count + 1, sizeof *queries->answers);
    if (queries->answers == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count; i++)
        queries->answers[i].owner = HF_NO_UNIT;
    if (count == 0)
        return HF_OK;
    queries->first = addresses[0] & ~((UINT64_C(1) << HF_QUERY_BLOCK_SHIFT) - 1);
    queries->last = addresses[count - 1];
    uint64_t span = queries->last - queries->first;
    if (span > BLOCKS_SPAN_MAX)
        return HF_OK;
    queries->blocks = calloc((size_t)(span >> (HF_QUERY_BLOCK_SHIFT + 3)) + 1, 1);
    if (queries->blocks == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        uint64_t block = (addresses[i] - queries->first) >> HF_QUERY_BLOCK_SHIFT;
        queries->blocks[block >> 3] |= (uint8_t)(1u << (block & 7));
    }
    return HF_OK;
}

void hf_queries_done(struct hf_queries *queries)
{
    free(queries->answers);
    free(queries->blocks);
    *queries = (struct hf_queries){0};
}
