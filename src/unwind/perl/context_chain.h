/*
 * context_chain.h: the Perl frames of a thread, each with the native frame that runs it.
 *
 * An interpreter has stacks of contexts (PERL_SI), innermost first: a new one for each thing that C
 * code calls Perl for (sort, DESTROY, tie, overloading). Contexts are of functions, of files that
 * are required, of eval, and of blocks. Each says which statement (COP) its caller was at; where
 * the innermost is, PL_curcop says. One run of Perl_runops_standard, which is one native frame,
 * runs all contexts up to one at whose end there is nothing left to run (retop). Around these is
 * the code of the program outside of functions, which perl_parse compiles and perl_run runs.
 *
 * A block of `eval {}`, a sort block and a `(?{})` are part of the function that they stand in, so
 * they are no frames of their own. If eval must be able to catch what dies, it runs the loop once
 * more by itself (docatch), with one native frame between: both are one run.
 *
 * Nothing is believed: each SV that is followed must be of the type that it should be, and names
 * must end where they say. A chain that breaks these rules has no frames at all, and is said to be
 * broken; while memory is copied, the version is looked at, too (layouts.h).
 *
 * Safety: any context, safe inside malloc; of the thread itself.
 */
#ifndef HF_UNWIND_PERL_CONTEXT_CHAIN_H
#define HF_UNWIND_PERL_CONTEXT_CHAIN_H

#include "unwind/interpreted/frame_chain.h"
#include "unwind/perl/layouts.h"
#include "unwind/walk.h"

/* Names of frames that are no names: see hf_interpreted_frame. */
#define HF_PERL_MAIN UINT64_C(0)    /* code of a file, outside of functions */
#define HF_PERL_EVAL UINT64_C(1)    /* code of a string */
#define HF_PERL_NO_NAME UINT64_C(2) /* a function whose name is gone */

/* Functions of libperl: the address, and the bytes. */
struct hf_perl_function {
    uint64_t start, bytes;
};

struct hf_perl {
    const struct hf_perl_layout *layout;
    uint64_t key, interpreter; /* addresses of PL_thr_key and PL_curinterp */
    struct hf_perl_function run, parse, grow, grow_string, grow_array;
};

/* True if one of these native frames runs or compiles Perl. */
HF_MUST_CHECK bool hf_perl_runs(const struct hf_perl *perl, const struct hf_unwind_frame *leaf);

/* True if what leads to the frames may be moving: libperl makes a block larger, and it is not that
 * of a string or an array. */
HF_MUST_CHECK bool hf_perl_moves(const struct hf_perl *perl, const struct hf_unwind_frame *leaf);

/* Reads the frames of the interpreter of the thread whose native frames these are. */
void hf_perl_chain_read(struct hf_interpreted_chain *chain, const struct hf_perl *perl,
    const struct hf_interpreted_memory *memory, uint64_t interpreter,
    const struct hf_unwind_frame *leaf);

#endif
