/*
 * presets.h: the specs that come with the tool: presets/NAME.spec.
 */
#ifndef HF_SPEC_PRESETS_H
#define HF_SPEC_PRESETS_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>

/* The text of the preset of that name; false if there is none. */
HF_MUST_CHECK bool hf_spec_preset(struct hf_text name, struct hf_text *out_text);

/* All names, in byte order; ends with NULL. */
extern const char *const hf_spec_preset_names[];

/*
 * The presets that together are every malloc: those of all allocators. What a process does not have
 * is left out, and what two of them find is probed once. Ends with NULL.
 */
extern const char *const hf_spec_malloc_presets[];

#endif
