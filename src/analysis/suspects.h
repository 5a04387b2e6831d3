/*
 * suspects.h: where memory accumulates: the few places to look at first.
 *
 * Vocabulary: the *size* of a frame of a stack is what it and all that it called hold; of a
 * difference, what that grew by. A frame is *large* with a twentieth of all. Its *drop* is its size
 * less that of its largest callee.
 *
 * Memory is followed from the root through large frames. Where they fork into several large ones,
 * each is followed. A path ends where no callee is large; of its frames below the last fork, the
 * one with the largest drop is the *accumulation point*: what it calls is many small things, or
 * nothing. It is a suspect with all its size. A frame above that holds much beside its large
 * callees is a suspect with that rest. So suspects have no byte in common, their shares add up to
 * at most 100 %, and there are at most 20.
 *
 * With owners, memory counts where its owner is: a suspect is no container or wrapper below it, and
 * its suppression hides no other function's memory.
 *
 * Whether a suspect leaks, this cannot say: one profile shows size, two show growth, and a series
 * of them whether it grows steadily.
 *
 * Example:
 *
 *     struct hf_profile *folded = NULL;
 *     static struct hf_suspects suspects;
 *     if (folded != NULL)
 *         status = hf_suspects_find(&suspects, folded,
 *             &(struct hf_suspects_options){.type = folded->default_type, .by_name = true}, err);
 *     for (size_t i = 0; i < suspects.count && status == HF_OK; i++)
 *         hf_out_text(out, suspects.items[i].sentence); // raw: escape it
 *     hf_suspects_done(&suspects);
 */
#ifndef HF_ANALYSIS_SUSPECTS_H
#define HF_ANALYSIS_SUSPECTS_H

#include "analysis/owner.h"
#include "analysis/series.h"
#include "base/containers/arena.h"
#include "base/strings/out.h"
#include "profile/profile.h"

#define HF_SUSPECT_LARGE 20u /* large: one part in so many of all; so many suspects at most */

struct hf_suspect {
    uint32_t node;              /* of the profile's stacks; by name, of a tree that is gone */
    const uint32_t *frames;     /* its stack, the accumulation point first */
    size_t depth;               /* of `frames` */
    bool is_rest;               /* what it holds beside its large callees */
    uint64_t value;             /* what it accounts for */
    const uint64_t *points;     /* what it held at each point of the series; NULL: there is none */
    double percent;             /* of `whole`; for display */
    struct hf_text name;        /* raw, as the texts below: escape them */
    struct hf_text via;         /* what it owns most of its memory via; empty: nothing */
    struct hf_text sentence;    /* what it is, for people */
    struct hf_text suppression; /* a line for LeakSanitizer: "leak:function" */
};

struct hf_suspects {
    struct hf_suspect items[HF_SUSPECT_LARGE];
    size_t count;
    uint64_t whole; /* the sum of all stacks; of a difference, all that grew */
    struct hf_arena arena;
};

struct hf_suspects_options {
    size_t type;
    bool by_name;                   /* frames of one function count as one, whatever their line */
    const struct hf_series *series; /* that the profile is the change of; NULL: of none */
    struct hf_owners *owners;       /* that learned of the profile; NULL: nobody did */
    const uint32_t *owner_nodes;    /* by node, if they are found already; else NULL */
};

/*
 * Finds the suspects of a folded profile, the largest first; ties by their stacks, so that equal
 * profiles give equal suspects. Free with hf_suspects_done, also after an error, which can be
 * HF_ERR_MEMORY or a limit.
 */
HF_MUST_CHECK enum hf_status hf_suspects_find(struct hf_suspects *suspects,
    const struct hf_profile *folded, const struct hf_suspects_options *options,
    struct hf_error *err);
void hf_suspects_done(struct hf_suspects *suspects);

/* Name of a frame in a suspect's stack, raw. */
void hf_suspect_frame_name(
    const struct hf_profile *folded, uint32_t frame, bool by_name, struct hf_out *out);

#endif
