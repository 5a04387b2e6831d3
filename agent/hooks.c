/*
 * hooks.c: malloc and its family, and dlclose, as the program sees them.
 *
 * reallocarray, free_sized and free_aligned_sized are made of realloc and free, as in the C
 * libraries that have them. dlopen has no hook: from a hook it would search the agent's RUNPATH
 * instead of its caller's.
 */
#include "base/mutant.h"
#include "event.h"
#include "modules.h"
#include "real.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#define HOOK(name, parameters, arguments)                                                          \
    HF_HOOK void *name parameters;                                                                 \
    HF_HOOK_SLOW_PATH(name, parameters, size, hf_real.name arguments)                              \
    void *name parameters                                                                          \
    {                                                                                              \
        return hf_event_charge(size) ? slow_##name arguments : hf_real.name arguments;             \
    }

HOOK(malloc, (size_t size), (size))
HOOK(valloc, (size_t size), (size))
HOOK(pvalloc, (size_t size), (size))
HOOK(memalign, (size_t alignment, size_t size), (alignment, size))
HOOK(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

HF_HOOK void *calloc(size_t count, size_t size);
HF_HOOK_SLOW_PATH(calloc, (size_t count, size_t size), (count * size), hf_real.calloc(count, size))

/* A product that overflows wraps here; the real function refuses it. */
void *calloc(size_t count, size_t size)
{
    return hf_event_charge(count * size) ? slow_calloc(count, size) : hf_real.calloc(count, size);
}

HF_HOOK int posix_memalign(void **out_block, size_t alignment, size_t size);
static HF_HOOK_SLOW int slow_posix_memalign(void **out_block, size_t alignment, size_t size)
{
    bool is_due = hf_event_is_due(size, HF_HOOK_CALLER());
    int error = hf_real.posix_memalign(out_block, alignment, size);
    if (is_due && error == 0)
        hf_event_alloc(*out_block, size, HF_HOOK_CALLER());
    return error;
}

int posix_memalign(void **out_block, size_t alignment, size_t size)
{
    return hf_event_charge(size) ? slow_posix_memalign(out_block, alignment, size)
                                 : hf_real.posix_memalign(out_block, alignment, size);
}

/* A block of the bootstrap arena moves to the real allocator, which has never seen it. */
static void *leave_bootstrap(const void *block, size_t size)
{
    void *moved = malloc(size);
    if (moved != NULL) {
        size_t old = hf_bootstrap_size(block);
        memcpy(moved, block, old < size ? old : size);
    }
    return moved;
}

HF_HOOK void *realloc(void *block, size_t size);
static HF_HOOK_SLOW void *slow_realloc(void *block, size_t size)
{
    if (hf_bootstrap_holds(block))
        return leave_bootstrap(block, size);
    const struct hf_caller *caller = HF_HOOK_CALLER();
    bool is_due = hf_event_is_overdrawn() && hf_event_is_due(size, caller);
    uint32_t slot = block != NULL ? hf_event_take(block, caller) : HF_LIVE_NONE;
    int error = errno;
    errno = 0;
    void *moved = hf_real.realloc(block, size);
    /* Of size 0 some allocators free, and return NULL. */
    bool is_gone = moved != NULL || (size == 0 && errno != ENOMEM) || HF_MUTANT(REALLOC);
    if (errno == 0)
        errno = error;
    hf_agent_tls.moved_from = (uintptr_t)block;
    if (slot != HF_LIVE_NONE)
        hf_event_settle(block, slot, is_gone, caller);
    if (is_due && moved != NULL)
        hf_event_alloc(moved, size, caller);
    hf_agent_tls.moved_from = 0;
    return moved;
}

void *realloc(void *block, size_t size)
{
    if (hf_event_charge(size) || HF_UNLIKELY(hf_filter_may_hold((uintptr_t)block)))
        return slow_realloc(block, size);
    return hf_real.realloc(block, size);
}

HF_HOOK void *reallocarray(void *block, size_t count, size_t size);
void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

HF_HOOK void free(void *block);
static HF_HOOK_SLOW void slow_free(void *block)
{
    if (hf_bootstrap_holds(block))
        return;
    if (HF_MUTANT(FREE)) {
        hf_real.free(block);
        (void)sched_yield(); /* to whom the address belongs by now */
    }
    hf_event_free(block, HF_HOOK_CALLER());
    if (!HF_MUTANT(FREE))
        hf_real.free(block);
}

void free(void *block)
{
    if (HF_UNLIKELY(hf_filter_may_hold((uintptr_t)block)))
        slow_free(block);
    else
        hf_real.free(block);
}

HF_HOOK void free_sized(void *block, size_t size);
void free_sized(void *block, size_t size)
{
    (void)size;
    free(block);
}

HF_HOOK void free_aligned_sized(void *block, size_t alignment, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    (void)alignment;
    (void)size;
    free(block);
}

HF_HOOK size_t malloc_usable_size(void *block);
size_t malloc_usable_size(void *block)
{
    return hf_bootstrap_holds(block) ? hf_bootstrap_size(block) : hf_real.malloc_usable_size(block);
}

HF_HOOK int dlclose(void *handle);
int dlclose(void *handle)
{
    hf_modules_unloading(&hf_agent.modules);
    int failed = hf_real.dlclose(handle);
    if (!HF_MUTANT(DLCLOSE))
        hf_modules_unloaded(&hf_agent.modules);
    return failed;
}
