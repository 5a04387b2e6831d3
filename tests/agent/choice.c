/*
 * choice.c: a library with a function that is chosen when it is linked, by one that allocates.
 */
#include <stdlib.h>

static int seven(void)
{
    return 7;
}

static int (*choose(void))(void)
{
    static void *volatile block;
    block = malloc(100);
    free(block);
    return seven;
}

int chosen(void) __attribute__((ifunc("choose")));
