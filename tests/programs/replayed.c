/*
 * replayed.c: an allocator that does what it is told: tests/replay/ *.events as calls that really
 * happen, for those who trace them. Nothing is allocated; addresses are what the lines say.
 *
 * A line for each half call, answered by "ok" when it has happened:
 *
 *     THREAD UP > ROLE FILE SITE CONTEXT ADDRESS SIZE    site_SITE, which file_FILE called, calls
 *     THREAD UP < RESULT                                 the innermost pending call returns
 *
 * Before, the UP innermost pending calls of the thread are left by longjmp.
 */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
#define NOINLINE __attribute__((noinline, noclone))
#define THREADS 4
#define DEPTH 16

struct worker {
    sem_t is_told, is_done;
    char direction, role;
    int up, file, site, depth;
    long context, address, size, result;
    jmp_buf places[DEPTH];
};

static struct worker workers[THREADS];

static void obey(struct worker *w);

/* The call has been entered; it returns when that is told. */
static long wait_inside(struct worker *w)
{
    sem_post(&w->is_done);
    obey(w);
    return w->result;
}

NOINLINE long do_alloc(long context, long size, struct worker *w)
{
    KEEP(context + size);
    return wait_inside(w);
}

NOINLINE long do_realloc(long context, long address, long size, struct worker *w)
{
    KEEP(context + address + size);
    return wait_inside(w);
}

NOINLINE long do_ctxnew(long context, struct worker *w)
{
    KEEP(context);
    return wait_inside(w);
}

NOINLINE long do_map(long size, struct worker *w)
{
    KEEP(size);
    return wait_inside(w);
}

NOINLINE void do_free(long context, long address)
{
    KEEP(context + address);
}

NOINLINE void do_reset(long context)
{
    KEEP(context + 1);
}

NOINLINE void do_delete(long context)
{
    KEEP(context + 2);
}

NOINLINE void do_unmap(long address, long size)
{
    KEEP(address + size);
}

static inline __attribute__((always_inline)) void call(struct worker *w)
{
    switch (w->role) {
    case 'a': KEEP(do_alloc(w->context, w->size, w)); break;
    case 'r': KEEP(do_realloc(w->context, w->address, w->size, w)); break;
    case 'c': KEEP(do_ctxnew(w->context, w)); break;
    case 'm': KEEP(do_map(w->size, w)); break;
    case 'f': do_free(w->context, w->address); break;
    case 'z': do_reset(w->context); break;
    case 'd': do_delete(w->context); break;
    case 'u': do_unmap(w->address, w->size); break;
    default: abort();
    }
    KEEP(w);
}

#define EACH(X)                                                                                    \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define SITE(n)                                                                                    \
    NOINLINE static void site_##n(struct worker *w)                                                \
    {                                                                                              \
        call(w);                                                                                   \
        KEEP((long)n);                                                                             \
    }
EACH(SITE)
#define NAME_OF_SITE(n) site_##n,
static void (*const sites[])(struct worker *) = {EACH(NAME_OF_SITE)};

#define FILE_OF(n)                                                                                 \
    NOINLINE static void file_##n(struct worker *w)                                                \
    {                                                                                              \
        sites[w->site](w);                                                                         \
        KEEP((long)n);                                                                             \
    }
EACH(FILE_OF)
#define NAME_OF_FILE(n) file_##n,
static void (*const files[])(struct worker *) = {EACH(NAME_OF_FILE)};

/* Makes calls until it is told that the one around them returns. */
static void obey(struct worker *w)
{
    int depth = w->depth++;
    if (depth == DEPTH)
        abort();
    if (setjmp(w->places[depth]) == 0)
        sem_wait(&w->is_told);
    for (;;) {
        if (w->up != 0) {
            int target = w->depth - 1 - w->up;
            w->up = 0;
            w->depth = target + 1;
            longjmp(w->places[target], 1);
        }
        if (w->direction == '<') {
            w->depth--;
            return;
        }
        files[w->file](w);
        sem_post(&w->is_done);
        sem_wait(&w->is_told);
    }
}

static void *work(void *worker)
{
    obey(worker);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        sem_init(&workers[i].is_told, 0, 0);
        sem_init(&workers[i].is_done, 0, 0);
        pthread_create(&thread, NULL, work, &workers[i]);
    }
    puts("ready");
    fflush(stdout);
    int thread, up;
    char direction;
    while (scanf("%d %d %c", &thread, &up, &direction) == 3 && thread < THREADS) {
        struct worker *w = &workers[thread];
        w->up = up;
        w->direction = direction;
        int known = direction == '<' ? scanf("%ld", &w->result)
                                     : scanf(" %c %d %d %ld %ld %ld", &w->role, &w->file, &w->site,
                                           &w->context, &w->address, &w->size);
        if (known != (direction == '<' ? 1 : 6))
            return 1;
        sem_post(&w->is_told);
        sem_wait(&w->is_done);
        puts("ok");
        fflush(stdout);
    }
    return 0;
}
