#include "real.h"

#include "agent.h"
#include "base/attr.h"
#include "base/gate.h"
#include "base/mutant.h"
#include "guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

_Alignas(16) uint8_t hf_bootstrap[HF_BOOTSTRAP_BYTES];
static _Atomic size_t bootstrap_used;

/* Before each block of the arena; padded so that the block is aligned. */
struct bootstrap_head {
    size_t size, unused;
};

void *hf_bootstrap_alloc(size_t size, size_t alignment)
{
    size_t head = sizeof(struct bootstrap_head);
    if (alignment < head)
        alignment = head;
    if (size > HF_BOOTSTRAP_BYTES || alignment > HF_BOOTSTRAP_BYTES) {
        errno = ENOMEM;
        return NULL;
    }
    size_t used = atomic_load(&bootstrap_used), at, end;
    do {
        uintptr_t base = (uintptr_t)hf_bootstrap;
        at = ((base + used + head + alignment - 1) & ~(alignment - 1)) - base;
        end = (at + size + head - 1) & ~(head - 1);
        if (end > HF_BOOTSTRAP_BYTES) {
            errno = ENOMEM;
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&bootstrap_used, &used, end));
    *(struct bootstrap_head *)(void *)(hf_bootstrap + at - head) =
        (struct bootstrap_head){.size = size};
    return hf_bootstrap + at;
}

size_t hf_bootstrap_size(const void *block)
{
    return ((const struct bootstrap_head *)block - 1)->size;
}

/* ISO C has no conversion from void * to a pointer to a function; POSIX promises this one. */
hf_function *hf_real_next(const char *name)
{
    void *found = dlsym(HF_MUTANT(NEXT) ? dlopen("libc.so.6", RTLD_LAZY) : RTLD_NEXT, name);
    hf_function *function;
    memcpy(&function, &found, sizeof function);
    return function;
}

static void real_take(void *member, const char *name)
{
    hf_function *found = hf_real_next(name);
    if (found != NULL)
        memcpy(member, &found, sizeof found);
}

/*
 * False while this very thread looks up: it must make do with the arena. Several threads may look
 * up at once; they find the same.
 */
static bool resolve(void)
{
    if (hf_agent_tls.is_resolving && !HF_MUTANT(BOOTSTRAP))
        return false;
    hf_agent_tls.is_resolving = true;
    struct hf_real real = hf_real;
#define TAKE(name) real_take(&real.name, #name)
    TAKE(malloc);
    TAKE(calloc);
    TAKE(realloc);
    TAKE(free);
    TAKE(posix_memalign);
    TAKE(aligned_alloc);
    TAKE(memalign);
    TAKE(valloc);
    TAKE(pvalloc);
    TAKE(malloc_usable_size);
    TAKE(dlclose);
    TAKE(mmap);
    TAKE(munmap);
    TAKE(mremap);
    TAKE(brk);
    TAKE(sbrk);
    TAKE(prctl);
    TAKE(execve);
    TAKE(execvpe);
    TAKE(fexecve);
    TAKE(execveat);
    TAKE(setrlimit);
    TAKE(prlimit);
#undef TAKE
    hf_real = real;
    hf_guard_call *next = NULL;
    real_take(&next, "syscall");
    hf_guard_begin(next);
    hf_agent_tls.is_resolving = false;
    return true;
}

static void *early_malloc(size_t size)
{
    return resolve() ? hf_real.malloc(size) : hf_bootstrap_alloc(size, 1);
}

static void *early_calloc(size_t count, size_t size)
{
    if (resolve())
        return hf_real.calloc(count, size);
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : hf_bootstrap_alloc(bytes, 1);
}

static void *early_realloc(void *block, size_t size)
{
    if (resolve())
        return hf_real.realloc(block, size);
    void *moved = hf_bootstrap_alloc(size, 1);
    if (moved != NULL && block != NULL && hf_bootstrap_holds(block)) {
        size_t old = hf_bootstrap_size(block);
        memcpy(moved, block, old < size ? old : size);
    }
    return moved;
}

/* While looking up, a block stays as it is. */
static void early_free(void *block)
{
    if (resolve())
        hf_real.free(block);
}

static int early_posix_memalign(void **out_block, size_t alignment, size_t size)
{
    if (resolve())
        return hf_real.posix_memalign(out_block, alignment, size);
    *out_block = hf_bootstrap_alloc(size, alignment);
    return *out_block != NULL ? 0 : ENOMEM;
}

static void *early_aligned_alloc(size_t alignment, size_t size)
{
    return resolve() ? hf_real.aligned_alloc(alignment, size) : hf_bootstrap_alloc(size, alignment);
}

static void *early_memalign(size_t alignment, size_t size)
{
    return resolve() ? hf_real.memalign(alignment, size) : hf_bootstrap_alloc(size, alignment);
}

static void *early_valloc(size_t size)
{
    return resolve() ? hf_real.valloc(size) : hf_bootstrap_alloc(size, 4096);
}

static void *early_pvalloc(size_t size)
{
    return resolve() ? hf_real.pvalloc(size) : hf_bootstrap_alloc(size, 4096);
}

static size_t early_malloc_usable_size(void *block)
{
    return resolve() ? hf_real.malloc_usable_size(block) : 0;
}

static int early_dlclose(void *handle)
{
    return resolve() ? hf_real.dlclose(handle) : -1;
}

static void *early_mmap(void *at, size_t bytes, int protection, int flags, int file, long offset)
{
    if (resolve())
        return hf_real.mmap(at, bytes, protection, flags, file, offset);
    return (void *)hf_gate_pass(SYS_mmap, (long)at, (long)bytes, protection, flags, file, offset);
}

static int early_munmap(void *start, size_t bytes)
{
    return resolve() ? hf_real.munmap(start, bytes)
                     : (int)hf_gate_pass(SYS_munmap, (long)start, (long)bytes, 0, 0, 0, 0);
}

static void *early_mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *to = va_arg(arguments, void *);
    va_end(arguments);
    if (resolve())
        return hf_real.mremap(old, old_bytes, bytes, flags, to);
    return (void *)hf_gate_pass(
        SYS_mremap, (long)old, (long)old_bytes, (long)bytes, flags, (long)to, 0);
}

/* libc keeps the end of the heap itself. */
static int early_brk(void *end)
{
    return resolve() ? hf_real.brk(end) : (errno = ENOMEM, -1);
}

static void *early_sbrk(intptr_t increment)
{
    return resolve() ? hf_real.sbrk(increment) : (errno = ENOMEM, (void *)-1);
}

static int early_prctl(int option, ...)
{
    unsigned long values[4];
    va_list arguments;
    va_start(arguments, option);
    hf_prctl_values(arguments, values);
    va_end(arguments);
    if (resolve())
        return hf_real.prctl(option, values[0], values[1], values[2], values[3]);
    return (int)hf_gate_pass(
        SYS_prctl, option, (long)values[0], (long)values[1], (long)values[2], (long)values[3], 0);
}

static int early_execve(const char *path, char *const *arguments, char *const *variables)
{
    return resolve() ? hf_real.execve(path, arguments, variables)
                     : (int)hf_gate_pass(
                           SYS_execve, (long)path, (long)arguments, (long)variables, 0, 0, 0);
}

static int early_execvpe(const char *file, char *const *arguments, char *const *variables)
{
    return resolve() ? hf_real.execvpe(file, arguments, variables) : (errno = EAGAIN, -1);
}

static int early_fexecve(int file, char *const *arguments, char *const *variables)
{
    return resolve() ? hf_real.fexecve(file, arguments, variables) : (errno = EAGAIN, -1);
}

/* glibc 2.34 has it; before, it is only a system call. */
static int early_execveat(
    int folder, const char *path, char *const *arguments, char *const *variables, int flags)
{
    if (resolve() && hf_real.execveat != early_execveat)
        return hf_real.execveat(folder, path, arguments, variables, flags);
    return (int)hf_gate_pass(
        SYS_execveat, folder, (long)path, (long)arguments, (long)variables, flags, 0);
}

static int early_setrlimit(int resource, const struct rlimit *limit)
{
    return resolve() ? hf_real.setrlimit(resource, limit)
                     : (int)hf_gate_pass(SYS_prlimit64, 0, resource, (long)limit, 0, 0, 0);
}

static int early_prlimit(int pid, int resource, const struct rlimit *limit, struct rlimit *out_old)
{
    return resolve()
               ? hf_real.prlimit(pid, resource, limit, out_old)
               : (int)hf_gate_pass(SYS_prlimit64, pid, resource, (long)limit, (long)out_old, 0, 0);
}

struct hf_real hf_real = {
    .malloc = early_malloc,
    .calloc = early_calloc,
    .realloc = early_realloc,
    .free = early_free,
    .posix_memalign = early_posix_memalign,
    .aligned_alloc = early_aligned_alloc,
    .memalign = early_memalign,
    .valloc = early_valloc,
    .pvalloc = early_pvalloc,
    .malloc_usable_size = early_malloc_usable_size,
    .dlclose = early_dlclose,
    .mmap = early_mmap,
    .munmap = early_munmap,
    .mremap = early_mremap,
    .brk = early_brk,
    .sbrk = early_sbrk,
    .prctl = early_prctl,
    .execve = early_execve,
    .execvpe = early_execvpe,
    .fexecve = early_fexecve,
    .execveat = early_execveat,
    .setrlimit = early_setrlimit,
    .prlimit = early_prlimit,
};
