/*
 * attach_pairs.c: malloc and free as fast as they go; says again and again how many ns of its own
 * processor time a pair took. For attach.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WINDOW_NS 100000000

static long long cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(void)
{
    for (;;) {
        long long start = cpu_ns(), now, pairs = 0;
        do {
            for (int i = 0; i < 1000; i++) {
                void *p = malloc(64);
                __asm__ volatile("" : : "r"(p) : "memory");
                free(p);
            }
            pairs += 1000;
            now = cpu_ns();
        } while (now - start < WINDOW_NS);
        printf("%.2f\n", (double)(now - start) / (double)pairs);
        fflush(stdout);
    }
}
