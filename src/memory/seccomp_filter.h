/*
 * seccomp_filter.h: whether the seccomp(2) filters of a stopped thread let it make a system call.
 *
 * Containers put their processes under such filters. A call that is not in their list may end the
 * process, so one that the program does not make itself is tried on the filters first: the kernel
 * gives the programs of a thread that is traced (PTRACE_SECCOMP_GET_FILTER, ptrace(2)), and they
 * are run here, on the call that is meant, as the kernel would run them (seccomp(2), and
 * seccomp_check_filter() in its kernel/seccomp.c, which says what instructions there are).
 *
 * The kernel gives them only to who has CAP_SYS_ADMIN outside of any container, and is under no
 * filter itself. What is not understood is not allowed.
 *
 * Example:
 *
 *     #include <sys/syscall.h>
 *
 *     const struct hf_seccomp_call calls[] = {{SYS_rt_sigreturn, {0}}, {SYS_clone, {0x600}}};
 *     const char *why = hf_seccomp_why_not(4711, 0x401000, calls, 2);
 *     if (why != NULL)
 *         return hf_error_set(err, HF_ERR_SYSTEM, "thread 4711: %s", why);
 */
#ifndef HF_MEMORY_SECCOMP_FILTER_H
#define HF_MEMORY_SECCOMP_FILTER_H

#include "base/attr.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hf_seccomp_call {
    int number;
    uint64_t arguments[6];
};

/*
 * NULL: each filter of the thread, which this process has stopped by ptrace(2), allows each of the
 * calls, made from `address` on. Else why nobody knows, or which filter does not. Static.
 */
HF_MUST_CHECK const char *hf_seccomp_why_not(
    pid_t tid, uint64_t address, const struct hf_seccomp_call *calls, size_t count);

/*
 * What one filter answers to a call: *out_action is SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO, ...
 * without its data. False: it ends without an answer, or has an instruction that no filter may
 * have. Bounded by its length: filters only jump forward.
 */
HF_MUST_CHECK bool hf_seccomp_run(const struct sock_filter *filter, size_t count,
    const struct seccomp_data *call, uint32_t *out_action);

#endif
