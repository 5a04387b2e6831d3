/*
 * compiled.h: what is special about variables and values of C, C++ and Rust: where they are
 * declared, and whether what is stored is the value or a copy of it.
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     struct hf_source_flow flow = {.sources = &sources};
 *     struct hf_source_at at;
 *     bool is_there = hf_source_at_file(&at, &flow, 0);
 *     if (is_there && hf_source_is_pointer(&at, 0, HF_TEXT("node")))
 *         hf_out_string(out, "who stores node keeps what it points to");
 */
#ifndef HF_SOURCE_COMPILED_H
#define HF_SOURCE_COMPILED_H

#include "source/origin.h"

/* The name at `token`, of a statement, is declared there: "Order order(7);", "let order". */
bool hf_source_is_declared_at(const struct hf_source_at *at, uint32_t token);

/* The declaration of a variable says that it is a pointer, of whatever kind. */
bool hf_source_is_pointer(const struct hf_source_at *at, uint32_t function, struct hf_text name);

/* The same of a reference of C++: what it is given goes where it leads. */
bool hf_source_is_reference(const struct hf_source_at *at, uint32_t function, struct hf_text name);

/* "Arc::new(x)", ": Rc<T>": "name.clone()" of Rust is the same value, which lives as long as both.
 */
bool hf_source_is_counted(const struct hf_source_at *at, uint32_t function, struct hf_text name);

/* What the name at `token` is given by the sign at `assignment` is added to it, or copied: the
 * variable does not lead to where that came from. */
bool hf_source_is_copy_at(const struct hf_source_at *at, uint32_t token, uint32_t assignment);

/* A variable of C++ that stands at [begin, end) is copied where it is stored: neither a pointer nor
 * moved. */
bool hf_source_is_copied(const struct hf_source_at *at, struct hf_source_value value);

/* "&", "*" or "mut" before a value: another one is meant than it. */
bool hf_source_is_borrowed(const struct hf_source_at *at, const struct hf_source_level *level,
    const struct hf_source_value *value);

/* The name at `callee` of C++, which is called, is used as a class elsewhere in the file: "Order
 * order", "struct Order", "Order::". */
bool hf_source_is_class_at(const struct hf_source_at *at, uint32_t callee);

/* The function reads a member of what the variable points to, or is: "w->points", "order.id", which
 * a container for whatever is put into it does not. To give one a value is not to read it. */
bool hf_source_reads_part(const struct hf_source_at *at, uint32_t function, struct hf_text name);

/* The declaration of a variable of C has a type that the program made: "struct image *img"; not
 * "void *", nor text. */
bool hf_source_has_own_type(const struct hf_source_at *at, uint32_t function, struct hf_text name);

/* A function of C stores its argument in another one, as `end` says, and takes whatever it is
 * given: "void *item". Whoever chooses into what it goes keeps it. */
bool hf_source_is_for_any(const struct hf_source_at *at, uint32_t place, uint32_t number,
    const struct hf_source_end *end);

/* Where something is kept, the object that keeps it gives out a share of itself: "child->parent =
 * shared_from_this()", "Rc::clone(self)". It may be there when its variable is gone. */
bool hf_source_shares_itself(const struct hf_source_at *at, const struct hf_source_end *end);

/* The program begins there. */
bool hf_source_is_main(const struct hf_source_at *at, uint32_t function);

#endif
