/*
 * perf_events.h: what perf_event_open(2) opens to watch all threads of a process.
 *
 * An event watches one thread, on one processor, and what that thread starts later; so a *kind* of
 * event is an open file for each thread there is and each processor. Closing them ends it, and so
 * does the death of this process.
 *
 * A thread that starts while they are opened may have inherited some and then gets its own, too: it
 * has each event twice, and attach/perf/perf_files.h tells which to believe.
 */
#ifndef HF_ATTACH_PERF_EVENTS_H
#define HF_ATTACH_PERF_EVENTS_H

#include "base/containers/map.h"
#include "base/error.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_perf_file {
    uint64_t id; /* the kernel's number of it, which its records begin with */
    int fd;
    uint32_t kind, tid, cpu;
};

struct hf_perf_events {
    uint32_t pid;
    const struct perf_event_attr *kinds; /* borrowed */
    size_t kind_count;
    struct hf_perf_file *files; /* of a thread all together; of those the kinds of a processor */
    size_t count, capacity;
    struct hf_map threads; /* that have files of their own */
};

/*
 * Opens all, in the order of the kinds. HF_ERR_SYSTEM, with what to do: not allowed, no such
 * process, too many files.
 */
HF_MUST_CHECK enum hf_status hf_perf_events_open(struct hf_perf_events *events, uint32_t pid,
    const struct perf_event_attr *kinds, size_t kind_count, struct hf_error *err);
void hf_perf_events_close(struct hf_perf_events *events);

/* Of a kind of trace events, those count that `expression` is true of, as "a==1||a==2". */
HF_MUST_CHECK enum hf_status hf_perf_events_filter(const struct hf_perf_events *events,
    uint32_t kind, const char *expression, struct hf_error *err);

/* Those that were opened disabled begin; and none counts or records any more, but stays open. */
void hf_perf_events_enable(const struct hf_perf_events *events);
void hf_perf_events_disable(const struct hf_perf_events *events);

/* How often events of a kind happened so far. */
uint64_t hf_perf_events_count(const struct hf_perf_events *events, uint32_t kind);

/*
 * One file of each processor, whose ring the others of that processor use: hf_perf_events_join lets
 * them, once all of these are mapped. *out_count is at most the number of processors; the array
 * is the caller's to free.
 */
HF_MUST_CHECK enum hf_status hf_perf_events_rings(
    const struct hf_perf_events *events, int **out_rings, size_t *out_count, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_perf_events_join(
    const struct hf_perf_events *events, struct hf_error *err);

#endif
