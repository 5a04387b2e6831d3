/*
 * page_owners.h: who owns what a function holds, for the table of an HTML page.
 *
 * Owners belong to stacks (analysis/owner.h), a row of the table is a function. What it holds, with
 * all that it calls, has *an* owner if one function owns more than half of it: of a function of a
 * library that is who called it, of one that only drives the program the largest place below it.
 */
#ifndef HF_RENDER_PAGE_OWNERS_H
#define HF_RENDER_PAGE_OWNERS_H

#include "analysis/owner.h"
#include "render/trie_data.h"

/*
 * `*out_owners`: by name of `trie` the index of its owner's name, 0: it has none; the caller gives
 * it to hf_budget_free, also after an error. NULL if `owners` is, or if all that is held is owned
 * where it was allocated, which says nothing. In a difference, of what grew and was released.
 */
HF_MUST_CHECK enum hf_status hf_page_owners_find(struct hf_owners *owners,
    const struct hf_profile *folded, const struct hf_trie_data *trie, size_t type,
    uint32_t **out_owners, struct hf_error *err);

#endif
