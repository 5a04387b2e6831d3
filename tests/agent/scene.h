/*
 * scene.h: what the programs of scenes share. Each plays one scene, which is hard on whoever lives
 * in its process. What it keeps it prints, "function objects bytes" a line, and that must be what
 * the table has; all else it frees. keep() alone allocates without freeing.
 */
#ifndef HF_TESTS_SCENE_H
#define HF_TESTS_SCENE_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define NOT_INLINED __attribute__((noinline, unused))
#define UNUSED __attribute__((unused))

#define BLOCK 48
static void *volatile last UNUSED;
static _Atomic unsigned long kept;
static unsigned long asked_for; /* 0: nothing */

/* How often: as the command line says, or else as often as a quick test does it. */
static UNUSED unsigned long amount(unsigned long usual)
{
    return asked_for != 0 ? asked_for : usual;
}

static UNUSED void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, strerror(errno));
        _exit(9);
    }
}

NOT_INLINED static void keep(void)
{
    last = malloc(BLOCK);
    kept++;
}

NOT_INLINED static void churn(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        char *block = malloc(i % 1000);
        block = realloc(block, i % 777 + 1);
        free(calloc(3, i % 99));
        free(block);
    }
}

static UNUSED void *work(void *argument)
{
    churn((unsigned)(size_t)argument);
    keep();
    return NULL;
}

/* At most 16 at a time. */
static UNUSED void run_threads(unsigned count, void *(*function)(void *), void *argument)
{
    pthread_t threads[16];
    for (unsigned done = 0; done < count;) {
        unsigned batch = count - done < 16 ? count - done : 16;
        for (unsigned i = 0; i < batch; i++)
            require(pthread_create(&threads[i], NULL, function, argument) == 0, "pthread_create");
        for (unsigned i = 0; i < batch; i++)
            pthread_join(threads[i], NULL);
        done += batch;
    }
}

/* Takes a number of the base off the text; 10 or 16. */
static UNUSED unsigned long take_number(const char **text, unsigned base)
{
    unsigned long number = 0;
    for (;; ++*text) {
        char c = **text;
        if (c >= '0' && c <= '9')
            number = number * base + (unsigned)(c - '0');
        else if (base == 16 && c >= 'a' && c <= 'f')
            number = number * base + (unsigned)(c - 'a') + 10;
        else
            return number;
    }
}

static uintptr_t agent_start, agent_end;

/* Where the agent's code is. */
static UNUSED void find_agent(void)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps) != NULL) {
        if (strstr(line, " r-xp ") == NULL || strstr(line, "libheapflame.so") == NULL)
            continue;
        const char *at = line;
        agent_start = take_number(&at, 16);
        at++;
        agent_end = take_number(&at, 16);
    }
    fclose(maps);
}

/*
 * In a signal handler: was it the agent that was interrupted? Allocators must not be entered again,
 * nor jumped out of. Where the agent's own code is interrupted, none of them was entered.
 */
static UNUSED int is_in_agent(const void *context)
{
    const ucontext_t *at = context;
    uintptr_t pc = (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
    return pc >= agent_start && pc < agent_end;
}

struct scene {
    const char *name;
    void (*play)(void);
};

/* Plays the one that is named, and prints what was kept. */
static int play(const struct scene *scenes, size_t count, int argc, char **argv)
{
    char line[64];
    const char *number = argc > 2 ? argv[2] : "";
    asked_for = take_number(&number, 10);
    for (size_t i = 0; i < count; i++) {
        if (argc > 1 && strcmp(argv[1], scenes[i].name) == 0)
            scenes[i].play();
    }
    int size = snprintf(line, sizeof line, "keep %lu %lu\n", kept, kept * BLOCK);
    return write(STDOUT_FILENO, line, (size_t)size) == size ? 0 : 1;
}

#endif
