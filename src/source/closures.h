/*
 * closures.h: functions that no call names: of scripts those without a name, and the operators of
 * classes; of all languages those that are given as an argument.
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     struct hf_source_flow flow = {.sources = &sources};
 *     struct hf_source_at at;
 *     bool is_there = hf_source_at_file(&at, &flow, 0);
 *     if (is_there && hf_source_operator(&at, HF_SOURCE_NO, 0, "<<") != HF_SOURCE_NO)
 *         hf_out_string(out, "ledger << entry: a method of Ledger");
 */
#ifndef HF_SOURCE_CLOSURES_H
#define HF_SOURCE_CLOSURES_H

#include "source/origin.h"

/* The part of a statement that is a function without a name, of which `inner` is a statement. */
struct hf_source_value hf_source_closure_of(const struct hf_source_at *at, uint32_t inner);

/* The variable at `token`, in a function without a name, is one of the function around that. */
bool hf_source_is_captured(const struct hf_source_at *at, uint32_t function, uint32_t token);

/* The name at `token`, of a function without a name that is called later and again, is a variable
 * of the function around it, which lives as long: "define_method(name) { known[key] ||= ... }". */
bool hf_source_is_of_stored_closure(
    const struct hf_source_at *at, uint32_t function, uint32_t token);

/* The place (sources.h) of the operator of the class that the name at `receiver` tells: "<<" of
 * Ledger in "@ledger << entry"; HF_SOURCE_NO: none, or it is within that class. */
uint32_t hf_source_operator(
    const struct hf_source_at *at, uint32_t function, uint32_t receiver, const char *name);

/* The place of the function that the callers of `function` in the file give as the parameter whose
 * name stands at `callee`, where that is called: find_odd in "read_table(rows, find_odd)";
 * HF_SOURCE_NO: none, or several. */
uint32_t hf_source_given_function(
    const struct hf_source_at *at, uint32_t function, uint32_t callee);

/* "item = yield": a generator of Python that is given values, and has its variables for as long as
 * it waits for the next. */
bool hf_source_takes_values(const struct hf_source_at *at, uint32_t function);

/* The last token of argument `number` of the call whose bracket opens at `open`; HF_SOURCE_NO: it
 * has no such argument. */
uint32_t hf_source_argument_end(
    const struct hf_source_tokens *tokens, uint32_t open, uint32_t number);

/* A function without a name begins at `token`: "[this] {", "move || ...", "x => ...", "sub {". */
bool hf_source_is_closure_at(const struct hf_source_at *at, uint32_t token);

/* What becomes of what is given to the generator that the variable at `token` has: "matching" of
 * "matching.send(item)". HF_SOURCE_END_UNKNOWN: it is not known to be one. */
struct hf_source_end hf_source_sent(
    const struct hf_source_at *at, uint32_t function, uint32_t token);

#endif
