/*
 * plural.h: the words that agree with a number: "1 block was lost", "2 blocks were lost".
 *
 * Safety: any context, safe inside malloc.
 *
 * Every count in a message takes its words from here; script/lint counts finds those that do not.
 *
 * Example:
 *
 *     uint64_t lost = 1;
 *     hf_out_printf(out, "%llu %s lost", (unsigned long long)lost,
 *         hf_plural(lost, "block was", "blocks were"));
 */
#ifndef HF_BASE_PLURAL_H
#define HF_BASE_PLURAL_H

#include <stdint.h>

/* `one` if count is 1, otherwise `many`: English says "0 blocks". */
const char *hf_plural(uint64_t count, const char *one, const char *many);

#endif
