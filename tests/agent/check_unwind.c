/*
 * check_unwind.c: a shared object for LD_PRELOAD that walks the stack of each allocation of a
 * program with unwind/walk.h and with libgcc's _Unwind_Backtrace, and counts where they differ. It
 * is part of the tests alone: libgcc may take locks and be slow.
 */
#include "check_unwind.h"
#include "running_code.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define LIBGCC_FRAMES_MAX (HF_UNWIND_FRAMES_MAX + 32) /* those of this object, too */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static struct check_counts *counts;
static struct hf_unwind_cache cache;
static struct libgcc libgcc;
static int (*real_dlclose)(void *);

struct thread {
    uint64_t low, high;
    struct hf_unwind_memo memo, plain_memo;
    uint64_t plain[HF_UNWIND_FRAMES_MAX];
    const struct hf_unwind_frame *leaf; /* of the plain walk */
    uint64_t libgcc[LIBGCC_FRAMES_MAX];
    size_t libgcc_count;
};
static __thread struct thread *self;
static __thread bool is_busy;

static void add(_Atomic uint64_t *count, uint64_t value)
{
    atomic_fetch_add_explicit(count, value, memory_order_relaxed);
}

static struct thread *thread_self(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (self != NULL)
        return self;
    struct thread *t =
        mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED)
        return NULL;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &low, &size);
        pthread_attr_destroy(&attributes);
        t->low = (uintptr_t)low;
        t->high = t->low + size;
    }
    return self = t;
}

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *argument)
{
    struct thread *t = argument;
    int is_interrupted = 0;
    uint64_t pc = libgcc.ip(context, &is_interrupted);
    if (pc != 0)
        t->libgcc[t->libgcc_count++] = pc + (is_interrupted != 0);
    return t->libgcc_count < LIBGCC_FRAMES_MAX ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void report(const struct thread *t, size_t skipped, size_t common)
{
    char line[256];
    const size_t count = t->leaf->count;
    struct dl_find_object found = {0};
    struct link_map none = {0};
    uint64_t at = common != 0 ? t->plain[common - 1] - 1 : 0;
    const struct link_map *map =
        _dl_find_object((void *)(uintptr_t)at, &found) == 0 ? found.dlfo_link_map : &none;
    int size = snprintf(line, sizeof line,
        "frame %zu of %zu, of libgcc %zu: after %s+%#lx, rule %#x: ours %#lx, libgcc's %#lx\n",
        common, count, t->libgcc_count - skipped, map->l_name, (unsigned long)(at - map->l_addr),
        running_rule(NULL, at, false).bits, common < count ? t->plain[common] : 0,
        skipped + common < t->libgcc_count ? t->libgcc[skipped + common] : 0);
    uint64_t offset = atomic_fetch_add(&counts->text_bytes, (uint64_t)size);
    if (offset + (uint64_t)size < sizeof counts->text)
        memcpy(counts->text + offset, line, (size_t)size);
}

/* Compares the frames from the one on that called this object. */
static void compare(const struct thread *t, uint64_t caller)
{
    const size_t ours = t->leaf->count;
    size_t skipped = 0, common = 0;
    while (skipped < t->libgcc_count && t->libgcc[skipped] != caller)
        skipped++;
    size_t count = t->libgcc_count - skipped;
    if (count > HF_UNWIND_FRAMES_MAX)
        count = HF_UNWIND_FRAMES_MAX;
    while (common < ours && common < count && t->plain[common] == t->libgcc[skipped + common])
        common++;
    add(&counts->stacks, 1);
    add(&counts->frames, ours);
    if (common == ours && common == count) {
        add(&counts->same, 1);
    } else if (common == count && (t->leaf->traits & HF_UNWIND_IS_GUESSED) != 0) {
        add(&counts->longer, 1);
    } else {
        add(&counts->different, 1);
        report(t, skipped, common);
    }
}

static bool is_same(const struct hf_unwind_frame *a, const struct hf_unwind_frame *b)
{
    for (; a != NULL && b != NULL; a = a->caller, b = b->caller)
        if (a->pc != b->pc || a->hash != b->hash || a->count != b->count || a->traits != b->traits)
            return false;
    return a == b;
}

static void check(struct hf_unwind_registers caller)
{
    if (counts == NULL || is_busy)
        return;
    is_busy = true;
    struct thread *t = thread_self();
    if (t != NULL && caller.sp >= t->low && caller.sp < t->high) {
        struct hf_unwind_stack stack = {caller.sp, t->high, 0};
        t->plain_memo.count = 0;
        t->leaf = hf_unwind_walk(&t->plain_memo, &caller, &stack, &cache, &running_code);
        size_t count = 0;
        for (const struct hf_unwind_frame *f = t->leaf; f != NULL; f = f->caller)
            t->plain[count++] = f->pc;
        if (!is_same(t->leaf, hf_unwind_walk(&t->memo, &caller, &stack, &cache, &running_code)))
            add(&counts->replays, 1);
        t->libgcc_count = 0;
        (void)libgcc.backtrace(take_frame, t);
        compare(t, caller.pc);
    } else {
        add(&counts->elsewhere, 1);
    }
    is_busy = false;
}

EXPORT void *malloc(size_t size)
{
    void *block = __libc_malloc(size);
    check(running_caller());
    return block;
}

EXPORT void *calloc(size_t count, size_t size)
{
    void *block = __libc_calloc(count, size);
    check(running_caller());
    return block;
}

EXPORT void *realloc(void *old, size_t size)
{
    void *block = __libc_realloc(old, size);
    check(running_caller());
    return block;
}

/* Other code may lie at the same addresses soon. */
EXPORT int dlclose(void *library)
{
    int status = real_dlclose(library);
    hf_unwind_cache_clear(&cache);
    return status;
}

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("CHECK_UNWIND");
    is_busy = true;
    *(void **)&real_dlclose = dlsym(RTLD_NEXT, "dlclose");
    int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd >= 0 && open_libgcc(&libgcc)) {
        void *file = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        counts = file != MAP_FAILED ? file : NULL;
    }
    if (fd >= 0)
        close(fd);
    is_busy = false;
}
