/*
 * stop_price.h: what it takes on this machine that a thread stops at a probe and goes on.
 *
 * A machine's stops are no multiple of its system calls: on one whose system calls took half the
 * time of another's, a stop took two thirds. So a probe that only counts is put into a function of
 * this process itself, which is called 2,000 times. The kernel puts the breakpoint into no
 * other process. Takes some milliseconds, the first time.
 */
#ifndef HF_ATTACH_STOP_PRICE_H
#define HF_ATTACH_STOP_PRICE_H

#include <stdint.h>

/* ns of processor time; 0: it cannot be measured, e.g. without the right to probes. One thread. */
uint64_t hf_stop_price_ns(void);

#endif
