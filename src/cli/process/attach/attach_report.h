/*
 * attach_report.h: what attach says on standard error, before, while and after it watches a
 * process: what will be probed, its price, how far it is, the account, and what stays.
 */
#ifndef HF_CLI_ATTACH_REPORT_H
#define HF_CLI_ATTACH_REPORT_H

#include "attach/session/session.h"
#include "render/table/survivors.h"

void hf_attach_say_probes(const struct hf_session *session);
void hf_attach_say_cost(const struct hf_session *session);

/* A line that is written over itself. */
void hf_attach_say_progress(const struct hf_session *session);

/* Also when nothing was lost. What was, the profile's notes say. */
void hf_attach_say_result(const struct hf_session *session, const struct hf_profile *profile);

/* The profile has its names by now. */
void hf_attach_say_survivors(const struct hf_session *session, const struct hf_survivors *survivors,
    const struct hf_profile *profile);

/* Of memory contexts of PostgreSQL: what is in the server's own caches, when there are names. */
void hf_attach_say_caches(const struct hf_session *session, const struct hf_profile *profile);

/* Of a series (attach_series.h). */
struct hf_attach_series_account {
    uint64_t looks, skipped; /* those that were not in time */
    double weight;           /* that everything was multiplied by */
    bool found_leak;
};
void hf_attach_say_series(const struct hf_session *session,
    const struct hf_attach_series_account *account, const struct hf_profile *profile);
void hf_attach_note_series(const struct hf_session *session,
    const struct hf_attach_series_account *account, struct hf_notes *notes);

#endif
