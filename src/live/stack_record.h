/*
 * stack_record.h: what the live table (layout.h) says about a stack, and about all stacks together.
 *
 * docs/formats/live.md says the same for other programs; usage.h says how these records are kept.
 */
#ifndef HF_LIVE_STACK_RECORD_H
#define HF_LIVE_STACK_RECORD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The memory in use, estimated like the totals, and the most that ever was in use. The *crest* is
 * the last instant for which each stack has kept what it held (struct hf_live_stack). A new crest
 * is taken when 1/HF_LIVE_CREST_STEP more is in use than at the last one; so at the crest at least
 * 99.2 % of the peak was in use.
 */
#define HF_LIVE_CREST_STEP 128
#define HF_LIVE_PEAKS_SINCE 4 /* minor version of the layout */
struct hf_live_usage {
    _Atomic uint64_t bytes;           /* a cache line of its own: it changes with every event */
    _Atomic uint64_t allocated_bytes; /* ever */
    _Atomic uint64_t curve_due_ns;    /* monotonic: the next point of the curve */
    /* For samples (usage.h): what is in use by one half of them; the most that it ever was; whether
     * it has become less since; and, in beside_bytes, the most that the other half had in that
     * time. */
    _Atomic uint64_t half_bytes[2];
    _Atomic uint64_t best_bytes[2];
    _Atomic uint32_t has_fallen[2];
    _Atomic uint64_t peak_bytes;
    _Atomic uint64_t peak_ns; /* monotonic, as exact as births are */
    _Atomic uint64_t crest_bytes, crest_ns;
    _Atomic uint64_t next_crest_bytes; /* when this many are in use, there is a new crest */
    _Atomic uint32_t crest;            /* its number; 0: none, because nothing was ever in use */
    uint32_t reserved_number;
    _Atomic uint64_t beside_bytes[2];
};
#define HF_LIVE_HALVES_SINCE 9 /* minor version of the layout */

/*
 * What was in use, and ever allocated, at the ends of equal spans of 2^shift ns since the table was
 * made. A point is noted at the first allocation after it, so it has what the allocation before
 * left, less what was freed since. When there is no room for the next point, spans are merged in
 * pairs.
 */
#define HF_LIVE_CURVE_POINTS 64
#define HF_LIVE_CURVE_SHIFT 22u /* 4.2 ms, at first */
struct hf_live_curve {
    _Atomic uint32_t shift; /* 0: none yet; HF_LIVE_MERGING may be set */
    _Atomic uint32_t count; /* how many points there are */
    struct {
        _Atomic uint64_t in_use_bytes, allocated_bytes;
    } points[HF_LIVE_CURVE_POINTS];
};

enum hf_live_stack_flag {
    HF_LIVE_IS_CUT = 1,     /* deeper than the agent walks: frames towards the root are missing */
    HF_LIVE_IS_WHOLE = 4,   /* its blocks are memory contexts: sizes are what they were given */
    HF_LIVE_IS_GUESSED = 2, /* partly by frame pointers, without call frame information */
};

struct hf_live_stack {
    uint32_t first_frame; /* leaf first */
    uint16_t frame_count;
    uint16_t flags;         /* enum hf_live_stack_flag */
    _Atomic uint32_t frees; /* 1 + number of its struct hf_live_frees; 0: none */
    /* The last crest before the last event of the stack; crest_objects and crest_bytes belong to
     * it. With HF_LIVE_CRESTING they are being written, and equal what is in use now. */
    _Atomic uint32_t crest;
    /* Ever allocated, estimated sample by sample: objects in HF_LIVE_OBJECT-ths, and bytes. */
    _Atomic uint64_t objects, bytes;
    _Atomic uint64_t freed_objects, freed_bytes; /* of these */
    /* What was in use at that crest. If the table has a later crest, what is in use now was also in
     * use then. */
    _Atomic uint64_t crest_objects, crest_bytes;
    /* How many recorded blocks are in use now, and how many were at the crest; 0 if every
     * allocation is recorded. */
    _Atomic uint32_t samples, crest_samples;
};
#define HF_LIVE_SAMPLES_SINCE 8 /* minor version of the layout */
#define HF_LIVE_CRESTING (UINT32_C(1) << 31)
#define HF_LIVE_OBJECT 65536u

/*
 * What became of a stack's blocks that were freed, estimated like the totals of the stack. The
 * places of frees are different: they are counts of recorded blocks, and if every allocation is
 * recorded, of one block in several. In that case epochs, ages and sizes are taken from one block
 * in 8, which counts as 8, after the stack has freed 1,024.
 *
 * An *epoch* is a span of 2^epoch_shift ns; the first begins when the table is made. When a birth
 * lies beyond the last epoch, epochs are merged in pairs. What was allocated in an epoch is the sum
 * of what was freed of it and what is in use of it.
 */
#define HF_LIVE_FREE_SITES 8
#define HF_LIVE_EPOCHS 32
#define HF_LIVE_EPOCH_SHIFT 28u             /* 0.27 s, at first */
#define HF_LIVE_MERGING (UINT32_C(1) << 31) /* epochs are being merged in pairs */
#define HF_LIVE_AGES 24
#define HF_LIVE_AGE_SHIFT 20u /* ages[0]: below 2^20 ns; each next one below twice that */
#define HF_LIVE_SIZES 20
#define HF_LIVE_SIZE_SHIFT 3u /* sizes[0]: up to 8 bytes; each next one up to twice that */
struct hf_live_frees {
    _Atomic uint32_t stacks[HF_LIVE_FREE_SITES]; /* 1 + number of the stack of the free; 0: none */
    _Atomic uint32_t counts[HF_LIVE_FREE_SITES];
    _Atomic uint64_t others; /* frees elsewhere */
    /* Freed by the thread that allocated them, before it allocated or freed anything else. */
    _Atomic uint64_t temporary_objects; /* in HF_LIVE_OBJECT-ths, as all objects here */
    _Atomic uint32_t epoch_shift;       /* 0: none yet; with HF_LIVE_MERGING */
    uint32_t reserved;
    _Atomic uint64_t born_bytes[HF_LIVE_EPOCHS]; /* by the epoch of the allocation */
    struct {
        _Atomic uint64_t objects, bytes;
    } ages[HF_LIVE_AGES];
    _Atomic uint64_t sizes[HF_LIVE_SIZES]; /* objects */
};

_Static_assert(sizeof(struct hf_live_usage) == 128, "two cache lines");
_Static_assert(sizeof(struct hf_live_stack) == 72, "packed");
_Static_assert(sizeof(struct hf_live_frees) == 72 + 16 + 256 + 384 + 160, "packed");

#endif
