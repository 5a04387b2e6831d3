/*
 * session.h: attaches to a process once, from the spec to the profile.
 *
 *     spec -> resolve -> backend -> tracker -> live table -> profile
 *
 * open finds the functions; count says what probes there will cost; record puts them in until the
 * time is over, somebody says stop, the process ends or becomes another program, or the probes cost
 * more than was allowed. Whatever ends it, the probes go first, and what was recorded until then
 * becomes a profile.
 *
 * Nothing of a session outlives its keeper in the target: the probes are open files. Only names in
 * tracefs do if that is killed, and the next session removes them. But the kernel cannot take a
 * probe out in the name of a process that is being killed: keep them in a worker
 * (os/process/shielded_worker.h).
 */
#ifndef HF_ATTACH_SESSION_H
#define HF_ATTACH_SESSION_H

#include "attach/perf/cost.h"
#include "attach/postgres/context_choice.h"
#include "attach/postgres/postgres.h"
#include "attach/session/backend.h"
#include "attach/session/duty.h"
#include "attach/session/probe_resolver.h"
#include "formats/heap/live.h"
#include "os/process/proc.h"
#include "profile/profile.h"
#include "symbol/lookup/jit_list.h"

#include <stdbool.h>
#include <stdint.h>

#define HF_SESSION_COUNT_MS 200
#define HF_SESSION_SPECS_MAX 16

/* A file of specs. */
struct hf_session_spec {
    const char *name; /* for messages */
    struct hf_text text;
};

struct hf_recording; /* attach/session/recording.h */

struct hf_session_options {
    uint32_t pid;
    struct hf_keeper *keeper; /* borrowed; NULL in a worker, which asks its broker */
    struct hf_session_spec specs[HF_SESSION_SPECS_MAX];
    size_t spec_count;
    bool is_any_spec; /* one that fits is enough */
    bool with_faults;
    const struct hf_backend *backend; /* NULL: the best that can be used */
    uint64_t period_bytes;            /* between samples; 0: as it seems best, 1: everything */
    uint64_t seed;                    /* of the samples */
    uint32_t stack_bytes;             /* most that is copied of a stack; 0: as it seems best */
    uint64_t duration_ns;
    uint64_t older_ns;              /* younger blocks are left out of the profile */
    bool has_older;                 /* else older_ns is chosen: see hf_session_profile */
    uint64_t most_per_mille;        /* that may be added (attach/perf/cost.h) */
    struct hf_recording *recording; /* borrowed: where it is kept; NULL: in the session alone */
    bool is_late; /* its parent is followed: the cost is not counted before, breakpoints are ours */
    bool is_series; /* somebody looks at the recording while it goes on (recording.h) */
    uint64_t on_ns, on_period_ns; /* births are followed so long of each period; 0: always */
    bool is_one_of_many;          /* who follows them all says how it ended and what it cost */
    bool all_contexts;
    bool shows_parents; /* of contexts: names of those they are in, too */
};

enum hf_session_end {
    HF_SESSION_TIME_OVER,
    HF_SESSION_STOPPED,
    HF_SESSION_PROCESS_ENDED,
    HF_SESSION_BECAME_ANOTHER,
    HF_SESSION_TOO_EXPENSIVE,
    HF_SESSION_CUT_SHORT, /* whoever recorded died: what was put into the recording until then */
};

struct hf_session {
    struct hf_session_options options;
    struct hf_specs specs[HF_SESSION_SPECS_MAX];
    struct hf_probes probes;
    struct hf_cost cost;
    bool is_counted;           /* else cost is not known before */
    uint64_t added_per_mille;  /* what that costs; afterwards, what it did */
    uint64_t births_per_mille; /* of the time, that allocations may be followed at that price */
    uint64_t thin_ns;          /* so long they were not, to stay within that price */
    struct hf_duty duty;       /* when they are to be followed */
    bool follows_births;       /* now; since followed_from_ns, and before that for followed_ns */
    uint64_t followed_from_ns, followed_ns;
    uint64_t windows, windows_ns; /* that are over */
    struct hf_images images;
    struct hf_jit_list *jit; /* what the process said to GDB; of the recording, or `own_jit` */
    struct hf_jit_list *own_jit;
    uint64_t jit_due_ns, jit_wait_ns; /* the next look at it */
    struct hf_tracker *tracker;
    const struct hf_backend *backend;
    uint64_t period_bytes;
    struct hf_backend_progress progress;
    struct hf_postgres postgres; /* whose contexts are followed; pid 0: none */
    uint64_t *contexts;          /* those that were there at the start */
    size_t context_count;
    uint32_t chunk_head_bytes;         /* of blocks in contexts: live/chunk.h; 0: in none */
    bool has_contexts;                 /* they were read, however many */
    struct hf_context_choice choice;   /* of them */
    uint64_t begin_ns, now_ns, end_ns; /* CLOCK_MONOTONIC */
    enum hf_session_end end;
    bool is_gathered; /* what is in use is in the table, though the session was cut short */
    uint64_t young_objects, young_bytes; /* in use and left out of the profile */
    char thread_name[HF_PROC_NAME_MAX],
        labels[HF_TRACKER_NAMES][HF_CONTEXT_LABEL_MAX]; /* asked for last */
    struct hf_notes notes;
};

/* Told every now and then while a session records; false ends it. */
struct hf_session_watch {
    bool (*look)(void *context, const struct hf_session *session);
    void *context;
};

/* Once, before rights are given up: loads libraries. What cannot be had shows when it is used. */
void hf_session_prepare(void);

/* Finds what to probe. The options' texts must outlive the session. Call close in either case. */
HF_MUST_CHECK enum hf_status hf_session_open(
    struct hf_session *session, const struct hf_session_options *options, struct hf_error *err);
void hf_session_close(struct hf_session *session);

/*
 * Fills session->cost, and chooses backend and period. HF_ERR_LIMIT: it would be too expensive; the
 * sentence says what to do.
 */
HF_MUST_CHECK enum hf_status hf_session_count(struct hf_session *session, struct hf_error *err);

/* Records. Once. */
HF_MUST_CHECK enum hf_status hf_session_record(
    struct hf_session *session, struct hf_session_watch watch, struct hf_error *err);

/* For how long births were followed so far, of the time from begin_ns to now_ns. */
uint64_t hf_session_followed_ns(const struct hf_session *session);

/*
 * Of a session whose recording is_in_kernel: another reads what is there now, where the session was
 * cut short, and puts it into the recording. `options`: of that session.
 */
HF_MUST_CHECK enum hf_status hf_session_gather(
    const struct hf_session_options *options, struct hf_error *err);

/*
 * What is in use of what was allocated meanwhile, with all notes. Unless the options say how old
 * blocks have to be, those in contexts must have been there for a quarter of the time that was
 * recorded, at most HF_SESSION_OLDER_NS, but for longer than the moment for which something is
 * there always (statistics that a server sends each second), if that is not half of the time.
 */
#define HF_SESSION_MOMENT_NS UINT64_C(1250000000)
#define HF_SESSION_OLDER_NS UINT64_C(5000000000)
HF_MUST_CHECK enum hf_status hf_session_profile(struct hf_session *session,
    struct hf_profile **out_profile, struct hf_live_ages *out_ages, struct hf_error *err);

#endif
