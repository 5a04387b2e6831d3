/*
 * symbolize.h: names for the address frames of a profile.
 *
 * Every distinct address that the input did not name is looked up once: first in the debug
 * information (functions, inlined calls, lines), then in the symbol table. A name is given only if
 * it is true: the module's file must fit the mapping it was captured from, and a symbol must
 * contain the address. Code made at run time is in no file: see perf_map.h. What stays without a
 * name is shown as module+0xoffset, and a note says why and which file would help.
 */
#ifndef HF_SYMBOL_SYMBOLIZE_H
#define HF_SYMBOL_SYMBOLIZE_H

#include "profile/profile.h"
#include "symbol/options.h"

/*
 * Names the address frames of `profile` (hf_profile_expand). A missing or unreadable binary is a
 * note, not an error. HF_ERR_SYSTEM: `exe` cannot be read; HF_ERR_INPUT: it is no ELF file.
 */
HF_MUST_CHECK enum hf_status hf_symbolize(
    struct hf_profile *profile, const struct hf_symbol_options *options, struct hf_error *err);

/*
 * Makes names readable that are as their files have them (options.linkage_names), without another
 * look at a file. Only `full_names` counts of the options.
 */
HF_MUST_CHECK enum hf_status hf_symbolize_readable(
    struct hf_profile *profile, const struct hf_symbol_options *options, struct hf_error *err);

#endif
