/*
 * hooks_new.c: operator new and operator delete, by their mangled names (Itanium C++ ABI, 5.1.5).
 *
 * Where the next operator new calls malloc, as that of libstdc++ and libc++ does, the hooks of
 * malloc see each allocation, and these only pass it on. Where it does not, as in tcmalloc,
 * jemalloc and mimalloc, these are the hooks. Which of the two is found out by calling it once.
 *
 * A program without C++ may load a plugin with it: then the library is not behind the agent, and is
 * asked for by name. Of a plugin that brings a copy of its own, these hooks take the place: they
 * make do with malloc, and trap where it fails, because nothing here can throw.
 */
#include "event.h"
#include "real.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* name, parameters, arguments, alignment, may it return NULL */
#define EACH_NEW(X)                                                                                \
    X(_Znwm, (size_t size), (size), 1, false)                                                      \
    X(_Znam, (size_t size), (size), 1, false)                                                      \
    X(_ZnwmRKSt9nothrow_t, (size_t size, const void *nothrow), (size, nothrow), 1, true)           \
    X(_ZnamRKSt9nothrow_t, (size_t size, const void *nothrow), (size, nothrow), 1, true)           \
    X(_ZnwmSt11align_val_t, (size_t size, size_t align), (size, align), align, false)              \
    X(_ZnamSt11align_val_t, (size_t size, size_t align), (size, align), align, false)              \
    X(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t align, const void *nothrow),        \
        (size, align, nothrow), align, true)                                                       \
    X(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t align, const void *nothrow),        \
        (size, align, nothrow), align, true)

/* name, parameters, arguments */
#define EACH_DELETE(X)                                                                             \
    X(_ZdlPv, (void *block), (block))                                                              \
    X(_ZdaPv, (void *block), (block))                                                              \
    X(_ZdlPvm, (void *block, size_t size), (block, size))                                          \
    X(_ZdaPvm, (void *block, size_t size), (block, size))                                          \
    X(_ZdlPvRKSt9nothrow_t, (void *block, const void *nothrow), (block, nothrow))                  \
    X(_ZdaPvRKSt9nothrow_t, (void *block, const void *nothrow), (block, nothrow))                  \
    X(_ZdlPvSt11align_val_t, (void *block, size_t align), (block, align))                          \
    X(_ZdaPvSt11align_val_t, (void *block, size_t align), (block, align))                          \
    X(_ZdlPvmSt11align_val_t, (void *block, size_t size, size_t align), (block, size, align))      \
    X(_ZdaPvmSt11align_val_t, (void *block, size_t size, size_t align), (block, size, align))      \
    X(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, const void *nothrow),       \
        (block, align, nothrow))                                                                   \
    X(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, const void *nothrow),       \
        (block, align, nothrow))

struct next {
#define MEMBER(name, parameters, ...) void *(*name)parameters;
    EACH_NEW(MEMBER)
#undef MEMBER
#define MEMBER(name, parameters, ...) void(*name) parameters;
    EACH_DELETE(MEMBER)
#undef MEMBER
};
static struct next next;

static _Atomic enum {
    UNKNOWN,
    CALLS_MALLOC, /* passed on */
    ALLOCATES,    /* recorded here */
    MISSING,      /* done here */
} next_new;

static hf_function *hooks_new_find(void *library, const char *name)
{
    hf_function *found = hf_real_next(name);
    if (found == NULL && library != NULL) {
        void *symbol = dlsym(library, name);
        memcpy(&found, &symbol, sizeof found);
    }
    return found;
}

static void *loaded_library(void)
{
    static const char *const names[] = {"libstdc++.so.6", "libc++.so.1"};
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < HF_COUNT(names); i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

/* Threads may look up at once: they find the same. */
static void hooks_new_look_up(void)
{
    struct next found;
    void *library = hf_real_next("_Znwm") == NULL ? loaded_library() : NULL;
    hf_function *function;
#define FIND(name, ...)                                                                            \
    function = hooks_new_find(library, #name);                                                     \
    memcpy(&found.name, &function, sizeof function);
    EACH_NEW(FIND)
    EACH_DELETE(FIND)
#undef FIND
    next = found;
    if (found._Znwm == NULL || found._ZdlPv == NULL) {
        next_new = MISSING;
        return;
    }
    bool calls_malloc = hf_event_reaches_malloc(found._Znwm, found._ZdlPv);
    next_new = calls_malloc ? CALLS_MALLOC : ALLOCATES;
}

static void *new_of_malloc(size_t size, size_t align, bool may_be_null)
{
    void *block = align > 16 ? aligned_alloc(align, (size + align - 1) & ~(align - 1))
                             : malloc(size != 0 ? size : 1);
    if (block == NULL && !may_be_null)
        __builtin_trap();
    return block;
}

/* Found out first, or made do without. */
#define HOOK(name, parameters, arguments, align, may_be_null)                                      \
    HF_HOOK void *name parameters;                                                                 \
    HF_HOOK_SLOW_PATH(name, parameters, size, next.name arguments)                                 \
    static HF_HOOK_SLOW void *first_##name parameters                                              \
    {                                                                                              \
        if (next_new == MISSING)                                                                   \
            return new_of_malloc(size, align, may_be_null);                                        \
        hooks_new_look_up();                                                                       \
        return name arguments;                                                                     \
    }                                                                                              \
    void *name parameters                                                                          \
    {                                                                                              \
        if (next_new == CALLS_MALLOC)                                                              \
            return next.name arguments;                                                            \
        if (next_new != ALLOCATES)                                                                 \
            return first_##name arguments;                                                         \
        return hf_event_charge(size) ? slow_##name arguments : next.name arguments;                \
    }
EACH_NEW(HOOK)
#undef HOOK

#define HOOK(name, parameters, arguments)                                                          \
    HF_HOOK void name parameters;                                                                  \
    static HF_HOOK_SLOW void slow_##name parameters                                                \
    {                                                                                              \
        if (next_new == UNKNOWN) {                                                                 \
            hooks_new_look_up();                                                                   \
            name arguments;                                                                        \
        } else if (next_new == MISSING) {                                                          \
            free(block);                                                                           \
        } else {                                                                                   \
            hf_event_free(block, HF_HOOK_CALLER());                                                \
            next.name arguments;                                                                   \
        }                                                                                          \
    }                                                                                              \
    void name parameters                                                                           \
    {                                                                                              \
        if (next_new == CALLS_MALLOC ||                                                            \
            (next_new == ALLOCATES && !hf_filter_may_hold((uintptr_t)block)))                      \
            next.name arguments;                                                                   \
        else                                                                                       \
            slow_##name arguments;                                                                 \
    }
EACH_DELETE(HOOK)
