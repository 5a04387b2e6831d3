/*
 * allocators.cc: leaks by every way to allocate, for tests/e2e/attach_allocators.py, which runs it
 * with several allocators.
 *
 *     allocators COUNT     says "ready", waits for a line, leaks COUNT times, says "done", waits
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <time.h>

#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
#define NOINLINE extern "C" __attribute__((noinline, noclone))

NOINLINE void leak_malloc()
{
    KEEP(malloc(48));
}
NOINLINE void leak_calloc()
{
    KEEP(calloc(3, 100));
}
NOINLINE void leak_memalign()
{
    KEEP(aligned_alloc(64, 640));
}
NOINLINE void leak_new()
{
    KEEP(operator new(40));
}
NOINLINE void leak_array()
{
    KEEP(operator new[](120));
}
NOINLINE void leak_nothrow()
{
    KEEP(operator new(72, std::nothrow));
}
NOINLINE void leak_over_aligned()
{
    KEEP(operator new(256, std::align_val_t(128)));
}

NOINLINE void leak_posix_memalign()
{
    void *p = nullptr;
    if (posix_memalign(&p, 64, 320) != 0)
        abort();
    KEEP(p);
}

NOINLINE void leak_realloc()
{
    void *p = realloc(nullptr, 16);
    KEEP(p);
    p = realloc(p, 100);
    KEEP(p);
    p = realloc(p, 70000);
    KEEP(p);
}

NOINLINE void keep_nothing()
{
    void *p = realloc(malloc(10), 5000), *q = calloc(1, 90), *none = malloc(SIZE_MAX / 4);
    KEEP(none);
    free(none);
    KEEP(p);
    free(p);
    KEEP(q);
    if (realloc(q, SIZE_MAX / 4) == nullptr)
        free(q);
    p = operator new(88);
    KEEP(p);
    operator delete(p);
    p = operator new(88);
    KEEP(p);
    operator delete(p, 88);
    p = operator new[](99);
    KEEP(p);
    operator delete[](p);
    p = operator new(512, std::align_val_t(256));
    KEEP(p);
    operator delete(p, std::align_val_t(256));
    p = operator new(512, std::align_val_t(256));
    KEEP(p);
    operator delete(p, 512, std::align_val_t(256));
}

static void say_and_wait(const char *what)
{
    char line[64];
    puts(what);
    fflush(stdout);
    if (fgets(line, sizeof line, stdin) == nullptr)
        exit(0);
}

int main(int, char **argv)
{
    const struct timespec pause = {0, 4000000};
    say_and_wait("ready");
    for (int i = 0; i < atoi(argv[1]); i++) {
        leak_malloc();
        leak_calloc();
        leak_memalign();
        leak_posix_memalign();
        leak_realloc();
        leak_new();
        leak_array();
        leak_nothrow();
        leak_over_aligned();
        keep_nothing();
        nanosleep(&pause, nullptr);
    }
    say_and_wait("done");
}
