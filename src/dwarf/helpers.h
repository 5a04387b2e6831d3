/*
 * helpers.h: which functions of a program only make things for those who call them.
 *
 * What such a function allocates is its caller's: str_cat() in a mail server, Surface_Create() in a
 * game. Names do not tell them (any program has its own), but the source does: a *helper*
 *
 *   - hands on what it makes: it returns an object or a pointer, if not to what is const, or is a
 *     constructor; or it fills what it is given: its first parameter, the object of a method, say,
 *     is of a class template or a generic type of Rust, and not const;
 *   - has callers in several parts of the program: two functions or more of other components call
 *     it, main() aside, of which none is called by others of them (or by itself) only;
 *     or a helper of its own component calls it; or only helpers do.
 *
 * So are methods that return a new object of their own class (make, clone, with), and functions of
 * C that one use of a macro defines together, on one line. The *component* of a method is its
 * class; of a function of C the first word of its name, "json" of json_node(). Functions that
 * return nothing or a number keep what they allocate, as far as can be seen from here.
 *
 * Example:
 *
 *     struct hf_dwarf_sections sections = {.name = "server"}; // texts of the sections
 *     struct hf_helpers helpers = {0};
 *     status = hf_helpers_find(&helpers, &sections, err);
 *     if (status == HF_OK && hf_helpers_has(&helpers, HF_TEXT("str_cat"), HF_TEXT("")))
 *         hf_out_string(out, "its callers own what it allocates");
 *     hf_helpers_done(&helpers);
 */
#ifndef HF_DWARF_HELPERS_H
#define HF_DWARF_HELPERS_H

#include "base/containers/map.h"
#include "base/error.h"
#include "dwarf/sections.h"

/* All-zero: there are none. Free with done. */
struct hf_helpers {
    struct hf_map names; /* hash of a function's name -> whether it is one */
    bool is_found;       /* they were looked for */
};

/*
 * Reads the whole debug information (call_graph.h). If that is too large or damaged, no helper is
 * known: no error. HF_ERR_MEMORY.
 */
HF_MUST_CHECK enum hf_status hf_helpers_find(
    struct hf_helpers *helpers, const struct hf_dwarf_sections *sections, struct hf_error *err);

/* `linkage` may be empty. */
bool hf_helpers_has(const struct hf_helpers *helpers, struct hf_text name, struct hf_text linkage);
void hf_helpers_done(struct hf_helpers *helpers);

#endif
