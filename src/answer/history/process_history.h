/*
 * process_history.h: collects profiles of a process over time, and judges the places where its
 * memory grows.
 *
 * Profiles of several processes are several histories, each for itself: what one of them released
 * when it ended says nothing of the next. analysis/process_identity.h tells them apart. Processes
 * of one program are its *starts*.
 */
#ifndef HF_ANSWER_HISTORY_PROCESS_HISTORY_H
#define HF_ANSWER_HISTORY_PROCESS_HISTORY_H

#include "analysis/growth/growth.h"
#include "analysis/process_identity.h"
#include "analysis/suppressions.h"
#include "answer/history/poller.h"
#include "answer/history/process_events.h"
#include "answer/view.h"

/* All zero is an empty history. */
struct hf_process_history {
    bool keeps_last; /* the caller sets it to have `last` kept */
    struct hf_history history;
    struct hf_budget budget; /* of the history; what is made of it has that of `view` */
    bool is_unordered;       /* times did not rise; later profiles were left out */
    struct hf_profile *last; /* the last profile, as it was read; NULL: not kept */
    struct hf_view view;     /* of the history */
    struct hf_growth growth; /* without suppressed places, which the whole does not count either */
    struct hf_suppressions suppressions; /* and their hits */
    /* Of one of several: which process it is. */
    struct hf_process_identity identity;
    size_t start, start_count;       /* the 1st of 3 processes of its program */
    bool is_restart;                 /* all earlier ones had ended before its first profile */
    const char *last_name;           /* borrowed, while profiles are read */
    struct hf_process_events events; /* that may have begun a leak */
};

/* All zero is none. */
struct hf_process_histories {
    bool keeps_last;                         /* the caller sets it: keep the last profile of all */
    const struct hf_name_list *suppressions; /* files; the caller sets it; NULL: none */
    struct hf_process_history **items;       /* in the order in which they begin */
    size_t count, capacity;
    struct hf_process_events marks; /* that were found beside the profiles */
};

/* Reads files of suppressions. Call hf_process_history_done in any case. */
HF_MUST_CHECK enum hf_status hf_process_history_suppress(
    struct hf_process_history *process, const struct hf_name_list *files, struct hf_error *err);

/* Reads a profile, which the caller frees, with the births that the lifetimes want; NULL: none. */
HF_MUST_CHECK enum hf_status hf_process_history_read(const struct hf_request *request,
    const char *name, struct hf_lifetimes *lifetimes, struct hf_profile **out_profile,
    struct hf_error *err);

/*
 * Reads the next profile, which the caller frees, and adds it. `is_judged`: the caller judges
 * after this one, so its lifetimes are read, too. `context` is the struct hf_process_history, so
 * that this function can be hf_request_comparison.read_point.
 */
HF_MUST_CHECK enum hf_status hf_process_history_add(void *context, const struct hf_request *request,
    const struct hf_dated_profile *dated, bool is_judged, struct hf_profile **out_profile,
    struct hf_error *err);

/*
 * Adds a profile that was read otherwise, with its lifetimes (NULL: none), whose births are taken
 * from it already. The caller frees the profile; if it cannot be added, this does.
 */
HF_MUST_CHECK enum hf_status hf_process_history_take(struct hf_process_history *process,
    const struct hf_request *request, const struct hf_dated_profile *dated,
    struct hf_profile *profile, const struct hf_lifetimes *lifetimes, struct hf_error *err);

/* Reads the live table that is open as `table`, as it is now: as hf_process_history_read. */
HF_MUST_CHECK enum hf_status hf_process_history_read_table(int table, const char *name,
    struct hf_lifetimes *lifetimes, struct hf_profile **out_profile, struct hf_error *err);

/* The same, and adds it. */
HF_MUST_CHECK enum hf_status hf_process_history_add_table(struct hf_process_history *process,
    const struct hf_request *request, int table, const char *name, struct hf_error *err);

/* Another history, the last. */
HF_MUST_CHECK enum hf_status hf_process_histories_add(struct hf_process_histories *processes,
    struct hf_process_history **out_process, struct hf_error *err);

/*
 * Reads the named profiles, and those in named folders, one at a time, each into the history of its
 * process. Of one process there must be two. Call hf_process_histories_done in any case.
 */
HF_MUST_CHECK enum hf_status hf_process_histories_read(struct hf_process_histories *processes,
    const struct hf_request *request, const char *const *names, size_t count, struct hf_error *err);
void hf_process_histories_done(struct hf_process_histories *processes);

/*
 * Reads the process with the number `name` repeatedly, until it ends, the time is over, or another
 * source ends the loop. The caller sets pid, every_ns, duration_ns, tell and teller of `poller`.
 */
HF_MUST_CHECK enum hf_status hf_process_history_poll(struct hf_process_history *process,
    const struct hf_request *request, const char *name, struct hf_poller *poller,
    struct hf_loop *loop, struct hf_error *err);

/* Names and folds the history so far, and finds its places, which replace earlier ones. */
HF_MUST_CHECK enum hf_status hf_process_history_judge(
    struct hf_process_history *process, const struct hf_request *request, struct hf_error *err);

/* The same of looks at a live table; HF_ERR_USAGE: there was one at most. */
HF_MUST_CHECK enum hf_status hf_process_history_judge_looks(
    struct hf_process_history *process, const struct hf_request *request, struct hf_error *err);

/* The notes to report, also after an error; NULL: none. Call it before done. */
const struct hf_notes *hf_process_history_notes(struct hf_process_history *process);

void hf_process_history_done(struct hf_process_history *process);

#endif
