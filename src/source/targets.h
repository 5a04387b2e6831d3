/*
 * targets.h: what a value is given to, and what becomes of it there: a variable, a member, a part
 * of a container, the object that a method is called for, an argument. Of what is given to a
 * variable, all that is done with the variable decides (climb.h).
 *
 * Example:
 *
 *     struct hf_source_end left = HF_SOURCE_END_STAYS, right = HF_SOURCE_END_RETURNED;
 *     if (hf_source_stronger(left, right).fate == HF_SOURCE_RETURNED)
 *         hf_out_string(out, "what goes to the caller counts for more than what stays");
 */
#ifndef HF_SOURCE_TARGETS_H
#define HF_SOURCE_TARGETS_H

#include "source/origin.h"

#define HF_SOURCE_END_UNKNOWN ((struct hf_source_end){.fate = HF_SOURCE_UNKNOWN})
#define HF_SOURCE_END_STAYS ((struct hf_source_end){.fate = HF_SOURCE_STAYS})
#define HF_SOURCE_END_RETURNED ((struct hf_source_end){.fate = HF_SOURCE_RETURNED})

/* Of two things that are done with a value, the one that counts; the first, if they are equal. */
struct hf_source_end hf_source_stronger(struct hf_source_end a, struct hf_source_end b);

/* A value is put into the container that begins with the name at `token`. */
struct hf_source_end hf_source_into_name(
    const struct hf_source_at *at, uint32_t function, uint32_t token);

/* The same of the container whose chain ends with token `last`: "self.rows[key]". */
struct hf_source_end hf_source_into_chain(
    const struct hf_source_at *at, uint32_t function, uint32_t statement, uint32_t last);

/* The same, of the function that the statement is in. */
struct hf_source_end hf_source_into(
    const struct hf_source_at *at, uint32_t statement, uint32_t last);

/* Each name of a pattern of Rust, or of "auto [a, b]", is given a part. */
struct hf_source_end hf_source_into_pattern(
    const struct hf_source_at *at, uint32_t function, uint32_t begin, uint32_t end);

/* What stands in [begin, end) is given it: "x", "self.x[y]", "my ($a, $b)". */
struct hf_source_end hf_source_into_target(const struct hf_source_at *at, uint32_t function,
    uint32_t statement, uint32_t begin, uint32_t end);

/*
 * "self.versions[row] = text" of Python and PHP, where a class of the program defines what that
 * does. False: it is as other brackets.
 */
bool hf_source_set_item(const struct hf_source_at *at, uint32_t function, uint32_t last,
    uint32_t number, struct hf_source_end *out_end);

/* What a function of the program does with its argument. *out_is_given: it gives it to its caller.
 */
struct hf_source_end hf_source_end_of_argument(const struct hf_source_at *at, uint32_t place,
    uint32_t number, struct hf_text keyword, bool *out_is_given);

/* The name at `token` is a variable of the function, which made what it has. */
bool hf_source_is_made_there(const struct hf_source_at *at, uint32_t function, uint32_t token);

/*
 * A function keeps its argument in the object that it is called for, which may be a variable of its
 * caller: then what becomes of that decides.
 */
struct hf_source_end hf_source_end_of_receiver(const struct hf_source_at *at, uint32_t function,
    uint32_t begin, uint32_t callee, struct hf_source_end end);

/*
 * The same of a container that a function of C stores its argument in, and that its caller made:
 * "heap_push(heap, tree_new())". What the caller takes out of it to return it goes on.
 */
struct hf_source_end hf_source_end_of_stored(
    const struct hf_source_at *at, uint32_t function, uint32_t open, struct hf_source_end end);

/* What becomes of the object that the call of the name at `callee` is for, if it is a variable of
 * the function, which made it; else unknown. */
struct hf_source_end hf_source_into_receiver(const struct hf_source_at *at, uint32_t callee);

#endif
