#include "unwind/java/code_cache.h"

#define HEAPS_MAX 16        /* HotSpot has one to four */
#define SEGMENT_BITS_MAX 20 /* 7 */
#define FRAME_WORDS_MAX (1u << 20)

enum { SEGMENT_FREE = 0xff, SEGMENT_STEPS_MAX = 64, NAME_BYTES = 16 };

struct java_range {
    uint64_t low, high;
};

static bool java_range_read(const struct hf_java *java, const struct hf_interpreted_memory *memory,
    uint64_t space, struct java_range *out_range)
{
    return hf_java_u64(memory, space, java->space_low, &out_range->low) &&
           hf_java_u64(memory, space, java->space_high, &out_range->high) &&
           out_range->low < out_range->high;
}

/* The heap that the address is in; 0: none. */
static uint64_t java_heap_find(const struct hf_java *java,
    const struct hf_interpreted_memory *memory, uint64_t pc, struct java_range *out_range)
{
    uint64_t heaps, items, heap;
    int32_t count;
    if (!hf_java_u64(memory, java->heaps, 0, &heaps) ||
        !hf_java_i32(memory, heaps, java->array_length, &count) ||
        !hf_java_u64(memory, heaps, java->array_data, &items) || count < 0 || count > HEAPS_MAX)
        return 0;
    for (int32_t i = 0; i < count; i++) {

        if (hf_java_u64(memory, items, 8 * i, &heap) &&
            java_range_read(java, memory, heap + (uint64_t)(int64_t)java->heap_memory, out_range) &&
            pc >= out_range->low && pc < out_range->high)
            return heap;
    }
    return 0;
}

/* The block that has the address; 0: it is free there. */
static uint64_t java_block_find(
    const struct hf_java *java, const struct hf_interpreted_memory *memory, uint64_t pc)
{
    struct java_range code, segments;
    uint64_t heap = java_heap_find(java, memory, pc, &code);
    int32_t bits;
    if (heap == 0 || !hf_java_i32(memory, heap, java->heap_segment_bits, &bits) || bits < 0 ||
        bits > SEGMENT_BITS_MAX ||
        !java_range_read(java, memory, heap + (uint64_t)(int64_t)java->heap_segments, &segments))
        return 0;
    uint64_t number = (pc - code.low) >> bits;
    for (size_t step = 0; step < SEGMENT_STEPS_MAX; step++) {
        uint8_t back, is_used;
        uint64_t block = code.low + (number << bits);
        if (number >= segments.high - segments.low ||
            !hf_interpreted_copy(memory, segments.low + number, &back, 1) || back == SEGMENT_FREE)
            return 0;
        if (back == 0)
            return hf_interpreted_copy(
                       memory, block + (uint64_t)(int64_t)java->block_used, &is_used, 1) &&
                           is_used == 1
                       ? block
                       : 0;
        if (back > number)
            return 0;
        number -= back;
    }
    return 0;
}

static bool java_is_in_interpreter(
    const struct hf_java *java, const struct hf_interpreted_memory *memory, uint64_t pc)
{
    uint64_t queue, begin;
    int32_t bytes;
    return hf_java_u64(memory, java->interpreter, 0, &queue) &&
           hf_java_u64(memory, queue, java->queue_code, &begin) &&
           hf_java_i32(memory, queue, java->queue_bytes, &bytes) && bytes > 0 && pc >= begin &&
           pc - begin < (uint32_t)bytes;
}

static bool java_is_compiled(const char name[NAME_BYTES])
{
    static const char compiled[] = "nmethod", native[] = "native nmethod";
    return memcmp(name, compiled, sizeof compiled) == 0 || memcmp(name, native, sizeof native) == 0;
}

enum hf_java_code_kind hf_java_code_find(const struct hf_java *java,
    const struct hf_interpreted_memory *memory, uint64_t pc, struct hf_java_code *out_code)
{
    uint64_t call, name_at;
    char name[NAME_BYTES];
    int32_t words;
    if (java_is_in_interpreter(java, memory, pc))
        return HF_JAVA_INTERPRETER;
    if (hf_java_u64(memory, java->call_stub_return, 0, &call) && call == pc)
        return HF_JAVA_CALL;
    uint64_t block = java_block_find(java, memory, pc);
    if (block == 0)
        return HF_JAVA_NO_CODE;
    out_code->blob = block + (uint64_t)(int64_t)java->block_bytes;
    if (!hf_java_u64(memory, out_code->blob, java->blob_code, &out_code->begin) ||
        !hf_java_i32(memory, out_code->blob, java->blob_frame_words, &words) ||
        !hf_java_u64(memory, out_code->blob, java->blob_name, &name_at) || words <= 0 ||
        (uint32_t)words > FRAME_WORDS_MAX ||
        !hf_interpreted_copy(memory, name_at, name, sizeof name))
        return HF_JAVA_NO_CODE;
    out_code->frame_bytes = (uint64_t)(uint32_t)words * 8;
    return java_is_compiled(name) ? HF_JAVA_COMPILED : HF_JAVA_STUB;
}
