/*
 * leakers.h: programs whose memory does what their name says, for who judges it (LABELS.md).
 *
 * A *program* is a script: a function that is called once for each second of program time, from 0
 * on, and takes and gives back blocks. A *path* is the functions through which it does so,
 * outermost first, and they are really called, so that a profiler finds them on the stack. What
 * taking means is the driver's: in simulate.c the clock is injected and the agent's sampler sees
 * the allocation; in real_time.c it is malloc, and the real agent does.
 *
 * Nothing of a script depends on the sampler or its seed. What scripts are made of is in script.h.
 */
#ifndef LEAKERS_H
#define LEAKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct request;

/* One function of a path; the last has `enter` NULL. */
struct step {
    void (*enter)(const struct step *path, struct request *request);
};

struct block {
    size_t size;
    uint64_t id; /* the driver's */
};

#define PATH_STEPS_MAX 16

/* What is at the end of a path, and the calls on the way there, the outermost first. */
struct request {
    struct block *block;
    bool is_free;
    uintptr_t returns[PATH_STEPS_MAX + 1];
    size_t depth;
};

struct leaker {
    const char *name;
    void (*live)(unsigned second);
    unsigned seconds;
};
/* Each ends with a name that is NULL. Sets 1 to 3; leaks, caches, others of set 4; leaks,
 * incidents, what is bounded of sets 5 to 9; those whose numbers are drawn. */
extern const struct leaker leakers[], set4_leaks[], set4_caches[], set4_others[], set5_leaks[],
    set5_incidents[], set5_bounded[], set6_leaks[], set6_incidents[], set6_bounded[], set7_leaks[],
    set7_incidents[], set7_bounded[], set8_leaks[], set8_incidents[], set8_bounded[], set9_leaks[],
    set9_incidents[], set9_bounded[], drawn[];

/* The program called NAME; what is behind a colon in it is a number, which begins the script's own
 * chance. NULL: there is none. */
const struct leaker *leaker_find(const char *name);

/* Calls the first function of a path. By the driver: nothing of the script is on the stack then, so
 * that two calls of one path have one stack, wherever in the script they are. */
void begin_path(const struct step *path, struct request *request);

/* Ends a path: allocates block->size bytes, or gives them back. By the driver. */
void perform(const struct step *path, struct request *request);

/* The process ends, with all that it has, and another one of the program begins. By the driver; not
 * in real time. */
void restart(void);

/* Says where it was called from; first in whatever is called on a path. */
#define CAME_HERE(request)                                                                         \
    ((request)->returns[(request)->depth++] = (uintptr_t)__builtin_return_address(0))

static inline void take(const struct step *path, struct block *block, size_t size)
{
    struct request request = {.block = block};
    block->size = size;
    begin_path(path, &request);
}

static inline void give(const struct step *path, struct block *block)
{
    struct request request = {.block = block, .is_free = true};
    begin_path(path, &request);
    *block = (struct block){0};
}

/* The functions of paths: each calls the next, and none is like another to the compiler. */
#define PLACE(name) static PLACE_FOR_ALL(name)
#define PLACE_FOR_ALL(name)                                                                        \
    __attribute__((noinline)) void name(const struct step *path, struct request *request)          \
    {                                                                                              \
        CAME_HERE(request);                                                                        \
        const struct step *next = path + 1;                                                        \
        (next->enter != NULL ? next->enter : perform)(next, request);                              \
        __asm__ volatile("# " #name);                                                              \
    }

#define PATH(...)                                                                                  \
    (const struct step[])                                                                          \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }

#endif
