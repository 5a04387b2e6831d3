/* asprintf: some functions of libc lie between the program and malloc. */
#include <stdio.h>
#include <stdlib.h>

static char **descriptions;

__attribute__((noinline)) static int describe(int number)
{
    return asprintf(&descriptions[number], "%0900d", number); /* guilty */
}

__attribute__((noinline)) static void report(void)
{
    (void)printf("%s\n", descriptions[7] + 890);
}

int main(void)
{
    descriptions = calloc(60000, sizeof *descriptions);
    for (int i = 0; i < 60000; i++)
        if (describe(i) < 0)
            return 1;
    report();
    return 0;
}
