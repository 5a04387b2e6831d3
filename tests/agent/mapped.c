/*
 * Maps memory in all ways, and says what each function has at the end: its name and bytes; then
 * "errno" and how often a call that must fail did not fail as it should. Ends when standard input
 * does.
 *
 * usage: mapped [blocks | fork | threads | signals]
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define MIB ((size_t)1 << 20)
#define RW (PROT_READ | PROT_WRITE)

static int wrong;

static char *must(void *mapped)
{
    if (mapped == MAP_FAILED)
        _exit(9);
    return mapped;
}

/* Where nothing else comes: each piece has pages that nobody may touch before and behind it. */
static char *room(size_t bytes)
{
    long at =
        syscall(SYS_mmap, NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    return must((void *)at) + PAGE;
}

static char *map_whole(size_t bytes)
{
    return must(mmap(room(bytes), bytes, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

static char *map_cut(size_t bytes)
{
    return must(mmap64(room(bytes), bytes, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

static char *map_over(char *at, size_t bytes)
{
    return must(mmap(at, bytes, RW, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

static char *map_piecewise(char *at, size_t bytes)
{
    return must(mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

static char *map_reserve(size_t bytes)
{
    return must(mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

static char *map_file(char *at, size_t bytes)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char *mapped = must(mmap(at, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0));
    close(file);
    return mapped;
}

static char *map_move(char *at, size_t bytes, size_t larger)
{
    return must(mremap(at, bytes, larger, MREMAP_MAYMOVE));
}

static char *map_brk(size_t bytes)
{
    return must(sbrk((intptr_t)bytes));
}

static void expect_error(int failed, int error)
{
    wrong += !failed || errno != error;
    errno = 0;
}

static void all_ways(void)
{
    (void)map_whole(3 * MIB);
    char *cut = map_cut(4 * MIB); /* of which 1 MiB is left on both sides */
    munmap(cut + MIB, 2 * MIB);
    char *over = map_cut(4 * MIB); /* 1 MiB is somebody else's, half a MiB a file's, the rest not */
    (void)map_over(over + MIB, MIB);
    (void)map_file(over + 3 * MIB, MIB / 2);
    char *pieces = room(64 * PAGE);
    for (size_t i = 0; i < 64; i++)
        (void)map_piecewise(pieces + i * PAGE, PAGE);
    (void)map_reserve((size_t)1 << 40);
    char *moved = map_whole(MIB);
    (void)map_whole(PAGE + 1); /* two pages */
    (void)map_move(moved, MIB, 5 * MIB);
    char *end = map_brk(64 * PAGE);
    wrong += brk(end + 48 * PAGE) != 0 || sbrk(0) != end + 48 * PAGE;

    /* What fails changes nothing. */
    errno = 0;
    expect_error(munmap(cut + 1, PAGE), EINVAL);
    expect_error(munmap(cut, 0), EINVAL);
    expect_error(mremap(cut, MIB, 0, 0) == MAP_FAILED, EINVAL);
    expect_error(mmap(NULL, 0, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED, EINVAL);
    expect_error(mmap(NULL, PAGE, RW, MAP_PRIVATE, -1, 0) == MAP_FAILED, EBADF);
    expect_error(sbrk((intptr_t)1 << 46) == (void *)-1, ENOMEM);
    expect_error(brk((void *)-PAGE) != 0, ENOMEM);
    errno = 77;
    munmap(map_whole(PAGE), PAGE);
    wrong += errno != 77;
    printf("map_whole %zu\nmap_cut %zu\nmap_over %zu\nmap_piecewise %zu\nmap_reserve %zu\nmap_move "
           "%zu\nmap_brk %zu\nerrno %d\n",
        3 * MIB + 2 * PAGE, 2 * MIB + 2 * MIB + MIB / 2, MIB, 64 * PAGE, (size_t)1 << 40, 5 * MIB,
        48 * PAGE, wrong);
}

static void forks(void)
{
    (void)map_whole(MIB);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)map_cut(2 * MIB);
        printf("child %d\nmap_cut %zu\n", getpid(), 2 * MIB);
        fflush(stdout);
        (void)getchar();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    printf("parent %d\nmap_whole %zu\n", getpid(), MIB);
}

static void *churn(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3000; i++) {
        char *at = must(mmap(NULL, 16 * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        munmap(at + 4 * PAGE, 4 * PAGE);
        munmap(at, 4 * PAGE);
        munmap(at + 8 * PAGE, 8 * PAGE);
    }
    return map_cut(16 * PAGE);
}

static void threads(void)
{
    pthread_t all[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&all[i], NULL, churn, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(all[i], NULL);
    printf("map_cut %zu\n", 8 * 16 * PAGE);
}

static void on_signal(int number)
{
    (void)number;
    char *at = must(mmap(NULL, PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    munmap(at, PAGE);
}

static void signals(void)
{
    const struct itimerspec often = {{0, 200000}, {0, 200000}};
    timer_t timer;
    signal(SIGALRM, on_signal);
    timer_create(CLOCK_MONOTONIC, NULL, &timer);
    timer_settime(timer, 0, &often, NULL);
    (void)churn(NULL);
    for (int i = 0; i < 100000; i++)
        free(malloc(i % 1000));
    timer_delete(timer);
    printf("map_cut %zu\n", 16 * PAGE);
}

/* More than an allocator has in hand. */
static void blocks(void)
{
    for (int i = 0; i < 40; i++)
        memset(malloc(5 * MIB), 1, PAGE);
    printf("blocks %zu\n", 200 * MIB);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "fork") == 0)
        forks();
    else if (strcmp(what, "blocks") == 0)
        blocks();
    else if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "signals") == 0)
        signals();
    else
        all_ways();
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
