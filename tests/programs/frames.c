/* Allocates in frames of every kind that an unwinder of x86-64 meets; see tests/e2e/unwind.py. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#define SIGNALS 2000
#define NOINLINE __attribute__((noinline, noclone))

static void *volatile kept;
static volatile unsigned long sink;
static volatile sig_atomic_t signals;

static NOINLINE void keep(void)
{
    free(kept);
    kept = malloc(10);
    sink++;
}

/*
 * Aligned to more than the ABI's 16 bytes, and with arguments on the stack: gcc finds the frame by
 * what it has put in the stack.
 */
static NOINLINE void realigned(int depth, int b, int c, int d, int e, int f, int g, int h)
{
    _Alignas(64) volatile char block[128];
    block[0] = (char)(depth + b + c + d + e + f);
    keep();
    if (depth > 0)
        realigned(depth - 1, b, c, d, e, f, g, h);
    sink += (unsigned long)(block[0] + g + h);
}

/* rbp is used as any other register. */
__attribute__((noinline, noclone, optimize("omit-frame-pointer"))) static unsigned long busy(
    int depth, unsigned long a, unsigned long b, unsigned long c)
{
    unsigned long d = a * b, e = b * c, f = c * a, g = a ^ b, h = b ^ c;
    for (int i = 0; i < 3; i++) {
        keep();
        d += e * a, e ^= f + b, f += g * c, g ^= h + d, h += d * e;
    }
    return depth > 0 ? busy(depth - 1, d, e, f) + g * h : d + e + f + g + h;
}

static NOINLINE void deep(int depth)
{
    if (depth % 50 == 0)
        keep();
    if (depth > 0)
        deep(depth - 1);
    sink++;
}

static void on_signal(int number)
{
    (void)number;
    keep();
    signals++;
}

static int compare(const void *a, const void *b)
{
    keep();
    return *(const int *)a - *(const int *)b;
}

/* Interrupted anywhere: at the start and the end of functions, and in the linkage table. */
static NOINLINE void be_interrupted(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct itimerval timer = {{0, 100}, {0, 100}}, none = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (signals < SIGNALS)
        for (int i = 0; i < 100; i++)
            sink += (unsigned long)labs((long)sink) + (unsigned long)abs((int)sink);
    setitimer(ITIMER_REAL, &none, NULL);
    raise(SIGALRM);
}

/* push rbp; mov rbp, rsp; call rdi; pop rbp; ret: code of a JIT, which says nothing of its frame.
 */
static NOINLINE void call_jit(void)
{
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*jit)(void (*)(void));
    if (memory == MAP_FAILED)
        abort();
    memcpy(memory, code, sizeof code);
    if (mprotect(memory, 4096, PROT_READ | PROT_EXEC) != 0)
        abort();
    memcpy(&jit, &memory, sizeof jit);
    jit(keep);
}

static ucontext_t main_context, other_context;

static void on_other_stack(void)
{
    keep();
}

static void *run(void *argument)
{
    int numbers[] = {5, 2, 9, 1, 7, 3};
    qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, compare);
    realigned(20, 1, 2, 3, 4, 5, 6, 7);
    sink += busy(20, 1, 2, 3);
    return argument;
}

int main(void)
{
    pthread_t thread;
    deep(1000);
    deep(400);
    (void)run(NULL);
    for (int i = 0; i < 3; i++) {
        if (pthread_create(&thread, NULL, run, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
        void *library = dlopen("libm.so.6", RTLD_LAZY);
        kept = realloc(kept, 100);
        if (library != NULL)
            dlclose(library);
    }
    call_jit();
    getcontext(&other_context);
    other_context.uc_stack.ss_size = 65536;
    other_context.uc_stack.ss_sp = malloc(65536);
    other_context.uc_link = &main_context;
    makecontext(&other_context, on_other_stack, 0);
    swapcontext(&main_context, &other_context);
    sink += (unsigned long)dlsym(RTLD_DEFAULT, "no such symbol");
    be_interrupted();
    printf("%lu\n", sink % 2);
    return 0;
}
