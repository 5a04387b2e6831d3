/*
 * labels.h: what Ruby calls its code, classes and files, and its lines.
 *
 * The label of a piece of code is Ruby's own ("post", "block in post", "rescue in post", "<main>",
 * "<class:Ledger>"). That of a method, and of blocks in one, says whose it is, as Ruby itself does
 * since 3.4: "Ledger#post", "block in Ledger#post", "Ledger.open". A class without a name is left
 * out. The file is the real path, where Ruby knows it, else what it was told: "(eval)". Of what is
 * long its end counts.
 *
 * A class has its name among its variables, by a key that no header says; that of String has the
 * name "String" there, which tells it. The class of the one object that is its own (a singleton,
 * of which class methods are) has that object among its variables.
 *
 * The line of an instruction is in a table of the places where the line changes, which has an
 * index: for the first 54 words of code a count of 7 bits each, then blocks of 512 words, a bit
 * each, with the counts of bits before them.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_UNWIND_RUBY_LABELS_H
#define HF_UNWIND_RUBY_LABELS_H

#include "unwind/interpreted/frame_chain.h"
#include "unwind/ruby/structures.h"

#define HF_RUBY_TEXT_MAX 256u         /* bytes that are kept of a label, a class or a path */
#define HF_RUBY_NAME_BYTES 520u       /* Class#label */
#define HF_RUBY_STRING_MAX (1u << 20) /* bytes; no name or path is longer */
#define HF_RUBY_VARIABLES_MAX 1024u   /* of a class, that are looked at */
#define HF_RUBY_WORDS_MAX (1u << 24)  /* of a piece of code */

/* Mixes label and path of a piece of code, and how many lines it has, into a hash. False: they are
 * not there. */
HF_MUST_CHECK bool hf_ruby_code_hash(const struct hf_ruby_layout *layout,
    const struct hf_interpreted_memory *memory, const uint8_t code[HF_RUBY_CODE_BYTES],
    uint64_t *hash);

/* Write what the code of a frame, and its file, are called, without a NUL; return how many bytes, 0
 * if it is not there. */
size_t hf_ruby_name_write(const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame, char out[HF_RUBY_NAME_BYTES]);
size_t hf_ruby_file_write(const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame, char out[HF_RUBY_TEXT_MAX]);

/* The line that a frame is at; 0: it is not there. */
uint32_t hf_ruby_line(const struct hf_ruby *ruby, const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame);

#endif
