/*
 * callframe.h: call frame information of a file: where the functions of an image begin and end, and
 * what is said of their frames. A stripped image has it, too, because exceptions and backtraces
 * need it. dwarf/callframe_agent.h has the format, the types and the search.
 *
 * The table of .eh_frame_hdr finds an FDE; where there is none, or one of another kind, a table is
 * made of all FDEs. What is damaged is left out.
 *
 * All bytes are borrowed from the image. Read-only after open: any thread.
 */
#ifndef HF_DWARF_CALLFRAME_H
#define HF_DWARF_CALLFRAME_H

#include "base/error.h"
#include "dwarf/callframe_agent.h"
#include "elf/image.h"

/*
 * Finds the sections of `elf`; addresses are its virtual ones. What is missing or damaged is not
 * known afterwards, no error.
 */
HF_MUST_CHECK enum hf_status hf_callframes_open(
    struct hf_callframes *callframes, const struct hf_elf *elf, struct hf_error *err);
void hf_callframes_close(struct hf_callframes *callframes);

#endif
