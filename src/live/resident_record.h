/*
 * resident_record.h: what the live table says of resident memory, which is found from outside
 * (layout.h).
 *
 * docs/formats/live.md says the same for other readers.
 */
#ifndef HF_LIVE_RESIDENT_RECORD_H
#define HF_LIVE_RESIDENT_RECORD_H

#include <stdint.h>

/* A mapping is a struct hf_live_block, too: addresses that the program, or its allocator, got by
 * mmap, brk or sbrk. Pieces of one stack that follow each other are one. */
#define HF_LIVE_BY_ALLOCATOR 0xfffffffdu /* in the place of a stack: the recorded allocator's */
#define HF_LIVE_BY_AGENT 0xfffffffeu     /* the agent's own memory */

/*
 * What the resident memory of a process is, when most of it was resident (live/residency.h).
 * Each page is in one part, so they add up.
 */
enum hf_live_part {
    HF_LIVE_PART_IN_USE,  /* blocks of malloc, estimated as they are */
    HF_LIVE_PART_FREE,    /* what the allocator has beyond that: free, or its own records */
    HF_LIVE_PART_MAPPED,  /* the program's own mappings: those of the residents */
    HF_LIVE_PART_STACKS,  /* of the threads */
    HF_LIVE_PART_DATA,    /* of the program and its libraries: what they changed of their files */
    HF_LIVE_PART_FILES,   /* pages as their files have them */
    HF_LIVE_PART_SHARED,  /* with other processes, of no file */
    HF_LIVE_PART_AGENT,   /* the agent's own */
    HF_LIVE_PART_TABLE,   /* this table */
    HF_LIVE_PART_UNKNOWN, /* nobody saw where it came from */
    HF_LIVE_PARTS
};

/* What is resident of all that one stack mapped. */
struct hf_live_resident {
    uint32_t stack, reserved;
    uint64_t bytes;
};

_Static_assert(sizeof(struct hf_live_resident) == 16, "packed");

#endif
