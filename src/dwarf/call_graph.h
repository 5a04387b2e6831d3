/*
 * call_graph.h: who calls whom in a program, by its debug information alone.
 *
 * Calls are those that stand in the program's text, made or not: inlined ones (DWARF 5, section
 * 3.3.8) and the others as far as the compiler lists them (call sites, section 3.4.1; GCC and LLVM
 * write them when they optimize). Calls through pointers are not known.
 *
 * A *function* is what has one name in the source: all instances of a template, and all copies of
 * what stands in a header. Functions that are static in C are told apart by their line, too.
 *
 * Not read: what is in a supplementary file (dwz) or in .dwo files. Damage ends the walk of a unit;
 * what was found holds.
 *
 * Example:
 *
 *     struct hf_dwarf_sections sections = {.name = "server"}; // texts of the sections
 *     struct hf_call_graph graph = {0};
 *     status = hf_call_graph_read(&graph, &sections, err);
 *     for (size_t i = 0; status == HF_OK && i < graph.call_count; i++)
 *         hf_out_text(out, graph.functions[graph.calls[i].callee].name);
 *     hf_call_graph_done(&graph);
 */
#ifndef HF_DWARF_CALL_GRAPH_H
#define HF_DWARF_CALL_GRAPH_H

#include "base/containers/map.h"
#include "base/error.h"
#include "dwarf/sections.h"

#include <stdbool.h>

struct hf_called_function {
    struct hf_text name; /* without template arguments; borrows from the sections */
    uint64_t class;      /* that it is a method of; 0: none. As good as a name within one run */
    bool returns_value;  /* an object or a pointer: no number, and not nothing */
    bool returns_view;   /* a pointer or a reference to what the caller may only look at */
    bool fills_generic;  /* its first parameter points to an object of a class template, or of a
                            generic type, that it may change: the object of a method, say */
    bool fills_several;  /* and the program has several instances of that class */
    bool fills_part;     /* of C: its first parameter points to a growing array of numbers, or to
                            what several classes have as a member */
    bool may_keep;       /* what it returns may stay with an object that it is given to change */
    bool changes_more;   /* what it allocates could stay elsewhere than in what it returns */
    bool fills_array;    /* a parameter is an array of Fortran that it may allocate */
    bool is_constructor;
    bool is_of_c;        /* it has neither a class, nor a namespace, nor a linkage name */
    bool returns_itself; /* an object of its class, or a pointer to one */
    bool is_judged;      /* its types were looked at */
    bool shares_line; /* of C: with a function of another name, or a type, as what one macro defines
                       */
};

/* What the program's symbols call a function: one of the names of its entries. */
struct hf_called_name {
    struct hf_text text; /* linkage name, or plain name if there is none; borrowed */
    uint32_t function;
};

struct hf_call {
    uint32_t callee, caller; /* functions, which differ */
};

/* A name without template arguments; "operator<" has none. Borrowed. */
struct hf_text hf_called_plain_name(struct hf_text name);

/* All-zero is empty. Free with done. */
struct hf_call_graph {
    struct hf_called_function *functions;
    size_t function_count, function_capacity;
    struct hf_called_name *names; /* each of them perhaps several times */
    size_t name_count, name_capacity;
    struct hf_call *calls; /* sorted, each once */
    size_t call_count, call_capacity;
};

/*
 * Reads all units. HF_ERR_LIMIT: the debug information is larger than HF_LIMIT_CALL_GRAPH_BYTES, or
 * it costs more than its effort; HF_ERR_MEMORY. Call done in either case.
 */
HF_MUST_CHECK enum hf_status hf_call_graph_read(
    struct hf_call_graph *graph, const struct hf_dwarf_sections *sections, struct hf_error *err);
void hf_call_graph_done(struct hf_call_graph *graph);

#endif
