/*
 * layouts.h: where Perl keeps what leads to the frames of an interpreter, version by version.
 *
 * Sources: intrpvar.h, cop.h, cv.h, gv.h, hv.h and sv.h of each version, as the compiler lays them
 * out on x86-64; builds with ithreads, without DEBUGGING. A layout holds for all releases of its
 * minor version; there is one for each that was run (docs/agent.md). It is known by the version and
 * the size of an interpreter, which libperl exports (PL_revision, PL_version, PL_interp_size), and
 * proved by the types of what is followed.
 */
#ifndef HF_UNWIND_PERL_LAYOUTS_H
#define HF_UNWIND_PERL_LAYOUTS_H

#include "unwind/interpreted/memory.h"

#define HF_PERL_STACK_BYTES 48   /* of a PERL_SI */
#define HF_PERL_CONTEXT_BYTES 80 /* of a PERL_CONTEXT */
#define HF_PERL_COP_BYTES 56
#define HF_PERL_VALUE_BYTES 24 /* an SV's head */
#define HF_PERL_BODY_BYTES 96  /* of a CV's */
#define HF_PERL_BODY_START 32  /* what is before is not read */
#define HF_PERL_GLOB_BYTES 16  /* of a GV's, from there on */
#define HF_PERL_HASH_BYTES 32  /* of an HV's */

/* Offsets in bytes, unless something else is said. */
struct hf_perl_layout {
    uint32_t version;           /* major << 8 | minor */
    uint16_t interpreter_bytes; /* PL_interp_size */
    /* PerlInterpreter */
    uint16_t current_cop, current_stack;
    /* PERL_SI; `stack_top` is the number of the innermost context, -1: there is none */
    uint16_t stack_contexts, stack_previous, stack_top, stack_max;
    /* PERL_CONTEXT, of `context_bytes` */
    uint16_t context_bytes, context_cop, context_end, context_code;
    /* COP */
    uint16_t cop_line, cop_file;
    /* types of SVs, and their bodies: XPVCV, XPVGV, GP, struct xpvhv_with_aux */
    uint8_t type_code, type_format, type_glob, type_hash;
    uint16_t code_glob, code_flags, code_stash;
    uint32_t code_is_named, code_is_lexical;
    uint16_t glob_name, glob_stash, glob_effective;
    uint16_t hash_name, hash_name_count;
};

/* That of a version, whose interpreters are so large; NULL: it was never run. */
const struct hf_perl_layout *hf_perl_layout_find(uint32_t version, uint32_t interpreter_bytes);

#endif
