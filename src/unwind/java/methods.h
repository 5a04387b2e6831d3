/*
 * methods.h: Java's methods: what they are called, in what file they are, and their lines.
 *
 * A Method leads to its ConstMethod, which has the bytecode and behind it the table of lines: pairs
 * of steps, packed (compressedStream.hpp in OpenJDK 17). The names are in the ConstantPool, and so
 * is that of the source's file, at a place that is not exported: it is only believed if a text with
 * the ending of a source stands there.
 *
 * A name is written as in Java's stack traces, "org.acme.Feed.take", without the number of a hidden
 * class ("Feed$$Lambda"); a file with the folders of the package, "org/acme/Feed.java".
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     struct hf_java java = {0}; // as hf_java_structs_read has it
 *     struct hf_interpreted_memory memory = {0};
 *     struct hf_java_method method;
 *     char name[HF_JAVA_NAME_BYTES];
 *     if (hf_java_method_read(&java, &memory, 0x7f0020001000, &method) &&
 *         hf_java_name_write(&java, &memory, &method, name) != 0)
 *         hf_out_bytes(out, name, 1);
 */
#ifndef HF_UNWIND_JAVA_METHODS_H
#define HF_UNWIND_JAVA_METHODS_H

#include "unwind/java/vm_structs.h"

#define HF_JAVA_NAME_BYTES 768u

struct hf_java_method {
    uint64_t method, constant, pool; /* Method, ConstMethod, ConstantPool */
    uint64_t code;                   /* the first bytecode */
    uint16_t code_bytes, name;       /* the name's number in the pool */
    uint16_t flags, reserved;
};

/* False if it cannot be one. */
HF_MUST_CHECK bool hf_java_method_read(const struct hf_java *java,
    const struct hf_interpreted_memory *memory, uint64_t method, struct hf_java_method *out_method);

/* Write them without a NUL; return the bytes, 0: it has none. */
size_t hf_java_name_write(const struct hf_java *java, const struct hf_interpreted_memory *memory,
    const struct hf_java_method *method, char out[HF_JAVA_NAME_BYTES]);
size_t hf_java_file_write(const struct hf_java *java, const struct hf_interpreted_memory *memory,
    const struct hf_java_method *method, char out[HF_JAVA_NAME_BYTES]);

/* The line of the bytecode at this offset; 0: it has none. */
uint32_t hf_java_line(const struct hf_java *java, const struct hf_interpreted_memory *memory,
    const struct hf_java_method *method, uint32_t bytecode);

#endif
