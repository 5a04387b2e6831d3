/*
 * folded_stacks.h: from the text of a stack, "main;parse;malloc", to its sample.
 *
 * Most lines of a large file repeat a stack of an earlier one. Those are found by the fingerprint
 * of their text (base/containers/fingerprint.h), without a look at their frames: that costs some 40
 * bytes for each distinct stack, however long it is, and nothing for a line. A new stack goes down
 * the tree frame by frame, but from the deepest *landmark* that an earlier one has passed: a
 * landmark is the last end of a frame before every 192nd byte of the text.
 *
 * Where hardly a stack occurs twice, that is all for nothing: while it is so, fingerprints are made
 * and looked for of one in 16 stacks alone, which tell when it has changed.
 *
 * A chart shares frames between neighbouring lines only, so there nothing is known.
 */
#ifndef HF_FORMATS_FOLDED_STACKS_H
#define HF_FORMATS_FOLDED_STACKS_H

#include "base/containers/print_map.h"
#include "formats/folded/folded.h"

#include <stdatomic.h>

#define HF_FOLDED_LANDMARKS_MAX 32 /* of one stack: below them it is walked frame by frame */

/*
 * A new stack on its way to its sample. What it needs of memory is far apart, so its steps are made
 * some lines before it is its turn, and some apart: meanwhile that is fetched.
 */
struct hf_folded_walk {
    enum { HF_FOLDED_WALK_NONE, HF_FOLDED_WALK_AIMED, HF_FOLDED_WALK_BEGUN } step;
    struct hf_folded_path {
        struct hf_folded_landmark {
            size_t end; /* of the text up to there */
            struct hf_fingerprint print;
        } landmarks[HF_FOLDED_LANDMARKS_MAX]; /* the nearest to the root first */
        size_t count, known;                  /* those before `known` are known */
    } path;
    uint32_t node;       /* from which it goes down */
    struct hf_text rest; /* what has not been taken */
    struct hf_folded_frames {
        uint32_t frames[HF_STACKTREE_EXPECTED_MAX]; /* the outermost first */
        size_t ends[HF_STACKTREE_EXPECTED_MAX];     /* of the text up to there */
        uint32_t paths[HF_STACKTREE_EXPECTED_MAX];
        size_t count;
    } taken;
};

struct hf_folded_stacks {
    struct hf_profile *profile;
    bool is_chart, is_reversed, ends_in_separator; /* struct hf_folded_how */
    struct hf_out separated;                       /* scratch */
    struct hf_fingerprint_key key;
    struct hf_print_map samples;   /* by stack */
    struct hf_print_map landmarks; /* nodes, by the start of a stack */
    atomic_bool are_distinct;      /* hardly a stack occurs twice */
    uint32_t looked, found, until; /* stacks looked for since that was judged, and until it is */
    uint32_t passed;               /* in a row that were not looked for */
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

/* What to find a stack by; all zero: it is not looked for. May be called by many threads. */
struct hf_fingerprint hf_folded_stacks_print(
    const struct hf_folded_stacks *stacks, struct hf_text text);

/* Begins to fetch what hf_folded_stacks_known needs; some work should lie between. */
static inline void hf_folded_stacks_expect(
    const struct hf_folded_stacks *stacks, struct hf_fingerprint print)
{
    hf_print_map_prefetch(&stacks->samples, print);
}

/* The sample of a stack, plus one, and begins to fetch its values; 0: it is not known yet. */
uint32_t hf_folded_stacks_known(struct hf_folded_stacks *stacks, struct hf_fingerprint print);

/*
 * The steps of a stack that is not known before hf_folded_stacks_find; any may be left out. `walk`
 * is of one stack, and its `step` HF_FOLDED_WALK_NONE at first.
 */
void hf_folded_stacks_aim(
    const struct hf_folded_stacks *stacks, struct hf_text text, struct hf_folded_walk *walk);
void hf_folded_stacks_begin(
    struct hf_folded_stacks *stacks, struct hf_text text, struct hf_folded_walk *walk);
void hf_folded_stacks_approach(
    const struct hf_folded_stacks *stacks, const struct hf_folded_walk *walk);

/*
 * The sample of a stack, made if it is new. *out_is_cut says that it was new and has more frames
 * than HF_LIMIT_STACK_FRAMES, of which those at the leaf are left out.
 */
HF_MUST_CHECK enum hf_status hf_folded_stacks_find(struct hf_folded_stacks *stacks,
    struct hf_text text, struct hf_fingerprint print, struct hf_folded_walk *walk,
    uint32_t *out_sample, bool *out_is_cut, struct hf_error *err);

#endif
