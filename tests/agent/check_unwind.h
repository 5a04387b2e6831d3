/*
 * check_unwind.h: what check_unwind.c counts, in the file that CHECK_UNWIND names: it is mapped by
 * all processes of a run, and so outlives each. tests/e2e/unwind.py reads it.
 */
#ifndef HF_TESTS_CHECK_UNWIND_H
#define HF_TESTS_CHECK_UNWIND_H

#include <stdatomic.h>
#include <stdint.h>

struct check_counts {
    _Atomic uint64_t stacks;    /* compared; each is one of the next three */
    _Atomic uint64_t same;      /* all frames are those of libgcc */
    _Atomic uint64_t longer;    /* all frames of libgcc, and then guessed ones */
    _Atomic uint64_t different; /* anything else */
    _Atomic uint64_t replays;   /* where replay gave other frames than a walk without a memo */
    _Atomic uint64_t elsewhere; /* not compared: not on the stack of a thread */
    _Atomic uint64_t frames;    /* of all stacks */
    _Atomic uint64_t text_bytes;
    char text[4096]; /* a line for each of the first differences */
};

#endif
