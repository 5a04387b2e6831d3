/*
 * modules.h: which file's code lies where in this process, as /proc/self/maps says.
 *
 * Read at the start, when a pc lies in no known executable memory, and after dlclose. Never by
 * dl_iterate_phdr or dladdr: they take the loader's lock. A program that makes code all the time
 * does not make us read all the time: reading takes at most 1/64 of the time that passes, after
 * HF_MODULES_CREDIT_NS for a start.
 *
 * A *segment* is one executable mapping. Its file becomes a module of the live table: path, device
 * and inode, and the build-id from the notes in memory; the same file that comes back is the same
 * module. Executable memory of no file (code made at run time) has none: frames in it stay
 * addresses. What segments that are gone were is remembered: when other code appears there, the
 * *generation* changes, and with it the meaning of a pc.
 *
 * Call frame information of an image is read where it lies, by whoever has code of that image on
 * its stack. It is copied by a call that fails (image.h) where that is not sure: a frame pointer
 * led there, or a dlclose is on its way. Not seen is code that takes the place of an image which
 * was unmapped by something else than a dlclose of the program's, as libc does with its converters.
 *
 * Any thread; one lock, which is not waited for without end. Not under hf_live_lock: it takes it.
 */
#ifndef HF_AGENT_MODULES_H
#define HF_AGENT_MODULES_H

#include "base/attr.h"
#include "base/spinlock.h"
#include "live/writer.h"
#include "unwind/walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_MODULES_CREDIT_NS INT64_C(200000000)
#define HF_MODULES_HOSTS 8
#define HF_MODULES_SEGMENTS 16384u /* known at a time; of more, frames stay addresses */

struct hf_modules_memory;

/* Why the map is to be read again, or what was learned of code to be forgotten. */
enum hf_modules_doubt {
    HF_MODULES_UNLOADED = 1, /* a dlclose returned */
    HF_MODULES_OWED = 2,     /* it was not read because it had been read for too long */
    HF_MODULES_UNHEARD = 4,  /* a rule was asked for, and the lock was not to be had */
};

/*
 * Images that may contain an interpreter: the program, and libraries called libpython*, libperl*,
 * libruby*, libnode*, liblua* or libjvm.so. Each where its first byte is mapped.
 */
struct hf_modules_hosts {
    uint64_t starts[HF_MODULES_HOSTS];
    bool is_first[HF_MODULES_HOSTS]; /* it was there when the map was first read: it stays */
    uint32_t count;
};

struct hf_modules {
    _Atomic uint32_t doubts;        /* enum hf_modules_doubt */
    _Atomic uint32_t generation;    /* counts changes of what pcs mean */
    _Atomic bool repeats;           /* several pcs may mean one byte of a file */
    _Atomic uint32_t unloading;     /* how many dlcloses are on their way */
    _Atomic uint32_t hosts_version; /* how often the hosts changed */
    struct hf_spinlock lock;        /* of all below */
    struct hf_modules_hosts hosts;
    struct hf_live_table *table;
    struct hf_unwind_cache *cache;
    const char *map_path;
    struct hf_modules_memory *memory;
    int64_t credit_ns; /* how long the map may be read for */
    int64_t earned_ns; /* when that was reckoned last */
};

/* Reads the map, "/proc/self/maps", for the first time. False without memory for it. */
HF_MUST_CHECK bool hf_modules_begin(struct hf_modules *modules, struct hf_live_table *table,
    struct hf_unwind_cache *cache, const char *map_path);

/* Memory given back, whoever holds the lock: a child after fork, before it begins again. */
void hf_modules_forget(struct hf_modules *modules);

/* The calling thread will not come back to what it did here: if it held the lock, that is released,
 * and the map will be read again. */
void hf_modules_mend(struct hf_modules *modules);

/* Before a dlclose, and after it. */
void hf_modules_unloading(struct hf_modules *modules);
void hf_modules_unloaded(struct hf_modules *modules);

/* Reads the map, however often it was read: it will not be read again (seal.h). */
void hf_modules_reread(struct hf_modules *modules);

/* For hf_modules_settle. */
void hf_modules_look_again(struct hf_modules *modules);

/* Before each walk: what is known is true. */
static inline void hf_modules_settle(struct hf_modules *modules)
{
    if (HF_UNLIKELY(atomic_load_explicit(&modules->doubts, memory_order_relaxed) != 0))
        hf_modules_look_again(modules);
}

/* After a walk: it may have gone wrong, because nobody answered. */
static inline bool hf_modules_is_unheard(const struct hf_modules *modules)
{
    return (atomic_load_explicit(&modules->doubts, memory_order_relaxed) & HF_MODULES_UNHEARD) != 0;
}

static inline uint32_t hf_modules_generation(const struct hf_modules *modules)
{
    return atomic_load_explicit(&modules->generation, memory_order_relaxed);
}

/* Counts the changes of what hf_modules_hosts says. */
static inline uint32_t hf_modules_hosts_version(const struct hf_modules *modules)
{
    return atomic_load_explicit(&modules->hosts_version, memory_order_relaxed);
}

/* False if the lock is not to be had. */
HF_MUST_CHECK bool hf_modules_hosts(struct hf_modules *modules, struct hf_modules_hosts *out_hosts);

/* After hf_modules_frames: the same frames may have come by other pcs before. */
static inline bool hf_modules_repeats(const struct hf_modules *modules)
{
    return atomic_load_explicit(&modules->repeats, memory_order_relaxed);
}

/* The rule at the byte at `address`: `find` of a struct hf_unwind_code with the modules. */
struct hf_unwind_rule hf_modules_rule(void *modules, uint64_t address, bool is_guess);

/*
 * Return addresses become frames of the live table: module and file offset of the byte before each;
 * without a module that byte's address. False, and they are left as they were, if the lock is not
 * to be had.
 */
HF_MUST_CHECK bool hf_modules_frames(struct hf_modules *modules, uint64_t *pcs, size_t count);

#endif
