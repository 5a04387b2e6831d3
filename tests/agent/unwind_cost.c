/*
 * unwind_cost.c: what it costs to take a stack, for bench/unwind.py and tests/e2e/unwind.py.
 *
 * usage: unwind_cost METHOD DEPTH CHANGED ROUNDS BATCHES
 *
 * DEPTH functions call each other, and the last one takes the stack. In each round the CHANGED
 * innermost of them are others than in the round before; with 0, the stack is taken again and again
 * by one call. Prints the ns of CPU for each stack, of the fastest batch, and its frames. The
 * method `nothing` has the cost of the calls alone; `pointers` needs a build with frame pointers.
 */
#include "base/strings/num.h"
#include "running_code.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define FRAMES_MAX 256

extern void *__libc_stack_end;

static struct hf_unwind_cache cache;
static struct hf_unwind_memo memo;
static struct libgcc libgcc;
static size_t (*take)(void);
static uint64_t depth, changed, rounds;
static size_t frames;
static uint64_t path, pcs[FRAMES_MAX];
static volatile uint64_t sink;

__attribute__((noinline)) static size_t take_nothing(void)
{
    return 0;
}

__attribute__((noinline)) static size_t take_pointers(void)
{
    const uint64_t *frame = __builtin_frame_address(0);
    size_t count = 0;
    while (count < FRAMES_MAX) {
        const uint64_t *next = (const uint64_t *)(uintptr_t)frame[0];
        pcs[count++] = frame[1];
        if (next <= frame || (const void *)next >= __libc_stack_end)
            break;
        frame = next;
    }
    return count;
}

static size_t take_walk(struct hf_unwind_registers caller)
{
    struct hf_unwind_stack stack = {caller.sp, (uintptr_t)__libc_stack_end, 0};
    const struct hf_unwind_frame *leaf =
        hf_unwind_walk(&memo, &caller, &stack, &cache, &running_code);
    sink = leaf->hash;
    return leaf->count;
}

__attribute__((noinline)) static size_t take_replayed(void)
{
    return take_walk(running_caller());
}

/* As if there were no memo. */
__attribute__((noinline)) static size_t take_walked(void)
{
    memo.count = 0;
    return take_walk(running_caller());
}

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *argument)
{
    size_t *count = argument;
    int is_interrupted;
    pcs[(*count)++] = libgcc.ip(context, &is_interrupted);
    return *count < FRAMES_MAX ? _URC_NO_REASON : _URC_END_OF_STACK;
}

__attribute__((noinline)) static size_t take_libgcc(void)
{
    size_t count = 0;
    (void)libgcc.backtrace(take_frame, &count);
    return count;
}

static const struct method {
    const char *name;
    size_t (*take)(void);
} methods[] = {{"nothing", take_nothing}, {"pointers", take_pointers}, {"replay", take_replayed},
    {"walk", take_walked}, {"libgcc", take_libgcc}};

/* Functions with frames of several sizes; which of them calls which, the path says. */
typedef void function(uint64_t left);
static function *const functions[8];

#define FUNCTION(number, size)                                                                     \
    __attribute__((noinline)) static void call##number(uint64_t left)                              \
    {                                                                                              \
        volatile char block[size];                                                                 \
        block[0] = (char)left;                                                                     \
        if (left == 0)                                                                             \
            for (uint64_t i = 0; i < (changed == 0 ? rounds : 1); i++)                             \
                frames = take();                                                                   \
        else                                                                                       \
            functions[(left <= changed ? path >> left * 3 % 60 : left) & 7](left - 1);             \
        sink = (uint64_t)block[0] + number;                                                        \
    }
FUNCTION(0, 16)
FUNCTION(1, 24)
FUNCTION(2, 40)
FUNCTION(3, 64)
FUNCTION(4, 16)
FUNCTION(5, 96)
FUNCTION(6, 32)
FUNCTION(7, 128)
static function *const functions[8] = {call0, call1, call2, call3, call4, call5, call6, call7};

static double run_batch(void)
{
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (uint64_t i = 0; i < (changed == 0 ? 1 : rounds); i++) {
        path = (i % 64 + 1) * UINT64_C(0x9e3779b97f4a7c15);
        functions[0](depth);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
           (double)rounds;
}

int main(int argc, char **argv)
{
    uint64_t batches;
    for (size_t i = 0; argc == 6 && i < HF_COUNT(methods); i++)
        if (strcmp(argv[1], methods[i].name) == 0)
            take = methods[i].take;
    if (take == NULL || !hf_num_u64(hf_text_of(argv[2]), &depth) ||
        !hf_num_u64(hf_text_of(argv[3]), &changed) || !hf_num_u64(hf_text_of(argv[4]), &rounds) ||
        !hf_num_u64(hf_text_of(argv[5]), &batches) || rounds == 0 || !open_libgcc(&libgcc))
        return 2;
    double least = run_batch();
    for (; batches > 1; batches--) {
        double ns = run_batch();
        least = ns < least ? ns : least;
    }
    printf("%.1f %zu\n", least, frames);
    return 0;
}
