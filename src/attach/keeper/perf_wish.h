/*
 * perf_wish.h: one kind of event that perf shall watch a process for, as plain numbers: it is asked
 * for by who has no rights, and looked at by who has them (attach/keeper/keeper.h).
 */
#ifndef HF_ATTACH_PERF_WISH_H
#define HF_ATTACH_PERF_WISH_H

#include "base/error.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

enum hf_perf_what {
    HF_PERF_ENTRY,  /* of a function */
    HF_PERF_RETURN, /* of a function */
    HF_PERF_FAULT,  /* of a page */
    HF_PERF_TASK,   /* never; with it come threads that end, exec(3), code that is mapped, losses */
    HF_PERF_CALL,   /* of the system, that begins */
    HF_PERF_CALL_RETURN, /* that ends */
};

struct hf_perf_wish {
    uint32_t what;              /* enum hf_perf_what */
    uint32_t is_recorded;       /* else it is only counted */
    uint32_t period;            /* one in so many is recorded */
    uint32_t stack_bytes;       /* that a record has of the stack; a multiple of 8 */
    uint32_t filtered_argument; /* 1 + its number: it has the context, which is filtered; 0: none */
    uint32_t has_chain; /* a record has the chain of frame pointers, as the kernel finds it */
    uint64_t registers; /* that a record has, as bits of perf_event_attr.sample_regs_user */
    uint64_t offset;    /* of the probe, in its file; number of the system call */
};

/* A record of perf has at most 64 KiB. */
#define HF_PERF_STACK_BYTES_MOST 61440u

/* The registers that a record may have. */
#define HF_PERF_REGISTERS UINT64_C(0x301fd)

/* HF_ERR_INPUT: no such kind is ever needed. */
HF_MUST_CHECK enum hf_status hf_perf_wish_check(
    const struct hf_perf_wish *wish, struct hf_error *err);

/* A trace event of the system calls, which has no file. */
static inline bool hf_perf_wish_is_call(const struct hf_perf_wish *wish)
{
    return wish->what == HF_PERF_CALL || wish->what == HF_PERF_CALL_RETURN;
}

/* What perf_event_open(2) is told: disabled. `event`: the number of the probe in tracefs; a ring
 * wakes its reader when `wakeup_bytes` are in it. */
struct perf_event_attr hf_perf_wish_attributes(
    const struct hf_perf_wish *wish, uint64_t event, uint32_t wakeup_bytes);

/* What the probe's line in tracefs ends with: the argument that a filter asks for. */
const char *hf_perf_wish_fields(const struct hf_perf_wish *wish);

/* True of "context==0x55d0c1a2||context==0x55d0c0f4", however many. */
bool hf_perf_filter_is_sound(const char *filter);

#endif
