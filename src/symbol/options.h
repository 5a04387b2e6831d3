/*
 * options.h: how to look for names: in which files, where the debug files are, what is cached.
 * Texts are borrowed; all-zero looks in the usual places and keeps nothing.
 *
 * Example:
 *
 *     static const char *const folders[] = {"/srv/debug"};
 *     struct hf_symbol_options options = {.symdirs = folders, .symdir_count = 1};
 *     hf_out_string(out, options.exe != NULL ? options.exe : "the captured path");
 */
#ifndef HF_SYMBOL_OPTIONS_H
#define HF_SYMBOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct hf_kept_files;

struct hf_symbol_options {
    const char *exe; /* file of the main program, instead of the captured path; or NULL */
    const char *const *symdirs; /* folders with binaries and debug files */
    size_t symdir_count;
    struct hf_kept_files *kept; /* files stay open in it (kept_files.h); NULL: they do not */
    const char *cache_folder;   /* where answers are kept (cache.h); NULL: nowhere */
    bool full_names;            /* C++ and Rust names with parameters and template arguments */
    bool columns;               /* where they are known; only look-ups tell them */
    bool helpers;               /* which functions are helpers: a look at all (dwarf/helpers.h) */
    bool keeps_given;           /* names of the input stay as they are, and are not demangled */
    /* Names stay as their files have them; symbolizing again makes them readable (a bundle). */
    bool linkage_names;
};

#endif
