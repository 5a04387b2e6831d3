/*
 * folded_stacks.h: from the text of a stack, "main;parse;malloc", to its sample.
 *
 * Most lines of a large file repeat a stack of an earlier one. Those are found by the fingerprint
 * of their text (base/containers/fingerprint.h), without a look at their frames: that costs some 40
 * bytes for each distinct stack, however long it is, and nothing for a line. A new stack goes down
 * the tree frame by frame, but from the deepest *landmark* that an earlier one has passed: a
 * landmark is the last end of a frame before every 192nd byte of the text.
 *
 * A chart shares frames between neighbouring lines only, so there nothing is known.
 */
#ifndef HF_FORMATS_FOLDED_STACKS_H
#define HF_FORMATS_FOLDED_STACKS_H

#include "base/containers/print_map.h"
#include "formats/folded/folded.h"

struct hf_folded_stacks {
    struct hf_profile *profile;
    bool is_chart, is_reversed, ends_in_separator; /* struct hf_folded_how */
    struct hf_out separated;                       /* scratch */
    struct hf_fingerprint_key key;
    struct hf_print_map samples;   /* by stack */
    struct hf_print_map landmarks; /* nodes, by the start of a stack */
    uint32_t *by_node;             /* sample of a node, plus one; 0: none */
    size_t by_node_capacity;
    uint32_t *frames; /* by string: the frame of that name, plus one; 0: none */
    size_t frame_capacity;
    uint32_t *last; /* of a chart: nodes of the stack before, root first */
    size_t last_depth, last_capacity;
};

/* `how` may be NULL. Needs hf_folded_stacks_done in any case. */
HF_MUST_CHECK enum hf_status hf_folded_stacks_init(struct hf_folded_stacks *stacks,
    struct hf_profile *profile, const struct hf_folded_how *how, struct hf_error *err);
void hf_folded_stacks_done(struct hf_folded_stacks *stacks);

/* What to find a stack by; may be called by many threads. */
static inline struct hf_fingerprint hf_folded_stacks_print(
    const struct hf_folded_stacks *stacks, struct hf_text text)
{
    return stacks->is_chart ? (struct hf_fingerprint){{0, 0}}
                            : hf_fingerprint_of(&stacks->key, text);
}

/* Begins to fetch what hf_folded_stacks_known needs; some work should lie between. */
static inline void hf_folded_stacks_expect(
    const struct hf_folded_stacks *stacks, struct hf_fingerprint print)
{
    hf_print_map_prefetch(&stacks->samples, print);
}

/* The sample of a stack, plus one, and begins to fetch its values; 0: it is not known yet. */
uint32_t hf_folded_stacks_known(const struct hf_folded_stacks *stacks, struct hf_fingerprint print);

/*
 * The sample of a stack, made if it is new. *out_is_cut says that it was new and has more frames
 * than HF_LIMIT_STACK_FRAMES, of which those at the leaf are left out.
 */
HF_MUST_CHECK enum hf_status hf_folded_stacks_find(struct hf_folded_stacks *stacks,
    struct hf_text text, struct hf_fingerprint print, uint32_t *out_sample, bool *out_is_cut,
    struct hf_error *err);

#endif
