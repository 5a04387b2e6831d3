/*
 * unnamed.h: how much of what is shown passes frames without a name, and why.
 */
#ifndef HF_ANALYSIS_UNNAMED_H
#define HF_ANALYSIS_UNNAMED_H

#include "profile/profile.h"

/*
 * Adds notes to a profile, folded or not: for the modules whose unnamed frames stand in the most of
 * what is shown, how much that is and which file would give the names (hf_module.why_unnamed).
 * Modules whose unnamed frames are not shown, or hold nothing, are not worth a line.
 */
void hf_note_unnamed(struct hf_profile *profile, size_t type);

#endif
