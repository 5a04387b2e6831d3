/*
 * small.c: the small program of the benchmarks. Two functions call each other in every order, and
 * each call keeps a little memory: about two thousand stacks.
 */
#include <stdlib.h>

static void *volatile kept;

static void left(unsigned depth);
static void right(unsigned depth);

__attribute__((noinline)) static void left(unsigned depth)
{
    if (depth > 0) {
        left(depth - 1);
        right(depth - 1);
    }
    kept = malloc(64);
}

__attribute__((noinline)) static void right(unsigned depth)
{
    if (depth > 0) {
        right(depth - 1);
        left(depth - 1);
    }
    kept = malloc(256);
}

int main(void)
{
    left(10);
    return 0;
}
