/*
 * seccomp_filter.h: whether the seccomp(2) filters of a stopped thread let it make a system call.
 *
 * Containers put their processes under such filters. A call that a filter does not list may end the
 * process. So a call that the program does not make itself is tried on the filters first: the
 * kernel shows the filters of a traced thread (PTRACE_SECCOMP_GET_FILTER, ptrace(2)), and they are
 * run here on the intended call, as the kernel would run them (seccomp(2); seccomp_check_filter()
 * in its kernel/seccomp.c lists the instructions).
 *
 * The kernel shows them only to a process that has CAP_SYS_ADMIN outside of any container and is
 * not under a filter itself. What heapflame does not understand counts as forbidden.
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
 * NULL: each filter of the thread allows each of the calls, made at `address`. Otherwise a static
 * text that says why not, or why heapflame cannot know. The calling process must have stopped the
 * thread by ptrace(2).
 */
HF_MUST_CHECK const char *hf_seccomp_why_not(
    pid_t tid, uint64_t address, const struct hf_seccomp_call *calls, size_t count);

/*
 * Runs one filter on a call: *out_action is SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO, ... without its
 * data. False: the filter ends without an answer, or has an instruction that no filter may have.
 * Bounded by its length: filters only jump forward.
 */
HF_MUST_CHECK bool hf_seccomp_run(const struct sock_filter *filter, size_t count,
    const struct seccomp_data *call, uint32_t *out_action);

#endif
