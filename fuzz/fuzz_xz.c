/*
 * Parts in the xz format. Input: the compressed bytes.
 *
 * Each header ends in a checksum of its own, so an input whose bytes are changed is refused at
 * once: the mutator puts the sums of the stream's header, its first block's, its index and its
 * footer right. It keeps most dictionaries small, because liblzma allocates them before it reads
 * on.
 */
#include "compress/xz.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

#include <lzma.h>

/* The .xz File Format 1.1.0, 2.1 and 3.1 */
#define STREAM_HEADER 12u
#define STREAM_FOOTER 12u
#define LZMA2_FILTER 0x21
#define SMALL_DICTIONARIES 9 /* below 64 KiB */

static void put_sum(uint8_t *to, const uint8_t *data, size_t size)
{
    uint32_t sum = lzma_crc32(data, size, 0);
    memcpy(to, &sum, sizeof sum);
}

static void repair_block(uint8_t *block, size_t left, unsigned int seed)
{
    size_t size = ((size_t)block[0] + 1) * 4;
    if (block[0] == 0 || size > left)
        return;
    for (size_t i = 2; i + 6 < size && seed % 16 != 0; i++) {
        if (block[i] == LZMA2_FILTER && block[i + 1] == 1)
            block[i + 2] = (uint8_t)(block[i + 2] % SMALL_DICTIONARIES);
    }
    put_sum(block + size - 4, block, size - 4);
}

static void repair(uint8_t *data, size_t size, unsigned int seed)
{
    if (size < STREAM_HEADER + STREAM_FOOTER)
        return;
    put_sum(data + 8, data + 6, 2);
    repair_block(data + STREAM_HEADER, size - STREAM_HEADER, seed);
    uint8_t *footer = data + size - STREAM_FOOTER;
    uint32_t backward;
    memcpy(&backward, footer + 4, sizeof backward);
    uint64_t index = ((uint64_t)backward + 1) * 4;
    if (index >= 8 && index <= size - STREAM_HEADER - STREAM_FOOTER)
        put_sum(footer - 4, footer - index, index - 4);
    put_sum(footer, footer + 4, 6);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
    size = LLVMFuzzerMutate(data, size, most);
    if (seed % 4 != 0)
        repair(data, size, seed / 4);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_text packed = fuzz_take_part(&c, size);
    struct hf_text bytes = {NULL, 0};
    enum hf_status status = hf_xz_unpack(packed, &bytes, &err);
    fuzz_tell_error(status, &err);
    if (status != HF_OK && bytes.data != NULL)
        abort(); /* outputs are written only on success */
    if (status == HF_OK)
        fuzz_tell_long("unpacked", bytes);
    free((void *)(uintptr_t)bytes.data);
    fuzz_free_part(packed);
    return 0;
}
