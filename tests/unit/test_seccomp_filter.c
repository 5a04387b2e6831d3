/* What seccomp filters say of a call: run here as the kernel runs them. */
#include "base/budget.h"
#include "base/limits.h"
#include "check.h"
#include "memory/remote_call.h"
#include "memory/seccomp_filter.h"
#include "snapshots.h"

#include <errno.h>
#include <linux/audit.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define KILL ANSWER(SECCOMP_RET_KILL_PROCESS)

struct filter {
    const char *name;
    struct sock_filter steps[12];
    uint32_t action; /* 0, which kills a thread: the kernel would not take it */
};

/* Each is run on clone(0x600) at 0x401002; the expected answer is that of the last step taken. */
static const struct filter filters[] = {
    {"all", {ALLOW}, SECCOMP_RET_ALLOW},
    {"the number", {LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0), KILL, ALLOW},
        SECCOMP_RET_ALLOW},
    {"another number", {LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 1, 0), KILL, ALLOW},
        SECCOMP_RET_KILL_PROCESS},
    {"the machine",
        {LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), KILL,
            ANSWER(SECCOMP_RET_ERRNO | 38)},
        SECCOMP_RET_ERRNO},
    {"namespaces, as containers have it",
        {LOAD(args[0]), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x7e020000),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), KILL, ALLOW},
        SECCOMP_RET_ALLOW},
    {"where it is made",
        {LOAD(instruction_pointer), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x401003, 0, 1), KILL,
            ALLOW},
        SECCOMP_RET_ALLOW},
    {"a bit that is set",
        {LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x200, 1, 0), KILL, ALLOW},
        SECCOMP_RET_ALLOW},
    {"not above", {LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 0x600, 1, 0), ALLOW, KILL},
        SECCOMP_RET_ALLOW},
    {"X and memory",
        {BPF_STMT(BPF_LD | BPF_IMM, 7), BPF_STMT(BPF_ST, 3), BPF_STMT(BPF_LDX | BPF_W | BPF_MEM, 3),
            BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 14, 1, 0),
            KILL, ALLOW},
        SECCOMP_RET_ALLOW},
    {"X to A, A to X",
        {BPF_STMT(BPF_LDX | BPF_IMM, 5), BPF_STMT(BPF_MISC | BPF_TXA, 0),
            BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, 2), BPF_STMT(BPF_MISC | BPF_TAX, 0),
            BPF_STMT(BPF_LD | BPF_IMM, 3), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 1, 0), KILL,
            ALLOW},
        SECCOMP_RET_ALLOW},
    {"arithmetic",
        {BPF_STMT(BPF_LD | BPF_IMM, 6), BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, 7),
            BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 2), BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 4),
            BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 1), BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, 0xff),
            BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 0x100), BPF_STMT(BPF_ALU | BPF_NEG, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t) - (0x100 | (168 ^ 0xff)), 1, 0), KILL,
            ALLOW},
        SECCOMP_RET_ALLOW},
    {"its length",
        {BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, sizeof(struct seccomp_data), 1, 0), KILL, ALLOW},
        SECCOMP_RET_ALLOW},
    {"what A says", {BPF_STMT(BPF_LD | BPF_IMM, SECCOMP_RET_LOG), BPF_STMT(BPF_RET | BPF_A, 0)},
        SECCOMP_RET_LOG},
    {"a jump", {BPF_STMT(BPF_JMP | BPF_JA, 1), KILL, ALLOW}, SECCOMP_RET_ALLOW},
    {"the end without an answer", {LOAD(nr)}, 0},
    {"a jump beyond the end", {BPF_STMT(BPF_JMP | BPF_JA, UINT32_MAX), ALLOW}, 0},
    {"beyond the call", {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), ALLOW}, 0},
    {"far beyond the call", {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, UINT32_MAX - 3), ALLOW}, 0},
    {"between two words", {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2), ALLOW}, 0},
    {"bytes", {BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0), ALLOW}, 0},
    {"the 17th word of memory", {BPF_STMT(BPF_ST, BPF_MEMWORDS), ALLOW}, 0},
    {"that word, read", {BPF_STMT(BPF_LD | BPF_MEM, BPF_MEMWORDS), ALLOW}, 0},
    {"division by nothing", {BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), ALLOW}, 0},
    {"a shift by 32", {BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 32), ALLOW}, 0},
    {"a packet's word", {BPF_STMT(BPF_LD | BPF_W | BPF_IND, 0), ALLOW}, 0},
    {"no jump", {BPF_JUMP(BPF_JMP | 0x50, 0, 0, 0), ALLOW}, 0},
    {"no arithmetic", {BPF_STMT(BPF_ALU | 0xb0, 0), ALLOW}, 0},
};

static size_t length_of(const struct filter *filter)
{
    static const struct sock_filter none;
    size_t count = HF_COUNT(filter->steps);
    while (count != 0 && memcmp(&filter->steps[count - 1], &none, sizeof none) == 0)
        count--;
    return count;
}

static void test_filters(void **state)
{
    (void)state;
    const struct seccomp_data call = {
        SYS_clone, AUDIT_ARCH_X86_64, 0x401002, {CLONE_FILES | CLONE_FS}};
    for (size_t i = 0; i < HF_COUNT(filters); i++) {
        uint32_t action = UINT32_MAX;
        bool is_run = hf_seccomp_run(filters[i].steps, length_of(&filters[i]), &call, &action);
        if (is_run != (filters[i].action != 0) || (is_run && action != filters[i].action))
            fail_msg("%s: %d, %#x", filters[i].name, (int)is_run, action);
    }
}

/* A program under `count` filters, `filter` the first of them. */
static pid_t start_filtered(const struct sock_filter *filter, size_t size, size_t count)
{
    int pipe_[2];
    char byte;
    assert_int_equal(pipe(pipe_), 0);
    pid_t pid = fork();
    if (pid == 0) {
        const struct sock_filter all[] = {ALLOW};
        struct sock_fprog program = {(unsigned short)size, (struct sock_filter *)(uintptr_t)filter};
        struct sock_fprog next = {1, (struct sock_filter *)(uintptr_t)all};
        bool is_set = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
        for (size_t i = 1; i < count && is_set; i++)
            is_set = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &next) == 0;
        if (write(pipe_[1], is_set ? "y" : "n", 1) != 1)
            _exit(1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(pipe_[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(pipe_[0]);
    close(pipe_[1]);
    return pid;
}

static void end(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Only root of the machine may read filters. */
static bool are_shown(pid_t pid)
{
    struct hf_stopped stopped;
    struct hf_error err;
    const struct hf_seccomp_call call = {SYS_getpid, {0}};
    check_ok(hf_stop_threads(&stopped, pid, &err), &err);
    const char *why = hf_seccomp_why_not(pid, 0, &call, 1);
    bool are = why == NULL || (strstr(why, "root") == NULL && strstr(why, "kernel") == NULL);
    hf_stopped_release(&stopped);
    return are;
}

static void test_snapshot_under_a_filter_that_allows_it(void **state)
{
    (void)state;
    const struct sock_filter as_containers[] = {LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), KILL, LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mount, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3), LOAD(args[0]),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x7e020000),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), ALLOW, ANSWER(SECCOMP_RET_ERRNO | EPERM)};
    pid_t pid = start_filtered(as_containers, HF_COUNT(as_containers), 3);
    if (!are_shown(pid)) {
        end(pid);
        skip();
    }
    struct hf_snapshot snapshot = {0};
    take_snapshot(&snapshot, pid);
    hf_snapshot_end(&snapshot);
    assert_int_equal(kill(pid, 0), 0);
    end(pid);
}

static void check_refused(
    const struct sock_filter *filter, size_t size, size_t count, const char *sentence)
{
    struct hf_error err;
    struct hf_snapshot snapshot = {0};
    pid_t pid = start_filtered(filter, size, count);
    bool are = are_shown(pid);
    enum hf_status status = HF_OK;
    for (int tries = 0; tries < 20; tries++) {
        status = hf_snapshot_take(&snapshot, pid, &err);
        if (status != HF_OK && strstr(err.text, "seccomp") != NULL)
            break;
        hf_snapshot_end(&snapshot);
    }
    assert_int_equal(status, HF_ERR_SYSTEM);
    if (strstr(err.text, are ? sentence : "seccomp filter, which") == NULL)
        fail_msg("%s", err.text);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0); /* it lives */
    end(pid);
}

static void test_refused_where_a_filter_forbids_it(void **state)
{
    (void)state;
    static const long needed[] = {SYS_clone, SYS_rt_sigreturn, SYS_exit_group, SYS_wait4};
    for (size_t i = 0; i < HF_COUNT(needed); i++) {
        const struct sock_filter kills[] = {
            LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)needed[i], 0, 1), KILL, ALLOW};
        check_refused(
            kills, HF_COUNT(kills), 2, "its seccomp filter forbids a system call that is needed");
    }
    const struct sock_filter all[] = {ALLOW};
    check_refused(all, 1, HF_LIMIT_SECCOMP_FILTERS + 1, "HF_LIMIT_SECCOMP_FILTERS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_snapshot_under_a_filter_that_allows_it),
        cmocka_unit_test(test_refused_where_a_filter_forbids_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
