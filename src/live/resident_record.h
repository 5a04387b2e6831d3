/*
 * resident_record.h: what the live table (layout.h) says about resident memory, which is measured
 * from outside.
 *
 * docs/formats/live.md says the same for other programs.
 */
#ifndef HF_LIVE_RESIDENT_RECORD_H
#define HF_LIVE_RESIDENT_RECORD_H

#include <stdint.h>

/* A mapping is a struct hf_live_block, too: addresses that the program or its allocator got by
 * mmap, brk or sbrk. Adjacent pieces of the same stack are one mapping. */
#define HF_LIVE_BY_ALLOCATOR 0xfffffffdu /* in place of a stack: the recorded allocator's */
#define HF_LIVE_BY_AGENT 0xfffffffeu     /* the agent's own memory */

/*
 * The resident memory of a process, divided by purpose, at the time when most was resident
 * (live/residency.h). Each page is in one part, so the parts add up.
 */
enum hf_live_part {
    HF_LIVE_PART_IN_USE, /* blocks of malloc, estimated from samples */
    HF_LIVE_PART_FREE,   /* the allocator's other memory: free, or its own records */
    HF_LIVE_PART_MAPPED, /* the program's own mappings, divided among the residents */
    HF_LIVE_PART_STACKS, /* of threads */
    HF_LIVE_PART_DATA,   /* of the program and its libraries: pages of their files that they changed
                          */
    HF_LIVE_PART_FILES,  /* pages as their files have them */
    HF_LIVE_PART_SHARED, /* shared with other processes, without a file */
    HF_LIVE_PART_AGENT,  /* the agent's own */
    HF_LIVE_PART_TABLE,  /* this table */
    HF_LIVE_PART_UNKNOWN, /* where it came from is not known */
    HF_LIVE_PARTS
};

/* How much is resident of all that one stack mapped. */
struct hf_live_resident {
    uint32_t stack, reserved;
    uint64_t bytes;
};

_Static_assert(sizeof(struct hf_live_resident) == 16, "packed");

#endif
