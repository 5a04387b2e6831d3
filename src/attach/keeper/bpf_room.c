#include "attach/keeper/bpf_room.h"

#include "attach/keeper/bpf_shared.h"

#include <stdbool.h>

#define FEWEST_SAMPLES (1u << 16)
#define MOST_BLOCKS (1u << 20)
#define BLOCKS_OF_MANY (1u << 18)
#define CONTEXTS_OF_MANY (1u << 18)
#define CLASSES 4096u
#define SEEN_STACKS (1u << 15)
#define SEEN_STACKS_SAMPLED (1u << 14)
#define RING_MIN (4u << 20)
#define RING_MIN_CONTEXTS (8u << 20) /* a backend of PostgreSQL begins with 600 stacks */
#define RING_MAX (16u << 20)

/* The first power of two from `least` on that is not below; at most `most`. */
static uint32_t power_of_two(uint64_t value, uint32_t least, uint32_t most)
{
    uint32_t power = least;
    while (power < most && power < value)
        power *= 2;
    return power;
}

/* A sample stands for a period at least, and what is in use at once seldom exceeds the memory. */
static uint32_t room_for_blocks(const struct hf_bpf_wish *wish, uint64_t memory_bytes)
{
    uint32_t most = wish->is_one_of_many ? BLOCKS_OF_MANY : MOST_BLOCKS;
    return wish->period_bytes <= 1
               ? most
               : power_of_two(memory_bytes / wish->period_bytes, FEWEST_SAMPLES, most);
}

struct hf_bpf_room hf_bpf_room_of(
    const struct hf_bpf_wish *wish, const struct hf_bpf_machine *machine)
{
    bool is_sampled = wish->period_bytes > 1;
    uint64_t each = is_sampled || wish->is_one_of_many ? 2u << 20 : 4u << 20;
    struct hf_bpf_room room = {
        .gaps = is_sampled ? HF_BPF_GAPS : 1,
        .blocks = room_for_blocks(wish, machine->memory_bytes),
        .contexts = 1,
        .short_lived = 1,
        .seen_stacks = is_sampled ? SEEN_STACKS_SAMPLED : SEEN_STACKS,
        .ring_bytes = power_of_two(each * machine->processors,
            wish->has_contexts ? RING_MIN_CONTEXTS : RING_MIN, RING_MAX),
    };
    if (wish->has_contexts) {
        uint64_t asked = wish->context_count < HF_BPF_CONTEXTS_MAX ? wish->context_count * 4
                                                                   : HF_BPF_CONTEXTS_MAX;
        uint32_t least = wish->is_one_of_many ? CONTEXTS_OF_MANY : HF_BPF_CONTEXTS_MAX;
        room.contexts = power_of_two(asked, least, HF_BPF_CONTEXTS_MAX);
        room.short_lived = CLASSES;
    }
    return room;
}
