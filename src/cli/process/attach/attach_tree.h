/*
 * attach_tree.h: attach to several processes at once (attach/session/looks.h): what its head says
 * and how long it waits, and the one profile of all in the end, in which each process is a frame
 * outermost.
 */
#ifndef HF_CLI_ATTACH_TREE_H
#define HF_CLI_ATTACH_TREE_H

#include "answer/names.h"
#include "attach/session/looks.h"

/*
 * Starts looks until the time of `how` is over, a signal that ends it has come, or none is left. In
 * a look it returns at once: *out_look. HF_ERR_INPUT, HF_ERR_SYSTEM: there is nobody to follow.
 */
HF_MUST_CHECK enum hf_status hf_attach_tree_follow(struct hf_looks *looks,
    const struct hf_session_options *how, bool is_quiet, struct hf_look **out_look,
    struct hf_error *err);

/*
 * The profile of all, named, with the ages of its stacks. The session is their sum, for what is
 * said of the result. An error: none was recorded, and why the first was not.
 */
HF_MUST_CHECK enum hf_status hf_attach_tree_profile(const struct hf_looks *looks,
    const struct hf_session_options *how, const struct hf_request_names *names,
    struct hf_session *out_sum, struct hf_profile **out_profile, struct hf_live_ages *out_ages,
    struct hf_error *err);

/* The words of a command line, and the numbers of these processes, whose files may be read so. */
struct hf_attach_words {
    char **items; /* ends with NULL */
    char numbers[HF_LOOKS_MOST][12];
};
HF_MUST_CHECK enum hf_status hf_attach_words_init(struct hf_attach_words *words, char **given,
    const struct hf_look *looks, size_t count, struct hf_error *err);
void hf_attach_words_done(struct hf_attach_words *words);

#endif
