/*
 * hooks_python.c: the small objects of CPython, which its own allocator makes.
 *
 * CPython lets one put an allocator in front of its own (PyMem_SetAllocator), which is done before
 * it begins: then all is seen as it is of malloc. Up to SMALL_BYTES its allocator, pymalloc, takes
 * from *arenas* that it maps; these are the allocator's, as those of malloc are. What is larger it
 * asks malloc for, and there it is recorded.
 *
 * Nothing is done where the environment chooses an allocator (PYTHONMALLOC), where the version was
 * never run (unwind/python/versions.h), and in an exact run: the objects of `import` alone have
 * 70,000 stacks of 80 frames, which fill the table. If Python replaces the hooks (-X dev), it goes
 * on without them, and what it maps is again recorded as the arenas of whoever needed one.
 *
 * Sources: "Memory Management" of the C API's reference; Objects/obmalloc.c for pymalloc's bound.
 */
#include "event.h"
#include "image.h"
#include "real.h"
#include "unwind/python/versions.h"

#include <stdlib.h>

#define SMALL_BYTES 512 /* SMALL_REQUEST_THRESHOLD; of 0 bytes malloc is asked, too */
#define UNIT_BYTES 16   /* ALIGNMENT: a block takes a multiple of that */

/* PyMemAllocatorEx and PyObjectArenaAllocator. */
struct python_allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

struct python_arenas {
    void *context;
    void *(*map)(void *context, size_t bytes);
    void (*unmap)(void *context, void *start, size_t bytes);
};

enum { GET, SET, GET_ARENAS, SET_ARENAS, NAME, PYTHON_FUNCTIONS };

enum python_domain { PYTHON_MEM = 1, PYTHON_OBJECT = 2, PYTHON_DOMAINS };

/* CPython's own. The context of each hook is the allocator behind it. */
static struct python_allocator python_next[PYTHON_DOMAINS];
static struct python_arenas python_next_arenas;
static const char *(*python_allocator_name)(void); /* NULL: another's */

static bool python_is_small(size_t size)
{
    return size - 1 < SMALL_BYTES;
}

/* What a small block takes: with a list of one element, whose items are 8 bytes, that is a lot. */
static size_t python_block_bytes(size_t size)
{
    return (size + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
}

static HF_HOOK_SLOW void *slow_python_malloc(const struct python_allocator *next, size_t size)
{
    size_t bytes = python_block_bytes(size);
    bool is_due = hf_event_is_due(bytes, HF_HOOK_CALLER());
    void *block = next->malloc(next->context, size);
    if (is_due && block != NULL)
        hf_event_alloc(block, bytes, HF_HOOK_CALLER());
    return block;
}

static void *python_malloc(void *context, size_t size)
{
    const struct python_allocator *next = context;
    if (python_is_small(size) && hf_event_charge(python_block_bytes(size)))
        return slow_python_malloc(next, size);
    return next->malloc(next->context, size);
}

static HF_HOOK_SLOW void *slow_python_calloc(
    const struct python_allocator *next, size_t count, size_t size)
{
    size_t bytes = python_block_bytes(count * size);
    bool is_due = hf_event_is_due(bytes, HF_HOOK_CALLER());
    void *block = next->calloc(next->context, count, size);
    if (is_due && block != NULL)
        hf_event_alloc(block, bytes, HF_HOOK_CALLER());
    return block;
}

static void *python_calloc(void *context, size_t count, size_t size)
{
    const struct python_allocator *next = context;
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes) && python_is_small(bytes) &&
        hf_event_charge(python_block_bytes(bytes)))
        return slow_python_calloc(next, count, size);
    return next->calloc(next->context, count, size);
}

/* A block that malloc made stays one of its own when it shrinks, so it may be recorded there. */
static bool python_is_recorded(const void *block, const struct hf_caller *caller)
{
    uint32_t slot = hf_event_take(block, caller);
    if (slot == HF_LIVE_NONE)
        return false;
    hf_event_settle(block, slot, false, caller);
    return true;
}

static HF_HOOK_SLOW void *slow_python_realloc(
    const struct python_allocator *next, void *block, size_t size)
{
    const struct hf_caller *caller = HF_HOOK_CALLER();
    size_t bytes = python_block_bytes(size);
    bool is_due =
        python_is_small(size) && hf_event_is_overdrawn() && hf_event_is_due(bytes, caller);
    uint32_t slot = block != NULL ? hf_event_take(block, caller) : HF_LIVE_NONE;
    void *moved = next->realloc(next->context, block, size);
    if (slot != HF_LIVE_NONE)
        hf_event_settle(block, slot, moved != NULL, caller);
    if (is_due && moved != NULL && !python_is_recorded(moved, caller))
        hf_event_alloc(moved, bytes, caller);
    return moved;
}

static void *python_realloc(void *context, void *block, size_t size)
{
    const struct python_allocator *next = context;
    if ((python_is_small(size) && hf_event_charge(python_block_bytes(size))) ||
        HF_UNLIKELY(hf_filter_may_hold((uintptr_t)block)))
        return slow_python_realloc(next, block, size);
    return next->realloc(next->context, block, size);
}

static HF_HOOK_SLOW void slow_python_free(const struct python_allocator *next, void *block)
{
    hf_event_free(block, HF_HOOK_CALLER());
    next->free(next->context, block);
}

static void python_free(void *context, void *block)
{
    const struct python_allocator *next = context;
    if (HF_UNLIKELY(hf_filter_may_hold((uintptr_t)block)))
        slow_python_free(next, block);
    else
        next->free(next->context, block);
}

/* The hooks of mmap and munmap see it, and are told whose it is. An allocator that is still
 * CPython's own by name has no hooks before it any more. */
static void *python_map(void *context, size_t bytes)
{
    (void)context;
    hf_agent_tls.maps_for_allocator = python_allocator_name() == NULL;
    void *start = python_next_arenas.map(python_next_arenas.context, bytes);
    hf_agent_tls.maps_for_allocator = false;
    return start;
}

static void python_unmap(void *context, void *start, size_t bytes)
{
    (void)context;
    python_next_arenas.unmap(python_next_arenas.context, start, bytes);
}

/* Finds its functions; false if the image has no CPython that is known. */
static bool python_functions(uint64_t image, hf_function *out_functions[PYTHON_FUNCTIONS])
{
    static const char *const names[PYTHON_FUNCTIONS] = {
        [GET] = "PyMem_GetAllocator",
        [SET] = "PyMem_SetAllocator",
        [GET_ARENAS] = "PyObject_GetArenaAllocator",
        [SET_ARENAS] = "PyObject_SetArenaAllocator",
        [NAME] = "_PyMem_GetCurrentAllocatorName",
    };
    uint64_t version_at = hf_image_find_symbol(image, "Py_Version", NULL), version;
    if (version_at == 0 ||
        !hf_interpreted_copy(&hf_interpreter_by_copy, version_at, &version, sizeof version) ||
        hf_python_layout_find((uint32_t)version) == NULL)
        return false;
    for (int i = 0; i < PYTHON_FUNCTIONS; i++) {
        uint64_t at = hf_image_find_symbol(image, names[i], NULL);
        if (at == 0)
            return false;
        out_functions[i] = (hf_function *)(uintptr_t)at;
    }
    return true;
}

static void python_hook(hf_function *functions[PYTHON_FUNCTIONS])
{
    void (*get)(int, struct python_allocator *) =
        (void (*)(int, struct python_allocator *))functions[GET];
    void (*set)(int, struct python_allocator *) =
        (void (*)(int, struct python_allocator *))functions[SET];
    void (*get_arenas)(struct python_arenas *) =
        (void (*)(struct python_arenas *))functions[GET_ARENAS];
    void (*set_arenas)(struct python_arenas *) =
        (void (*)(struct python_arenas *))functions[SET_ARENAS];
    python_allocator_name = (const char *(*)(void))functions[NAME];
    get_arenas(&python_next_arenas);
    set_arenas(&(struct python_arenas){NULL, python_map, python_unmap});
    for (int domain = PYTHON_MEM; domain < PYTHON_DOMAINS; domain++) {
        struct python_allocator *next = &python_next[domain];
        get(domain, next);
        set(domain, &(struct python_allocator){
                        next, python_malloc, python_calloc, python_realloc, python_free});
    }
}

void hf_hooks_python_begin(void)
{
    struct hf_modules_hosts hosts;
    hf_function *functions[PYTHON_FUNCTIONS];
    bool is_found = false;
    if (hf_agent.is_exact || getenv("PYTHONMALLOC") != NULL ||
        !hf_modules_hosts(&hf_agent.modules, &hosts))
        return;
    for (uint32_t i = 0; i < hosts.count && !is_found; i++)
        is_found = python_functions(hosts.starts[i], functions);
    if (is_found)
        python_hook(functions);
}
