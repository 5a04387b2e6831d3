/*
 * shortpath.h: file names short enough to read and long enough to be told apart.
 *
 * "/build/x/src/leak.c" is shown as "leak.c", unless another file of the same table ends in
 * "/leak.c" too: then both get as many folders as they need.
 */
#ifndef HF_RENDER_SHORTPATH_H
#define HF_RENDER_SHORTPATH_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>

/*
 * Sets out_shorts[i] to the shortest tail of whole components of paths[i] that no different path of
 * the list ends in. Borrowed from `paths`. False if memory ran out.
 */
HF_MUST_CHECK bool hf_short_paths(
    const struct hf_text *paths, size_t count, struct hf_text *out_shorts);

#endif
