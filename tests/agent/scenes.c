/*
 * scenes.c SCENE [AMOUNT]: threads, processes and stacks that are hard on a profiler.
 */
#include "scene.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

static void scene_threads(void)
{
    run_threads(61, work, (void *)2000);
}

static long resident_kib(void)
{
    char line[128];
    int file = open("/proc/self/statm", O_RDONLY);
    ssize_t size = read(file, line, sizeof line - 1);
    close(file);
    line[size > 0 ? size : 0] = '\0';
    const char *resident = strchr(line, ' ') + 1;
    return (long)take_number(&resident, 10) * 4;
}

static void *brief(void *argument)
{
    free(malloc(100));
    return argument;
}

/* Short threads in great number leave nothing behind. */
static void scene_storm(void)
{
    run_threads(2000, brief, NULL);
    long before = resident_kib();
    run_threads((unsigned)amount(8000), brief, NULL);
    long grown = resident_kib() - before;
    fprintf(stderr, "grew by %ld KiB\n", grown);
}

static pthread_key_t late_key;

/* Frees and allocates again in every round of destructors there is. */
static void late_destructor(void *block)
{
    free(block);
    pthread_setspecific(late_key, malloc(71));
}

static void *late(void *argument)
{
    pthread_setspecific(late_key, malloc(67));
    keep();
    return argument;
}

static void scene_destructors(void)
{
    require(pthread_key_create(&late_key, late_destructor) == 0, "pthread_key_create");
    run_threads(53, late, NULL);
}

static void wait_for(pid_t child)
{
    int status;
    require(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
        "child");
}

static void child_works(void)
{
    churn(50);
    for (int i = 0; i < 7; i++)
        keep();
    free(last);
    _exit(0);
}

/* Each of 16 threads, as often as it takes to get to the amount. */
static unsigned long turns(unsigned long usual)
{
    return (amount(usual) + 15) / 16;
}

static void *forks(void *argument)
{
    for (unsigned long i = 0; i < turns(160); i++) {
        pid_t child = fork();
        require(child >= 0, "fork");
        if (child == 0)
            child_works();
        churn(30);
        keep();
        wait_for(child);
    }
    return argument;
}

static void scene_fork(void)
{
    keep();
    run_threads(16, forks, NULL);
}

/* As servers that set a title: they move what the kernel gave as environment, and write over it. */
static void scene_titled(void)
{
    static char moved[1 << 16];
    char *end = moved;
    for (char **variable = environ; *variable != NULL; variable++) {
        size_t size = strlen(*variable) + 1;
        require(size <= (size_t)(moved + sizeof moved - end), "room for the environment");
        memcpy(end, *variable, size);
        memset(*variable, ' ', size - 1);
        *variable = end;
        end += size;
    }
    forks(NULL);
}

static void in_handler(void)
{
    free(malloc(89));
    keep();
}

/* Handlers of fork allocate, too: before it, and on both sides after it. */
__attribute__((constructor(101))) static void register_first(void)
{
    if (getenv("ATFORK") != NULL)
        pthread_atfork(in_handler, in_handler, in_handler);
}

static void scene_atfork(void)
{
    free(malloc(1));
    pthread_atfork(in_handler, in_handler, in_handler);
    run_threads(16, forks, NULL);
}

/* As fork, without the C library. */
static pid_t clone_process(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static void scene_clone(void)
{
    for (int i = 0; i < 50; i++) {
        pid_t child = clone_process();
        require(child >= 0, "clone");
        keep();
        if (child == 0)
            child_works();
        wait_for(child);
    }
}

/* The child of a process with threads may not wait for locks of theirs. Blocks that its own thread
 * freed it gets without. */
static void *clones(void *argument)
{
    for (unsigned long i = 0; i < turns(160); i++) {
        void *blocks[7];
        for (int n = 0; n < 7; n++)
            blocks[n] = malloc(BLOCK);
        for (int n = 0; n < 7; n++)
            free(blocks[n]);
        pid_t child = clone_process();
        require(child >= 0, "clone");
        if (child == 0) {
            for (int n = 0; n < 7; n++)
                keep();
            free(last);
            syscall(SYS_exit_group, 0);
        }
        churn(30);
        keep();
        wait_for(child);
    }
    return argument;
}

static void scene_clones(void)
{
    run_threads(16, clones, NULL);
}

/* A child that shares the memory of its parent is recorded as its parent. */
static void scene_vfork(void)
{
    for (volatile unsigned long i = 0; i < amount(50); i++) {
        pid_t child = vfork();
        require(child >= 0, "vfork");
        if (child == 0) {
            keep();
            free(malloc(31));
            _exit(0);
        }
        wait_for(child);
    }
}

static void *spawns(void *argument)
{
    char *program = getenv("SPAWN"), *command[] = {program != NULL ? program : "/bin/true", NULL};
    for (unsigned long i = 0; i < turns(80); i++) {
        pid_t child;
        require(posix_spawn(&child, command[0], NULL, NULL, command, environ) == 0, "posix_spawn");
        churn(30);
        keep();
        wait_for(child);
    }
    return argument;
}

static void scene_spawn(void)
{
    run_threads(16, spawns, NULL);
}

static ucontext_t main_context, routine_context;

static void routine(void)
{
    for (;;) {
        keep();
        churn(20);
        swapcontext(&routine_context, &main_context);
    }
}

/* On a stack of the heap, of a mapping of its own, and of a mapping with nothing around it. */
static void scene_coroutines(void)
{
    for (int kind = 0; kind < 3; kind++) {
        size_t size = 64 << 10;
        char *mapping = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        require(mapping != MAP_FAILED, "mmap");
        if (kind == 1)
            munmap(mapping + 4096 + size, 4096);
        require(mprotect(mapping + 4096, size, PROT_READ | PROT_WRITE) == 0, "mprotect");
        char *heap = malloc(size);
        getcontext(&routine_context);
        routine_context.uc_stack.ss_sp = kind == 0 ? heap : mapping + 4096;
        routine_context.uc_stack.ss_size = size;
        makecontext(&routine_context, routine, 0);
        for (int i = 0; i < 100; i++)
            swapcontext(&main_context, &routine_context);
        free(heap);
        munmap(mapping, size + (kind == 1 ? 4096 : 8192));
    }
}

__attribute__((noinline)) static int descend(unsigned depth)
{
    char room[16];
    __asm__ volatile("" : : "r"(room) : "memory");
    if (depth % 100000 == 0)
        keep();
    return depth == 0 ? 0 : descend(depth - 1) + room[0] * 0 + 1;
}

static void *descend_far(void *argument)
{
    require(descend(1000000) == 1000000, "descend");
    return argument;
}

static void scene_recursion(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    require(pthread_attr_setstacksize(&attributes, 256 << 20) == 0, "stack size");
    require(pthread_create(&thread, &attributes, descend_far, NULL) == 0, "pthread_create");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void scene_tiny(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    require(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0, "stack size");
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        require(pthread_create(&thread, &attributes, work, (void *)100) == 0, "pthread_create");
        pthread_join(thread, NULL);
    }
    pthread_attr_destroy(&attributes);
}

static void scene_closefds(void)
{
    keep();
    require(syscall(SYS_close_range, 3, ~0U, 0) == 0, "close_range");
    run_threads(20, work, (void *)3000);
}

static void scene_chroot(void)
{
    keep();
    require(chroot(".") == 0 && chdir("/") == 0, "chroot");
    run_threads(20, work, (void *)3000);
}

static void scene_nofile(void)
{
    struct rlimit limit = {3, 3};
    require(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
    run_threads(20, work, (void *)3000);
}

/* What one thread frees is another's the next moment. */
static void *contend(void *argument)
{
    for (int i = 0; i < 10000; i++) {
        free(malloc(BLOCK));
        if (i % 2 == 0)
            keep();
    }
    return argument;
}

static void scene_contention(void)
{
    run_threads(16, contend, NULL);
}

/* Waits until somebody has filled the folder of the table. */
static void scene_patience(void)
{
    fputs("ready\n", stdout);
    fflush(stdout);
    require(getchar() == '\n', "getchar");
    scene_contention();
}

static void *cancelled(void *argument)
{
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    for (;;)
        churn(10), pthread_testcancel();
    return argument;
}

static void scene_cancel(void)
{
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        require(pthread_create(&thread, NULL, cancelled, NULL) == 0, "pthread_create");
        churn(200);
        keep();
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
}

static pthread_barrier_t all_here, all_leave;

static void *stay(void *argument)
{
    churn(10);
    keep();
    pthread_barrier_wait(&all_here);
    keep();
    pthread_barrier_wait(&all_leave);
    return argument;
}

/* Very many threads at a time. */
static void scene_crowd(void)
{
    unsigned count = (unsigned)amount(500);
    pthread_attr_t attributes;
    pthread_t *threads = malloc(count * sizeof *threads);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_barrier_init(&all_here, NULL, count + 1);
    pthread_barrier_init(&all_leave, NULL, count + 1);
    for (unsigned i = 0; i < count; i++)
        require(pthread_create(&threads[i], &attributes, stay, NULL) == 0, "pthread_create");
    pthread_barrier_wait(&all_here);
    pthread_barrier_wait(&all_leave);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static void turn(unsigned long way, unsigned long ways);
NOT_INLINED static void left(unsigned long way, unsigned long ways)
{
    turn(way, ways);
}
NOT_INLINED static void right(unsigned long way, unsigned long ways)
{
    turn(way, ways);
}

/* Each way, a number below `ways`, is a stack of its own. */
NOT_INLINED static void turn(unsigned long way, unsigned long ways)
{
    if (ways <= 1)
        keep();
    else if (way % 2 != 0)
        left(way / 2, (ways + 1) / 2);
    else
        right(way / 2, (ways + 1) / 2);
}

static void scene_stacks(void)
{
    unsigned long ways = amount(5000);
    for (unsigned long way = 0; way < ways; way++)
        turn(way, ways);
}

static void print_at_end(void)
{
    char line[64];
    keep();
    int size = snprintf(line, sizeof line, "keep %lu %lu\n", kept, kept * BLOCK);
    require(write(STDOUT_FILENO, line, (size_t)size) == size, "write");
}

/* What allocates when the program has ended already. */
static void scene_exit(void)
{
    atexit(print_at_end);
    atexit(keep);
    exit(0);
}

/* Nothing is run at the end. */
static void scene_quit(void)
{
    print_at_end();
    syscall(SYS_exit_group, 0);
}

/* Executes itself `count` times, then ends. */
static void scene_exec(const char *program, const char *count)
{
    keep();
    if (strcmp(count, "0") == 0)
        return;
    char fewer[16], *arguments[] = {(char *)(size_t)program, "exec", fewer, NULL};
    const char *at = count;
    snprintf(fewer, sizeof fewer, "%lu", take_number(&at, 10) - 1);
    execv("/proc/self/exe", arguments);
    require(0, "execv");
}

/* Until somebody kills it. */
static void *endless(void *argument)
{
    for (;;) {
        void *blocks[100];
        for (int i = 0; i < 100; i++)
            blocks[i] = malloc((size_t)i * 7);
        for (int i = 0; i < 100; i++)
            free(blocks[i]);
    }
    return argument;
}

static void scene_endless(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        require(pthread_create(&threads[i], NULL, endless, NULL) == 0, "pthread_create");
    fputs("ready\n", stdout);
    fflush(stdout);
    pause();
}

static const struct scene scenes[] = {
    {"threads", scene_threads},
    {"storm", scene_storm},
    {"destructors", scene_destructors},
    {"fork", scene_fork},
    {"titled", scene_titled},
    {"atfork", scene_atfork},
    {"clone", scene_clone},
    {"clones", scene_clones},
    {"crowd", scene_crowd},
    {"stacks", scene_stacks},
    {"exit", scene_exit},
    {"quit", scene_quit},
    {"vfork", scene_vfork},
    {"spawn", scene_spawn},
    {"coroutines", scene_coroutines},
    {"recursion", scene_recursion},
    {"tiny", scene_tiny},
    {"closefds", scene_closefds},
    {"chroot", scene_chroot},
    {"nofile", scene_nofile},
    {"contention", scene_contention},
    {"patience", scene_patience},
    {"cancel", scene_cancel},
    {"endless", scene_endless},
};

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "exec") == 0)
        scene_exec(argv[0], argv[2]);
    return play(scenes, sizeof scenes / sizeof *scenes, argc, argv);
}
