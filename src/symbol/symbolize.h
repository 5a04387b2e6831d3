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

struct hf_symbol_options {
    const char *exe; /* file of the main program, instead of the captured path; or NULL */
    const char *const *symdirs; /* folders with binaries and debug files */
    size_t symdir_count;
    const char *cache_folder; /* where answers are kept (cache.h); NULL: nowhere */
    bool full_names;          /* C++ and Rust names with parameters and template arguments */
    bool keeps_given;         /* names of the input stay as they are, and are not demangled */
    /* Names stay as their files have them; symbolizing again makes them readable (a bundle). */
    bool linkage_names;
};

/*
 * Names the address frames of `profile` (hf_profile_expand). A missing or unreadable binary is a
 * note, not an error. HF_ERR_SYSTEM: `exe` cannot be read; HF_ERR_INPUT: it is no ELF file.
 */
HF_MUST_CHECK enum hf_status hf_symbolize(
    struct hf_profile *profile, const struct hf_symbol_options *options, struct hf_error *err);

#endif
