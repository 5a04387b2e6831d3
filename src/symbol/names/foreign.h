/*
 * foreign.h: names of languages other than C++ and Rust.
 *
 * D ("_D1d5Cache4fillMFiZPv", d.Cache.fill) and, where somebody says that names are Ada's
 * ("pkg__proc", which is a name of C as well), are made readable by libiberty. Its functions for
 * them allocate, end the process for want of memory, and cannot be stopped. So they are asked in a
 * worker without rights alone (os/process/sandbox.h), whoever the user is, about names of at most
 * LONGEST bytes, and for D only if the price, found out first, is within HF_LIMIT_DEMANGLE_STEPS
 * and the budget: a back reference of D stands for all that is between its place and its own, and
 * the length of a symbol parameter of a template is tried with each number of its digits.
 *
 * OCaml, Haskell, Fortran, Swift and Pascal cannot be read here, nor what libiberty does not know
 * of C++20; who shows names says so once.
 */
#ifndef HF_SYMBOL_FOREIGN_H
#define HF_SYMBOL_FOREIGN_H

#include "base/strings/out.h"
#include "base/text.h"

#include <stdbool.h>

/* True for names of D: "_D" and a digit, or "_Dmain". */
bool hf_foreign_is_d(struct hf_text name);

/*
 * Appends the readable name; false, with nothing appended, where there is none, or nobody may ask.
 * `is_full`: with parameters and template arguments.
 */
HF_MUST_CHECK bool hf_foreign_d(struct hf_text name, bool is_full, struct hf_out *out);
HF_MUST_CHECK bool hf_foreign_ada(struct hf_text name, struct hf_out *out);

#define HF_FOREIGN_LANGUAGES 7
#define HF_FOREIGN_CONSTRAINTS "C++ functions with constraints"

/* The language that wrote a name which stays as it is: "Haskell"; NULL: none, as far as it shows.
 */
const char *hf_foreign_language(struct hf_text name);

#endif
