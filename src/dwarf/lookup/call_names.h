/*
 * call_names.h: names, files and lines of the calls at an address, once it has its answer.
 */
#ifndef HF_DWARF_CALL_NAMES_H
#define HF_DWARF_CALL_NAMES_H

#include "base/containers/arena.h"
#include "dwarf/lookup/unit_store.h"

/*
 * Fills `place`, which is all-zero. The frames are in `arena`, names and paths in the store, up to
 * its next run. One thread at a time.
 */
HF_MUST_CHECK enum hf_status hf_call_names_read(struct hf_unit_store *store,
    const struct hf_answer *answer, struct hf_arena *arena, struct hf_dwarf_place *place,
    struct hf_error *err);

#endif
