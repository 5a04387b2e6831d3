/*
 * conf.h: HEAPFLAME_CONF, in the language of MALLOC_CONF (conf/parse.h).
 *
 * jemalloc's options of profiling keep their names, ranges and meaning (prof_leak without prof
 * turns recording on, and dumps by interval and maximum off); these are the agent's own:
 *
 *     period:BYTES      mean bytes from sample to sample (lg_prof_sample:19 is period:512KiB)
 *     exact:BOOL        record every allocation; so does lg_prof_sample:0
 *     budget:BYTES      the size of the table; 16 MiB, of an exact run 1 GiB, used as it fills
 *     dir:PATH          where the table is made; $XDG_RUNTIME_DIR, else /dev/shm, else /tmp
 *     follow_fork:BOOL  a forked child makes a table of its own
 *     filtered:BOOL     the seccomp filter that it is started under lets the agent's calls pass
 *     keep:BOOL         the table stays when the process ends normally
 *     pid:N             only the process of this number; written by `heapflame run`
 *     family:N          stands in the name of the table, for who looks for all of one run
 *     seed:N            of the random numbers, for tests
 *
 * The last of several pairs with one key counts, as in jemalloc. What is wrong is reported in one
 * sentence each, and passed over; the program runs.
 */
#ifndef HF_AGENT_CONF_H
#define HF_AGENT_CONF_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_agent_conf {
    bool prof, prof_active, prof_thread_active_init, is_exact, follow_fork, is_filtered, keep;
    bool prof_gdump, prof_final, prof_leak, prof_accum;
    int64_t lg_prof_interval; /* -1: no dumps */
    uint64_t period_bytes;
    uint64_t budget_bytes;
    uint64_t pid;               /* 0: any */
    uint64_t family;            /* 0: none */
    uint64_t seed;              /* 0: by chance */
    struct hf_text dir;         /* borrowed from what was read; empty: not given */
    struct hf_text prof_prefix; /* as dir; empty: no dumps with automatic names */
};

#define HF_AGENT_PERIOD (UINT64_C(512) << 10)
#define HF_AGENT_PERIOD_MAX (UINT64_C(1) << 48)
#define HF_AGENT_BUDGET_SAMPLED (UINT64_C(16) << 20)
#define HF_AGENT_BUDGET_EXACT (UINT64_C(1) << 30)

/* Reads it; `text` must live as long as the result. */
struct hf_agent_conf hf_agent_conf_read(struct hf_text text);

#endif
