/*
 * What a fuzz target is: one function, called with many inputs, in libFuzzer's form.
 * A target lives in fuzz_NAME.c, its committed inputs in corpus/NAME/, an optional dictionary in
 * dict/NAME.
 */
#ifndef HF_FUZZ_H
#define HF_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feeds one input to the parser. Returns 0; a fault, a leak or a failed assert is the finding. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
