/*
 * How many blocks of 100 kB a program gets until malloc says no, under a limit of its address space
 * that it was started with, or that it sets itself after some work: "limited [MIB]"; "limited 0
 * COUNT" gets so many small ones.
 */
#include "scene.h"

#include <sys/resource.h>

__attribute__((noinline)) static void *early(size_t size)
{
    return last = malloc(size);
}

__attribute__((noinline)) static unsigned take_all(void)
{
    unsigned count = 0;
    while ((last = malloc(100000)) != NULL)
        count++;
    return count;
}

int main(int argc, char **argv)
{
    void *kept[100];
    for (unsigned i = 0; i < 100; i++)
        kept[i] = early(100 + i);
    const char *small = argc > 2 ? argv[2] : "", *mib = argc > 1 ? argv[1] : "";
    for (unsigned long i = take_number(&small, 10); i != 0; i--)
        (void)early(48);
    if (argc == 2) {
        rlim_t bytes = (rlim_t)take_number(&mib, 10) << 20;
        struct rlimit limit = {bytes, RLIM_INFINITY};
        if (setrlimit(RLIMIT_AS, &limit) != 0)
            return 1;
    }
    for (unsigned i = 0; i < 50; i++)
        free(kept[i]);
    printf("%u\n", take_all());
    return 0;
}
