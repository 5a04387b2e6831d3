/*
 * naming.h: from what an image says about an address to the named frames of a profile.
 *
 * Which name: of debug information the mangled one, because it holds namespace and class; else,
 * for the function itself, a mangled symbol; else the plain name of the debug information; else
 * the symbol. A clone of the compiler (foo.cold, foo.part.0) thus has the name of its function.
 * A plain name of C++ gets its scope in front: "(anonymous namespace)::Cache::put".
 * The symbol of a thunk comes first: GCC describes one into which it inlined the function as that
 * function.
 *
 * Example:
 *
 *     struct hf_dwarf_frame call = {.name = HF_TEXT("size"), .linkage = HF_TEXT("_ZN3Box4sizeEv")};
 *     hf_out_text(out, hf_naming_choose(&call, HF_TEXT("")));
 */
#ifndef HF_SYMBOL_NAMING_H
#define HF_SYMBOL_NAMING_H

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "base/strings/out.h"
#include "profile/profile.h"
#include "symbol/finding.h"
#include "symbol/names/foreign.h"

/*
 * The name of a call, by the rule above, as the file has it. `symbol` is empty for inlined calls: a
 * symbol is the name of what they are inlined in.
 */
struct hf_text hf_naming_choose(const struct hf_dwarf_frame *call, struct hf_text symbol);

/* The same with its scope, if it is a plain name that has one; then the text is that of `joined`.
 */
struct hf_text hf_naming_choose_whole(
    const struct hf_dwarf_frame *call, struct hf_text symbol, struct hf_out *joined);

/* Names already demangled. All-zero is empty. */
struct hf_naming {
    struct hf_profile *profile;
    bool is_full;
    bool is_linkage;          /* names stay as the image has them (HF_FRAME_IS_LINKAGE) */
    struct hf_intern mangled; /* mangled name -> id */
    uint32_t *readable;       /* by that id: string of the profile */
    size_t readable_capacity;
    struct hf_out joined;                      /* the name that is read now, with its scope */
    struct hf_map shortened;                   /* string of the profile -> its short form */
    const char *foreign[HF_FOREIGN_LANGUAGES]; /* whose names stayed as they are; then NULL */
};
void hf_naming_done(struct hf_naming *naming);

/* A note of the profile on names that stayed as they are. */
void hf_naming_tell(const struct hf_naming *naming);

/*
 * Expands `frame` (at virtual address `address` of its module) to the calls that were found there,
 * or to the symbol, or to module+0xaddress, with the start of its function if that is known.
 * *out_is_named says whether a name was found.
 */
HF_MUST_CHECK enum hf_status hf_naming_expand(struct hf_naming *naming, uint32_t frame,
    uint64_t address, const struct hf_finding *finding, bool *out_is_named, struct hf_error *err);

/* Expands a frame that the input tells by a mangled symbol to the readable name. */
HF_MUST_CHECK enum hf_status hf_naming_demangle(
    struct hf_naming *naming, uint32_t frame, struct hf_error *err);
/* Makes names readable that came with the input (HF_FRAME_IS_LONG, HF_FRAME_IS_LINKAGE). */
HF_MUST_CHECK enum hf_status hf_naming_shorten(struct hf_naming *naming, struct hf_error *err);

#endif
