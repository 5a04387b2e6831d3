/*
 * packed.h: numbers as HotSpot packs them: UNSIGNED5 (compressedStream.hpp in OpenJDK 17), one to
 * five bytes, in which a byte from 192 on says that another follows, which counts 64 times as much.
 *
 * Read from a window of the memory, which moves on as it is used up.
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     struct hf_interpreted_memory memory = {0};
 *     struct hf_java_packed packed = hf_java_packed_at(&memory, 0x7f0020001000, 16);
 *     hf_out_hex(out, hf_java_packed_u32(&packed));
 */
#ifndef HF_UNWIND_JAVA_PACKED_H
#define HF_UNWIND_JAVA_PACKED_H

#include "unwind/interpreted/memory.h"

struct hf_java_packed {
    const struct hf_interpreted_memory *memory;
    uint64_t at;
    uint32_t left; /* bytes that may be read */
    bool is_cut;   /* more was asked for, or they are not there */
};

static inline struct hf_java_packed hf_java_packed_at(
    const struct hf_interpreted_memory *memory, uint64_t address, uint32_t bytes)
{
    return (struct hf_java_packed){.memory = memory, .at = address, .left = bytes};
}

static inline uint8_t hf_java_packed_u8(struct hf_java_packed *packed)
{
    uint8_t byte = 0;
    if (packed->left == 0 || !hf_interpreted_copy(packed->memory, packed->at, &byte, 1)) {
        packed->is_cut = true;
        packed->left = 0;
        return 0;
    }
    packed->at++;
    packed->left--;
    return byte;
}

static inline uint32_t hf_java_packed_u32(struct hf_java_packed *packed)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 5; i++) {
        uint8_t byte = hf_java_packed_u8(packed);
        sum += (uint32_t)byte << (6 * i);
        if (byte < 192)
            break;
    }
    return sum;
}

/* The lowest bit is the sign. */
static inline int32_t hf_java_packed_i32(struct hf_java_packed *packed)
{
    uint32_t value = hf_java_packed_u32(packed);
    return (int32_t)(value >> 1 ^ (0u - (value & 1)));
}

#endif
