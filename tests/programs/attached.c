/*
 * attached.c: a process that others attach to; built without frame pointers.
 *
 *     attached threads COUNT   says "ready", waits for a line, allocates in 4 threads, says "done",
 *                              waits for the end
 *     attached busy            allocates and frees for ever, as fast as it can
 *     attached later           the same, after a line
 *     attached deep FRAMES     the same, below so many frames of 64 bytes
 *     attached works FILE      computes, and allocates and frees a block each few us, for ever; one
 *                              in 1000 it keeps; the first 8 bytes of FILE count the rounds
 *     attached idle            does nothing for ever
 *     attached prefork         starts two processes that allocate for ever, the first with pauses
 *     attached faults PAGES    touches pages that it keeps, and others that it gives back
 *     attached ranges COUNT    maps and unmaps; the break goes up and down
 *     attached halves COUNT    allocates three blocks at a time, and frees two of them
 *     attached paths COUNT     allocates after a line, each time below other functions
 *     attached forks|exec|exits|dies     as it says, after a line
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
#define NOINLINE __attribute__((noinline, noclone))

static long count;

static void pause_us(long us)
{
    struct timespec wait = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&wait, NULL);
}

static void wait_for_line(void)
{
    char line[64];
    if (fgets(line, sizeof line, stdin) == NULL)
        exit(0);
}

static void say(const char *what)
{
    puts(what);
    fflush(stdout);
}

NOINLINE static void leak_small(void)
{
    void *p = malloc(48);
    KEEP(p);
}

NOINLINE static void leak_aligned(void)
{
    void *p = NULL;
    if (posix_memalign(&p, 64, 320) != 0)
        abort();
    KEEP(p);
}

NOINLINE static void leak_grown(void)
{
    void *p = realloc(malloc(16), 100);
    KEEP(p);
    p = realloc(p, 70000);
    KEEP(p);
}

NOINLINE static void keep_nothing(void)
{
    void *p = calloc(3, 100);
    KEEP(p);
    p = realloc(p, 10000);
    KEEP(p);
    free(p);
}

NOINLINE static void deeper(int depth)
{
    volatile char space[40];
    space[0] = (char)depth;
    if (depth != 0) {
        deeper(depth - 1);
    } else {
        leak_small();
        leak_aligned();
        leak_grown();
        keep_nothing();
    }
    space[1] = space[0];
}

static void *work(void *unused)
{
    for (long i = 0; i < count; i++) {
        deeper(20);
        pause_us(4000);
    }
    return unused;
}

static void in_threads(void)
{
    pthread_t threads[4];
    say("ready");
    wait_for_line();
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    say("done");
    wait_for_line();
}

NOINLINE static void touch_and_keep(char *page)
{
    *page = 1;
}

NOINLINE static void touch_and_drop(char *page)
{
    *page = 1;
    madvise(page, 4096, MADV_DONTNEED);
}

static char *pages_of(long pages)
{
    char *memory = mmap(
        NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, (size_t)pages * 4096, MADV_NOHUGEPAGE);
    return memory;
}

static void faults(void)
{
    char *kept = pages_of(count), *dropped = pages_of(count);
    say("ready");
    wait_for_line();
    for (long i = 0; i < count; i++) {
        touch_and_keep(kept + i * 4096);
        touch_and_drop(dropped + i * 4096);
        touch_and_drop(dropped);
        pause_us(4000);
    }
    say("done");
    wait_for_line();
}

NOINLINE static void map_and_keep(void)
{
    KEEP(mmap(NULL, 12288, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

NOINLINE static void map_and_halve(void)
{
    char *p = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(p + 4096, 4096);
}

NOINLINE static void map_and_unmap(void)
{
    munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
}

NOINLINE static void break_up(void)
{
    KEEP(sbrk(8192));
}

NOINLINE static void break_down(void)
{
    KEEP(sbrk(-4096));
}

static void ranges(void)
{
    say("ready");
    wait_for_line();
    for (long i = 0; i < count; i++) {
        map_and_keep();
        map_and_halve();
        map_and_unmap();
        break_up();
        break_down();
        pause_us(4000);
    }
    say("done");
    wait_for_line();
}

NOINLINE static char *make_one(void)
{
    char *p = malloc(100);
    KEEP(p);
    return p;
}

NOINLINE static void make_and_drop(void)
{
    void *p = malloc(200);
    KEEP(p);
    free(p);
}

/* Of two blocks of a stack one is freed, of another all are. */
static void halves(void)
{
    say("ready");
    wait_for_line();
    for (long i = 0; i < 2 * count; i++) {
        char *p = make_one();
        if (i % 2 != 0)
            continue;
        free(p);
        make_and_drop();
        pause_us(4000);
    }
    say("done");
    wait_for_line();
}

_Noreturn static void busy(void)
{
    for (;;) {
        void *p = malloc(64);
        KEEP(p);
        free(p);
    }
}

_Noreturn static void works(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    volatile unsigned long *rounds = MAP_FAILED;
    if (ftruncate(fd, 4096) == 0)
        rounds = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (say("ready");; ++*rounds) {
        void *p = malloc(100);
        KEEP(p);
        for (int i = 0; i < 5000; i++)
            KEEP(p);
        free(p);
        if (*rounds % 1000 == 0)
            leak_small();
    }
}

NOINLINE static void busy_below(long depth)
{
    volatile char space[40];
    space[0] = (char)depth;
    if (depth == 0)
        busy();
    busy_below(depth - 1);
    space[1] = space[0];
}

_Noreturn static void prefork(void)
{
    for (int i = 0; i < 2; i++) {
        if (fork() != 0)
            continue;
        for (prctl(PR_SET_PDEATHSIG, SIGKILL);;) {
            leak_small();
            if (i == 0)
                pause_us(1000);
            else
                free(malloc(10));
        }
    }
    for (say("ready");;)
        pause();
}

NOINLINE static void path_of(long bits, int depth);

NOINLINE static void path_right(long bits, int depth)
{
    path_of(bits, depth);
    KEEP(&bits);
}

NOINLINE static void path_left(long bits, int depth)
{
    path_of(bits, depth);
    KEEP(&depth);
}

NOINLINE static void path_of(long bits, int depth)
{
    if (depth == 0)
        leak_small();
    else if (bits & 1)
        path_right(bits >> 1, depth - 1);
    else
        path_left(bits >> 1, depth - 1);
    KEEP(&bits);
}

/* As many stacks as allocations. */
static void paths(void)
{
    say("ready");
    wait_for_line();
    for (long i = 0; i < count; i++)
        path_of(i, 12);
    say("done");
    wait_for_line();
}

/* Some allocations, and then what `last` says. */
static void until(const char *last, char **argv)
{
    say("ready");
    wait_for_line();
    for (long i = 0; i < 100; i++) {
        leak_small();
        pause_us(4000);
    }
    say("done");
    wait_for_line();
    if (strcmp(last, "forks") == 0 && fork() == 0) {
        for (long i = 0; i < 100; i++)
            leak_small();
        _exit(0);
    }
    wait(NULL);
    if (strcmp(last, "exec") == 0)
        execl("/proc/self/exe", argv[0], "threads", "100", (char *)NULL);
    if (strcmp(last, "dies") == 0)
        raise(SIGKILL);
    if (strcmp(last, "exits") == 0)
        exit(3);
    say("last");
    wait_for_line();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    for (const char *digit = argc > 2 ? argv[2] : "100"; *digit >= '0' && *digit <= '9'; digit++)
        count = count * 10 + (*digit - '0');
    if (strcmp(what, "threads") == 0)
        in_threads();
    else if (strcmp(what, "faults") == 0)
        faults();
    else if (strcmp(what, "ranges") == 0)
        ranges();
    else if (strcmp(what, "halves") == 0)
        halves();
    else if (strcmp(what, "busy") == 0)
        say("ready"), busy();
    else if (strcmp(what, "works") == 0)
        works(argv[2]);
    else if (strcmp(what, "prefork") == 0)
        prefork();
    else if (strcmp(what, "later") == 0)
        say("ready"), wait_for_line(), busy();
    else if (strcmp(what, "deep") == 0)
        say("ready"), busy_below(count);
    else if (strcmp(what, "paths") == 0)
        paths();
    else if (strcmp(what, "idle") == 0)
        for (say("ready");;)
            pause();
    else
        until(what, argv);
    return 0;
}
