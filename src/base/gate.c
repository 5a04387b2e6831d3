#include "base/gate.h"

#include "base/mutant.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#define NAPS 2000
#define NAP_NS 50000

struct hf_gate hf_gate;

#ifdef __x86_64__
/* Not libc's syscall(): the agent stands before that, too. */
long hf_gate_pass(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    if (result < 0 && result >= -4095) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
#else
long hf_gate_pass(long number, long a, long b, long c, long d, long e, long f)
{
    return syscall(number, a, b, c, d, e, f);
}
#endif

/* NULL: there are none, or more calls are under way than there are notes. */
static _Atomic uint32_t *take_note(long number)
{
    _Atomic uint32_t *notes = atomic_load_explicit(&hf_gate.notes, memory_order_relaxed);
    for (unsigned i = 0; notes != NULL && i < HF_GATE_NOTES; i++) {
        uint32_t empty = 0;
        if (atomic_compare_exchange_strong_explicit(&notes[i], &empty, (uint32_t)number + 1,
                memory_order_relaxed, memory_order_relaxed))
            return &notes[i];
    }
    return NULL;
}

long hf_gate_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result = -1;
    atomic_fetch_add(&hf_gate.inside, 1);
    if (atomic_load(&hf_gate.is_shut) && !HF_MUTANT(SEAL)) {
        errno = EPERM;
    } else {
        _Atomic uint32_t *note = take_note(number);
        result = hf_gate_pass(number, a, b, c, d, e, f);
        if (note != NULL)
            atomic_store_explicit(note, 0, memory_order_relaxed);
    }
    atomic_fetch_sub(&hf_gate.inside, 1);
    return result;
}

void hf_gate_shut(void)
{
    static const struct timespec nap = {0, NAP_NS};
    atomic_store(&hf_gate.is_shut, true);
    for (unsigned i = 0; i < NAPS && atomic_load(&hf_gate.inside) != 0; i++)
        (void)hf_gate_pass(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
}

void hf_gate_open(void)
{
    atomic_store(&hf_gate.is_shut, false);
}

void hf_gate_forget(void)
{
    atomic_store(&hf_gate.notes, NULL);
    atomic_store(&hf_gate.inside, 0);
}
