/*
 * presets.h: the specs that come with the tool, from the folder presets/.
 */
#ifndef HF_SPEC_PRESETS_H
#define HF_SPEC_PRESETS_H

#include "base/text.h"

#include <stddef.h>

struct hf_spec_preset {
    const char *name; /* "libc" */
    struct hf_text text;
};

/* By name, for --print-spec and messages. */
extern const struct hf_spec_preset hf_spec_presets[];
extern const size_t hf_spec_preset_count;

/* The preset of that name, or NULL. */
const struct hf_spec_preset *hf_spec_preset(struct hf_text name);

/*
 * The presets that together are --what malloc: those of all allocators. What a process does not
 * have is left out, and what two of them find is probed once. Ends with NULL.
 */
extern const char *const hf_spec_malloc_presets[];

#endif
