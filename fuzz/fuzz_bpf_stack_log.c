/*
 * The log of stacks that a reader who died has left. Input: its first bytes, the count of its words
 * among them. What is read of it lies inside it, and written to another log is read the same.
 */
#include "attach/bpf/bpf_stack_log.h"
#include "fuzz.h"
#include "tell.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_MAX 4096u /* what is behind it is zero */

static struct hf_bpf_stack_log given, written;

static void check_written(uint64_t position, const struct hf_bpf_logged_stack *stack)
{
    struct hf_bpf_logged_stack again;
    if (!hf_bpf_stack_log_next(&written, &position, &again) || again.hash != stack->hash ||
        again.flags != stack->flags || again.count != stack->count ||
        memcmp(again.frames, stack->frames, stack->count * sizeof *stack->frames) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t *end = given.words + INPUT_MAX / sizeof *given.words;
    uint64_t position = 0, before = 0;
    struct hf_bpf_logged_stack stack;
    if (size > INPUT_MAX)
        return 0;
    memset((void *)&given, 0, INPUT_MAX);
    memcpy((void *)&given, data, size);
    atomic_store(&given.count, atomic_load(&given.count) % (INPUT_MAX / sizeof *given.words));
    atomic_store(&written.count, 0);
    while (hf_bpf_stack_log_next(&given, &position, &stack)) {
        if (position <= before || stack.frames < given.words || stack.count > end - stack.frames)
            abort();
        fuzz_tell("at %d: hash 0x%llx, %u frames, flags 0x%x\n", (int)position,
            (unsigned long long)stack.hash, stack.count, stack.flags);
        uint64_t at = atomic_load(&written.count);
        hf_bpf_stack_log_add(&written, &stack);
        check_written(at, &stack);
        before = position;
    }
    return 0;
}
