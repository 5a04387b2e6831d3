/*
 * Allocates for tests/agent/python_scenes.py. It is called through ctypes, and asks Python itself,
 * right after the allocation, which frames there are.
 */
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

/* Of Python's stable interface: no header of it is needed. */
struct python_object;
extern struct python_object *PyObject_CallNoArgs(struct python_object *callable)
    __attribute__((weak));

void *volatile kept[1 << 16];
static unsigned count;

/* The caller holds the lock of the interpreter. `ask` says which frames there are; `tell` does so,
 * too. */
struct python_object *probe(size_t size, struct python_object *ask, struct python_object *tell)
{
    kept[count++] = malloc(size);
    if (tell != NULL)
        PyObject_CallNoArgs(tell);
    return PyObject_CallNoArgs(ask);
}

/* The caller does not hold it. */
void plain(size_t size)
{
    kept[__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)] = malloc(size);
}

/* A thread that Python does not know. */
static void *work(void *size)
{
    plain(*(size_t *)size);
    return NULL;
}

void in_a_thread(size_t size)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, &size) == 0)
        pthread_join(thread, NULL);
}

/* The code of Python: what is interrupted there is in no allocator, and a handler may call one. */
static uintptr_t code_start, code_end;
unsigned interruptions;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (at < code_start || at >= code_end)
        return;
    interruptions++;
    free(malloc(3333));
}

/* How often a signal was handled in the code of Python. */
unsigned interrupted(void)
{
    return interruptions;
}

static int find_code(struct dl_phdr_info *image, size_t size, void *inside)
{
    (void)size;
    for (int i = 0; i < image->dlpi_phnum; i++) {
        uintptr_t start = image->dlpi_addr + image->dlpi_phdr[i].p_vaddr;
        uintptr_t end = start + image->dlpi_phdr[i].p_memsz;
        if ((uintptr_t)inside - start < end - start && image->dlpi_phdr[i].p_type == PT_LOAD) {
            code_start = start;
            code_end = end;
        }
    }
    return 0;
}

int handle(int number)
{
    dl_iterate_phdr(find_code, (void *)(uintptr_t)PyObject_CallNoArgs);
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    return sigaction(number, &action, NULL);
}

/* Calls back from C. */
int call(int (*back)(int), int argument)
{
    return back(argument);
}
