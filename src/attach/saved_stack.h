/*
 * saved_stack.h: turns registers and the copied bytes of a stack into return addresses.
 *
 * While the return of a function is probed, its return address is that of the kernel's trampoline:
 * a copy of the stack that is made meanwhile ends there. Who knows which calls are open puts the
 * true addresses back first.
 */
#ifndef HF_ATTACH_SAVED_STACK_H
#define HF_ATTACH_SAVED_STACK_H

#include "attach/images.h"
#include "spec/registers.h"

/* A return address that was replaced: the word at address `slot` was `address`. */
struct hf_replaced_return {
    uint64_t slot, address;
};

struct hf_stack_counts {
    uint64_t all, cut, too_short; /* those that are cut; of them those whose copy was too short */
    uint64_t searched;            /* that go on behind hidden code (hidden_callers.h) */
};

struct hf_saved_stack {
    struct hf_unwind_memo memo;               /* of walks, whoever's */
    uint64_t addresses[HF_UNWIND_FRAMES_MAX]; /* return addresses, innermost first */
    size_t count;                             /* at least 1 */
    uint64_t outermost_sp;                    /* the stack pointer in the last of them */
    bool is_cut;                              /* frames towards the root are missing */
    bool is_short;                            /* because the copy ended there */
    bool is_guessed; /* some frames were found by frame pointers, or hidden_callers.h */
    struct hf_stack_counts counts;
};

/* Where a thread was, and the return addresses that frame pointers led to at that moment. */
struct hf_pointer_chain {
    const uint64_t *addresses;
    size_t count;
};

/* Puts return addresses back into the copy `bytes` of the stack from address sp on. */
void hf_saved_stack_repair(const struct hf_images *images, uint64_t sp, char *bytes, size_t size,
    const struct hf_replaced_return *replaced, size_t count);

/*
 * Walks the copy of the stack from registers->sp on. The instruction at registers->ip had no effect
 * yet; as a return address it is ip + 1, the innermost of all. `is_entry`: it is where a function
 * was probed, and no probe slides behind what moves the stack pointer (probe_offset.h): its return
 * address lies at sp, also where the function has no call frame information, as those of musl.
 * `chain`: what the kernel found, for Go (go_stack.h); NULL: nothing.
 */
void hf_saved_stack_walk(struct hf_saved_stack *stack, struct hf_images *images,
    const struct hf_registers *registers, struct hf_text bytes, bool is_entry,
    const struct hf_pointer_chain *chain);

#endif
