/*
 * probe.h: one place in one file where a process is stopped, for one function of a spec.
 */
#ifndef HF_ATTACH_PROBE_H
#define HF_ATTACH_PROBE_H

#include "spec/spec.h"

struct hf_probe {
    /*
     * The file, as it can be opened from here: /proc/PID/root/..., or /proc/PID/map_files/... where
     * that is another file by now. Without blanks, as tracefs needs it.
     */
    const char *path;
    const char *file, *function; /* for messages: "libc.so.6", "malloc" */
    uint64_t entry_offset;       /* of the function, in the file */
    uint64_t offset;   /* of the breakpoint: there, or a few instructions later (probe_offset.h) */
    uint64_t jumps_to; /* of resolve.c: the function that all it does is jump to; UINT64_MAX */
    uint64_t address;  /* of the breakpoint in the process, in its lowest mapping */
    bool is_emulated;  /* the kernel emulates the instruction there; else it steps it */
    const char *why_stepped; /* completes "it is stepped: ..." (probe_offset.h); NULL: it is not */
    bool is_system_call;     /* `offset` is its number (spec/system_call.h), and there is no file */
    bool returns;            /* its return is probed, too */
    bool has_breakpoint;     /* somebody's is there already */
    const struct hf_spec_entry *entry;
};

/* It makes blocks or contexts, and ends none. */
static inline bool hf_probe_is_birth(const struct hf_probe *probe)
{
    return probe->entry->role == HF_ROLE_ALLOC || probe->entry->role == HF_ROLE_CTXNEW;
}

#endif
