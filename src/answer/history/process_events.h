/*
 * process_events.h: what happened to a process while it was looked at, so that a leak can be said
 * to have begun after it: the marks that were made of it (capture/mark.h), and its build, if that
 * is another one than that of the process before.
 *
 * A mark is found as a file NAME.mark or PID-RANDOM.NAME.mark among the profiles, or beside the
 * live table of the process.
 */
#ifndef HF_ANSWER_HISTORY_PROCESS_EVENTS_H
#define HF_ANSWER_HISTORY_PROCESS_EVENTS_H

#include "analysis/growth/growth.h"
#include "base/containers/arena.h"

/* All zero is none. */
struct hf_process_events {
    struct hf_process_event {
        const char *kind; /* as of struct hf_verdict_event */
        struct hf_text name;
        int64_t time_ms; /* since 1970 */
    } * items;
    size_t count, capacity;
    struct hf_arena names;
    struct hf_verdict_event *dated; /* by the times of a history, as many */
};

HF_MUST_CHECK enum hf_status hf_process_events_add(struct hf_process_events *events,
    const char *kind, struct hf_text name, int64_t time_ms, struct hf_error *err);

/* Adds the mark, if the file is one by its name. */
HF_MUST_CHECK enum hf_status hf_process_events_add_file(
    struct hf_process_events *events, const char *path, int64_t time_ms, struct hf_error *err);

/* Adds the marks beside the live table of a process or its operand; none if it has none. */
HF_MUST_CHECK enum hf_status hf_process_events_add_marks(
    struct hf_process_events *events, const char *operand, struct hf_error *err);

HF_MUST_CHECK enum hf_status hf_process_events_add_all(
    struct hf_process_events *events, const struct hf_process_events *others, struct hf_error *err);

/* Fills in `dated`, of a history whose first profile is of `first_ms`. */
HF_MUST_CHECK enum hf_status hf_process_events_date(
    struct hf_process_events *events, int64_t first_ms, struct hf_error *err);

void hf_process_events_done(struct hf_process_events *events);

#endif
