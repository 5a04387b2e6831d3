/*
 * owner_stacks.h: what each frame of a folded profile is, and which frames of each stack could own
 * its memory. owner.h says by which rules; this is the part that its modules share.
 *
 * Frames are judged once for each label, so that several profiles of one program share what is
 * known: of the later ones, only what is new is judged.
 */
#ifndef HF_ANALYSIS_OWNER_STACKS_H
#define HF_ANALYSIS_OWNER_STACKS_H

#include "base/containers/intern.h"
#include "base/strings/regex.h"
#include "profile/fold.h"
#include "spec/owner_rules.h"

#define HF_OWNER_SUBJECTS 3

/* What a frame is. */
struct hf_owner_frame {
    uint32_t function; /* its name, of `texts`; HF_OWNER_NO_NAME: it has none */
    bool is_forced;    /* --own or --wrapper says so */
    bool is_allocator;
    bool is_maker,
        is_driver; /* by its name (spec/owner_name.h); a maker's class is that of a helper */
    bool is_part;  /* a helper that one function calls */
    bool may_keep; /* a helper by its callers that may keep what it makes (owner_wrappers.h) */
    bool is_sure;  /* the source of a script says what becomes of what it makes */
    bool is_returned, is_kept; /* so does that of C, C++ or Rust: its caller has it; it is stored */
    uint32_t holder;           /* who keeps it instead: of `holders`, plus one; 0: nobody else */
    enum hf_owner_class class;
    struct hf_text via; /* of the rule; empty: by its own name */
};

#define HF_OWNER_NO_NAME UINT32_MAX

/* A function of a script that keeps what another one made. */
struct hf_owner_holder {
    uint32_t name, file; /* of `texts` */
    uint32_t line;
};

/* What is known of a text: of a function, a source file, or a module. */
struct hf_owner_text {
    int32_t rules[HF_OWNER_SUBJECTS]; /* the first that matches, plus one; -1: none; 0: not asked */
    bool is_learned;                  /* the function is a wrapper */
    bool is_keeper;                   /* a helper that keeps what it makes: it is an owner */
};

/* All zero: nothing is known, and there are no rules. Free with done. */
struct hf_owner_frames {
    struct hf_owner_rules rules;
    struct hf_regex *own, *wrapper; /* NULL: none */
    struct hf_intern labels, texts;
    struct hf_owner_frame *items; /* by label */
    struct hf_owner_text *known;  /* by text */
    struct hf_owner_holder *holders;
    size_t capacity, known_capacity, holder_count, holder_capacity;
};

/* What is found of a node on its way from the root. 0: no such node. */
struct hf_owner_node {
    uint32_t own, own_via;     /* the innermost own frame, and what it called */
    uint32_t caller;           /* the innermost own one outside of it, of another function */
    uint32_t other, other_via; /* the innermost named one of a library */
    uint32_t bare;             /* the innermost without a name */
    uint32_t depth;            /* own frames from where the program begins, with `own` */
    bool is_entry;             /* `own` is where the program begins */
    bool is_driver;            /* `own` says nothing of what is made below it */
    bool is_followed;          /* by sources: what is returned to here is stored */
};

/* The stacks of one folded profile. Free with done. */
struct hf_owner_stacks {
    struct hf_owner_frames *frames;
    const struct hf_profile *folded;
    uint32_t *labels;            /* by frame: its label in `frames` */
    struct hf_owner_node *nodes; /* by node */
};

/*
 * The rules of the project (spec/project_rules.h), then those of presets/owners/, and the patterns,
 * NULL: none. HF_ERR_USAGE names the option. `notes` (NULL: nobody reads them) say that a file of
 * rules is not trusted.
 */
HF_MUST_CHECK enum hf_status hf_owner_frames_init(struct hf_owner_frames *frames, const char *own,
    const char *wrapper, struct hf_notes *notes, struct hf_error *err);
void hf_owner_frames_done(struct hf_owner_frames *frames);

/*
 * Judges the frames of `folded` and walks its stacks. `from`: the named profile that it was made of
 * with this granularity, which says where code comes from; NULL: that is known already.
 */
HF_MUST_CHECK enum hf_status hf_owner_stacks_init(struct hf_owner_stacks *stacks,
    struct hf_owner_frames *frames, const struct hf_profile *folded, const struct hf_profile *from,
    enum hf_granularity granularity, struct hf_error *err);
void hf_owner_stacks_done(struct hf_owner_stacks *stacks);

/* Walks again: wrappers were learned. */
void hf_owner_stacks_walk(struct hf_owner_stacks *stacks);

/* What the frame of a node is. */
const struct hf_owner_frame *hf_owner_stacks_at(
    const struct hf_owner_stacks *stacks, uint32_t node);

/* The node that owns what is allocated at `node`, and what it called for that; 0: nothing. */
uint32_t hf_owner_stacks_owner(
    const struct hf_owner_stacks *stacks, uint32_t node, uint32_t *out_via);

#endif
