/*
 * package_names.h: what Perl calls its functions, packages and files.
 *
 * A name is a HEK: its hash, its length, its bytes, a NUL, and flags, of which the lowest says that
 * the bytes are UTF-8; else they are Latin-1. A path is a string of C. The file of code in eval is
 * "(eval 7)", another number each time: it is "(eval)" here. Of what is long its end counts.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_UNWIND_PERL_PACKAGE_NAMES_H
#define HF_UNWIND_PERL_PACKAGE_NAMES_H

#include "unwind/interpreted/memory.h"

#define HF_PERL_TEXT_MAX 240u       /* bytes that are kept of a name or path */
#define HF_PERL_TEXT_BYTES 480u     /* that are written of them, at most: Latin-1 grows */
#define HF_PERL_NAME_MAX (1u << 20) /* bytes; no name is longer */
#define HF_PERL_PATH_MAX 4096u

/* Mixes the name at `address` into a hash. False: there is none. */
HF_MUST_CHECK bool hf_perl_name_hash(
    const struct hf_interpreted_memory *memory, uint64_t address, uint64_t *hash);

/* The same of a path. */
HF_MUST_CHECK bool hf_perl_path_hash(
    const struct hf_interpreted_memory *memory, uint64_t address, uint64_t *hash);

/* Write what is at `address`, without a NUL; return how many bytes, 0 if it is not there. */
size_t hf_perl_name_write(
    const struct hf_interpreted_memory *memory, uint64_t address, char out[HF_PERL_TEXT_BYTES]);
size_t hf_perl_path_write(
    const struct hf_interpreted_memory *memory, uint64_t address, char out[HF_PERL_TEXT_BYTES]);

#endif
