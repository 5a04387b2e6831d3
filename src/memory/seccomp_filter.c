#include "memory/seccomp_filter.h"

#include "base/budget.h"
#include "base/limits.h"

#include <errno.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/ptrace.h>

#define GET_FILTER 0x420c /* PTRACE_SECCOMP_GET_FILTER, which glibc 2.26 was the first to have */

struct seccomp_machine {
    const struct seccomp_data *call;
    uint32_t a, x, memory[BPF_MEMWORDS];
};

/* A word of the call; false: there is none at that place. */
static bool seccomp_load(const struct seccomp_machine *m, uint32_t at, uint32_t *out)
{
    if (at % sizeof *out != 0 || at > sizeof *m->call - sizeof *out)
        return false;
    memcpy(out, (const char *)m->call + at, sizeof *out);
    return true;
}

/* BPF_LD and BPF_LDX: `to` is A or X. */
static bool seccomp_step_load(
    struct seccomp_machine *m, const struct sock_filter *step, uint32_t *to)
{
    switch (BPF_MODE(step->code)) {
    case BPF_ABS:
        return BPF_SIZE(step->code) == BPF_W && to == &m->a && seccomp_load(m, step->k, to);
    case BPF_LEN: *to = sizeof *m->call; return true;
    case BPF_IMM: *to = step->k; return true;
    case BPF_MEM:
        if (step->k >= BPF_MEMWORDS)
            return false;
        *to = m->memory[step->k];
        return true;
    default: return false;
    }
}

static bool seccomp_step_store(struct seccomp_machine *m, const struct sock_filter *step)
{
    if (step->k >= BPF_MEMWORDS)
        return false;
    m->memory[step->k] = BPF_CLASS(step->code) == BPF_ST ? m->a : m->x;
    return true;
}

static bool seccomp_step_alu(struct seccomp_machine *m, const struct sock_filter *step)
{
    uint32_t by = BPF_SRC(step->code) == BPF_X ? m->x : step->k;
    switch (BPF_OP(step->code)) {
    case BPF_ADD: m->a += by; return true;
    case BPF_SUB: m->a -= by; return true;
    case BPF_MUL: m->a *= by; return true;
    case BPF_DIV: m->a = by != 0 ? m->a / by : 0; return by != 0;
    case BPF_OR: m->a |= by; return true;
    case BPF_AND: m->a &= by; return true;
    case BPF_XOR: m->a ^= by; return true;
    case BPF_LSH: m->a = by < 32 ? m->a << by : 0; return by < 32;
    case BPF_RSH: m->a = by < 32 ? m->a >> by : 0; return by < 32;
    case BPF_NEG: m->a = -m->a; return true;
    default: return false;
    }
}

/* Moves *at, which is behind the jump, on to where it leads. */
static bool seccomp_step_jump(
    const struct seccomp_machine *m, const struct sock_filter *step, size_t *at)
{
    uint32_t with = BPF_SRC(step->code) == BPF_X ? m->x : step->k;
    bool is_true;
    switch (BPF_OP(step->code)) {
    case BPF_JA: *at += step->k; return true;
    case BPF_JEQ: is_true = m->a == with; break;
    case BPF_JGT: is_true = m->a > with; break;
    case BPF_JGE: is_true = m->a >= with; break;
    case BPF_JSET: is_true = (m->a & with) != 0; break;
    default: return false;
    }
    *at += is_true ? step->jt : step->jf;
    return true;
}

static bool seccomp_step(struct seccomp_machine *m, const struct sock_filter *step, size_t *at)
{
    switch (BPF_CLASS(step->code)) {
    case BPF_LD: return seccomp_step_load(m, step, &m->a);
    case BPF_LDX: return seccomp_step_load(m, step, &m->x);
    case BPF_ST:
    case BPF_STX: return seccomp_step_store(m, step);
    case BPF_ALU: return seccomp_step_alu(m, step);
    case BPF_JMP: return seccomp_step_jump(m, step, at);
    case BPF_MISC:
        *(BPF_MISCOP(step->code) == BPF_TAX ? &m->x : &m->a) =
            BPF_MISCOP(step->code) == BPF_TAX ? m->a : m->x;
        return true;
    default: return false;
    }
}

bool hf_seccomp_run(const struct sock_filter *filter, size_t count, const struct seccomp_data *call,
    uint32_t *out_action)
{
    struct seccomp_machine m = {.call = call};
    for (size_t at = 0; at < count;) {
        const struct sock_filter *step = &filter[at++];
        if (BPF_CLASS(step->code) == BPF_RET) {
            uint32_t answer = BPF_RVAL(step->code) == BPF_A ? m.a : step->k;
            *out_action = answer & SECCOMP_RET_ACTION_FULL;
            return true;
        }
        if (!seccomp_step(&m, step, &at))
            return false;
    }
    return false;
}

static const char *why_unread(int error)
{
    return error == EACCES
               ? "it runs under a seccomp filter, which may kill the process for a call that the "
                 "program does not make, and only root outside of a container may read it"
               : "it runs under a seccomp filter, which this kernel does not show";
}

/* hf_seccomp_why_not for one filter. */
static const char *why_not_by(const struct sock_filter *filter, size_t size, uint64_t address,
    const struct hf_seccomp_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t action;
        struct seccomp_data call = {
            .nr = calls[i].number, .arch = AUDIT_ARCH_X86_64, .instruction_pointer = address};
        memcpy(call.args, calls[i].arguments, sizeof call.args);
        if (!hf_seccomp_run(filter, size, &call, &action))
            return "it runs under a seccomp filter that heapflame does not understand";
        if (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG)
            return "its seccomp filter forbids a system call that is needed";
    }
    return NULL;
}

const char *hf_seccomp_why_not(
    pid_t tid, uint64_t address, const struct hf_seccomp_call *calls, size_t count)
{
    const char *why = NULL;
    struct sock_filter *filter = hf_budget_calloc(BPF_MAXINSNS, sizeof *filter);
    if (filter == NULL)
        return "there is no memory to read its seccomp filter";
    for (unsigned long i = 0; why == NULL; i++) {
        long size =
            i < HF_LIMIT_SECCOMP_FILTERS ? ptrace(GET_FILTER, tid, i, NULL) : BPF_MAXINSNS + 1;
        if (size < 0 && errno == ENOENT && i != 0)
            break;
        if (size > BPF_MAXINSNS)
            why = "it runs under more seccomp filters than heapflame reads "
                  "(HF_LIMIT_SECCOMP_FILTERS)";
        else if (size < 0 || ptrace(GET_FILTER, tid, i, filter) != size)
            why = why_unread(size < 0 ? errno : 0);
        else
            why = why_not_by(filter, (size_t)size, address, calls, count);
    }
    hf_budget_free(filter);
    return why;
}
