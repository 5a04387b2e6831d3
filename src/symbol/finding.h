/*
 * finding.h: what the files of a module say about one address.
 */
#ifndef HF_SYMBOL_FINDING_H
#define HF_SYMBOL_FINDING_H

#include "dwarf/lookup/resolver.h"

struct hf_finding {
    struct hf_dwarf_place place; /* by debug information */
    struct hf_text symbol;       /* name of the symbol there, as in the table; or empty */
    uint64_t start;              /* of the function there, if it has no name; 0: unknown */
    uint32_t twins;              /* how many functions have its bytes; 0: one (elf/twins.h) */
};

#endif
