/*
 * pairs.c: a million times malloc and free, for counting instructions.
 */
#include <stdlib.h>

int main(void)
{
    for (int i = 0; i < 1000000; i++)
        free(malloc(48));
    return 0;
}
