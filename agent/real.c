#include "real.h"

#include "agent.h"
#include "base/attr.h"
#include "base/mutant.h"

#include <dlfcn.h>
#include <errno.h>
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

static void take(void *member, const char *name)
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
#define TAKE(name) take(&real.name, #name)
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
#undef TAKE
    hf_real = real;
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
};
