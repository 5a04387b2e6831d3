/*
 * process_history.h: profiles of one process become a history, and that places with verdicts.
 */
#ifndef HF_ANSWER_PROCESS_HISTORY_H
#define HF_ANSWER_PROCESS_HISTORY_H

#include "analysis/growth.h"
#include "analysis/suppressions.h"
#include "answer/poller.h"
#include "answer/view.h"

/* All zero: nothing is known. */
struct hf_process_history {
    bool keeps_last; /* set by whoever wants hf_process_history.last */
    struct hf_history history;
    bool is_unordered;       /* times did not rise: the history ends before that */
    struct hf_profile *last; /* of the profiles, as it was read; NULL: not kept */
    struct hf_view view;     /* of the history */
    struct hf_growth growth; /* without the places that are suppressed, also of the whole */
    struct hf_suppressions suppressions; /* and their hits */
};

/* Reads the files that say what is suppressed. Done in any case. */
HF_MUST_CHECK enum hf_status hf_process_history_suppress(
    struct hf_process_history *process, const struct hf_name_list *files, struct hf_error *err);

/*
 * Reads the next profile, which the caller frees, and adds it. `is_judged`:
 * hf_process_history_judge follows, so what it knows of lifetimes is wanted. `context` is the
 * struct hf_process_history: this may be hf_request_comparison.read_point.
 */
HF_MUST_CHECK enum hf_status hf_process_history_add(void *context, const struct hf_request *request,
    const struct hf_dated_profile *dated, bool is_judged, struct hf_profile **out_profile,
    struct hf_error *err);

/* Reads the profiles that `names` name, also a folder's, one at a time: at least two. */
HF_MUST_CHECK enum hf_status hf_process_history_read(struct hf_process_history *process,
    const struct hf_request *request, const char *const *names, size_t count, struct hf_error *err);

/*
 * Reads one process, whose number is `name`, again and again, until it ends, the time is over, or
 * somebody else ends the loop. Of `poller` are set: pid, every_ns, duration_ns, tell, teller.
 */
HF_MUST_CHECK enum hf_status hf_process_history_poll(struct hf_process_history *process,
    const struct hf_request *request, const char *name, struct hf_poller *poller,
    struct hf_loop *loop, struct hf_error *err);

/* Names and folds the history as far as it goes, and finds its places; those before are gone. */
HF_MUST_CHECK enum hf_status hf_process_history_judge(
    struct hf_process_history *process, const struct hf_request *request, struct hf_error *err);

/* What has to be said beside the places, also after an error; NULL: nothing. */
const struct hf_notes *hf_process_history_notes(struct hf_process_history *process);

void hf_process_history_done(struct hf_process_history *process);

#endif
