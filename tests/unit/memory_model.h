/*
 * memory_model.h: memory that runs out when a test says so: the door to the system is wrapped
 * (tests/meson.build).
 */
#ifndef HF_TESTS_UNIT_MEMORY_MODEL_H
#define HF_TESTS_UNIT_MEMORY_MODEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* Bytes that may still be mapped. */
static size_t memory_left = SIZE_MAX;

long __real_hf_gate_call(long number, long a, long b, long c, long d, long e, long f);
long __wrap_hf_gate_call(long number, long a, long b, long c, long d, long e, long f);

long __wrap_hf_gate_call(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_mmap && (size_t)b > memory_left) {
        errno = ENOMEM;
        return -1;
    }
    memory_left -= number == SYS_mmap && memory_left != SIZE_MAX ? (size_t)b : 0;
    return __real_hf_gate_call(number, a, b, c, d, e, f);
}

#endif
