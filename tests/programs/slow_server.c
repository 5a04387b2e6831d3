/*
 * A server that has run for a while: `cache_put` keeps its last entries, and renews them all the
 * time; `handle` frees what it allocates at once; `remember_session` leaks, if told how often, from
 * the start or from a later time on; `renew_buffer` is realloc of one block. At its end, which
 * SIGTERM brings, it says how many sessions it has leaked.
 *
 *     slow_server STEP_US LEAK_EVERY [LEAK_AFTER_S [END_AFTER_S]]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ENTRIES 64u
#define KEEP(pointer) __asm__ volatile("" : : "g"(pointer) : "memory")

static void *entries[ENTRIES];
static void **sessions;
static size_t session_count;

__attribute__((noinline)) static void *cache_put(size_t at)
{
    free(entries[at % ENTRIES]);
    entries[at % ENTRIES] = malloc(1200);
    return memset(entries[at % ENTRIES], 1, 1200);
}

__attribute__((noinline)) static size_t handle(size_t bytes)
{
    void *body = malloc(bytes);
    KEEP(body);
    free(body);
    return bytes;
}

__attribute__((noinline)) static void *remember_session(void)
{
    void *session = malloc(900);
    KEEP(session);
    sessions[session_count++] = session;
    return memset(session, 1, 900);
}

__attribute__((noinline)) static void *renew_buffer(size_t bytes)
{
    static void *buffer;
    buffer = realloc(buffer, bytes);
    return memset(buffer, 1, bytes);
}

static volatile sig_atomic_t is_over;

static void end(int signal_number)
{
    (void)signal_number;
    is_over = 1;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char **words)
{
    useconds_t step_us = (useconds_t)(count > 1 ? atof(words[1]) : 1000);
    size_t every = (size_t)(count > 2 ? atof(words[2]) : 0);
    double after_s = count > 3 ? atof(words[3]) : 0, end_s = count > 4 ? atof(words[4]) : 0;
    double began_s = now_s();
    sessions = malloc(100000000);
    puts("ready");
    fflush(stdout);
    signal(SIGTERM, end);
    for (size_t i = 0; !is_over && (end_s == 0 || now_s() - began_s < end_s); i++) {
        KEEP(cache_put(i));
        KEEP(handle(300 + i % 7 * 100));
        KEEP(renew_buffer(400 + i % 5 * 3000));
        if (every != 0 && i % every == 0 && now_s() - began_s >= after_s)
            KEEP(remember_session());
        usleep(step_us);
    }
    printf("%zu\n", session_count);
    return 0;
}
