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
 * Whoever calls them, so are
 *
 *   - methods that return a new object of their own class (make, clone, with);
 *   - functions of C that one use of a macro defines together, or with a type, on one line;
 *   - methods of a class template, or of a generic type, that the program uses for several types;
 *   - functions that return an object with memory of its own, or write to a string, and may change
 *     nothing else that they are given, but objects that only look at what others have (a parser's
 *     place in its text): what they allocate can stay nowhere else. In C, functions that return a
 *     pointer to what no variable that lasts could lead to, by the types of all, or to bytes: to
 *     numbers, or to void where the function also tells a size (char *encode(const struct device
 *     *, size_t *size)). Of these some are wrong: char *title(int n) may return what it keeps;
 *   - functions of C that add to a growing array of numbers: a structure of a pointer to numbers,
 *     how many there are, and how many have room; or to a structure that two others or more have
 *     as a member: a list of attributes, which jobs and printers have.
 *
 * The *component* of a method is its class; of a function of C the first word of its name, "json"
 * of json_node(). Subroutines of Fortran fill the arrays that they are given to allocate. Functions
 * that return nothing or a number keep what they allocate, as far as can be seen from here, and so
 * does what returns the object that it was called with ("&mut self"). Closures of Rust are what
 * their functions are.
 *
 * A helper *may keep* what it makes if it is given an object to change that holds such things, as
 * `struct problem *complain(struct ctx *)` (analysis/owner_wrappers.h).
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
    struct hf_map names; /* hash of a function's name -> what it is */
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

/* True of a helper that may keep what it makes: an object that it changes has such things. */
bool hf_helpers_may_keep(
    const struct hf_helpers *helpers, struct hf_text name, struct hf_text linkage);
void hf_helpers_done(struct hf_helpers *helpers);

#endif
