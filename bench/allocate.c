/*
 * allocate: what an allocator, and a profiler in it, costs. For agent.py.
 *
 * usage: allocate pair|live|hold THREADS DEPTH COUNT
 *   pair  COUNT times malloc and at once free, each thread
 *   live  the same, but a random one of 4,096 blocks is replaced
 *   hold  COUNT blocks that stay; prints the resident KiB in the end
 *
 * Sixteen at a time are allocated under one stack, DEPTH frames deep, whose way through eight
 * functions is one of 64 pseudo-random ones. Sizes: 70 % up to 128 bytes, 22 % up to 1 KiB, 7.6 %
 * up to 8 KiB, the rest up to 64 KiB; of hold, 24 to 55 bytes. The same at every run.
 */
#include "base/strings/num.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS_LIVE 4096
#define PER_STACK 16
#define WAYS 64
#define THREADS_MAX 64

struct worker {
    pthread_t thread;
    uint64_t random;
    uint64_t way;
    size_t depth;
    size_t rounds;
    char **blocks; /* NULL for pair */
    void (*work)(struct worker *worker);
    volatile size_t used;
};

static uint64_t draw(struct worker *worker)
{
    uint64_t x = worker->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return worker->random = x;
}

static size_t size_of(uint64_t random)
{
    uint64_t share = random % 256, rest = random / 256;
    if (share < 179)
        return 16 + rest % 112;
    if (share < 235)
        return 128 + rest % 896;
    if (share < 255)
        return 1024 + rest % 7168;
    return 8192 + rest % 57344;
}

static void pair(struct worker *worker)
{
    for (size_t i = 0; i < PER_STACK; i++) {
        char *block = malloc(size_of(draw(worker)));
        *(volatile char *)block = 1;
        free(block);
    }
}

static void live(struct worker *worker)
{
    for (size_t i = 0; i < PER_STACK; i++) {
        char **place = &worker->blocks[draw(worker) % BLOCKS_LIVE];
        free(*place);
        *place = malloc(size_of(draw(worker)));
        **place = 1;
    }
}

static void hold(struct worker *worker)
{
    for (size_t i = 0; i < PER_STACK; i++)
        *(volatile char *)malloc(24 + draw(worker) % 32) = 1;
}

typedef void step(struct worker *worker, size_t depth);
static step *const steps[8];

/* Frames of different sizes, and nothing that a compiler could make a jump of. */
#define STEP(number, bytes)                                                                        \
    static __attribute__((noinline)) void step_##number(struct worker *worker, size_t depth)       \
    {                                                                                              \
        volatile char frame[bytes];                                                                \
        frame[0] = number;                                                                         \
        if (depth == 0)                                                                            \
            worker->work(worker);                                                                  \
        else                                                                                       \
            steps[worker->way >> depth * 3 % 60 & 7](worker, depth - 1);                           \
        worker->used += (size_t)frame[0];                                                          \
    }
STEP(0, 16)
STEP(1, 24)
STEP(2, 40)
STEP(3, 64)
STEP(4, 16)
STEP(5, 96)
STEP(6, 32)
STEP(7, 128)
static step *const steps[8] = {step_0, step_1, step_2, step_3, step_4, step_5, step_6, step_7};

static void *run(void *argument)
{
    struct worker *worker = argument;
    for (size_t round = 0; round < worker->rounds; round++) {
        worker->way = draw(worker) % WAYS * UINT64_C(0x9e3779b97f4a7c15);
        step_0(worker, worker->depth);
    }
    return NULL;
}

/* The second number of statm is resident pages. */
static void print_resident(void)
{
    char line[256] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    struct hf_text text = {line, file ? fread(line, 1, sizeof line, file) : 0};
    uint64_t pages;
    bool is_read = hf_num_take_u64(&text, &pages) && hf_text_take(&text, " ") &&
                   hf_num_take_u64(&text, &pages);
    printf("%" PRIu64 "\n", is_read ? pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024 : 0);
}

int main(int argc, char **argv)
{
    uint64_t threads, depth, count;
    if (argc != 5 || !hf_num_u64(hf_text_of(argv[2]), &threads) ||
        !hf_num_u64(hf_text_of(argv[3]), &depth) || !hf_num_u64(hf_text_of(argv[4]), &count))
        return 2;
    if (threads < 1 || threads > THREADS_MAX)
        return 2;
    static struct worker workers[THREADS_MAX];
    for (size_t i = 0; i < threads; i++) {
        struct worker *worker = &workers[i];
        worker->random = UINT64_C(88172645463325252) + 7919 * i;
        worker->depth = depth;
        worker->rounds = count / PER_STACK;
        worker->work = strcmp(argv[1], "hold") == 0   ? hold
                       : strcmp(argv[1], "live") == 0 ? live
                                                      : pair;
        worker->blocks = worker->work == live ? calloc(BLOCKS_LIVE, sizeof *worker->blocks) : NULL;
        if (threads > 1 && pthread_create(&worker->thread, NULL, run, worker) != 0)
            return 1;
    }
    if (threads == 1)
        run(&workers[0]);
    else
        for (size_t i = 0; i < threads; i++)
            pthread_join(workers[i].thread, NULL);
    if (workers[0].work == hold)
        print_resident();
    return 0;
}
