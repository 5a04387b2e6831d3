/*
 * shipped_run.h: which run of a process a profile is of, as a store calls it (store/batch.h): an
 * instance, of a service, in a build, on a node.
 *
 * The instance is called NODE/PROGRAM/PID/START, "-" for a PID that is not known. START is the
 * first of these that the profile tells, each of which is another one when the program starts
 * again:
 *
 *     1764448000123    when its recording began, in ms since 1970: of a live table, a bundle
 *     ticks-88321      when the process started, in clock ticks since the machine did
 *     map-5d0c7a2f...  where the program, its loader and its C library were mapped: of a heap dump
 *
 * So profiles of one run have one name, whoever ships them and with whatever others, and those of
 * two runs have two. A profile that tells none of these is refused, unless the user names the run:
 * what is put together by guess cannot be taken apart again.
 *
 * Example:
 *
 *     const struct hf_profile *profile = NULL; // as it was read
 *     const struct hf_shipping_terms terms = {.node = "web-7", .service = "shop"};
 *     struct hf_shipped_run run = {0};
 *     if (profile != NULL)
 *         status = hf_shipped_run_of(&run, profile, &terms, err);
 *     hf_out_text(out, hf_shipped_run_instance(&run).name);
 *     hf_shipped_run_done(&run);
 */
#ifndef HF_ANSWER_SHIPPED_RUN_H
#define HF_ANSWER_SHIPPED_RUN_H

#include "analysis/process_identity.h"
#include "base/containers/arena.h"
#include "store/batch.h"

/* What the user says; NULL: nothing, but that the node must be known. */
struct hf_shipping_terms {
    const char *service, *build, *node, *instance;
};

struct hf_shipped_run {
    struct hf_process_identity identity;
    const char *name, *service, *build, *node;
    struct hf_arena texts;
};

/* HF_ERR_USAGE: something is neither told nor said, with the option that says it. Call done in
 * either case. */
HF_MUST_CHECK enum hf_status hf_shipped_run_of(struct hf_shipped_run *run,
    const struct hf_profile *profile, const struct hf_shipping_terms *terms, struct hf_error *err);
void hf_shipped_run_done(struct hf_shipped_run *run);

/* Borrows from the run. */
struct hf_batch_instance hf_shipped_run_instance(const struct hf_shipped_run *run);

#endif
