#include "memory/signal_frame.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <ucontext.h>

#define RED_ZONE_BYTES 128 /* System V ABI for AMD64, 3.2.2 */
#define SYSCALL_BYTES 2

/* linux/errno.h of the kernel, not of its interface: what an interrupted system call returns. */
#define ERESTARTSYS 512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

/* asm/ucontext.h and asm/sigcontext.h, which cannot be included beside <ucontext.h>. */
#define UC_FP_XSTATE 1
#define UC_SIGCONTEXT_SS 2
#define UC_STRICT_RESTORE_SS 4
#define FP_XSTATE_MAGIC1 0x46505853u
#define FP_XSTATE_MAGIC2 0x46505845u
#define FP_XSTATE_ALIGN 64
#define NO_SUCH_MODE 0x7f /* for the alternate signal stack: the thread keeps its own */

/* Stands in the bytes that XSAVE leaves to software. */
struct software_bytes {
    uint32_t magic1, extended_size;
    uint64_t features;
    uint32_t size, padding[7];
};
#define SOFTWARE_BYTES_AT 464
#define XSAVE_HEADER_AT 512
#define XSAVE_MIN_BYTES (512 + 64)
#define XSAVE_MAX_BYTES (HF_SIGNAL_FRAME_MAX - 2048) /* the rest has room in 2048 */
#define XSAVE_TILES 18
#define CPUID_XSAVE 0xd

struct signal_frame {
    uint64_t return_address; /* rt_sigreturn looks 8 bytes below the stack pointer */
    ucontext_t context;
};

struct user_regs_struct hf_signal_frame_resumed(struct user_regs_struct registers)
{
    if ((int64_t)registers.orig_rax < 0)
        return registers; /* it was not in a system call */
    switch (-(int64_t)registers.rax) {
    case ERESTARTSYS:
    case ERESTARTNOINTR:
    case ERESTARTNOHAND:
    case ERESTART_RESTARTBLOCK:
        registers.rax = registers.orig_rax;
        registers.rip -= SYSCALL_BYTES;
        break;
    default: break;
    }
    registers.orig_rax = UINT64_MAX;
    return registers;
}

static void put_registers(ucontext_t *context, const struct user_regs_struct *r)
{
    greg_t *to = context->uc_mcontext.gregs;
    to[REG_R8] = (greg_t)r->r8;
    to[REG_R9] = (greg_t)r->r9;
    to[REG_R10] = (greg_t)r->r10;
    to[REG_R11] = (greg_t)r->r11;
    to[REG_R12] = (greg_t)r->r12;
    to[REG_R13] = (greg_t)r->r13;
    to[REG_R14] = (greg_t)r->r14;
    to[REG_R15] = (greg_t)r->r15;
    to[REG_RDI] = (greg_t)r->rdi;
    to[REG_RSI] = (greg_t)r->rsi;
    to[REG_RBP] = (greg_t)r->rbp;
    to[REG_RBX] = (greg_t)r->rbx;
    to[REG_RDX] = (greg_t)r->rdx;
    to[REG_RAX] = (greg_t)r->rax;
    to[REG_RCX] = (greg_t)r->rcx;
    to[REG_RSP] = (greg_t)r->rsp;
    to[REG_RIP] = (greg_t)r->rip;
    to[REG_EFL] = (greg_t)r->eflags;
    to[REG_CSGSFS] = (greg_t)(r->cs | r->gs << 16 | r->fs << 32 | r->ss << 48);
}

/*
 * How many bytes of XSAVE's a frame with these features has. The kernel accepts no more than the
 * thread may have; features that need a permission (AMX's tiles) have no bytes until they are in
 * use. Intel's manual, volume 1, 13.4.3: CPUID says where each feature's part is.
 */
static size_t frame_features(const uint8_t *bytes, size_t size, uint64_t *features)
{
    uint64_t in_use;
    size_t end = XSAVE_MIN_BYTES;
    memcpy(features, bytes + SOFTWARE_BYTES_AT, sizeof *features);
    memcpy(&in_use, bytes + XSAVE_HEADER_AT, sizeof in_use);
    if ((in_use >> XSAVE_TILES & 1) == 0)
        *features &= ~(UINT64_C(1) << XSAVE_TILES);
    for (unsigned feature = 2; feature < 63; feature++) {
        unsigned part_size, part_at, flags, unused;
        if ((*features >> feature & 1) != 0 &&
            __get_cpuid_count(CPUID_XSAVE, feature, &part_size, &part_at, &flags, &unused) != 0 &&
            part_at + part_size > end && part_at + part_size <= size)
            end = part_at + part_size;
    }
    return end;
}

/* Turns XSAVE's bytes into those of a signal frame; returns how many there are then. */
static size_t mark_vectors(uint8_t *bytes, size_t all)
{
    struct software_bytes software = {.magic1 = FP_XSTATE_MAGIC1};
    uint32_t end = FP_XSTATE_MAGIC2;
    size_t size = frame_features(bytes, all, &software.features);
    software.extended_size = (uint32_t)(size + sizeof end);
    software.size = (uint32_t)size;
    memcpy(bytes + SOFTWARE_BYTES_AT, &software, sizeof software);
    memcpy(bytes + size, &end, sizeof end);
    return size + sizeof end;
}

enum hf_status hf_signal_frame_of(struct hf_signal_frame *frame, pid_t tid, struct hf_error *err)
{
    struct user_regs_struct registers;
    uint8_t vectors[XSAVE_MAX_BYTES];
    struct iovec vector_io = {vectors, sizeof vectors - sizeof(uint64_t)}; /* whole words */
    struct signal_frame head = {
        .context = {.uc_flags = UC_FP_XSTATE | UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS,
            .uc_stack = {.ss_flags = NO_SUCH_MODE}}};
    if (ptrace(PTRACE_GETREGS, tid, 0, &registers) != 0 ||
        ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &vector_io) != 0 ||
        ptrace(PTRACE_GETSIGMASK, tid, sizeof(uint64_t), &head.context.uc_sigmask) != 0)
        return hf_error_system(err, errno, "cannot read the registers of thread %d", (int)tid);
    if (vector_io.iov_len < XSAVE_MIN_BYTES)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "the layout of this processor's vector registers is unknown");
    size_t vectors_size = mark_vectors(vectors, vector_io.iov_len);
    uint64_t top = registers.rsp - RED_ZONE_BYTES;
    uint64_t vectors_at = (top - vectors_size) & ~(uint64_t)(FP_XSTATE_ALIGN - 1);
    frame->address = (vectors_at - sizeof head) & ~UINT64_C(15);
    frame->stack_pointer = frame->address + sizeof head.return_address;
    frame->size = top - frame->address;
    registers = hf_signal_frame_resumed(registers);
    put_registers(&head.context, &registers);
    head.context.uc_mcontext.fpregs = (fpregset_t)(uintptr_t)vectors_at; /* in that process */
    memcpy(&frame->mask, &head.context.uc_sigmask, sizeof frame->mask);
    memset(frame->bytes, 0, frame->size);
    memcpy(frame->bytes, &head, sizeof head);
    memcpy(frame->bytes + (vectors_at - frame->address), vectors, vectors_size);
    return HF_OK;
}
