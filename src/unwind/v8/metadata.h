/*
 * metadata.h: where V8 keeps what leads to the JavaScript frames of a thread.
 *
 * V8 exports its layout for debuggers of dead processes: a data symbol for each offset and type
 * (v8dbg_class_JSFunction__shared__SharedFunctionInfo). All that is exported is taken from there,
 * and the number must be one that can be; the order of a ScopeInfo, and where an external string's
 * characters are, is not exported: that is the same in the versions that were run (docs/agent.md),
 * and in others JavaScript has no frames. Values are 8 bytes: without pointer compression, as
 * Node.js is built.
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     struct hf_v8 v8 = {0};
 *     if (hf_v8_is_known(0x0b03) && hf_v8_set(&v8, 0, -16)) // V8 11.3; the value of the symbol
 *         hf_out_text(out, hf_text_of(hf_v8_symbol_name(0)));
 */
#ifndef HF_UNWIND_V8_METADATA_H
#define HF_UNWIND_V8_METADATA_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_V8_TAG 1u             /* the lowest bit of a pointer to an object; 0: a small number */
#define HF_V8_FUNCTION_TYPES 32u /* from type_function on: also constructors of classes */
#define HF_V8_OFFSET_MAX 1024

/* Offsets in bytes from the start of an object. */
struct hf_v8 {
    /* From a frame pointer; the context is a small number where no function runs. */
    int32_t fp_function, fp_context;
    int32_t map_type;
    int32_t type_function, type_shared, type_script, type_scope; /* instance types */
    int32_t function_shared;
    int32_t shared_name, shared_script; /* the name is a string, or a ScopeInfo that may have one */
    int32_t script_name, script_source;
    int32_t string_length, string_one_byte, string_two_byte;
    int32_t string_external; /* the resource; a pointer to the characters follows */
    int32_t cons_first, cons_second, slice_parent, slice_start, thin_actual;
};

#define HF_V8_SYMBOLS 33u

/* True if this version was run: major << 8 | minor. */
HF_MUST_CHECK bool hf_v8_is_known(uint32_t version);

/* The symbol that has the value number `i`, an int. */
const char *hf_v8_symbol_name(size_t i);

/* False if that cannot be its value. */
HF_MUST_CHECK bool hf_v8_set(struct hf_v8 *v8, size_t i, int32_t value);

#endif
