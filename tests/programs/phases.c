/*
 * Dumps its heap after each of four phases, to phase1.heap ... phase4.heap: for comparisons with a
 * base. Grows, shrinks, recurses, inlines, and allocates in two threads; every size is known.
 */
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

static void *kept[4096];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

APART void keep(size_t size)
{
    void *block = malloc(size);
    memset(block, 1, size);
    pthread_mutex_lock(&lock);
    kept[count++] = block;
    pthread_mutex_unlock(&lock);
}

static inline __attribute__((always_inline)) void add_entry(size_t size)
{
    keep(size);
    __asm__ volatile("");
}

APART void fill_cache(int entries)
{
    for (int i = 0; i < entries; i++)
        add_entry(4096);
    __asm__ volatile("");
}

APART void walk(int depth)
{
    keep(2048);
    if (depth > 1)
        walk(depth - 1);
    __asm__ volatile("");
}

APART void leak_request(int requests)
{
    for (int i = 0; i < requests; i++)
        keep(1024);
    __asm__ volatile("");
}

APART void release(int from, int to)
{
    for (int i = from; i < to; i++) {
        free(kept[i]);
        kept[i] = NULL;
    }
}

static void *work(void *argument)
{
    leak_request(*(int *)argument);
    return NULL;
}

APART void run_thread(int requests)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, &requests);
    pthread_join(thread, NULL);
}

static void dump(const char *name)
{
    if (mallctl("prof.dump", NULL, NULL, &name, sizeof name) != 0)
        exit(1);
}

int main(void)
{
    fill_cache(100);
    dump("phase1.heap");
    walk(5);
    leak_request(300);
    dump("phase2.heap");
    release(0, 50);
    run_thread(200);
    leak_request(700);
    dump("phase3.heap");
    release(50, 100);
    fill_cache(20);
    dump("phase4.heap");
    return 0;
}
