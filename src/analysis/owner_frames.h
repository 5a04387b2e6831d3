/*
 * owner_frames.h: what each frame of a program is: its own, a helper, a library's (owner.h says by
 * which rules).
 *
 * Frames are judged once for each label, so that several profiles of one program share what is
 * known: of the later ones, only what is new is judged.
 */
#ifndef HF_ANALYSIS_OWNER_FRAMES_H
#define HF_ANALYSIS_OWNER_FRAMES_H

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "base/strings/regex.h"
#include "profile/places.h"
#include "source/functions.h"
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
    bool keeps;    /* it says that this is kept, there or by the holder */
    bool is_gone;  /* it says that it is not: that it is gone when the function ends */
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

/*
 * The rules of the project (spec/project_rules.h), then those of presets/owners/, and the patterns,
 * NULL: none. HF_ERR_USAGE names the option. `notes` (NULL: nobody reads them) say that a file of
 * rules is not trusted.
 */
HF_MUST_CHECK enum hf_status hf_owner_frames_init(struct hf_owner_frames *frames, const char *own,
    const char *wrapper, struct hf_notes *notes, struct hf_error *err);
void hf_owner_frames_done(struct hf_owner_frames *frames);

/* What is needed to judge frames that were not seen before. */
struct hf_owner_judge {
    struct hf_owner_frames *frames;
    const struct hf_profile *folded;
    struct hf_places places;
    struct hf_source_functions scripts;
    struct hf_profile *by_line;     /* that the sources are judged by; NULL: `folded` is */
    struct hf_map lines;            /* of C and C++, hashed -> the first label with a frame there */
    struct hf_text program, folder; /* its path; the folder of all that belongs to it, or empty */
    const struct hf_owner_rule *runtime; /* of the program, e.g. python3; NULL: the user's own */
    bool has_only_mappings;              /* of a program with a malloc of its own */
    struct hf_out label;
    uint32_t label_id; /* of a new one */
};

/* What its file says of a program: whose is what lies in its folder? */
HF_MUST_CHECK enum hf_status hf_owner_judge_program(
    struct hf_owner_judge *j, struct hf_text program, struct hf_error *err);

/* Judges a frame of `folded`, if its label is new. *out_label: of the frame, in `frames`. */
HF_MUST_CHECK enum hf_status hf_owner_judge_label(
    struct hf_owner_judge *j, uint32_t frame_id, uint32_t *out_label, struct hf_error *err);

/* The first rule for a text, which is looked for once; *out_rule NULL: none. */
HF_MUST_CHECK enum hf_status hf_owner_judge_rule(struct hf_owner_frames *frames,
    enum hf_owner_subject subject, struct hf_text text, const struct hf_owner_rule **out_rule,
    struct hf_error *err);

/* A function of a trait of Rust that a type of the program has: "<Window<I> as core::iter::
 * Iterator>::next". */
HF_MUST_CHECK enum hf_status hf_owner_judge_is_trait(struct hf_owner_frames *frames,
    const struct hf_source_line *at, bool *out_is, struct hf_error *err);

#endif
