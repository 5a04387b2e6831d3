/*
 * tracefs.h: the kernel's trace events for functions of user space.
 *
 *     p:GROUP/NAME PATH:OFFSET FIELDS     the entry of a function
 *     r:GROUP/NAME PATH:OFFSET FIELDS     its return
 *     -:GROUP/NAME                        no more
 *
 * FIELDS are what a filter may ask for: "context=%di:u64". Source:
 * Documentation/trace/uprobetracer.rst of the kernel. Such a line, written to the file
 * uprobe_events, gives an event its name and number and costs nothing; that it is watched is
 * perf_event_open(2)'s.
 *
 * GROUP is heapflame_PID, of this process. After a kill -9 the names stay: those of processes that
 * are dead are removed whenever this is opened. Where tracefs is mounted nowhere, it is mounted in
 * a mount namespace of our own, which nobody else sees.
 */
#ifndef HF_ATTACH_TRACEFS_H
#define HF_ATTACH_TRACEFS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_tracefs {
    int folder;          /* of tracefs, open */
    uint32_t names;      /* of this group, tried so far */
    size_t stale_events; /* of dead processes, that were removed */
};

/* HF_ERR_SYSTEM, with what to do, if there is none or it may not be used. */
HF_MUST_CHECK enum hf_status hf_tracefs_open(struct hf_tracefs *tracefs, struct hf_error *err);

/* Removes the events of this group, whose watchers are closed by now. */
void hf_tracefs_close(struct hf_tracefs *tracefs);

/*
 * Makes an event of the instruction at `offset` of the file `path`, which has no blanks; its number
 * is what perf_event_open(2) wants as `config`. `fields` may be empty.
 */
HF_MUST_CHECK enum hf_status hf_tracefs_add(struct hf_tracefs *tracefs, const char *path,
    uint64_t offset, bool is_return, const char *fields, uint64_t *out_event, struct hf_error *err);

/* The number of the event that a system call begins or returns, which is there already. */
HF_MUST_CHECK enum hf_status hf_tracefs_system_call(const struct hf_tracefs *tracefs,
    const char *name, bool is_return, uint64_t *out_event, struct hf_error *err);

#endif
