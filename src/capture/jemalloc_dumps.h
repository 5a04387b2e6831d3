/*
 * jemalloc_dumps.h: settings for a program that its own jemalloc profiles, and the dumps that it
 * writes into our folder.
 *
 * jemalloc names them PREFIX.PID.SEQ.KIND.heap: i0, i1 ... after so many bytes, m0 ... when the
 * program asks for one without a name, f at exit(3). The settings go behind those that are there,
 * and of two the last counts (conf/parse.h).
 *
 * What jemalloc cannot do is not done: there is no dump of a new maximum or by time, and none after
 * kill -9.
 */
#ifndef HF_CAPTURE_JEMALLOC_DUMPS_H
#define HF_CAPTURE_JEMALLOC_DUMPS_H

#include "base/strings/out.h"
#include "capture/dump_keeper.h"
#include "capture/loop.h"

#include <limits.h>

struct hf_jemalloc_dumps {
    uint32_t pid; /* whose: what it starts or forks writes some of its own */
    const char *program;
    struct hf_dump_keeper keeper;
    /* Its own. */
    struct hf_loop_source folder_changes;
    char folder[PATH_MAX]; /* for this user alone */
    bool has_last;         /* the one at exit was handed on */
};

/* Makes the folder in `place`. HF_ERR_USAGE if its path cannot stand in a setting. */
HF_MUST_CHECK enum hf_status hf_jemalloc_dumps_open(
    struct hf_jemalloc_dumps *dumps, const char *place, struct hf_error *err);

/* Removes the folder and all in it. */
void hf_jemalloc_dumps_close(struct hf_jemalloc_dumps *dumps);

/*
 * "prof:true,..." for it. Mean bytes from sample to sample and from dump to dump are rounded down
 * to a power of two; 0: jemalloc's default, and no dumps.
 */
void hf_jemalloc_dumps_put_settings(const struct hf_jemalloc_dumps *dumps, uint64_t period_bytes,
    uint64_t interval_bytes, bool with_last, struct hf_out *out);

/* From here on the loop hands on each dump when it is complete. */
void hf_jemalloc_dumps_begin(struct hf_jemalloc_dumps *dumps, struct hf_loop *loop);

/* The process has ended: hands on what it wrote at last. */
HF_MUST_CHECK enum hf_status hf_jemalloc_dumps_finish(
    struct hf_jemalloc_dumps *dumps, struct hf_error *err);

#endif
