/*
 * walk.h: turns registers and a stack into return addresses. One unwinder for the agent, for saved
 * stacks and for tests; x86-64.
 *
 * Three things make it fast, none of them a guess:
 *
 * - A *cache* from places in the code to their rules (unwind/rule.h), shared by all threads. An
 *   entry is one word of 8 bytes, so a reader sees it whole or not at all, and nothing is locked.
 *   Only on a miss is call frame information read: that of one function.
 * - A *memo* for each thread: the frames of its walks, each with its caller. Where a new walk is at
 *   a frame that is known (pc, sp, and rbp where it matters further out), it only reads again the
 *   words of the stack that the frames further out came from. Where they are unchanged, so are the
 *   frames, because they depend on nothing else. Where one is not, the walk takes a step of its
 *   own, and looks again.
 * - What is known of a frame is known of all further out together: a running *hash*, and a *note*
 *   of the caller's.
 *
 * Where the code has no rule, as that of a JIT, the walk goes on by the frame pointer as long as
 * that lies in the stack, further out each time; the stack is then marked as guessed.
 *
 * The same stack gives the same frames whatever the memo and the cache held. Nothing outside of
 * [low, high) is read, whatever the rules and the words of the stack say. No allocation, no lock,
 * no system call: safe inside malloc.
 *
 * Example:
 *
 *     static struct hf_unwind_memo memo; // of this thread
 *     static struct hf_unwind_cache cache;
 *     struct hf_unwind_code code = {0}; // who knows the rules
 *     struct hf_unwind_registers at = {0};
 *     struct hf_unwind_stack stack = {0};
 *     const struct hf_unwind_frame *frame = hf_unwind_walk(&memo, &at, &stack, &cache, &code);
 *     for (; frame != NULL; frame = frame->caller)
 *         hf_out_hex(out, frame->pc);
 */
#ifndef HF_UNWIND_WALK_H
#define HF_UNWIND_WALK_H

#include "unwind/rule.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a thread is: pc is the return address of a call, and sp what rsp is after the return. */
struct hf_unwind_registers {
    uint64_t pc, sp, fp; /* rip, rsp, rbp */
};

/* The bytes [low, high) of the thread's stack; byte `address` can be read here at address + bias.
 */
struct hf_unwind_stack {
    uint64_t low, high;
    uintptr_t bias; /* 0: in the thread itself; another: a copy */
};

/*
 * Who knows the code: called when the cache does not know the byte at `address`. `is_guess`: frame
 * pointers led there, so it may be of code that is on no stack, and that others unload meanwhile.
 */
struct hf_unwind_code {
    struct hf_unwind_rule (*find)(void *context, uint64_t address, bool is_guess);
    void *context;
};

#define HF_UNWIND_CACHE_WAYS 4
#define HF_UNWIND_CACHE_SET_BITS 13

/* All-zero: empty. 256 KiB; for any number of threads. */
struct hf_unwind_cache {
    _Atomic uint64_t words[1 << HF_UNWIND_CACHE_SET_BITS][HF_UNWIND_CACHE_WAYS];
    _Atomic uint64_t generation; /* how often it was cleared */
};

#define HF_UNWIND_FRAMES_MAX 512

enum hf_unwind_trait {
    HF_UNWIND_IS_CUT = 1,     /* frames are missing towards the root: too many, or no way known */
    HF_UNWIND_IS_GUESSED = 2, /* some were found by frame pointers, without a rule */
    HF_UNWIND_IS_TOO_DEEP = 4,
    HF_UNWIND_NEEDS_FP = 8,  /* one of them is found by what fp is in this frame */
    HF_UNWIND_SAVES_FP = 16, /* of the frame alone: so is one of its callers, by what it saved */
};

/* A frame and all further out: a stack. */
struct hf_unwind_frame {
    uint64_t pc; /* return address; where a signal interrupted, the place and one more */
    uint64_t sp;
    struct hf_unwind_frame *plain_caller; /* the caller, if only its pc need be compared */
    struct hf_unwind_frame *caller;       /* NULL: outermost */
    uint64_t fp;
    uint64_t hash; /* of the pcs and HF_UNWIND_IS_CUT; never 0 */
    struct hf_unwind_rule rule;
    uint32_t note;   /* the owner's of the memo; 0 when the stack is first seen */
    uint32_t failed; /* the walk in which it was found to be changed */
    uint16_t count;  /* of the frames */
    uint8_t traits;  /* enum hf_unwind_trait */
    uint8_t outcome; /* of a step further out */
};
_Static_assert(sizeof(struct hf_unwind_frame) == 64, "a cache line");

#define HF_UNWIND_MEMO_FRAMES 1536 /* when there is no room for a walk, all are forgotten */
#define HF_UNWIND_MEMO_SET_BITS 9
#define HF_UNWIND_MEMO_WAYS 4

/*
 * What is known to one thread. All-zero: nothing; as with a count of 0. Some 100 KiB, of which
 * walks touch what they need. Not to be moved.
 */
struct hf_unwind_memo {
    struct hf_unwind_frame frames[HF_UNWIND_MEMO_FRAMES];
    uint32_t index[1 << HF_UNWIND_MEMO_SET_BITS][HF_UNWIND_MEMO_WAYS]; /* by pc and sp */
    uint32_t count, walks;
    uint64_t high, generation; /* of the stack; of the cache */
};

/*
 * Walks from `registers` outward. Returns the innermost frame, which is the memo's: it and those
 * further out stay as they are until the next walk.
 */
struct hf_unwind_frame *hf_unwind_walk(struct hf_unwind_memo *memo,
    const struct hf_unwind_registers *registers, const struct hf_unwind_stack *stack,
    struct hf_unwind_cache *cache, const struct hf_unwind_code *code);

/* The same after hf_unwind_find (find.h), which began this walk and did not end it. */
struct hf_unwind_frame *hf_unwind_walk_on(struct hf_unwind_memo *memo,
    const struct hf_unwind_registers *registers, const struct hf_unwind_stack *stack,
    struct hf_unwind_cache *cache, const struct hf_unwind_code *code);

/*
 * The code has changed, and `find` knows it: everything that was learned of it is forgotten, also
 * by memos, at their next walk.
 */
void hf_unwind_cache_clear(struct hf_unwind_cache *cache);

#endif
