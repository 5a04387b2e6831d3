/*
 * demangle.h: mangled names of C++ (Itanium ABI), Rust (legacy and v0) and D (foreign.h) to
 * readable ones.
 *
 * libiberty does the work, through its callback forms. Input longer than HF_LIMIT_DEMANGLE_INPUT,
 * output longer than HF_LIMIT_DEMANGLE_OUTPUT, what would take more than HF_LIMIT_DEMANGLE_STEPS
 * (demangle_price.h), what is left when the budget comes to its end (base/budget.h) and what
 * libiberty does not know stay as they are: a mangled name is true, only hard to read. So do C++
 * names beyond HF_LIMIT_DEMANGLE_DEEP. Rust's hash at the end is left out. Needs a stack of 4 MiB
 * for the worst names.
 *
 * Example:
 *
 *     hf_demangle(HF_TEXT("_ZN3Box4sizeEv"), true, out); // Box::size()
 */
#ifndef HF_SYMBOL_DEMANGLE_H
#define HF_SYMBOL_DEMANGLE_H

#include "base/strings/out.h"
#include "base/text.h"

/*
 * Appends the name to `out`. `is_full`: with parameters and template arguments; else short
 * (shortname.h).
 */
void hf_demangle(struct hf_text mangled, bool is_full, struct hf_out *out);

#endif
