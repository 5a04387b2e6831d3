/*
 * workers.c: a master that allocates nothing, and its workers, which allocate when they are told.
 *
 *     workers COUNT   starts two workers and says their numbers, one a line; "new" on standard
 * input starts another one, from another thread
 *
 * A worker keeps COUNT blocks of 48 bytes at each SIGUSR1, and says "PID kept" then; SIGUSR2 ends
 * it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static long count;
static char *program, *number;
static sigset_t orders;

NOINLINE static void leak_in_worker(void)
{
    void *p = malloc(48);
    __asm__ volatile("" : : "r"(p) : "memory");
}

_Noreturn static void work(void)
{
    int order;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dprintf(STDOUT_FILENO, "%d\n", (int)getpid());
    while (sigwait(&orders, &order) == 0 && order != SIGUSR2) {
        if (order == SIGALRM)
            execl(program, program, number, "again", (char *)NULL);
        for (long i = 0; i < count; i++)
            leak_in_worker();
        dprintf(STDOUT_FILENO, "%d kept\n", (int)getpid());
    }
    _exit(0);
}

static void start(void)
{
    if (fork() == 0)
        work();
}

/* Its thread lives on, since the worker dies with who started it. */
static void *start_in_thread(void *unused)
{
    start();
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv)
{
    char line[64];
    pthread_t thread;
    if (argc < 2)
        return 2;
    program = argv[0];
    number = argv[1];
    for (const char *digit = number; *digit != '\0'; digit++)
        count = count * 10 + (*digit - '0');
    sigemptyset(&orders);
    sigaddset(&orders, SIGUSR1);
    sigaddset(&orders, SIGUSR2);
    sigaddset(&orders, SIGALRM);
    sigprocmask(SIG_BLOCK, &orders, NULL);
    signal(SIGCHLD, SIG_IGN);
    if (argc > 2)
        work();
    for (int i = 0; i < 2; i++)
        start();
    while (fgets(line, sizeof line, stdin) != NULL)
        pthread_create(&thread, NULL, start_in_thread, NULL);
    return 0;
}
