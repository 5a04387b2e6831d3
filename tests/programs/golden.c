/*
 * The golden difference: dump A holds 200 x 1 MiB of cache_fill; B 50 of them, and 100 x 1 MiB of
 * process_leak. usage: golden A B | golden A - | golden - B: which dumps to write.
 */
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((size_t)1 << 20)

static void *volatile cache[200];
static void *volatile leaked[100];

__attribute__((noinline)) static void cache_fill(int count)
{
    for (int i = 0; i < count; i++)
        cache[i] = malloc(MIB);
}

__attribute__((noinline)) static void process_leak(int count)
{
    for (int i = 0; i < count; i++)
        leaked[i] = malloc(MIB);
}

static int dump(const char *path)
{
    return strcmp(path, "-") == 0 ? 0 : mallctl("prof.dump", NULL, NULL, &path, sizeof path);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    cache_fill(200);
    if (dump(argv[1]) != 0)
        return 1;
    for (int i = 50; i < 200; i++)
        free(cache[i]);
    process_leak(100);
    return dump(argv[2]) != 0;
}
