/*
 * recording.h: what a session recorded, in memory that is shared with the processes that come after
 * the one which recorded it. So whoever makes a profile of it, and reads files for names, may die
 * of one of them and be started again: the recording is still there.
 *
 * Whoever records may die, too. The table is there at any time, if the backend keeps it true
 * (backend.h), and the rest is put every now and then: that is what is left.
 *
 * Whoever recorded may have been taken over: what is here is input as any other.
 */
#ifndef HF_ATTACH_RECORDING_H
#define HF_ATTACH_RECORDING_H

#include "attach/session/session.h"

/* Of address space; memory is used as it fills. */
#define HF_RECORDING_TABLE_BYTES (UINT64_C(4) << 30)
#define HF_RECORDING_NOTES_BYTES 65536u

/* How far it is: whoever waits for several asks. */
enum hf_recording_stage { HF_RECORDING_NEW, HF_RECORDING_COUNTED, HF_RECORDING_BEGUN };

struct hf_recording {
    _Atomic uint32_t stage;
    _Atomic bool shall_end; /* said to who records */
    /* Of a series: so often was a look asked for, and so often was the table made true for one, and
     * left alone since. With perf it changes all the time, and is true at any. */
    _Atomic uint32_t looks_wanted, looks_done;
    struct hf_recording_cost { /* counted before */
        bool is_counted;
        uint64_t calls; /* a second */
        uint64_t added_per_mille, births_per_mille, period_bytes;
    } cost;
    uint32_t failed; /* enum hf_status: why there is none */
    char reason[HF_ERROR_TEXT_MAX];
    bool is_complete;
    bool is_by_bpf, has_contexts;
    uint32_t chunk_head_bytes;
    uint32_t end; /* enum hf_session_end */
    uint64_t begin_ns, end_ns, added_per_mille, thin_ns, period_bytes;
    uint64_t followed_ns;         /* of the time from begin_ns to end_ns, births were followed */
    uint64_t windows, windows_ns; /* in which they were, that are over */
    struct hf_backend_progress progress;
    struct hf_tracker_counts counts;
    struct hf_jit_list jit; /* of the process */
    uint32_t notes_bytes;
    char notes[HF_RECORDING_NOTES_BYTES]; /* of each its kind as a digit, its text, NUL */
    bool is_in_kernel; /* what is in use: the table has the modules, hf_session_gather the rest */
    /* A live table, and the backend's log: set before anybody else is started. */
    void *table, *log;
    int table_fd; /* the table's, of a series; -1: it has none */
};

/* `has_file`: the table can be read by a descriptor, too. HF_ERR_SYSTEM: there is no room. Call
 * free after success, in the process that made it. */
HF_MUST_CHECK enum hf_status hf_recording_new(
    struct hf_recording **out_recording, bool has_file, struct hf_error *err);
void hf_recording_free(struct hf_recording *recording); /* also of NULL */

/* Puts into it what was counted; why it failed. */
void hf_recording_put_cost(struct hf_recording *recording, const struct hf_session *session);
void hf_recording_put_failure(
    struct hf_recording *recording, enum hf_status status, const struct hf_error *err);

/* Puts into it what its session, whose options name it, has recorded. */
void hf_recording_put(struct hf_recording *recording, const struct hf_session *session);

/* Whoever recorded died of `cause`, and its probes are out, which is said with how long it had
 * recorded, unless it was at its end. False: nothing was put until then. */
HF_MUST_CHECK bool hf_recording_cut(struct hf_recording *recording, const char *cause);

/* The session as it was then, for hf_session_profile alone. Close it in either case. */
HF_MUST_CHECK enum hf_status hf_recording_take(const struct hf_recording *recording,
    const struct hf_session_options *options, struct hf_session *session, struct hf_error *err);

#endif
