/*
 * owner.h: the owner of a stack: the program's own function that its memory is there for.
 *
 * That is the innermost frame that is the program's own. Where a stack has none, it is the
 * innermost named frame of a library, then the innermost without a name. So what is a frame?
 *
 *   1. own, if --own matches it, or else a wrapper, if --wrapper does;
 *   2. a wrapper, if it is the allocator's (profile/allocator.h);
 *   3. what the first rule says (spec/owner_rules.h) that matches its function, else its source
 *      file, else its module, unless that is the program or lies in its folder;
 *   4. own, if it has a name.
 *
 * A frame without a name never owns anything that a named one could own. Then wrappers are
 * *learned*: an own function that is called by 3 own functions or more, calls none itself, and
 * whose blocks differ in their mean size from caller to caller, the largest by more than an eighth
 * from the smallest, is a wrapper. (What always allocates the same size is a constructor, and owns
 * it.) This repeats while something is learned, so a wrapper of wrappers is found as well; it needs
 * a profile that counts objects.
 *
 * What an owner calls towards the allocator is what it owns its memory *via*: `Registry::record`
 * via `std::string`. Of several, the one with most bytes is named.
 *
 * Example:
 *
 *     struct hf_profile *profile = NULL, *folded = NULL; // named; folded by line
 *     struct hf_owners owners = {0};
 *     const struct hf_owner_options options = {0};
 *     if (folded != NULL)
 *         status = hf_owners_cut(&owners, folded, profile, HF_BY_LINE, &options, err);
 *     if (status == HF_OK)
 *         hf_out_text(out, hf_owners_via(&owners, HF_TEXT("main")));
 *     hf_owners_done(&owners);
 */
#ifndef HF_ANALYSIS_OWNER_H
#define HF_ANALYSIS_OWNER_H

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "base/strings/regex.h"
#include "profile/fold.h"
#include "spec/owner_rules.h"

struct hf_owner_options {
    struct hf_regex *own, *wrapper; /* of names, labels and source files; NULL: none */
};

/* Compiles both patterns, NULL: none. HF_ERR_USAGE names the option. Call done in either case. */
HF_MUST_CHECK enum hf_status hf_owner_options_init(
    struct hf_owner_options *options, const char *own, const char *wrapper, struct hf_error *err);
void hf_owner_options_done(struct hf_owner_options *options);

/* What is known of the owners of a folded profile. All zero: nothing. Free with hf_owners_done. */
struct hf_owners {
    struct hf_intern texts;       /* names of owners, and what they own their memory via */
    struct hf_map pairs;          /* (owner << 32 | via) -> index of `bytes` */
    uint64_t *bytes;              /* owned via that */
    size_t count, bytes_capacity; /* of `bytes` */
    struct hf_owner_best {
        uint32_t via;
        uint64_t bytes;
    } * best; /* by owner */
    size_t best_count, best_capacity;
};

/*
 * Cuts the stacks of `folded`, which was made of the named profile `from` with this granularity
 * (by function or line), so that each ends at its owner: what a function has flat is then what it
 * owns. Adds to `owners` what each owns it via.
 */
HF_MUST_CHECK enum hf_status hf_owners_cut(struct hf_owners *owners, struct hf_profile *folded,
    const struct hf_profile *from, enum hf_granularity granularity,
    const struct hf_owner_options *options, struct hf_error *err);

/* What the function called `name` owns most of its memory via; empty: it allocates it itself. */
struct hf_text hf_owners_via(struct hf_owners *owners, struct hf_text name);

void hf_owners_done(struct hf_owners *owners);

#endif
