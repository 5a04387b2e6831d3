/*
 * arguments.h: "@FILE" among the operands stands for the arguments in the file, as the GNU tools
 * take them (binutils manual, "@file"): words between blanks; quotes of both kinds hold one
 * together, a backslash takes the next byte as it is. An operand whose file cannot be read stays
 * what it is. An @FILE inside of a file is an operand like any other.
 */
#ifndef HF_CLI_ARGUMENTS_H
#define HF_CLI_ARGUMENTS_H

#include "base/containers/arena.h"
#include "cli/option.h"

struct hf_arguments {
    struct hf_operands operands; /* with those of the files in their places */
    size_t capacity;
    struct hf_arena arena; /* of the words; options may point to them */
};

/* Reads the options in the files to `options`, after those that came before. */
HF_MUST_CHECK enum hf_status hf_arguments_expand(struct hf_arguments *arguments,
    const struct hf_option_group *groups, void *options, const struct hf_operands *operands,
    struct hf_error *err);
void hf_arguments_done(struct hf_arguments *arguments);

#endif
