/*
 * interruptions.c SCENE [AMOUNT]: signals, and what their handlers do to a thread that is in the
 * middle of the agent: allocate, jump away, end the thread, stop it for a while.
 */
#include "scene.h"

#include <heapflame/heapflame.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

static volatile sig_atomic_t signals, interrupted;

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    require(sigaction(number, &action, NULL) == 0, "sigaction");
}

/* SIGPROF comes 5,000 times a second, or no more. */
static void set_timer(int is_on)
{
    static timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    struct itimerspec often = {{0, 200000}, {0, 200000}};
    if (!is_on) {
        timer_delete(timer);
        return;
    }
    require(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create");
    require(timer_settime(timer, 0, &often, NULL) == 0, "timer_settime");
}

static void on_signal(int number)
{
    (void)number;
    signals++;
    free(malloc((size_t)signals % 512));
}

static void allocate_there(int number, siginfo_t *info, void *context)
{
    (void)info;
    if (!is_in_agent(context))
        return;
    interrupted++;
    for (int i = 0; i < 20; i++)
        on_signal(number);
}

static void scene_signals(void)
{
    sig_atomic_t times = (sig_atomic_t)amount(300);
    find_agent();
    handle(SIGPROF, allocate_there);
    set_timer(1);
    for (int i = 0; i < times * 100 && interrupted < times; i++) {
        churn(1000);
        keep();
    }
    set_timer(0);
    fprintf(stderr, "interrupted %d times\n", (int)interrupted);
}

/* The handler's stack is as small as the processor's registers allow, and some KiB. */
static void scene_altstack(void)
{
    size_t size = ((size_t)sysconf(_SC_MINSIGSTKSZ) + 6 * 1024 + 4095) & ~(size_t)4095;
    uint8_t *stack =
        mmap(NULL, size + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(stack != MAP_FAILED, "mmap");
    require(mprotect(stack + 4096, size, PROT_READ | PROT_WRITE) == 0, "mprotect");
    stack_t own = {.ss_sp = stack + 4096, .ss_size = size}, off = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&own, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 100; i++)
        raise(SIGUSR1);
    keep();
    sigaltstack(&off, NULL);
    munmap(stack, size + 4096);
}

static sigjmp_buf back;

static void jump(int number)
{
    siglongjmp(back, number);
}

static void scene_longjmp(void)
{
    struct sigaction action = {.sa_handler = jump, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int i = 0; i < 50; i++) {
        if (sigsetjmp(back, 1) == 0)
            raise(SIGUSR1);
        keep();
    }
}

static void jump_from_there(int number, siginfo_t *info, void *context)
{
    (void)info;
    if (!is_in_agent(context))
        return;
    interrupted++;
    siglongjmp(back, number);
}

/* Never the same way in twice. */
NOT_INLINED static void churn_at_depth(unsigned depth)
{
    if (depth != 0)
        churn_at_depth(depth - 1);
    else
        churn(1000);
}

/* Handlers jump out of the agent. Whatever it held is free again, for this thread and others. */
static void scene_left(void)
{
    sig_atomic_t times = (sig_atomic_t)amount(200);
    sigset_t prof;
    find_agent();
    sigemptyset(&prof);
    sigaddset(&prof, SIGPROF);
    handle(SIGPROF, jump_from_there);
    set_timer(1);
    for (volatile int i = 0; i < times * 100 && interrupted < times; i++) {
        if (sigsetjmp(back, 1) == 0)
            churn_at_depth((unsigned)i % 40);
        sigprocmask(SIG_BLOCK, &prof, NULL);
        keep();
        if (i % 16 == 0)
            run_threads(1, work, (void *)100);
        sigprocmask(SIG_UNBLOCK, &prof, NULL);
    }
    set_timer(0);
    fprintf(stderr, "interrupted %d times\n", (int)interrupted);
}

static pthread_t stormed;
static _Atomic int is_over;

/* As many signals as it can send, and dumps meanwhile. */
static void *send_signals(void *argument)
{
    for (unsigned long i = 0; i < amount(20000); i++) {
        pthread_kill(stormed, SIGUSR1);
        if (i % 5000 == 0)
            require(heapflame_dump("storm.heap") == 0, "dump");
    }
    is_over = 1;
    return argument;
}

static void scene_storm(void)
{
    pthread_t sender;
    find_agent();
    handle(SIGUSR1, allocate_there);
    stormed = pthread_self();
    require(pthread_create(&sender, NULL, send_signals, NULL) == 0, "pthread_create");
    for (unsigned i = 0; !is_over; i++) {
        churn_at_depth(i % 40);
        if (i % 100 == 0)
            keep();
    }
    pthread_join(sender, NULL);
    fprintf(stderr, "interrupted %d times\n", (int)interrupted);
}

static void end_there(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    if (!is_in_agent(context))
        return;
    interrupted++;
    pthread_exit(NULL);
}

static void *churn_on(void *argument)
{
    for (;;)
        churn(100);
    return argument;
}

static void nap(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

/* Threads end in the middle of the agent. */
static void scene_ended(void)
{
    find_agent();
    handle(SIGUSR1, end_there);
    for (unsigned long i = 0; i < amount(60); i++) {
        pthread_t thread;
        sig_atomic_t before = interrupted;
        require(pthread_create(&thread, NULL, churn_on, NULL) == 0, "pthread_create");
        while (interrupted == before) {
            nap(50000);
            if (interrupted == before)
                pthread_kill(thread, SIGUSR1);
        }
        pthread_join(thread, NULL);
        work((void *)200);
    }
}

static enum { LET_BE, END, JUMP } at_enrolment;
static sigjmp_buf enrolling;

/* Not by libc's syscall(), which the agent watches for filters that would kill it. */
static long ask(long number, long a, long b, const void *c)
{
    long result;
    register long fourth __asm__("r10") = 0;
    register long fifth __asm__("r8") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}

/* In the place of that question: the thread goes, or is told a name. */
static void at_question(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    int what = at_enrolment;
    at_enrolment = LET_BE;
    if (what == END)
        pthread_exit(NULL);
    if (what == JUMP)
        siglongjmp(enrolling, 1);
    memcpy((void *)(uintptr_t)registers[REG_RSI], "thread", sizeof "thread");
    registers[REG_RAX] = 0;
}

/*
 * The agent asks for the name of a thread when it is new, and holds a lock meanwhile. It asks the
 * system itself, which is therefore told, by a filter, to raise SIGSYS for that question.
 */
static void trap_questions(void)
{
    static struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_GET_NAME, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    static const struct sock_fprog program = {sizeof code / sizeof code[0], code};
    struct sigaction action = {.sa_sigaction = at_question, .sa_flags = SA_NODEFER | SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    require(sigaction(SIGSYS, &action, NULL) == 0, "sigaction");
    require(ask(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, NULL) == 0, "no_new_privs");
    require(ask(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0, "seccomp");
}

static void *enrol(void *argument)
{
    if (sigsetjmp(enrolling, 0) == 0)
        churn(1);
    return work(argument);
}

/* Threads leave the agent in the first thing that they ever did there. */
static void scene_first(void)
{
    trap_questions();
    for (unsigned long i = 0; i < amount(20); i++) {
        pthread_t thread;
        at_enrolment = i % 2 == 0 ? END : JUMP;
        require(pthread_create(&thread, NULL, enrol, (void *)200) == 0, "pthread_create");
        pthread_join(thread, NULL);
        require(at_enrolment == LET_BE, "it was enrolled");
        work((void *)200);
    }
}

static volatile sig_atomic_t stop_number, stopped;

static void stop_there(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    if (!is_in_agent(context))
        return;
    sig_atomic_t now = stop_number;
    stopped = now;
    while (stop_number == now)
        nap(100000);
}

/* Blocks that lie far apart, so that whoever keeps track of them by their address comes to every
 * part of what it has. */
NOT_INLINED static void churn_far_apart(void)
{
    void *blocks[200];
    for (int i = 0; i < 200; i++)
        blocks[i] = malloc(60000);
    for (int i = 0; i < 200; i++)
        free(blocks[i]);
}

/* As garbage collectors do: a thread is stopped wherever it is, while another one goes on. */
static void scene_stopped(void)
{
    pthread_t thread;
    find_agent();
    handle(SIGUSR1, stop_there);
    require(pthread_create(&thread, NULL, churn_on, NULL) == 0, "pthread_create");
    for (unsigned long i = 0; i < amount(60); i++) {
        stop_number++;
        for (; stopped != stop_number; nap(50000))
            pthread_kill(thread, SIGUSR1);
        churn_at_depth((unsigned)i % 40);
        churn_far_apart();
        keep();
    }
}

int main(int argc, char **argv)
{
    static const struct scene scenes[] = {
        {"signals", scene_signals},
        {"storm", scene_storm},
        {"altstack", scene_altstack},
        {"longjmp", scene_longjmp},
        {"left", scene_left},
        {"ended", scene_ended},
        {"first", scene_first},
        {"stopped", scene_stopped},
    };
    return play(scenes, sizeof scenes / sizeof *scenes, argc, argv);
}
