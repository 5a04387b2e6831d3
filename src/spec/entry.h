/*
 * entry.h: the line of a spec that says what a function does: its locator and its keys, with the
 * values that stand behind these. The grammar is in spec.h.
 */
#ifndef HF_SPEC_ENTRY_H
#define HF_SPEC_ENTRY_H

#include "spec/line.h"
#include "spec/spec.h"

/*
 * Reads what follows the role, which is set already. False, and it is said: the line is not as it
 * should be.
 */
HF_MUST_CHECK bool hf_spec_read_entry(struct hf_spec_line *line, struct hf_spec_entry *entry);

#endif
