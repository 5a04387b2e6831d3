/*
 * attach_tree.h: the head of an attach to several processes at once (attach/session/looks.h): what
 * it says, and how long it waits.
 */
#ifndef HF_CLI_ATTACH_TREE_H
#define HF_CLI_ATTACH_TREE_H

#include "attach/session/looks.h"

/*
 * Starts looks until the time of `how` is over, a signal that ends it has come, or none is left. In
 * a look it returns at once: *out_look. HF_ERR_INPUT, HF_ERR_SYSTEM: there is nobody to follow.
 */
HF_MUST_CHECK enum hf_status hf_attach_tree_follow(struct hf_looks *looks,
    const struct hf_session_options *how, bool is_quiet, struct hf_look **out_look,
    struct hf_error *err);

#endif
