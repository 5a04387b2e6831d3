/*
 * walk.h: registers and a stack become return addresses. One unwinder for the agent, for saved
 * stacks and for tests; x86-64.
 *
 * Three things make it fast, none of them a guess:
 *
 * - A *cache* from places in the code to their rules (unwind/rule.h), shared by all threads. An
 *   entry is one word of 8 bytes, so a reader sees it whole or not at all, and nothing is locked.
 *   Only on a miss is call frame information read: that of one function.
 * - A *memo* for each thread: its previous walk. A new walk goes outward until a frame equals a
 *   remembered one (pc, sp, and rbp where it matters further out); then it only reads again the
 *   words of the stack that the remembered frames came from. Where they are unchanged, so are the
 *   frames, because they depend on nothing else. Where one is not, the walk goes on from there.
 * - A running *hash* from the outermost frame in, so that the hash of unchanged frames is there.
 *
 * Where the code has no rule, as that of a JIT, the walk goes on by the frame pointer as long as
 * that lies in the stack, further out each time; the stack is then marked as guessed.
 *
 * The same stack gives the same frames whatever the memo and the cache held. Nothing outside of
 * [low, high) is read, whatever the rules and the words of the stack say. No allocation, no lock,
 * no system call: safe inside malloc.
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

struct hf_unwind_frame {
    uint64_t pc;      /* return address; where a signal interrupted, the place and one more */
    uint64_t hash;    /* of this frame and all further out */
    uint64_t sp, fp;  /* in this frame */
    uint64_t fp_slot; /* where fp was read; 0: nowhere */
    struct hf_unwind_rule rule;
    uint32_t traits; /* the walk's own */
};

/*
 * The last walk of one thread, whose result it is: frames[0 .. count), outermost first. All-zero:
 * there was none. Some 52 KiB, of which a walk touches what its depth needs.
 */
struct hf_unwind_memo {
    uint32_t count;
    bool is_cut;     /* frames are missing towards the root: too many, or the way is not known */
    bool is_guessed; /* some frames were found by frame pointers, without a rule */
    uint8_t outcome; /* the walk's own: of going further out than the outermost frame */
    uint64_t high, generation; /* of the stack; of the cache */
    struct hf_unwind_frame frames[HF_UNWIND_FRAMES_MAX];
    struct hf_unwind_frame fresh[HF_UNWIND_FRAMES_MAX]; /* the walk's own: innermost first */
};

/*
 * Walks from `registers` outward; the memo then holds at least one frame. Returns a hash of the
 * frames and of is_cut, which is never 0.
 */
uint64_t hf_unwind_walk(struct hf_unwind_memo *memo, const struct hf_unwind_registers *registers,
    const struct hf_unwind_stack *stack, struct hf_unwind_cache *cache,
    const struct hf_unwind_code *code);

/*
 * The code has changed, and `find` knows it: everything that was learned of it is forgotten, also
 * by memos, at their next walk.
 */
void hf_unwind_cache_clear(struct hf_unwind_cache *cache);

#endif
