/*
 * flame_owners.h: which frames of a picture own memory (analysis/owner.h), and via what.
 *
 * Marked are those that own a thousandth of all or more: what is smaller has no outline to see.
 */
#ifndef HF_RENDER_FLAME_OWNERS_H
#define HF_RENDER_FLAME_OWNERS_H

#include "analysis/owner.h"
#include "base/strings/out.h"

/* All zero: none are known. Free with hf_flame_owners_done. */
struct hf_flame_owners {
    struct hf_owners *known; /* NULL: none */
    const struct hf_profile *folded;
    bool *is_marked; /* by node of its stacks */
    bool has_any;
};

/* `known` learned of `folded`; NULL: nobody did. */
HF_MUST_CHECK enum hf_status hf_flame_owners_init(struct hf_flame_owners *owners,
    const struct hf_profile *folded, size_t type, struct hf_owners *known, struct hf_error *err);
void hf_flame_owners_done(struct hf_flame_owners *owners);

bool hf_flame_owners_marks(const struct hf_flame_owners *owners, size_t node);

/* "; owner via std::string", for the title of a frame that is marked. Raw: escape it. */
void hf_flame_owners_put(const struct hf_flame_owners *owners, size_t node, struct hf_out *out);

#endif
