/*
 * shipment.h: profiles on their way into a store: read, divided by runs of processes
 * (shipped_run.h), and put into batches (store/batch.h), which the store acknowledges.
 *
 * A batch holds profiles of one run within one hour of the store, up to HF_SHIPMENT_PROFILES. What
 * is not later than the last profile of its run in the store counts as being there, so the same
 * files may be shipped again at any time: nothing is added twice, and what was interrupted goes on.
 *
 * Of two profiles of a run with the same time the first counts; the other is a loss.
 */
#ifndef HF_ANSWER_SHIPMENT_H
#define HF_ANSWER_SHIPMENT_H

#include "answer/fleet/shipped_run.h"
#include "answer/fleet/shipped_stacks.h"
#include "store/store_line.h"
#include "symbol/lookup/kept_files.h"

#define HF_SHIPMENT_PROFILES 120 /* in a batch: two a minute */

struct hf_shipped_instance;

/* The caller sets the first three; texts are borrowed. */
struct hf_shipment {
    const struct hf_request *request;
    struct hf_shipping_terms terms;
    struct hf_store_host *own; /* store/store_line.h; NULL: in a worker */
    /* What became of the profiles, as far as they were acknowledged. */
    uint64_t added, known, same_time;
    struct hf_notes notes;
    /* Its own. */
    struct hf_shipped_instance **items;
    size_t count, capacity;
    struct hf_stack_printer printer;
    struct hf_kept_files kept;
    bool is_begun, has_named;
};
void hf_shipment_done(struct hf_shipment *shipment);

/* Takes a profile, which was read, into the batch of its run; a batch that is full is sent. */
HF_MUST_CHECK enum hf_status hf_shipment_add(struct hf_shipment *shipment,
    const struct hf_dated_profile *dated, struct hf_profile *profile, struct hf_error *err);

/* Sends what is left. */
HF_MUST_CHECK enum hf_status hf_shipment_send(struct hf_shipment *shipment, struct hf_error *err);

/* Reads the named profiles, and those in named folders, by time; and sends all. */
HF_MUST_CHECK enum hf_status hf_shipment_read(
    struct hf_shipment *shipment, const char *const *names, size_t count, struct hf_error *err);

#endif
