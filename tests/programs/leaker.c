/*
 * leaker.c: allocates by its arguments, one after the other, as the program of a test that is
 * recorded.
 *
 *     leak=BYTES    process_leak() keeps one block more
 *     cache=BYTES   cache_fill() keeps one
 *     churn=BYTES   allocates and frees so much in all
 *     fork=BYTES    a child does the same as leak=, in child_leak(), and ends
 *     times=N       leak= and cache= keep N blocks from here on
 *     line          says "ready" and reads a line
 *     rest          does nothing for a quarter of a second
 *     wait          says "ready" and waits for signals; SIGUSR1 is counted, SIGTERM ends it with
 *                   that count as status
 *     exit=STATUS   signal=NUMBER
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS_MAX 100000

static void *volatile kept[BLOCKS_MAX];
static size_t kept_count, times = 1;
static volatile sig_atomic_t signal_count, is_over;

static void keep(void *block, size_t size)
{
    memset(block, 1, size);
    kept[kept_count++ % BLOCKS_MAX] = block;
}

__attribute__((noinline)) void process_leak(size_t size)
{
    for (size_t i = 0; i < times; i++)
        keep(malloc(size), size);
}

__attribute__((noinline)) void cache_fill(size_t size)
{
    for (size_t i = 0; i < times; i++)
        keep(malloc(size), size);
}

__attribute__((noinline)) void child_leak(size_t size)
{
    keep(malloc(size), size);
}

static void churn(size_t size)
{
    for (size_t done = 0; done < size; done += 4096) {
        void *volatile block = malloc(4096);
        free(block);
    }
}

static void make_child(size_t size)
{
    pid_t child = fork();
    if (child == 0) {
        child_leak(size);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void count(int signal)
{
    if (signal == SIGTERM)
        is_over = 1;
    else
        signal_count++;
}

static void wait_for_signals(void)
{
    sigset_t taken, none;
    sigemptyset(&none);
    sigemptyset(&taken);
    sigaddset(&taken, SIGTERM);
    sigaddset(&taken, SIGUSR1);
    sigprocmask(SIG_BLOCK, &taken, NULL);
    signal(SIGUSR1, count);
    signal(SIGTERM, count);
    puts("ready");
    fflush(stdout);
    while (!is_over)
        sigsuspend(&none);
    exit((int)signal_count);
}

static void wait_for_line(void)
{
    char line[16];
    puts("ready");
    fflush(stdout);
    (void)!fgets(line, sizeof line, stdin);
}

/* The digits behind '=' . */
static size_t value_of(const char *word)
{
    size_t value = 0;
    for (const char *at = strchr(word, '=') + 1; *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (size_t)(*at - '0');
    return value;
}

static void obey(const char *word)
{
    if (strncmp(word, "leak=", 5) == 0)
        process_leak(value_of(word));
    else if (strncmp(word, "cache=", 6) == 0)
        cache_fill(value_of(word));
    else if (strncmp(word, "churn=", 6) == 0)
        churn(value_of(word));
    else if (strncmp(word, "fork=", 5) == 0)
        make_child(value_of(word));
    else if (strncmp(word, "exit=", 5) == 0)
        exit((int)value_of(word));
    else if (strncmp(word, "signal=", 7) == 0)
        kill(getpid(), (int)value_of(word));
    else if (strncmp(word, "times=", 6) == 0)
        times = value_of(word);
    else if (strcmp(word, "line") == 0)
        wait_for_line();
    else if (strcmp(word, "wait") == 0)
        wait_for_signals();
    else if (strcmp(word, "rest") == 0)
        usleep(250000);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        obey(argv[i]);
    return 0;
}
