/*
 * owner_sources.h: what the sources of C, C++ and Rust say of who keeps what a profile has.
 *
 * What a line makes is followed from the innermost function outwards (source/flow.h), as long as
 * the source says that it is returned, to the line that keeps it, or gives it to who does. Where
 * the source is not there, or does not tell, nothing is known from there on.
 *
 * Example:
 *
 *     struct hf_source_functions functions = {0};
 *     const struct hf_profile *named = NULL;
 *     const bool *is_program = NULL; // of each frame: it is the program's own code
 *     if (named != NULL)
 *         status = hf_owner_sources_judge(&functions, named, is_program, err);
 *     hf_source_functions_done(&functions);
 */
#ifndef HF_ANALYSIS_OWNER_SOURCES_H
#define HF_ANALYSIS_OWNER_SOURCES_H

#include "profile/profile.h"
#include "source/functions.h"

/* A frame as the sources know it. */
struct hf_source_line hf_owner_sources_line(const struct hf_profile *from, uint32_t frame_id);

/*
 * How much was made at each node and in all that it called; the caller frees it. All types are
 * added up, for what a program had at its peak may be gone at its end.
 */
HF_MUST_CHECK enum hf_status hf_owner_sources_bytes(
    const struct hf_profile *from, uint64_t **out_bytes, struct hf_error *err);

/* Judges the lines that have a hundredth of all or more. HF_ERR_MEMORY, HF_ERR_LIMIT (the budget).
 */
HF_MUST_CHECK enum hf_status hf_owner_sources_judge(struct hf_source_functions *functions,
    const struct hf_profile *from, const bool *is_program, struct hf_error *err);

#endif
