/*
 * variables.h: the names of the variables that point to blocks: globals and statics in the data of
 * a process's modules ("registry", "Registry::instance::all"), thread-local variables of the
 * program (thread_variables.h), and, on the stacks of its threads, the functions in whose frames
 * pointers lie ("main"): variables within a frame cannot be told apart.
 *
 * Source: .symtab and .dynsym of the module's file and of its debug file. A symbol names an address
 * only if it contains the address, and if the file is the one that is mapped (mapped_module.h).
 * Names are short, as in stacks (symbol/names/demangle.h).
 *
 * Example:
 *
 *     struct hf_process_image image = {0};
 *     struct hf_block_graph graph = {0};
 *     struct hf_symbol_options options = {0};
 *     struct hf_variables variables;
 *     status = hf_variables_read(&variables, &image, &graph, &options, err);
 *     const struct hf_variable *where = hf_variables_find(&variables, 0x55d000004010);
 *     if (status == HF_OK && where != NULL)
 *         hf_out_text(out, where->name);
 *     hf_variables_done(&variables);
 */
#ifndef HF_HEAP_VARIABLES_H
#define HF_HEAP_VARIABLES_H

#include "base/containers/arena.h"
#include "heap/graph/block_graph.h"
#include "symbol/options.h"

struct hf_variable {
    uint64_t start, end; /* its addresses in the process */
    struct hf_text name;
};

struct hf_variables {
    struct hf_variable *items; /* by start */
    size_t count, capacity;
    struct hf_arena arena; /* for their names */
};

/* Reads the variables in which roots of the graph lie, and all frames. A file that cannot be read
 * names nothing. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_variables_read(struct hf_variables *variables,
    const struct hf_process_image *image, const struct hf_block_graph *graph,
    const struct hf_symbol_options *options, struct hf_error *err);

/* The variable that contains this address, or NULL. */
const struct hf_variable *hf_variables_find(const struct hf_variables *variables, uint64_t address);
void hf_variables_done(struct hf_variables *variables);

#endif
