/*
 * layout.h: the live table, byte by byte: what is known about a process's memory, in one mapped
 * file.
 *
 * The recorded process, or the one that traces it, updates the table. Others may read it at any
 * time, even after the process was killed. docs/formats/live.md says the same for other programs.
 *
 *     page 0   head: identity, and where the regions lie; never changes
 *     page 1   state: counts that publish records, and what was lost
 *     page 2   control: the one page that a reader's side may write, too
 *     regions  arrays of records, in the order of enum hf_live_kind, each from a page's start on;
 *              behind them struct hf_live_resident, which a reader's side writes
 *
 * *Published, not locked.* Text, modules, segments, threads, frames and stacks are only ever added:
 * a record exists once the count in the state, stored with release, is above its number. Totals of
 * a stack only grow. A block is a slot that is taken and given back: its `word` has no address
 * while it is empty, and another generation at each use. So if a reader sees the same word before
 * and after the fields, the fields belong together (the protocol of a sequence lock without its odd
 * state: H.-J. Boehm, "Can Seqlocks Get Along With Programming Language Memory Models?", 2012). A
 * writer that is killed leaves each slot empty or whole.
 *
 * Little-endian, no padding. Readers accept any minor version (shorter records), no higher major.
 *
 * Example:
 *
 *     struct hf_live_head head = {0}; // the first page of the file
 *     if (memcmp(head.magic, HF_LIVE_MAGIC, 8) != 0 || head.major != HF_LIVE_MAJOR)
 *         return hf_error_set(err, HF_ERR_INPUT, "is not a live table of this version");
 */
#ifndef HF_LIVE_LAYOUT_H
#define HF_LIVE_LAYOUT_H

#include "live/bounds.h"
#include "live/resident_record.h"
#include "live/stack_record.h"

#define HF_LIVE_MAGIC "HFLIVE\r\n"
#define HF_LIVE_MAJOR 1
#define HF_LIVE_MINOR                                                                              \
    10 /* 1: frames may be names; 2: bounds and calls in the state, the pid namespace in the head; \
         3: what it executes in the state; 4: what is in use, and was at the peak, in the state    \
         and of each stack, and the parent in the head; 5: lines of code, and the interpreter;     \
         6: mappings, residents; 7: the curve; 8: peaks' samples; 9: the halves of samples;        \
         10: other interpreters than Python */
#define HF_LIVE_PAGE_BYTES 4096u
#define HF_LIVE_CONTROL_AT (2 * HF_LIVE_PAGE_BYTES)
#define HF_LIVE_REGIONS_FROM (3 * HF_LIVE_PAGE_BYTES)

enum hf_live_kind {
    HF_LIVE_TEXT,     /* bytes: paths, build-ids, names; modules and frames point here */
    HF_LIVE_MODULES,  /* struct hf_live_module */
    HF_LIVE_SEGMENTS, /* struct hf_live_segment */
    HF_LIVE_THREADS,  /* struct hf_live_thread */
    HF_LIVE_FRAMES,   /* uint64_t: hf_live_frame() */
    HF_LIVE_STACKS,   /* struct hf_live_stack */
    HF_LIVE_FREES,    /* struct hf_live_frees */
    HF_LIVE_BLOCKS,   /* struct hf_live_block; the count is of slots that were ever used */
    HF_LIVE_MAPPINGS, /* the same, of mapped memory; from version 1.6 */
    HF_LIVE_KINDS
};
#define HF_LIVE_KINDS_FIRST 8 /* these are in every version */

struct hf_live_region {
    uint64_t offset;   /* bytes from the start of the table; a multiple of the page */
    uint64_t capacity; /* records */
    uint64_t record_bytes;
};

struct hf_live_head {
    uint8_t magic[8];
    uint16_t major, minor;
    uint32_t pid;          /* as the process itself sees it */
    uint8_t boot_id[16];   /* /proc/sys/kernel/random/boot_id */
    uint64_t start_ticks;  /* /proc/PID/stat, field 22; with boot_id and pid it is unique */
    uint64_t period_bytes; /* mean bytes from sample to sample; 1: every allocation */
    uint64_t monotonic_ns, realtime_ns; /* of one instant; births are on the first clock */
    uint64_t table_bytes;
    struct hf_live_region regions[HF_LIVE_KINDS_FIRST];
    char command[256];             /* ends in NUL; cut if longer */
    uint64_t pid_namespace;        /* inode of /proc/PID/ns/pid; 0: not known */
    uint32_t parent_pid, reserved; /* as the process itself sees it; 0: not known */
    struct hf_live_region more_regions[HF_LIVE_KINDS - HF_LIVE_KINDS_FIRST];
    struct hf_live_region residents; /* struct hf_live_resident; the control page has their count */
};

/* Where the records of a kind are, in a table of any version. */
static inline struct hf_live_region *hf_live_region(
    struct hf_live_head *head, enum hf_live_kind kind)
{
    return kind < HF_LIVE_KINDS_FIRST ? &head->regions[kind]
                                      : &head->more_regions[kind - HF_LIVE_KINDS_FIRST];
}

/* Why an allocation is not in the table. */
enum hf_live_loss {
    HF_LIVE_LOST_STACK, /* no room for its stack: regions of frames or stacks are full */
    HF_LIVE_LOST_BLOCK, /* no room for the block: it is in the totals, but not among the blocks */
    HF_LIVE_LOST_WAIT,  /* a lock was held too long, or by the code that a signal interrupted */
    HF_LIVE_LOSSES
};

#define HF_LIVE_CALLS 16
#define HF_LIVE_EXECUTED_BYTES 256
struct hf_live_state {
    _Atomic uint64_t counts[HF_LIVE_KINDS_FIRST]; /* records that exist */
    _Atomic uint64_t lost_objects[HF_LIVE_LOSSES];
    _Atomic uint64_t lost_bytes[HF_LIVE_LOSSES];
    _Atomic uint64_t bounds; /* enum hf_live_bound; 0: none */
    /* 1 + number of each call that the writer is in; 0: none. */
    _Atomic uint32_t calls[HF_LIVE_CALLS];
    /* The program that the writer is executing by exec(3) instead of itself: ends in NUL, cut if
     * longer; "": none. If exec(3) fails, this is cleared; so it is set in the last table of a
     * program that was replaced. */
    char executed[HF_LIVE_EXECUTED_BYTES];
    _Atomic uint64_t interpreter; /* hf_live_interpreter_word (interpreted.h); 0: there is none */
    struct hf_live_usage usage;
    _Atomic uint64_t more_counts[HF_LIVE_KINDS - HF_LIVE_KINDS_FIRST];
    _Atomic uint64_t lost_mappings; /* not recorded, for lack of room or of the lock */
    struct hf_live_curve curve;
};

static inline _Atomic uint64_t *hf_live_count_of(
    struct hf_live_state *state, enum hf_live_kind kind)
{
    return kind < HF_LIVE_KINDS_FIRST ? &state->counts[kind]
                                      : &state->more_counts[kind - HF_LIVE_KINDS_FIRST];
}

struct hf_live_control {
    _Atomic uint64_t is_paused;        /* nothing is recorded; the process may switch this, too */
    _Atomic uint64_t watched_until_ns; /* monotonic; until then the writer writes no dumps */
    _Atomic uint64_t is_kept;          /* the writer leaves the table where it is when it ends */
    _Atomic uint64_t resident_ns;      /* of the last look from outside; monotonic */
    _Atomic uint64_t resident_count;
    _Atomic uint64_t part_count;           /* 0: not looked at yet */
    _Atomic uint64_t parts[HF_LIVE_PARTS]; /* bytes */
};

/* One mapped file, as long as it is mapped: after dlclose and dlopen, it is another module. */
struct hf_live_module {
    uint32_t path, path_bytes; /* in the text */
    uint32_t build_id, build_id_bytes;
    uint64_t device, inode;
};

/* The file of `module` is mapped at [start, end), from file_offset on. */
struct hf_live_segment {
    uint64_t start, end, file_offset;
    uint32_t module;
    uint32_t is_executable;
};

struct hf_live_thread {
    uint64_t tid; /* the kernel's number, as the process sees it */
    char name[16];
};

struct hf_live_block {
    union {
        _Atomic uint64_t word; /* hf_live_word(), or empty: nothing in its upper half */
        _Atomic uint32_t word_halves[2];
    };
    _Atomic uint64_t size;  /* requested bytes; in an empty slot, for the writer only */
    _Atomic uint64_t birth; /* monotonic ns; a sample's lowest bit is its half (usage.h) */
    _Atomic uint32_t stack;
    _Atomic uint32_t thread;
};

_Static_assert(sizeof(struct hf_live_head) == 8 + 8 + 16 + 40 + 8 * 24 + 272 + 2 * 24, "packed");
_Static_assert(sizeof(struct hf_live_module) == 32, "packed");
_Static_assert(sizeof(struct hf_live_segment) == 32, "packed");
_Static_assert(sizeof(struct hf_live_thread) == 24, "packed");
_Static_assert(offsetof(struct hf_live_state, usage) % 64 == 0, "a cache line");
_Static_assert(sizeof(struct hf_live_block) == 32, "two to a cache line");

/* Bytes of a record in this version. A later minor version may have more at the end, an earlier one
 * less: hf_live_least_record_bytes. */
static inline uint32_t hf_live_record_bytes(enum hf_live_kind kind)
{
    static const uint32_t bytes[HF_LIVE_KINDS] = {
        [HF_LIVE_TEXT] = 1,
        [HF_LIVE_MODULES] = sizeof(struct hf_live_module),
        [HF_LIVE_SEGMENTS] = sizeof(struct hf_live_segment),
        [HF_LIVE_THREADS] = sizeof(struct hf_live_thread),
        [HF_LIVE_FRAMES] = sizeof(uint64_t),
        [HF_LIVE_STACKS] = sizeof(struct hf_live_stack),
        [HF_LIVE_FREES] = sizeof(struct hf_live_frees),
        [HF_LIVE_BLOCKS] = sizeof(struct hf_live_block),
        [HF_LIVE_MAPPINGS] = sizeof(struct hf_live_block),
    };
    return bytes[kind];
}

/* Bytes of a record in version 1.0. */
static inline uint32_t hf_live_least_record_bytes(enum hf_live_kind kind)
{
    if (kind == HF_LIVE_FREES)
        return (uint32_t)offsetof(struct hf_live_frees, temporary_objects);
    return kind == HF_LIVE_STACKS ? (uint32_t)offsetof(struct hf_live_stack, freed_objects)
                                  : hf_live_record_bytes(kind);
}

#define HF_LIVE_MODULES_MAX 0xfffdu
#define HF_LIVE_BLOCKS_MAX 0x3fffffffu /* leaves two bits of a block's number free for callers */
#define HF_LIVE_NAME 0xffffu           /* in place of a module: the frame is a text */
#define HF_LIVE_NAME_BYTES 0xffffu
#define HF_LIVE_CODE 0xfffeu /* the same: the frame is a line of code (interpreted.h) */
#define HF_LIVE_ADDRESS_BITS 48

/*
 * A frame: byte `offset` of the file of a module; modules count from 1. Module 0: a raw address.
 * HF_LIVE_NAME: a name in the text, at position << 16 | length. HF_LIVE_CODE: a line of a function
 * that an interpreter runs, position << 20 | line; line 0: unknown.
 */
static inline uint64_t hf_live_frame(uint64_t module, uint64_t offset)
{
    return module << HF_LIVE_ADDRESS_BITS | (offset & ((UINT64_C(1) << HF_LIVE_ADDRESS_BITS) - 1));
}

static inline uint32_t hf_live_frame_module(uint64_t frame)
{
    return (uint32_t)(frame >> HF_LIVE_ADDRESS_BITS);
}

static inline uint64_t hf_live_frame_offset(uint64_t frame)
{
    return frame & ((UINT64_C(1) << HF_LIVE_ADDRESS_BITS) - 1);
}

/*
 * The word of a slot in use: the address of the block, and a number for this use of the slot.
 * Addresses of programs have 47 bits; above them is a 1, so that the upper half is never 0.
 */
#define HF_LIVE_IN_USE (UINT64_C(1) << 63)
#define HF_LIVE_MOVABLE UINT64_C(16) /* in place of an address, for an object that may move */
static inline uint64_t hf_live_word(uint64_t address, uint64_t generation)
{
    return HF_LIVE_IN_USE | address << 16 | (generation & 0xffff);
}

/* 0: the slot is empty. */
static inline uint64_t hf_live_word_address(uint64_t word)
{
    return word >> 32 != 0 ? (word & ~HF_LIVE_IN_USE) >> 16 : 0;
}

#endif
