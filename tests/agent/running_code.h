/*
 * running_code.h: what the programs of this folder unwind with: the code of their own process, as
 * glibc's _dl_find_object knows it, without a lock; and libgcc's unwinder, which is opened by its
 * name, because other libraries (libunwind) export functions of the same names.
 */
#ifndef HF_TESTS_RUNNING_CODE_H
#define HF_TESTS_RUNNING_CODE_H

#include "unwind/walk.h"

#include <dlfcn.h>
#include <unwind.h>

static struct hf_unwind_rule running_rule(void *context, uint64_t address, bool is_guess)
{
    struct dl_find_object found;
    struct hf_callframes frames;
    (void)context;
    (void)is_guess;
    if (_dl_find_object((void *)(uintptr_t)address, &found) != 0 || found.dlfo_eh_frame == NULL)
        return (struct hf_unwind_rule){0};
    const char *start = found.dlfo_eh_frame, *end = found.dlfo_map_end;
    struct hf_text header = {start, (size_t)(end - start)};
    if (!hf_callframes_read_header(&frames, header, header, (uintptr_t)start))
        return (struct hf_unwind_rule){0};
    const char *bytes = (const char *)(uintptr_t)frames.frames_address;
    frames.frames = (struct hf_text){bytes, (size_t)(end - bytes)};
    return hf_unwind_rule_at(&frames, address);
}

static const struct hf_unwind_code running_code = {running_rule, NULL};

/* The registers of the caller of the function in which this stands: it then keeps a frame pointer.
 */
static inline __attribute__((always_inline)) struct hf_unwind_registers running_caller(void)
{
    const uint64_t *frame = __builtin_frame_address(0);
    return (struct hf_unwind_registers){frame[1], (uintptr_t)(frame + 2), frame[0]};
}

struct libgcc {
    _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void *);
    _Unwind_Word (*ip)(struct _Unwind_Context *, int *is_interrupted);
};

static bool open_libgcc(struct libgcc *libgcc)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_NOW);
    if (library == NULL)
        return false;
    *(void **)&libgcc->backtrace = dlsym(library, "_Unwind_Backtrace");
    *(void **)&libgcc->ip = dlsym(library, "_Unwind_GetIPInfo");
    return libgcc->backtrace != NULL && libgcc->ip != NULL;
}

#endif
