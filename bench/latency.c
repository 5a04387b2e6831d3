/*
 * latency: how long single calls of malloc take. For table_place.py.
 *
 * usage: latency COUNT
 *
 * COUNT times a random one of 65,536 blocks is freed and allocated again with 1 to 1,024 bytes.
 * Each malloc is timed alone; printed are the nanoseconds that 99.9 % and 99.99 % of them take at
 * most, the two readings of the clock among them.
 */
#include "base/strings/num.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define BLOCKS 65536

static char *volatile blocks[BLOCKS];

static uint64_t draw(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    uint64_t count;
    if (argc != 2 || !hf_num_u64(hf_text_of(argv[1]), &count) || count < 10000)
        return 2;
    uint32_t *times = mmap(NULL, count * sizeof *times, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (times == MAP_FAILED)
        return 1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t random = draw();
        char *volatile *block = &blocks[random % BLOCKS];
        size_t size = 1 + random / BLOCKS % 1024;
        free(*block);
        uint64_t from = now_ns();
        *block = malloc(size);
        uint64_t took = now_ns() - from;
        times[i] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
        if (*block == NULL)
            return 1;
        **block = 1;
    }
    qsort(times, count, sizeof *times, compare);
    printf("%" PRIu32 " %" PRIu32 "\n", times[count / 1000 * 999], times[count / 10000 * 9999]);
    return 0;
}
