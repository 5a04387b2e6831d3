#include "memory/remote_call.h"

#include "memory/seccomp_filter.h"
#include "os/input.h"
#include "os/path.h"
#include "os/process/map_line.h"
#include "os/process/proc.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYSCALL_STOP (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */
#define WORD sizeof(uint64_t)
#define LAST_WORD (HF_REMOTE_CODE_BYTES / WORD * WORD)

/* A thread that makes our call waits for nothing but a processor. */
#define CALL_PATIENCE_NS UINT64_C(60000000000)

/* The copy shares the open files, so it keeps none open that the process closes. */
#define COPY_FLAGS (CLONE_FILES | CLONE_FS)

/* Where `copy` and `call` begin in the instructions: see remote_call.h. */
enum { COPY_AT = 0, CALL_AT = 13 };

static const uint8_t instructions[HF_REMOTE_CODE_BYTES] = {
    /* copy: */ 0x0f,
    0x05,
    0x85,
    0xc0,
    0x74,
    0x0b,
    /* back: */ 0xb8,
    15,
    0,
    0,
    0,
    0x0f,
    0x05,
    /* call: */ 0x0f,
    0x05,
    0xeb,
    0xf5,
    /* end: */ 0x31,
    0xff,
    0xb8,
    231,
    0,
    0,
    0,
    0x0f,
    0x05,
};

static bool remote_read(pid_t tid, uint64_t address, void *out, size_t size)
{
    struct iovec to = {out, size}, from = {(void *)(uintptr_t)address, size};
    return process_vm_readv(tid, &to, 1, &from, 1, 0) == (ssize_t)size;
}

/* Writes even where the process itself may not: the kernel makes a private copy of the page. */
static bool remote_write(pid_t tid, uint64_t address, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += WORD) {
        uint64_t word = 0;
        size_t part = size - at < WORD ? size - at : WORD;
        if (part != WORD && !remote_read(tid, address + at, &word, WORD))
            return false;
        memcpy(&word, bytes + at, part);
        if (ptrace(PTRACE_POKEDATA, tid, address + at, word) != 0)
            return false;
    }
    return true;
}

static bool remote_find_entry(pid_t tid, uint64_t *out_entry)
{
    char path[64];
    struct hf_input auxv;
    struct hf_text bytes = {0};
    (void)snprintf(path, sizeof path, "/proc/%d/auxv", (int)tid);
    *out_entry = 0;
    if (hf_input_open(&auxv, path, NULL) != HF_OK)
        return false;
    if (hf_input_peek(&auxv, 4096, &bytes, NULL) == HF_OK) {
        for (size_t at = 0; at + sizeof(Elf64_auxv_t) <= bytes.size; at += sizeof(Elf64_auxv_t)) {
            Elf64_auxv_t one;
            memcpy(&one, bytes.data + at, sizeof one);
            if (one.a_type == AT_ENTRY)
                *out_entry = one.a_un.a_val;
        }
    }
    hf_input_close(&auxv);
    return *out_entry != 0;
}

/* All calls that the thread makes: by `copy`, `back` and `end`, and for the guardian. */
static const char *why_not_by_filter(pid_t tid, uint64_t entry)
{
    const struct hf_seccomp_call calls[] = {{SYS_clone, {COPY_FLAGS}}, {SYS_rt_sigreturn, {0}},
        {SYS_exit_group, {0}}, {SYS_wait4, {1, 0, __WALL | WNOHANG}}};
    return hf_seccomp_why_not(tid, entry + CALL_AT + 2, calls, HF_COUNT(calls));
}

/* NULL: it may be chosen. */
static const char *why_not_by_status(pid_t pid, pid_t tid, uint64_t entry)
{
    char path[64];
    struct hf_input input;
    struct hf_text line;
    enum hf_status status = HF_OK;
    const char *why = NULL;
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)pid, (int)tid);
    if (hf_input_open(&input, path, NULL) != HF_OK)
        return "it has ended";
    while (hf_input_next(&input, &line, &status, NULL)) {
        if (hf_text_take(&line, "Seccomp:") &&
            !hf_text_equal(hf_text_trim_start(line, " \t"), HF_TEXT("0")))
            why = why_not_by_filter(tid, entry);
        if (hf_text_take(&line, "x86_Thread_features:") &&
            memmem(line.data, line.size, "shstk", 5) != NULL)
            why = "it has a shadow stack";
    }
    hf_input_close(&input);
    return why;
}

/* Room below the red zone, on the stack that the thread was created with: the main thread's, or one
 * that also holds the thread's own data, as those of pthread_create(3) do. */
static bool has_room(const struct hf_stopped_thread *thread, uint64_t lowest)
{
    char path[64];
    struct hf_input maps;
    struct hf_text line;
    struct hf_map_line map;
    enum hf_status status = HF_OK;
    uint64_t sp = thread->registers.rsp, tls = thread->registers.fs_base;
    bool has = false;
    (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)thread->tid);
    if (hf_input_open(&maps, path, NULL) != HF_OK)
        return false;
    while (!has && hf_input_next(&maps, &line, &status, NULL)) {
        if (hf_map_line_parse(line, &map) && sp > map.start && sp < map.end && lowest >= map.start)
            has =
                hf_text_equal(map.path, HF_TEXT("[stack]")) || (tls >= map.start && tls < map.end);
    }
    hf_input_close(&maps);
    return has;
}

static bool is_in_code(const struct hf_stopped_thread *thread, uint64_t entry)
{
    uint64_t pc = thread->registers.rip;
    return pc >= entry && pc < entry + HF_REMOTE_CODE_BYTES;
}

static const char *why_not(
    struct hf_remote_call *call, const struct hf_stopped *stopped, struct hf_stopped_thread *thread)
{
    call->may_soon |= is_in_code(thread, call->entry) || thread->signal != 0;
    if (is_in_code(thread, call->entry))
        return "the program has not started yet, or already makes such a call";
    if (thread->signal != 0)
        return "a signal is on its way to it";
    const char *why = why_not_by_status(stopped->pid, thread->tid, call->entry);
    if (why != NULL)
        return why;
    if (hf_signal_frame_of(&call->frame, thread->tid, NULL) != HF_OK)
        return "its registers cannot be read";
    return has_room(thread, call->frame.address)
               ? NULL
               : "it runs on a stack that heapflame does not know";
}

/* Writes all bytes at once, where the process itself may write, e.g. to its stack. */
static bool write_stack(pid_t tid, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct iovec from = {(void *)(uintptr_t)bytes, size}, to = {(void *)(uintptr_t)address, size};
    return process_vm_writev(tid, &from, 1, &to, 1, 0) == (ssize_t)size ||
           remote_write(tid, address, bytes, size);
}

static enum hf_status write_code(struct hf_remote_call *call, struct hf_error *err)
{
    pid_t tid = call->thread->tid;
    if (!remote_read(tid, call->entry, call->code, sizeof call->code) ||
        !remote_read(tid, call->frame.address, call->below, call->frame.size) ||
        !write_stack(tid, call->frame.address, call->frame.bytes, call->frame.size))
        return hf_error_system(err, errno, "cannot write into the memory of thread %d", (int)tid);
    call->is_written = true;
    if (!remote_write(tid, call->entry, instructions, sizeof instructions))
        return hf_error_system(err, errno, "cannot write into the code of thread %d", (int)tid);
    return HF_OK;
}

/* What the program's file has at an address. It is opened by /proc/PID/exe, because only root may
 * use map_files. */
static bool read_file_at(pid_t tid, uint64_t address, uint8_t *out, size_t size)
{
    char path[64];
    struct hf_input maps;
    struct hf_text line;
    struct hf_map_line map;
    enum hf_status status = HF_OK;
    bool is_read = false;
    (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)tid);
    if (hf_input_open(&maps, path, NULL) != HF_OK)
        return false;
    while (hf_input_next(&maps, &line, &status, NULL)) {
        if (!hf_map_line_parse(line, &map) || address < map.start || address >= map.end)
            continue;
        (void)snprintf(path, sizeof path, "/proc/%d/exe", (int)tid);
        int file = hf_path_open(path, 0);
        off_t at = (off_t)(address - map.start + map.file_offset);
        is_read = file >= 0 && pread(file, out, size, at) == (ssize_t)size;
        if (file >= 0)
            (void)close(file);
    }
    hf_input_close(&maps);
    return is_read;
}

/* The code is written and restored word by word, and either may be killed between two words. */
bool hf_remote_call_is_left(pid_t pid)
{
    pid_t tid = (pid_t)hf_proc_living_thread((uint32_t)pid);
    uint64_t entry;
    uint8_t code[HF_REMOTE_CODE_BYTES], own[HF_REMOTE_CODE_BYTES];
    size_t ours = 0;
    if (!remote_find_entry(tid, &entry) || !remote_read(tid, entry, code, sizeof code) ||
        (memcmp(code, instructions, WORD) != 0 &&
            memcmp(code + LAST_WORD, instructions + LAST_WORD, sizeof code - LAST_WORD) != 0) ||
        !read_file_at(tid, entry, own, sizeof own))
        return false;
    for (size_t at = 0; at < sizeof code; at += WORD) {
        size_t size = at == LAST_WORD ? sizeof code - LAST_WORD : WORD;
        bool is_ours = memcmp(code + at, instructions + at, size) == 0;
        if (!is_ours && memcmp(code + at, own + at, size) != 0)
            return false;
        ours += is_ours;
    }
    return ours != 0;
}

enum hf_status hf_remote_call_clear(const struct hf_stopped *stopped, struct hf_error *err)
{
    uint64_t entry;
    uint8_t code[HF_REMOTE_CODE_BYTES];
    pid_t tid = stopped->threads[0].tid;
    if (!hf_remote_call_is_left(stopped->pid) || !remote_find_entry(tid, &entry))
        return HF_OK;
    for (size_t i = 0; i < stopped->count; i++) {
        if (is_in_code(&stopped->threads[i], entry))
            return hf_error_set(err, HF_ERR_SYSTEM,
                "thread %d of process %d is still making a system call for heapflame",
                (int)stopped->threads[i].tid, (int)stopped->pid);
    }
    if (!read_file_at(tid, entry, code, sizeof code) ||
        !remote_write(tid, entry, code, sizeof code))
        return hf_error_set(err, HF_ERR_SYSTEM,
            "cannot restore the code at the entry point of process %d, which never runs again",
            (int)stopped->pid);
    return HF_OK;
}

enum hf_status hf_remote_call_begin(
    struct hf_remote_call *call, struct hf_stopped *stopped, struct hf_error *err)
{
    const char *why = "it has no threads";
    *call = (struct hf_remote_call){0};
    pid_t tid = stopped->count != 0 ? stopped->threads[0].tid : stopped->pid;
    if (!remote_find_entry(tid, &call->entry))
        return hf_error_set(err, HF_ERR_SYSTEM,
            "cannot find the entry point of process %d: /proc/%d/auxv cannot be read",
            (int)stopped->pid, (int)tid);
    for (size_t i = 0; i < stopped->count && why != NULL; i++) {
        why = why_not(call, stopped, &stopped->threads[i]);
        call->thread = &stopped->threads[i];
    }
    if (why != NULL) {
        *call = (struct hf_remote_call){.may_soon = call->may_soon};
        return hf_error_set(err, HF_ERR_SYSTEM,
            "no thread of process %d can make a system call for heapflame; the last one tried: %s",
            (int)stopped->pid, why);
    }
    return write_code(call, err);
}

/* The signal that stopped the thread; 0: something else did. All signals are blocked except
 * SIGSTOP, which cannot be. */
static int signal_of(int state)
{
    return state != 0 && state >> 16 == 0 && WSTOPSIG(state) != SYSCALL_STOP ? WSTOPSIG(state) : 0;
}

/* Lets the thread go on until it stops again; *state is the last stop, and becomes the new one. A
 * signal that stops the whole program is let through: the kernel keeps it until the thread is
 * released, unless a SIGCONT comes first, and the call goes on. */
static bool step(pid_t tid, enum __ptrace_request request, int *state)
{
    return ptrace(request, tid, 0, signal_of(*state)) == 0 &&
           hf_stopped_wait(tid, hf_stopped_now_ns() + CALL_PATIENCE_NS, state) &&
           WIFSTOPPED(*state);
}

/* The mask comes last: until the registers are set, no handler may be called that would return to
 * them. */
static bool aim(struct hf_remote_call *call, long number, const uint64_t *arguments, size_t count,
    uint64_t code_at)
{
    uint64_t all = UINT64_MAX;
    uint64_t a[6] = {0};
    struct user_regs_struct r = call->thread->registers;
    for (size_t i = 0; i < count; i++)
        a[i] = arguments[i];
    r.rip = call->entry + code_at;
    r.rsp = call->frame.stack_pointer;
    r.rax = (uint64_t)number;
    r.orig_rax = UINT64_MAX;
    r.rdi = a[0];
    r.rsi = a[1];
    r.rdx = a[2];
    r.r10 = a[3];
    r.r8 = a[4];
    r.r9 = a[5];
    call->is_aimed = true;
    return ptrace(PTRACE_SETREGS, call->thread->tid, 0, &r) == 0 &&
           ptrace(PTRACE_SETSIGMASK, call->thread->tid, sizeof all, &all) == 0;
}

/* Runs the call; *out_child: the child that a clone(2) made, or 0. Each time that the thread goes
 * on, it waits for a processor; so if a child shows that the call is done, the end of the call is
 * not awaited. */
static bool remote_run(struct hf_remote_call *call, int64_t *out_result, pid_t *out_child)
{
    pid_t tid = call->thread->tid;
    struct user_regs_struct after;
    int state = 0, stops = 0;
    unsigned long child = 0;
    while (stops < 2 && child == 0) {
        if (!step(tid, PTRACE_SYSCALL, &state))
            return false;
        if (state >> 8 == (SIGTRAP | PTRACE_EVENT_CLONE << 8))
            (void)ptrace(PTRACE_GETEVENTMSG, tid, 0, &child);
        stops += WSTOPSIG(state) == SYSCALL_STOP;
    }
    *out_child = (pid_t)child;
    /* Registers that were set at this stop would hold as they are. At the stop below, where signals
     * are delivered, the kernel still checks whether an interrupted call must begin again. */
    do {
        if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) != 0 || !step(tid, PTRACE_CONT, &state))
            return false;
    } while (state >> 16 != PTRACE_EVENT_STOP);
    if (ptrace(PTRACE_GETREGS, tid, 0, &after) != 0)
        return false;
    *out_result = (int64_t)after.rax;
    return true;
}

static enum hf_status lost(const struct hf_remote_call *call, struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_SYSTEM,
        "thread %d ended while it made a system call for heapflame", (int)call->thread->tid);
}

enum hf_status hf_remote_call_do(struct hf_remote_call *call, long number,
    const uint64_t *arguments, size_t count, int64_t *out_result, struct hf_error *err)
{
    pid_t child;
    bool is_done = ptrace(PTRACE_SETOPTIONS, call->thread->tid, 0, PTRACE_O_TRACESYSGOOD) == 0 &&
                   aim(call, number, arguments, count, CALL_AT) &&
                   remote_run(call, out_result, &child);
    return is_done ? HF_OK : lost(call, err);
}

enum hf_status hf_remote_call_copy(
    struct hf_remote_call *call, pid_t *out_copy, pid_t *out_inner, struct hf_error *err)
{
    uint64_t flags = COPY_FLAGS;
    int64_t result = 0;
    int state;
    pid_t tid = call->thread->tid;
    *out_copy = 0;
    bool is_done =
        ptrace(PTRACE_SETOPTIONS, tid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE) == 0 &&
        aim(call, SYS_clone, &flags, 1, COPY_AT) && remote_run(call, &result, out_copy);
    if (!is_done)
        return lost(call, err);
    if (result < 0 || *out_copy == 0)
        return hf_error_system(err, (int)-result, "cannot copy process %d", (int)tid);
    *out_inner = (pid_t)result;
    if (!hf_stopped_wait(*out_copy, hf_stopped_now_ns() + CALL_PATIENCE_NS, &state) ||
        !WIFSTOPPED(state) || ptrace(PTRACE_SETOPTIONS, *out_copy, 0, PTRACE_O_EXITKILL) != 0)
        return hf_error_set(err, HF_ERR_SYSTEM, "the copy of process %d ended", (int)tid);
    return HF_OK;
}

void hf_remote_call_end(struct hf_remote_call *call)
{
    if (call->thread == NULL)
        return;
    pid_t tid = call->thread->tid;
    if (call->is_aimed) { /* the mask first: see aim() */
        (void)ptrace(PTRACE_SETSIGMASK, tid, sizeof call->frame.mask, &call->frame.mask);
        (void)ptrace(PTRACE_SETREGS, tid, 0, &call->thread->registers);
        (void)ptrace(PTRACE_SETOPTIONS, tid, 0, 0);
    }
    if (call->is_written) {
        (void)remote_write(tid, call->entry, call->code, sizeof call->code);
        (void)write_stack(tid, call->frame.address, call->below, call->frame.size);
    }
    *call = (struct hf_remote_call){0};
}
