/*
 * code_cache.h: what code an address is in that HotSpot made.
 *
 * The cache has a few heaps, each a range of memory that is cut into segments; a byte for each
 * segment leads back to the first one of its block (heap.cpp in OpenJDK). A block is a CodeBlob: a
 * compiled method, a stub, or the whole interpreter. It stays as it is while a frame of it is on a
 * stack.
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     struct hf_java java = {0}; // as hf_java_structs_read has it
 *     struct hf_interpreted_memory memory = {0};
 *     struct hf_java_code code;
 *     if (hf_java_code_find(&java, &memory, 0x7f0010002040, &code) == HF_JAVA_COMPILED)
 *         hf_out_hex(out, code.blob);
 */
#ifndef HF_UNWIND_JAVA_CODE_CACHE_H
#define HF_UNWIND_JAVA_CODE_CACHE_H

#include "unwind/java/vm_structs.h"

enum hf_java_code_kind {
    HF_JAVA_NO_CODE, /* none of HotSpot's, or it cannot be read */
    HF_JAVA_INTERPRETER,
    HF_JAVA_CALL,     /* where C++ calls Java */
    HF_JAVA_COMPILED, /* an nmethod, also one that calls native code */
    HF_JAVA_STUB,     /* other code with a frame */
};

struct hf_java_code {
    uint64_t blob, begin; /* address of the CodeBlob, and of its code */
    uint64_t frame_bytes; /* of a compiled method and a stub: with the return address */
};

enum hf_java_code_kind hf_java_code_find(const struct hf_java *java,
    const struct hf_interpreted_memory *memory, uint64_t pc, struct hf_java_code *out_code);

#endif
