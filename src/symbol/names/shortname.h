/*
 * shortname.h: a demangled name without parameters and template arguments.
 *
 *     std::vector<int, std::allocator<int> >::push_back(int const&)   ->  std::vector::push_back
 *     operator<(Key const&, Key const&)                               ->  operator<
 *     void (anonymous namespace)::run<Job>(Job*)         ->  (anonymous namespace)::run
 *     foo(int)::{lambda(char)#1}::operator()(char) const  ->  foo::{lambda(char)#1}::operator()
 *
 * What belongs to a name stays: Rust's "<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend",
 * Go's "net/http.(*conn).serve" and "main.Map[go.shape.int]", Java's "<init>", and all of the names
 * of V8, Python and Objective-C, which have blanks but no parameters.
 *
 * jeprof and pprof show such names. Unlike jeprof's pattern this reads the name: operators,
 * lambdas, conversion operators and Rust paths stay what they are.
 */
#ifndef HF_SYMBOL_SHORTNAME_H
#define HF_SYMBOL_SHORTNAME_H

#include "base/strings/out.h"
#include "base/text.h"

/* Appends the short form; a name that does not balance is appended as it is. */
void hf_short_name(struct hf_text name, struct hf_out *out);

#endif
