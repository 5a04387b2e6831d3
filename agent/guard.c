#include "guard.h"

#include "base/gate.h"
#include "environment.h"
#include "event.h"
#include "real.h"
#include "room.h"
#include "seal.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

/* <sys/resource.h> declares what is defined here, with types of its own. */
#define RLIMIT_AS 9
#define RLIM_INFINITY UINT64_MAX
struct rlimit {
    uint64_t rlim_cur, rlim_max;
};

static long pass(long number, long a, long b, long c, long d, long e, long f)
{
    return hf_gate_pass(number, a, b, c, d, e, f);
}

/* Named by the instructions below. Until the next is known, the call is made here. */
__attribute__((used))
HF_HIDDEN long (*hf_guard_next)(long number, long a, long b, long c, long d, long e, long f) = pass;

void hf_guard_begin(hf_guard_call *next)
{
    if (next != NULL)
        memcpy(&hf_guard_next, &next, sizeof next);
}

/* True if the call asks for a filter. Libraries try whether there are any by others. */
static bool asks_for_filter(long number, long a, long b, long c)
{
    if (number == SYS_prctl)
        return a == PR_SET_SECCOMP &&
               (b == SECCOMP_MODE_STRICT || (b == SECCOMP_MODE_FILTER && c != 0));
    return number == SYS_seccomp && ((a == SECCOMP_SET_MODE_STRICT && b == 0 && c == 0) ||
                                        (a == SECCOMP_SET_MODE_FILTER && c != 0));
}

/* Before the program limits its own address space. */
static void before_limit(long pid, long resource, const void *limit)
{
    struct rlimit new;
    if (resource != RLIMIT_AS || limit == NULL || hf_gate_is_shut() || !hf_agent_is_owner())
        return;
    int error = errno;
    long own = HF_CALL(SYS_getpid);
    memcpy(&new, limit, sizeof new);
    if ((pid == 0 || pid == own) && hf_agent.table.head->pid == (uint32_t)own &&
        new.rlim_cur != RLIM_INFINITY)
        hf_room_give_way(new.rlim_cur);
    errno = error;
}

/* Of those that the instructions below pick out. */
__attribute__((used)) HF_HIDDEN long hf_guard_syscall(
    long number, long a, long b, long c, long d, long e, long f);
long hf_guard_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_execve || number == SYS_execveat) {
        char *const *own = (char *const *)(uintptr_t)(number == SYS_execve ? c : d);
        const char *program = number == SYS_execve ? (const char *)(uintptr_t)a : NULL;
        char *const *given = hf_environment_for_exec(program, own);
        long failed = number == SYS_execve ? hf_guard_next(number, a, b, (long)given, d, e, f)
                                           : hf_guard_next(number, a, b, c, (long)given, e, f);
        hf_environment_give_back(given, own);
        return failed;
    }
    if (number == SYS_setrlimit)
        before_limit(0, a, (const void *)(uintptr_t)b);
    if (number == SYS_prlimit64)
        before_limit(a, b, (const void *)(uintptr_t)c);
    bool is_sealed = asks_for_filter(number, a, b, c) && hf_seal();
    long result = hf_guard_next(number, a, b, c, d, e, f);
    if (result < 0 && is_sealed)
        hf_seal_undo();
    return result;
}

/*
 * All other calls go on with every register and the stack as they came: who clones by syscall(2)
 * returns from it on another stack.
 */
HF_EXPORT __attribute__((naked)) long syscall(long number, ...);
__attribute__((naked)) long syscall(long number __attribute__((unused)), ...)
{
    __asm__("endbr64\n\t"
            "cmpq $157, %rdi\n\t" /* prctl */
            "je 1f\n\t"
            "cmpq $317, %rdi\n\t" /* seccomp */
            "je 1f\n\t"
            "cmpq $59, %rdi\n\t" /* execve */
            "je 1f\n\t"
            "cmpq $322, %rdi\n\t" /* execveat */
            "je 1f\n\t"
            "cmpq $160, %rdi\n\t" /* setrlimit */
            "je 1f\n\t"
            "cmpq $302, %rdi\n\t" /* prlimit64 */
            "je 1f\n\t"
            "jmp *hf_guard_next(%rip)\n"
            "1:\n\t"
            "jmp hf_guard_syscall");
}
_Static_assert(SYS_prctl == 157 && SYS_seccomp == 317 && SYS_setrlimit == 160, "as above");
_Static_assert(SYS_prlimit64 == 302 && SYS_execve == 59 && SYS_execveat == 322, "as above");

/* libc has each under two names. */
#define LIMIT_HOOK(name)                                                                           \
    HF_HOOK int name(int resource, const struct rlimit *limit);                                    \
    int name(int resource, const struct rlimit *limit)                                             \
    {                                                                                              \
        before_limit(0, resource, limit);                                                          \
        return hf_real.setrlimit(resource, limit);                                                 \
    }
#define LIMIT_OF_HOOK(name)                                                                        \
    HF_HOOK int name(int pid, int resource, const struct rlimit *limit, struct rlimit *out_old);   \
    int name(int pid, int resource, const struct rlimit *limit, struct rlimit *out_old)            \
    {                                                                                              \
        before_limit(pid, resource, limit);                                                        \
        return hf_real.prlimit(pid, resource, limit, out_old);                                     \
    }
LIMIT_HOOK(setrlimit)
LIMIT_HOOK(setrlimit64)
LIMIT_OF_HOOK(prlimit)
LIMIT_OF_HOOK(prlimit64)

HF_HOOK int prctl(int option, ...);
int prctl(int option, ...)
{
    unsigned long values[4];
    va_list arguments;
    va_start(arguments, option);
    hf_prctl_values(arguments, values);
    va_end(arguments);
    bool is_sealed =
        asks_for_filter(SYS_prctl, option, (long)values[0], (long)values[1]) && hf_seal();
    int result = hf_real.prctl(option, values[0], values[1], values[2], values[3]);
    if (result < 0 && is_sealed)
        hf_seal_undo();
    return result;
}
