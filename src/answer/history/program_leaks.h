/*
 * program_leaks.h: what the processes of one program say together: a service that was started
 * again, its replicas, its builds.
 *
 * Each process is judged for itself (process_history.h). A place is the same in two of them if it
 * has the same name. If it is a leak in one of them, it is *shared*, with how many of the processes
 * it is a leak in, and how fast, pooled over these (statistics/pooled_rate.h). If it is undecided
 * in all of them, at least two, and births are not known, they are judged together: their slopes
 * and bends are pooled, and pass the tests of one process (analysis/verdict.h). Nothing is said of
 * a program with one process that has enough profiles.
 *
 * A leak began with a build if it is one in that build and all later ones, and not before; or if
 * the rate is another one since then. It ended with a build if it is none since then. Where it is
 * undecided, or has too little data, it is not known to be none.
 */
#ifndef HF_ANSWER_HISTORY_PROGRAM_LEAKS_H
#define HF_ANSWER_HISTORY_PROGRAM_LEAKS_H

#include "answer/history/process_history.h"
#include "render/shared_leaks.h"

/* Of processes that are judged, and stay as they are meanwhile. Free in any case. */
HF_MUST_CHECK enum hf_status hf_program_leaks_find(struct hf_shared_leaks *out_leaks,
    const struct hf_process_histories *processes, struct hf_error *err);

#endif
