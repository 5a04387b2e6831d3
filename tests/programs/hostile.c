/*
 * A process that would like to steer a terminal: its file, its command and its functions have names
 * with escape sequences (the test writes those of the functions into the symbol table). It
 * allocates and keeps until its standard input ends.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

void *hostile_function_one_two_three(size_t size);

__attribute__((noinline)) void *hostile_function_one_two_three(size_t size)
{
    char *block = malloc(size);
    if (block != NULL)
        block[0] = 1;
    return block;
}

int main(void)
{
    static void *volatile kept[4096];
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    (void)prctl(PR_SET_NAME, "c\033[31m\007x");
    for (unsigned i = 0; i < 1000; i++)
        kept[i] = hostile_function_one_two_three(4096);
    (void)!write(STDOUT_FILENO, "ready\n", 6);
    for (unsigned i = 1000; poll(&input, 1, 2) == 0; i++) {
        free(kept[i % 4096]);
        kept[i % 4096] = hostile_function_one_two_three(1000);
    }
    return kept[0] == NULL;
}
