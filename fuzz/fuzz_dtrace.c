/* The reader of aggregations that DTrace prints. */
#include "fuzz.h"
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(&hf_format_dtrace, data, size);
}
