/*
 * Peaks of several shapes: `peaks SHAPE`. What was in use at the peak is freed again, so that only
 * the record of the peak tells of it. Which blocks there are does not hang on time or addresses.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline))
#define BLOCKS 60000
#define THREADS 4

static void *blocks[BLOCKS];
static uint64_t state = 88172645463325252u;
static pthread_barrier_t barrier;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void free_some(size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
}

/* 40 MB, all of one size. */
APART static void even(void)
{
    for (size_t i = 0; i < 20000; i++)
        blocks[i] = malloc(2000);
    free_some(0, 20000);
}

/* 55 MB of 16 bytes to 256 KiB. */
APART static void mixed(void)
{
    for (size_t i = 0, bytes = 0; bytes < 55000000; i++) {
        size_t size = (size_t)16 << next_random() % 15;
        blocks[i] = malloc(size);
        bytes += size;
    }
    free_some(0, BLOCKS);
}

/* 30 MB for a millisecond. */
APART static void spike(void)
{
    struct timespec rest = {0, 1000000};
    for (size_t i = 0; i < 300; i++)
        blocks[i] = malloc(100000);
    nanosleep(&rest, NULL);
    free_some(0, 300);
}

/* Three rises, of which the second is the highest: 50 MB. */
APART static void stairs(void)
{
    static const size_t tops[] = {20000, 50000, 35000};
    for (size_t rise = 0; rise < 3; rise++) {
        for (size_t i = 0; i < tops[rise]; i++)
            blocks[i] = malloc(1000);
        free_some(0, tops[rise]);
    }
}

/* 40 MB on which 400,000 blocks come and go: the peak is one of many moments that are nearly the
 * same. */
APART static void churn(void)
{
    for (size_t i = 0; i < 20000; i++)
        blocks[i] = malloc(2000);
    for (size_t i = 0; i < 400000; i++) {
        size_t at = next_random() % 20000;
        free(blocks[at]);
        blocks[at] = malloc(2000);
    }
    free_some(0, 20000);
}

APART static void *thread_main(void *argument)
{
    static void *own[THREADS][5000];
    void **mine = own[(intptr_t)argument];
    for (size_t i = 0; i < 5000; i++)
        mine[i] = malloc(2000);
    pthread_barrier_wait(&barrier);
    for (size_t i = 0; i < 5000; i++)
        free(mine[i]);
    return NULL;
}

/* 40 MB of four threads. */
APART static void threads(void)
{
    pthread_t all[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, thread_main, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } shapes[] = {{"even", even}, {"mixed", mixed}, {"spike", spike}, {"stairs", stairs},
        {"churn", churn}, {"threads", threads}};
    for (size_t i = 0; argc == 2 && i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(argv[1], shapes[i].name) == 0) {
            shapes[i].run();
            return 0;
        }
    }
    fprintf(stderr, "usage: peaks SHAPE\n");
    return 2;
}
