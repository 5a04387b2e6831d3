/*
 * go_calls.h: what the table of Go's runtime (elf/go_table.h) says of addresses that debug
 * information does not describe: a Go program that was linked with -w has no other.
 */
#ifndef HF_SYMBOL_GO_CALLS_H
#define HF_SYMBOL_GO_CALLS_H

#include "base/containers/intern.h"
#include "dwarf/lookup/resolver.h"
#include "elf/image.h"

/*
 * Fills those of result->places that are empty, for `count` sorted addresses of the image. Names
 * and paths are copied to `texts`. HF_ERR_LIMIT: the rest stays empty.
 */
HF_MUST_CHECK enum hf_status hf_go_calls_add(const struct hf_elf *elf, const uint64_t *addresses,
    size_t count, struct hf_dwarf_result *result, struct hf_intern *texts, struct hf_error *err);

#endif
