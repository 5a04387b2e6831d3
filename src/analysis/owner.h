/*
 * owner.h: the owner of a stack: the program's own function that its memory is there for.
 *
 * That is the innermost frame that is the program's own. Where a stack has none, it is the
 * innermost named frame of a library, then the innermost without a name. So what is a frame?
 *
 *   1. own, if --own matches it, or else a wrapper, if --wrapper does;
 *   2. a wrapper, if it is the allocator's (profile/allocator.h);
 *   3. what the first rule says (spec/owner_rules.h) that matches its function, else its source
 *      file, else its module; but what lies in the program's folder is as the program is: the
 *      user's own, or an interpreter's;
 *   4. a helper or a maker, if its words sound so (spec/owner_name.h);
 *   5. a helper, if the debug information says that several parts of the program share it
 *      (dwarf/helpers.h);
 *   6. a helper, if by its source that line of a script hands on what it makes (source/);
 *   7. own, if it has a name.
 *
 * The source may also say that another function of the program keeps what a line makes, its
 * *holder*, as in "slip = compute(month); file(slip)": that is the owner then, with the line on
 * which it keeps, though it is on no stack. Cut stacks end with it, behind the one that calls it.
 *
 * Of C, C++ and Rust, the source is followed from the innermost function outwards while each says
 * that it returns what is made, or puts it into an object that its caller makes, to where that is
 * stored (owner_sources.h): whoever only passed it on is a helper then, and who stores it is none,
 * whatever rule 5 says. A holder there has one caller, is no template, no container by its name,
 * and does not replace what it kept before; if two functions keep the same value, neither is one.
 *
 * A *helper* is a function that sounds like a wrapper ("session_alloc") or is called like one. It
 * is one if a function of the program called it that is not where the program begins (main); else
 * it is the owner, for no other could be named. A *maker*, e.g. a constructor, is a helper that
 * also owns what it makes for a function that only drives the program ("run"). What belongs to a
 * library is no helper but a wrapper, as are the makers of a library.
 *
 * A helper that may keep what it makes is an owner if it has several callers (owner_wrappers.h).
 * Where a thread begins with a lambda, that is where the program begins.
 *
 * What a pool of a runtime makes room for, e.g. slots for values, is shared when stacks are cut
 * (owner_stacks.h).
 *
 * A frame without a name never owns anything that a named one could own. Further wrappers are
 * learned from how they are called (owner_wrappers.h).
 *
 * What an owner calls towards the allocator is what it owns its memory *via*: `Registry::record`
 * via `std::string`. Of several, the one with most bytes is named.
 *
 * First every profile of an answer teaches, then each is asked: so two that are compared have the
 * same owners.
 *
 * Example:
 *
 *     struct hf_profile *profile = NULL, *folded = NULL; // named; folded by line
 *     struct hf_owners owners;
 *     status = hf_owners_init(&owners, NULL, NULL, NULL, err);
 *     if (status == HF_OK && folded != NULL)
 *         status = hf_owners_learn(&owners, folded, profile, HF_BY_LINE, err);
 *     if (status == HF_OK && folded != NULL)
 *         status = hf_owners_cut(&owners, folded, folded->default_type, err);
 *     if (status == HF_OK)
 *         hf_out_text(out, hf_owners_via(&owners, HF_TEXT("main")));
 *     hf_owners_done(&owners);
 */
#ifndef HF_ANALYSIS_OWNER_H
#define HF_ANALYSIS_OWNER_H

#include "analysis/owner_stacks.h"
#include "base/containers/map.h"

/* What is known of the owners of an answer. All zero: nothing. Free with hf_owners_done. */
struct hf_owners {
    bool is_made; /* by hf_owners_init */
    bool is_cut;  /* a profile ends at them: what they called is counted */
    bool differ;  /* from the leaf, of some stack that was asked for */
    struct hf_owner_frames frames;
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
 * With the rules of the project and those that come with heapflame, and these patterns, NULL: none,
 * of names, labels and source files. HF_ERR_USAGE names the option. `notes` (NULL: nobody reads
 * them) say which rules are not used. Call done in either case.
 */
HF_MUST_CHECK enum hf_status hf_owners_init(struct hf_owners *owners, const char *own,
    const char *wrapper, struct hf_notes *notes, struct hf_error *err);

/* Learns of `folded`, made of the named profile `from` with this granularity: function or line. */
HF_MUST_CHECK enum hf_status hf_owners_learn(struct hf_owners *owners,
    const struct hf_profile *folded, const struct hf_profile *from, enum hf_granularity granularity,
    struct hf_error *err);

/*
 * Sets out_owners[node] for each node of a profile that taught: the node that owns what is
 * allocated there. Adds what each owns it via, by the values of `type`, unless one was cut.
 */
HF_MUST_CHECK enum hf_status hf_owners_find(struct hf_owners *owners,
    const struct hf_profile *folded, size_t type, uint32_t *out_owners, struct hf_error *err);

/*
 * Cuts the stacks of such a profile so that each ends at its owner: what a function has flat is
 * then what it owns.
 */
HF_MUST_CHECK enum hf_status hf_owners_cut(
    struct hf_owners *owners, struct hf_profile *folded, size_t type, struct hf_error *err);

/*
 * True if a frame of a profile that taught is what a runtime keeps for emergencies, e.g. memory for
 * exceptions of C++: nothing that a program does needs less of it.
 */
bool hf_owners_is_reserve(
    struct hf_owners *owners, const struct hf_profile *folded, uint32_t frame);

/*
 * Who keeps what this frame of a profile that taught is given: another function of a script, and
 * the line on which it does. False: the frame keeps it itself, or is no owner.
 */
struct hf_owners_holder {
    struct hf_text name, file; /* borrowed until hf_owners_done */
    uint32_t line;
};
bool hf_owners_find_holder(struct hf_owners *owners, const struct hf_profile *folded,
    uint32_t frame, struct hf_owners_holder *out_holder);

/* What the function called `name` owns most of its memory via; empty: it allocates it itself. */
struct hf_text hf_owners_via(struct hf_owners *owners, struct hf_text name);

void hf_owners_done(struct hf_owners *owners);

#endif
