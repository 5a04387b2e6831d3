/* The reader of maps that bpftrace prints. */
#include "fuzz.h"
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(&hf_format_bpftrace, data, size);
}
