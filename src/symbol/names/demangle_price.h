/*
 * demangle_price.h: estimates what libiberty will need for a mangled name, before calling it.
 *
 * libiberty cannot be stopped while it hands nothing over, and names of some dozen bytes keep it
 * busy for years: it looks through a type that holds itself twice at each level (a pack expansion,
 * of C++), reads what follows a conversion to a template parameter twice at each level (C++), or
 * counts to 62^10 in a part that it does not print (the lifetimes of a binder, Rust v0). So names
 * in which that can be are read here first: C++ by libiberty's own tree of parts, Rust v0 by its
 * grammar (RFC 2603), without printing.
 *
 * A price is in steps of the machine (base/budget.h), right within a small factor, and no more than
 * HF_LIMIT_DEMANGLE_STEPS; beyond it is HF_PRICE_TOO_MUCH, as where the name cannot be read.
 */
#ifndef HF_SYMBOL_DEMANGLE_PRICE_H
#define HF_SYMBOL_DEMANGLE_PRICE_H

#include "base/text.h"

#include <stdint.h>

#define HF_PRICE_TOO_MUCH UINT64_MAX

/* Of a name that starts with "_Z"; `name.data` ends with NUL. */
uint64_t hf_price_of_cpp(struct hf_text name);

/* Of a name that starts with "_R"; needs a stack of 200 KiB. */
uint64_t hf_price_of_rust(struct hf_text name);

#endif
