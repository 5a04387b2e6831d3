/* The reader of gperftools' and Go's heap profiles, in both readings of the period. */
#include "fuzz.h"
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hf_profile_free(fuzz_read(&hf_format_gperftools, size % 2 != 0, data, size));
    return 0;
}
