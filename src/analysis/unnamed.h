/*
 * unnamed.h: how much of the shown memory passes through frames without a name, and why.
 */
#ifndef HF_ANALYSIS_UNNAMED_H
#define HF_ANALYSIS_UNNAMED_H

#include "profile/profile.h"

/*
 * Adds notes to a profile, folded or not: for the modules whose unnamed frames stand in the most of
 * what is shown, how much that is and which file would give the names (hf_module.why_unnamed). All
 * that only lack debug information share one line, the largest first. Modules that hold less than
 * 1 % are only counted, and where there are no others nothing is said; those that hold nothing, or
 * whose unnamed frames are not shown, are not counted.
 */
void hf_note_unnamed(struct hf_profile *profile, size_t type);

#endif
