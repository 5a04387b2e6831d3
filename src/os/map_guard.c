#include "os/map_guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define CHUNK_GUARDS 64
#define TAKEN 1 /* in the place of a start: somebody is about to fill it in */

struct hf_map_guard {
    atomic_uintptr_t start; /* 0: free */
    atomic_size_t size;
    atomic_bool is_broken;
};

/* What the handler goes through: it only grows, so it can be read at any instant. A handler is
 * handed nothing, so this is a global. */
struct map_guard_chunk {
    struct hf_map_guard guards[CHUNK_GUARDS];
    _Atomic(struct map_guard_chunk *) next;
};

static struct map_guard_chunk first_chunk;
static struct sigaction before; /* what SIGBUS did without us */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct hf_map_guard *map_guard_find(uintptr_t address)
{
    for (struct map_guard_chunk *chunk = &first_chunk; chunk != NULL;
         chunk = atomic_load(&chunk->next)) {
        for (size_t i = 0; i < CHUNK_GUARDS; i++) {
            struct hf_map_guard *guard = &chunk->guards[i];
            uintptr_t start = atomic_load(&guard->start);
            if (start > TAKEN && address >= start && address - start < atomic_load(&guard->size))
                return guard;
        }
    }
    return NULL;
}

/* mmap is no function that POSIX allows here; on Linux it is a system call and nothing else. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    int error = errno;
    struct hf_map_guard *guard =
        info->si_code > 0 ? map_guard_find((uintptr_t)info->si_addr) : NULL; /* sent by nobody */
    if (guard != NULL) {
        atomic_store(&guard->is_broken, true);
        void *start = (void *)atomic_load(&guard->start);
        if (mmap(start, atomic_load(&guard->size), PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == start) {
            errno = error;
            return;
        }
    }
    (void)sigaction(number, &before, NULL);
    if (info->si_code <= 0)
        (void)raise(number); /* or else the fault comes again */
    errno = error;
}

/* Makes sure of the handler, which somebody may have replaced since it was set. */
static bool set_handler(void)
{
    struct sigaction now, action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    (void)pthread_mutex_lock(&lock);
    bool is_set = sigaction(SIGBUS, NULL, &now) == 0;
    if (is_set && ((now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != on_fault)) {
        before = now;
        is_set = sigaction(SIGBUS, &action, NULL) == 0;
    }
    (void)pthread_mutex_unlock(&lock);
    return is_set;
}

/* Takes a free place of a chunk, or NULL. */
static struct hf_map_guard *map_guard_take(struct map_guard_chunk *chunk)
{
    for (size_t i = 0; i < CHUNK_GUARDS; i++) {
        uintptr_t nothing = 0;
        if (atomic_compare_exchange_strong(&chunk->guards[i].start, &nothing, TAKEN))
            return &chunk->guards[i];
    }
    return NULL;
}

/* The chunk behind this one, made if there is none. */
static struct map_guard_chunk *map_guard_next_of(struct map_guard_chunk *chunk)
{
    struct map_guard_chunk *next = atomic_load(&chunk->next);
    if (next != NULL)
        return next;
    struct map_guard_chunk *made = calloc(1, sizeof *made);
    if (made == NULL || atomic_compare_exchange_strong(&chunk->next, &next, made))
        return made;
    free(made); /* another thread was faster */
    return next;
}

struct hf_map_guard *hf_map_guard_add(const void *data, size_t size)
{
    struct hf_map_guard *guard = NULL;
    if (!set_handler())
        return NULL;
    for (struct map_guard_chunk *chunk = &first_chunk; guard == NULL && chunk != NULL;) {
        guard = map_guard_take(chunk);
        if (guard == NULL)
            chunk = map_guard_next_of(chunk);
    }
    if (guard == NULL)
        return NULL;
    atomic_store(&guard->is_broken, false);
    atomic_store(&guard->size, size);
    atomic_store(&guard->start, (uintptr_t)data);
    return guard;
}

bool hf_map_guard_is_broken(const struct hf_map_guard *guard)
{
    return atomic_load(&guard->is_broken);
}

void hf_map_guard_remove(struct hf_map_guard *guard)
{
    atomic_store(&guard->start, 0);
}
