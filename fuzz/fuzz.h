/*
 * What a fuzz target is: one function, called with many inputs, in libFuzzer's form.
 * A target lives in fuzz_NAME.c, its committed inputs in corpus/NAME/, an optional dictionary in
 * dict/NAME. Where changed bytes alone hardly ever make an input that is read on (a checksum, an
 * offset, a size in front of a part), the target has a function that changes inputs, too.
 */
#ifndef HF_FUZZ_H
#define HF_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feeds one input to the parser. Returns 0; a fault, a leak or a failed assert is the finding. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Changes an input in place; returns its new size, at most `most`. Of the target, if it has one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

/* How libFuzzer changes bytes. In the programs with replay.c, which change nothing, it is NULL. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* Changes data[at, at + part) alone, which keeps its size. */
static inline void fuzz_mutate_part(uint8_t *data, size_t size, size_t at, size_t part)
{
    if (at < size && part != 0)
        LLVMFuzzerMutate(
            data + at, part < size - at ? part : size - at, part < size - at ? part : size - at);
}

#endif
