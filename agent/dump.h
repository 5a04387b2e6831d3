/*
 * dump.h: the agent's table as a heap profile of jemalloc's, for those who ask for one in the
 * process itself (mallctl, heapflame_dump, an interval, the end). Others read the table.
 *
 *     "heap_v2/" period LF  "  t*: " counts LF
 *     { "@" { " 0x" address } LF  "  t*: " counts LF }
 *     LF "MAPPED_LIBRARIES:" LF /proc/self/maps
 *     counts = objects ": " bytes " [" objects ": " bytes "]"      ; in use [ever allocated]
 *
 * Addresses are return addresses of this process, leaf first. One of a file that is no longer
 * mapped there, because another is, has HF_DUMP_NOWHERE added, so that no reader names it wrongly.
 *
 * *Numbers* are those that a reader corrects to the estimate: it multiplies objects and bytes of a
 * stack by 1 / (1 - exp(-(bytes / objects) / period)). Here each sample is weighed by its own size,
 * and the sums, N objects of B bytes, are printed divided by that factor for B / N: objects rounded
 * to an integer, 1 at least, and bytes so that their mean is B / N. Of blocks of one size on a
 * stack that is their count. jemalloc does the same from 5.3 on (prof_unbias).
 *
 * One thread at a time. No allocation but pages of our own, no stdio. errno may change.
 */
#ifndef HF_AGENT_DUMP_H
#define HF_AGENT_DUMP_H

#include "base/attr.h"
#include "live/writer.h"

#define HF_DUMP_NOWHERE (UINT64_C(1) << 62) /* jeprof knows no address above 2^63 */

struct hf_dump_sum {
    uint64_t objects; /* in HF_LIVE_OBJECT-ths */
    uint64_t bytes;
};

/* What a reset leaves out of the dumps after it: blocks there were, and totals. All-zero: nothing.
 */
struct hf_dump_base {
    uint64_t *words; /* of the slots */
    uint64_t word_count;
    struct hf_dump_sum *totals; /* of the stacks */
    uint64_t total_count;
};

/* Replaces it by what the table holds now. False, and nothing is changed, without memory. */
HF_MUST_CHECK bool hf_dump_base_take(struct hf_dump_base *base, const struct hf_live_table *table);
void hf_dump_base_drop(struct hf_dump_base *base);

struct hf_dump {
    const struct hf_live_table *table;
    const struct hf_dump_base *base;
    uint64_t period_bytes; /* 1: every allocation */
    bool has_totals;       /* what was ever allocated, too, and stacks without a live block */
};

/* What is in use by a dump: estimates. */
struct hf_dump_summary {
    struct hf_dump_sum live;
    uint64_t stacks;
};

/* False: not all of it could be written, or there was no memory; errno says why. */
HF_MUST_CHECK bool hf_dump_write(
    const struct hf_dump *dump, int fd, struct hf_dump_summary *out_summary);

#endif
