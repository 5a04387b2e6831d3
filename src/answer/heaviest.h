/*
 * heaviest.h: names the function that owns most of a profile, or of what is resident, in one
 * sentence.
 */
#ifndef HF_ANSWER_HEAVIEST_H
#define HF_ANSWER_HEAVIEST_H

#include "answer/request.h"

#define HF_HEAVIEST_MAX 1024

/*
 * Writes e.g. "Registry::record (thr.cc:16) via std::string holds 47.7 MiB of 50.9 MiB in use", for
 * the owner (analysis/owner.h) that holds most. Of `wanted`, only `value` (e.g. "alloc_space";
 * NULL: as the profile says), `own` and `wrapper`, which are known to compile, are used. The
 * profile must have its names. Writes "" if nothing is in use, or on an error. Names are escaped
 * for a terminal.
 */
void hf_heaviest_describe(const struct hf_profile *profile, const struct hf_request_fold *wanted,
    char out_text[HF_HEAVIEST_MAX]);

/*
 * The same for a process that has ended: where much less was in use at the end than at the peak,
 * and bytes in use are asked for, e.g. "peaked at 312.0 MiB after 12.4 s: parse (feed.c:41) held
 * 200.0 MiB of 311.5 MiB; at the end 0 B are in use".
 */
void hf_heaviest_describe_ended(const struct hf_profile *profile,
    const struct hf_request_fold *wanted, char out_text[HF_HEAVIEST_MAX]);

/*
 * Writes e.g. "resident 245.0 MiB: mapped by zend_mm_chunk_alloc (zend_alloc.c:1002) 238.0 MiB, in
 * use by malloc 1.2 MiB, files 5.0 MiB, not seen 0.8 MiB": first the owners that mapped most, then
 * the causes; the parts add up. Of `wanted`, only `own` and `wrapper` are used. The profile must
 * have its names. Writes "" if it does not say what was resident, if that is what malloc kept of
 * the peak, or on an error. *out_is_all: beside it, what malloc had in use is no answer.
 */
void hf_heaviest_describe_resident(const struct hf_profile *profile,
    const struct hf_request_fold *wanted, char out_text[HF_HEAVIEST_MAX], bool *out_is_all);

#endif
