/*
 * member_names.h: of the pointers on the way from a variable to a block, which member of which
 * class each is: "sessions of server", "Session::bufs", where the module's file or its debug file
 * has debug information (dwarf/data_types.h).
 *
 * What a block is says the type of the pointer that leads to it, or, of an object of C++ with
 * virtual functions, its class. Members of the standard library's classes have no name here ("_M_",
 * "__"): only the types of what they point to are of use.
 *
 * Example:
 *
 *     static struct hf_process_image image;
 *     struct hf_symbol_options options = {0};
 *     struct hf_member_names names;
 *     struct hf_member_name member;
 *     struct hf_typed_block block = {0};
 *     status = hf_member_names_init(&names, &image, &options, err);
 *     if (status == HF_OK) {
 *         hf_member_of_variable(&names, 0x55d000004010, 0x55d000004018, &member, &block);
 *         hf_out_text(out, member.name); // of the word at 0x55d000004018
 *     }
 *     hf_member_names_done(&names);
 */
#ifndef HF_ANSWER_MEMBER_NAMES_H
#define HF_ANSWER_MEMBER_NAMES_H

#include "base/containers/arena.h"
#include "heap/heap.h"
#include "memory/process_image.h"
#include "symbol/options.h"

/* Texts of it last as long as the names. All empty: not known. */
struct hf_member_name {
    struct hf_text class, name, type;
};

struct hf_member_module;

/* A block, and what it is by the pointer that leads to it. All-zero: not known. */
struct hf_typed_block {
    struct hf_member_module *module; /* whose debug information has the type */
    uint64_t type;
};

/* All is its own but the image and the options. */
struct hf_member_names {
    const struct hf_process_image *image;
    const struct hf_symbol_options *options;
    struct hf_process_reader *reader;
    struct hf_member_module *modules; /* that were asked for: a list */
    struct hf_arena arena;
};

/* Call done in any case. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_member_names_init(struct hf_member_names *names,
    const struct hf_process_image *image, const struct hf_symbol_options *options,
    struct hf_error *err);
void hf_member_names_done(struct hf_member_names *names);

/* Of the word at `address` of a variable that begins at `start`, and what it points to. */
void hf_member_of_variable(struct hf_member_names *names, uint64_t start, uint64_t address,
    struct hf_member_name *out_member, struct hf_typed_block *out_target);

/*
 * Of the word of a block that points to the block `target`. `class`: of an object of C++; else
 * empty. `of` becomes what it was not, if the class tells.
 */
void hf_member_of_block(struct hf_member_names *names, const struct hf_heap_block *block,
    const struct hf_heap_block *target, struct hf_text class, struct hf_typed_block *of,
    struct hf_member_name *out_member, struct hf_typed_block *out_target);

/* Both are known, and of one type. */
bool hf_typed_blocks_are_same(const struct hf_typed_block *one, const struct hf_typed_block *other);

#endif
