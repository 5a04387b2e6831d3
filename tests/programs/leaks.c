/*
 * Loses blocks of prime sizes in every way that leak checkers tell apart. The sums are in
 * tests/e2e/valgrind.py.
 *
 * usage: leaks [fork]      fork: a child loses 53 bytes more
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_INLINED __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))

struct head {
    void *volatile first, *volatile second;
    char rest[87];
};

void *volatile kept;
char *volatile middle;
static volatile size_t sink;

NOT_INLINED static void *take(size_t size)
{
    char *block = malloc(size);
    memset(block, 1, size);
    return block;
}

/* 7 x 13, lost */
NOT_INLINED static void lose_each(void)
{
    for (int i = 0; i < 7; i++)
        sink ^= (size_t)take(13);
}

/* 103 lost, and with it 59 and 3 x 7 */
NOT_INLINED static void lose_together(void)
{
    struct head *volatile head = malloc(103);
    head->first = take(59);
    head->second = calloc(3, 7);
    head = NULL;
}

/* 5, that become 211, lost */
NOT_INLINED static void lose_grown(void)
{
    void *volatile block = malloc(5);
    block = realloc(block, 211);
    block = NULL;
}

INLINED void *inner(size_t size)
{
    return malloc(size);
}

INLINED void *outer(size_t size)
{
    return inner(size);
}

/* 4099, reachable */
NOT_INLINED static void keep(void)
{
    kept = outer(4099);
}

/* 1009, of which only a pointer into the middle is kept */
NOT_INLINED static void keep_middle(void)
{
    middle = (char *)malloc(1009) + 501;
}

static int compare(const void *a, const void *b)
{
    static int calls;
    if (calls++ == 0)
        sink ^= (size_t)take(37);
    return *(const char *)a - *(const char *)b;
}

/* 37, lost, below a function of libc */
NOT_INLINED static void lose_in_callback(void)
{
    char letters[] = "zyxw";
    qsort(letters, 4, 1, compare);
    sink += (size_t)letters[0];
}

/* 11 x 101, one at a time */
NOT_INLINED static void free_all(void)
{
    for (int i = 0; i < 11; i++) {
        void *volatile block = malloc(101);
        free(block);
    }
}

/* Pointers that were left behind on the stack would keep blocks reachable. */
NOT_INLINED static void wipe(void)
{
    volatile char stack[8192];
    for (size_t i = 0; i < sizeof stack; i++)
        stack[i] = 0;
}

NOT_INLINED static void lose_in_child(void)
{
    sink ^= (size_t)take(53);
}

int main(int argc, char **argv)
{
    lose_each();
    lose_together();
    lose_grown();
    keep();
    keep_middle();
    lose_in_callback();
    free_all();
    wipe();
    sink = 1;
    if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        pid_t child = fork();
        if (child == 0) {
            lose_in_child();
            sink = 1;
            wipe();
            return 0;
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
