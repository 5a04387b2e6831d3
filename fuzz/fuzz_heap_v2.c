/* The reader of jemalloc's heap_v2. */
#include "fuzz.h"
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(&hf_format_heap_v2, data, size);
}
