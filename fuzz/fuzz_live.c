/* The reader of live tables. Input: the whole table. */
#include "fuzz.h"
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(&hf_format_live, data, size);
}
