/*
 * pattern.h: the names that a spec writes with "*", "?" and "%".
 *
 * Example:
 *
 *     // what a preset's "%malloc" means in a program whose allocator is built with a prefix
 *     struct hf_text wanted = HF_TEXT("%malloc"), name = HF_TEXT("je_malloc");
 *     if (hf_spec_match_symbol(wanted, HF_TEXT("je_"), name) == HF_SYMBOL_MEANT)
 *         hf_out_printf(out, "%.*s\n", (int)name.size, name.data);
 */
#ifndef HF_SPEC_PATTERN_H
#define HF_SPEC_PATTERN_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>

/* True if `name` is what `glob` says: "*" is any text, "?" any character. */
bool hf_glob_matches(struct hf_text glob, struct hf_text name);

enum hf_symbol_match {
    HF_SYMBOL_OTHER,
    HF_SYMBOL_MEANT,
    HF_SYMBOL_CLONE, /* a copy that the compiler made for some callers: NAME.constprop.0,
                        NAME.isra.0 */
};

/*
 * Whether the symbol `name` is meant by `wanted`, in which a leading "%" stands for `prefix`.
 * Pieces of functions (NAME.cold, NAME.part.0) never are.
 */
enum hf_symbol_match hf_spec_match_symbol(
    struct hf_text wanted, struct hf_text prefix, struct hf_text name);

/* What the "*" of `glob` stands for in `name`; false if that is another name. */
HF_MUST_CHECK bool hf_glob_find_star(
    struct hf_text glob, struct hf_text name, struct hf_text *out_text);

#endif
