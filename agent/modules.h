/*
 * modules.h: which file's code lies where in this process, as /proc/self/maps says.
 *
 * Read at the start, when a pc lies in no known executable memory, and after dlclose. Never by
 * dl_iterate_phdr or dladdr: they take the loader's lock. A program that makes code all the time
 * does not make us read all the time: reading takes at most 1/64 of the time that passes, after
 * HF_MODULES_FREE_NS for a start.
 *
 * A *segment* is one executable mapping. Its file becomes a module of the live table: path, device
 * and inode, and the build-id from the notes in memory; the same file that comes back is the same
 * module. Executable memory of no file (code made at run time) has none: frames in it stay
 * addresses. Of segments that are gone it is kept what they were: when another file's code appears
 * there, the *generation* changes, and with it the meaning of a pc.
 *
 * Memory that maps says is there may be gone a moment later, so headers and notes are copied by a
 * system call that fails (process_vm_readv). Call frame information is read in place: it belongs to
 * code that a stack is in.
 *
 * Any thread; one lock, which is not waited for without end. Not under hf_live_lock: it takes it.
 */
#ifndef HF_AGENT_MODULES_H
#define HF_AGENT_MODULES_H

#include "base/attr.h"
#include "base/spinlock.h"
#include "live/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_MODULES_FREE_NS UINT64_C(200000000)

struct hf_unwind_cache;
struct hf_modules_memory;

struct hf_modules {
    struct hf_spinlock lock;
    _Atomic uint32_t is_stale;   /* a mapping went */
    _Atomic uint32_t generation; /* counts pcs that changed their meaning */
    struct hf_live_table *table;
    struct hf_unwind_cache *cache; /* emptied when code came or changed; NULL: none */
    const char *maps_path;
    struct hf_modules_memory *memory; /* segments and files */
    uint64_t read_ns, credit_ns;      /* when maps was read last, and how long that may take */
};

/* Reads the map for the first time. False without memory for it. */
HF_MUST_CHECK bool hf_modules_begin(struct hf_modules *modules, struct hf_live_table *table,
    struct hf_unwind_cache *cache, const char *maps_path);

/* dlclose unmapped something: the map is read again before anything is looked up. */
static inline void hf_modules_mark_stale(struct hf_modules *modules)
{
    atomic_store_explicit(&modules->is_stale, 1, memory_order_release);
}

static inline uint32_t hf_modules_generation(const struct hf_modules *modules)
{
    return atomic_load_explicit(&modules->generation, memory_order_relaxed);
}

/*
 * Return addresses to frames of the live table (hf_live_frame of the byte before them). An address
 * in no module, or all of them if the lock was not to be had, stay what they are.
 */
void hf_modules_frames(
    struct hf_modules *modules, const uint64_t *pcs, size_t count, uint64_t *out_frames);

/* Memory given back, whoever holds the lock: a child after fork, before it begins again. */
void hf_modules_forget(struct hf_modules *modules);

#endif
