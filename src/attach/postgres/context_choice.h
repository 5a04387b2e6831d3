/*
 * context_choice.h: which memory contexts are followed by who cannot follow all of them.
 *
 * Most calls are for the contexts of a query, which come, are reset, and go. What grows for hours
 * is elsewhere: in contexts that last. So the tree is read twice, and of the contexts that were
 * there both times and were neither reset nor deleted meanwhile, those that grew most are chosen
 * first, then the larger ones, up to HF_LIMIT_CHOSEN_CONTEXTS. A leak that is too slow to be seen
 * growing is in one of them, too.
 */
#ifndef HF_ATTACH_CONTEXT_CHOICE_H
#define HF_ATTACH_CONTEXT_CHOICE_H

#include "attach/postgres/contexts.h"
#include "attach/probe.h"
#include "base/containers/map.h"
#include "profile/notes.h"

struct hf_keeper;

/* All-zero: nothing was chosen. */
struct hf_context_choice {
    uint64_t *addresses;
    size_t count;
    uint64_t looked_ms; /* how long the look took */
};

/*
 * Reads the tree, watches resets and deletes by `probes`, reads it again, chooses, and notes what.
 * It watches for HF_CONTEXT_CHOICE_MS, and on until the process has computed for
 * HF_CONTEXT_CHOICE_COMPUTED_MS, or HF_CONTEXT_CHOICE_MOST_MS have passed: of a process that did
 * not run meanwhile every context would seem to last. HF_ERR_SYSTEM, HF_ERR_INPUT: it cannot be
 * watched or read. Call done in either case. `keeper` is NULL in a worker (keeper_line.h).
 */
#define HF_CONTEXT_CHOICE_MS 500
#define HF_CONTEXT_CHOICE_COMPUTED_MS 100
#define HF_CONTEXT_CHOICE_MOST_MS 3000
HF_MUST_CHECK enum hf_status hf_context_choice_make(struct hf_context_choice *choice,
    struct hf_keeper *keeper, uint32_t pid, const struct hf_context_source *source,
    const struct hf_context_layout *layout, const struct hf_probe *probes, size_t probe_count,
    struct hf_notes *notes, struct hf_error *err);

/* The same of two trees, `looked_ms` of which is set; `ended` has the addresses of contexts that
 * were reset or deleted between them. */
HF_MUST_CHECK enum hf_status hf_context_choice_between(struct hf_context_choice *choice,
    const struct hf_contexts *before, const struct hf_contexts *after, const struct hf_map *ended,
    struct hf_notes *notes, struct hf_error *err);
void hf_context_choice_done(struct hf_context_choice *choice);

#endif
