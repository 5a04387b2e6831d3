/*
 * perf_events.h: what perf_event_open(2) opens to watch all threads of a process.
 *
 * An event watches one thread, on one processor, and what that thread starts later; so a *kind* of
 * event is an open file for each thread there is and each processor. Closing them ends it, and so
 * does the death of this process.
 *
 * A thread that starts while they are opened may have inherited some and then gets its own, too: it
 * has each event twice, and hf_perf_events_owns tells which to believe.
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
    int fd;
    uint32_t kind, tid, cpu;
};

struct hf_perf_events {
    uint32_t pid;
    const struct perf_event_attr *kinds; /* borrowed */
    size_t kind_count;
    struct hf_perf_file *files; /* of a thread all together; of those the kinds of a processor */
    size_t count, capacity;
    struct hf_map by_id;   /* the kernel's number of a file -> ours */
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

/* The file with the kernel's number `id`; NULL if there is none. */
const struct hf_perf_file *hf_perf_events_find(const struct hf_perf_events *events, uint64_t id);

/* Whether a record of thread `tid` is to be taken from this file. */
bool hf_perf_events_owns(
    const struct hf_perf_events *events, const struct hf_perf_file *file, uint32_t tid);

/* A thread has ended: its number may be another's later. */
void hf_perf_events_forget_thread(struct hf_perf_events *events, uint32_t tid);

#endif
