/*
 * module_search.h: which file on this machine the addresses of a module are in.
 *
 * A file is taken only if it fits: its build-id or its segments are those of the capture, and
 * return addresses follow calls in it (callsite.h). Looked at are, in this order: --exe for the
 * main program; below each --symdir; what the process has mapped, if it runs still; the path of
 * the capture. The kernel's code ([vdso]) is that of a process that runs.
 */
#ifndef HF_SYMBOL_MODULE_SEARCH_H
#define HF_SYMBOL_MODULE_SEARCH_H

#include "symbol/lookup/kept_files.h"
#include "symbol/lookup/live_process.h"

/* One address frame of the profile that wants a name. */
struct hf_wanted {
    uint32_t module, frame;
    uint32_t symbol;  /* string: where `offset` counts from, if not HF_NO_STRING */
    uint64_t offset;  /* in the symbol or the file, or the address as linked */
    uint64_t address; /* in the image */
    bool is_linked;   /* the latter */
    bool is_caller;   /* of another frame: one less than a return address; a leaf need not be */
    bool is_named;    /* by the input; the file may know the line and inlined calls */
};

/* Sets its address in the image, which hf_module_search_open has found; false: no segment loads it.
 */
HF_MUST_CHECK bool hf_wanted_place(struct hf_wanted *wanted, const struct hf_elf *image);

/* True if the caller's call ends where it should in the image, as far as its place is known. */
bool hf_wanted_follows_call(const struct hf_wanted *wanted, const struct hf_elf *image);

struct hf_module_search {
    const struct hf_profile *profile;
    const struct hf_symbol_options *options;
    uint32_t main_module; /* the one --exe stands for */
    struct hf_live_process process;
};

/* The module that --exe stands for: of the same name, or the program as mapped. */
uint32_t hf_module_search_program(const struct hf_profile *profile, const char *exe);

/*
 * Opens the file that fits the module of `wanted`, `count` addresses of one module, and gives those
 * that count from a symbol their address. *out_is_open false: there is none, and files->why says
 * why. NULL: no memory. Put the files into options->kept, or drop those that are not open.
 */
HF_MUST_CHECK struct hf_module_files *hf_module_search_open(const struct hf_module_search *search,
    struct hf_wanted *wanted, size_t count, bool *out_is_open);

#endif
