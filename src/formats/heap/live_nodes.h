/*
 * live_nodes.h: the modules, frames and stacks of a live table (live/layout.h) as a profile has
 * them.
 */
#ifndef HF_FORMATS_LIVE_NODES_H
#define HF_FORMATS_LIVE_NODES_H

#include "live/reader.h"
#include "profile/profile.h"

struct hf_live_nodes {
    uint32_t *of;     /* the node of each of the table's stacks; HF_STACK_ROOT: it is damaged */
    uint64_t damaged; /* records that point outside the table */
};

/* Adds all modules and stacks of the table to the profile; all zeros before. */
HF_MUST_CHECK enum hf_status hf_live_nodes_add(struct hf_live_nodes *nodes,
    const struct hf_live_snapshot *table, struct hf_profile *profile, struct hf_error *err);
void hf_live_nodes_done(struct hf_live_nodes *nodes);

/* A frame that is a name only. */
HF_MUST_CHECK enum hf_status hf_live_add_name(
    struct hf_profile *profile, struct hf_text name, uint32_t *out_frame, struct hf_error *err);

#endif
