/*
 * real_time.c: the same programs by the clock of the machine, with malloc: for the real agent.
 *
 *     leakers-real-time PROGRAM[:NUMBER] SECONDS      its hour takes so long
 */
#include "leakers.h"

#include "base/strings/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void perform(const struct step *path, struct request *request)
{
    (void)path;
    struct block *block = request->block;
    if (request->is_free)
        free((void *)(uintptr_t)block->id);
    else
        block->id = (uintptr_t)malloc(block->size);
}

void restart(void)
{
    fprintf(stderr, "leakers: a process cannot restart in real time\n");
    exit(1);
}

/* Until so many ns have passed since `start`. */
static void wait_until(const struct timespec *start, uint64_t ns)
{
    uint64_t at = (uint64_t)start->tv_nsec + ns;
    struct timespec until = {start->tv_sec + (time_t)(at / 1000000000), (long)(at % 1000000000)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int main(int argc, char **argv)
{
    uint64_t seconds;
    struct timespec start;
    const struct leaker *leaker = argc > 1 ? leaker_find(argv[1]) : NULL;
    if (argc != 3 || leaker == NULL || !hf_num_u64(hf_text_of(argv[2]), &seconds)) {
        fprintf(stderr, "usage: leakers-real-time PROGRAM[:NUMBER] SECONDS\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (unsigned second = 0; second < leaker->seconds; second++) {
        leaker->live(second);
        wait_until(&start, (second + 1) * seconds * 1000000000 / leaker->seconds);
    }
    return 0;
}
