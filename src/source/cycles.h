/*
 * cycles.h: objects that hold each other. Where references are counted, as in Perl and by Rc and
 * Arc of Rust, these are never freed, whoever lets go of them: so the function that ties them
 * keeps them.
 *
 *     $node->{parent} = $stack[-1];
 *     push @{ $stack[-1]{children} }, $node;
 *
 * What is weakened ("weaken", "downgrade") holds nothing.
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     struct hf_source_flow flow = {.sources = &sources};
 *     struct hf_source_at at;
 *     uint32_t line;
 *     bool is_there = hf_source_at_file(&at, &flow, 0);
 *     if (is_there && hf_source_is_tied(&at, 0, HF_TEXT("node"), &line))
 *         hf_out_printf(out, "tied on line %u", line);
 */
#ifndef HF_SOURCE_CYCLES_H
#define HF_SOURCE_CYCLES_H

#include "source/origin.h"

/* The function has a variable of that name hold another one which holds it, on *out_line. */
bool hf_source_is_tied(
    const struct hf_source_at *at, uint32_t function, struct hf_text name, uint32_t *out_line);

#endif
