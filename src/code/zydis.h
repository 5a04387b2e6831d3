/*
 * zydis.h: Zydis, the decoder of x86-64 instructions, which is loaded on first use.
 *
 * Who calls it has a table of the functions that it needs, as base/library.h fills it, and includes
 * Zydis' own headers. The ABI changes with the minor version, so the file that is loaded is the one
 * of the headers.
 */
#ifndef HF_CODE_ZYDIS_H
#define HF_CODE_ZYDIS_H

#include "base/library.h"

/* As hf_library_load; `purpose` completes "is needed ...". HF_ERR_SYSTEM: the library is missing.
 */
HF_MUST_CHECK enum hf_status hf_zydis_load(const char *purpose,
    const struct hf_library_function *functions, size_t count, void *table, struct hf_error *err);

#endif
