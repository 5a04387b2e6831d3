/*
 * budget.h: how much memory and work one input may take, in proportion to its bytes.
 *
 * Reading has a budget, for each input its own; so has what names are found in, each file its own;
 * and what is made of the inputs (folded, compared, drawn, written) has one more, for the bytes of
 * all of them together (struct hf_view).
 *
 * A single limit bounds one thing of one format; a bomb is made of what none of them bounds: bytes
 * that unpack a thousandfold, a tree of JSON, records that lie over one another. So everything that
 * a thread does for an input is counted against one budget:
 *
 *     memory  HF_LIMIT_BUDGET_MEMORY, and HF_LIMIT_BUDGET_MEMORY_RATIO for each byte given
 *     steps   HF_LIMIT_BUDGET_STEPS, and HF_LIMIT_BUDGET_STEPS_RATIO for each byte given
 *
 * A byte is *given* when it was read from where it came from: before decompression, and not from a
 * hole of a file. A *step* stands for an instruction: loops count what they do about as the machine
 * would. The containers of base/ take their memory from here, so no reader has to ask.
 *
 * Where an allocation is refused, callers say hf_error_memory as ever; that knows the true reason.
 * The budget belongs to the thread that entered it, and to those that enter it too, at the same
 * time. Outside of any, nothing is counted.
 *
 * Example:
 *
 *     struct hf_budget budget = {0};
 *     struct hf_budget_scope before = hf_budget_enter(&budget);
 *     hf_budget_give(4096);
 *     for (int record = 0; record < 100 && status == HF_OK; record++) {
 *         if (!hf_budget_step(20))
 *             status = hf_budget_refuse(err);
 *     }
 *     hf_budget_leave(before);
 */
#ifndef HF_BASE_BUDGET_H
#define HF_BASE_BUDGET_H

#include "base/attr.h"
#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hf_budget_part { HF_BUDGET_LEFT = 0, HF_BUDGET_NO_MEMORY, HF_BUDGET_NO_STEPS };

/* All-zero: nothing was given, nothing is used. */
struct hf_budget {
    _Atomic uint64_t given_bytes;
    _Atomic uint64_t memory_bytes, memory_peak;
    _Atomic uint64_t steps; /* up to a slice of each thread more than were made */
    _Atomic int used_up;    /* enum hf_budget_part */
};

/* What a thread has of it. */
struct hf_budget_scope {
    struct hf_budget *budget; /* NULL: none */
    int64_t steps_left;       /* of its slice */
    uint64_t failed_count; /* of hf_budget_malloc and hf_budget_calloc: those that gave nothing */
};

extern _Thread_local struct hf_budget_scope hf_budget_scope;

/* Times the allowance; 1 unless the user says otherwise (--input-budget). Set before any thread. */
void hf_budget_set_factor(double factor);

/* From here on this thread works for `budget`. Returns what it worked for. */
struct hf_budget_scope hf_budget_enter(struct hf_budget *budget);
void hf_budget_leave(struct hf_budget_scope before);

/* So many bytes of the input came. */
void hf_budget_give(uint64_t bytes);

uint64_t hf_budget_memory_allowed(const struct hf_budget *budget);
uint64_t hf_budget_steps_allowed(const struct hf_budget *budget);

/* Takes memory; false: there is not so much left. */
HF_MUST_CHECK bool hf_budget_take(size_t bytes);
void hf_budget_put_back(size_t bytes);

/* The rare part of hf_budget_step. */
bool hf_budget_next_slice(void);

/*
 * Counts steps. False when they are used up; a loop that cannot fail goes on, and the next that can
 * ends it.
 */
static inline bool hf_budget_step(uint64_t count)
{
    hf_budget_scope.steps_left -= (int64_t)count;
    return HF_LIKELY(hf_budget_scope.steps_left >= 0) || hf_budget_next_slice();
}

/* True while less than three quarters of the steps are used: time to finish with what there is. */
bool hf_budget_has_reserve(void);

/* True while less than that part of the memory and of the steps is used. */
bool hf_budget_is_below(unsigned percent);

/* True if this thread's budget is used up. */
bool hf_budget_is_used_up(void);

/* Says what is used up, and what to do; returns HF_ERR_LIMIT. */
enum hf_status hf_budget_refuse(struct hf_error *err);

/*
 * malloc and free for a library whose memory counts. They go together; errno is ENOMEM. If the
 * library goes on without what it asked for, hf_budget_scope.failed_count tells.
 */
void *hf_budget_malloc(size_t size);
void hf_budget_free(void *memory);

/* calloc, to be freed by hf_budget_free: for arrays as long as the input makes them. */
HF_MUST_CHECK void *hf_budget_calloc(size_t count, size_t size);

/*
 * Asks the kernel for large pages, if an array is so large that looking into it here and there
 * costs more for the addresses of its pages than for its bytes; arrays of hf_budget_calloc and of
 * base/containers/ have them. What it holds stays; where the kernel has none, nothing is lost.
 * errno stays.
 */
void hf_budget_prefer_large_pages(void *items, size_t size_bytes);

/*
 * The same for all that is smaller than such a page: a process of some seconds spends a tenth of
 * them on page after page of a heap that grows. Call it with one thread, before the work.
 */
void hf_budget_prefer_large_heap(void);

#endif
