/*
 * real_time.c: the same programs by the clock of the machine, with malloc: for the real agent.
 *
 * The script has a stack of its own, and asks the main one for each path: what is allocated there
 * has the path's functions on its stack, and none of the script's.
 *
 *     leakers-real-time PROGRAM[:NUMBER] SECONDS      its hour takes so long
 */
#include "leakers.h"

#include "base/strings/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

static ucontext_t main_context, script_context;
static const struct leaker *leaker;
static unsigned second;
static struct {
    const struct step *path; /* NULL: the script has done its second */
    struct request *request;
} asked;

void begin_path(const struct step *path, struct request *request)
{
    asked.path = path;
    asked.request = request;
    (void)swapcontext(&script_context, &main_context);
}

static void live_on_own_stack(void)
{
    for (;;) {
        leaker->live(second);
        asked.path = NULL;
        (void)swapcontext(&script_context, &main_context);
    }
}

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
    static char stack[256 << 10];
    leaker = argc > 1 ? leaker_find(argv[1]) : NULL;
    if (argc != 3 || leaker == NULL || !hf_num_u64(hf_text_of(argv[2]), &seconds)) {
        fprintf(stderr, "usage: leakers-real-time PROGRAM[:NUMBER] SECONDS\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    (void)getcontext(&script_context);
    script_context.uc_stack.ss_sp = stack;
    script_context.uc_stack.ss_size = sizeof stack;
    makecontext(&script_context, live_on_own_stack, 0);
    while (second < leaker->seconds) {
        (void)swapcontext(&main_context, &script_context);
        if (asked.path != NULL) {
            asked.path->enter(asked.path, asked.request);
            continue;
        }
        wait_until(&start, ++second * seconds * 1000000000 / leaker->seconds);
    }
    return 0;
}
