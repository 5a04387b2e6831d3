/*
 * callees.h: which function a call means, of all that bear its name: what it is called for, the
 * class of who calls, the file, and the number of arguments say so.
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     struct hf_source_flow flow = {.sources = &sources};
 *     struct hf_source_at at;
 *     bool is_there = hf_source_at_file(&at, &flow, 0);
 *     if (is_there && hf_source_function_called(&at, 7, HF_SOURCE_NO) != HF_SOURCE_NO)
 *         hf_out_string(out, "a function of the program");
 */
#ifndef HF_SOURCE_CALLEES_H
#define HF_SOURCE_CALLEES_H

#include "source/question.h"

/* The place (sources.h) of the function that is called by the name at `callee`; HF_SOURCE_NO: none,
 * or nobody can tell which. `function` calls it. */
uint32_t hf_source_function_called(
    const struct hf_source_at *at, uint32_t callee, uint32_t function);

#endif
