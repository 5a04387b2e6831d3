/* The reader of heaptrack's files: what it makes must add up. */
#include "fuzz.h"
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_profile *profile = fuzz_read(&hf_format_heaptrack, false, data, size);
    for (size_t i = 0; profile != NULL && i < profile->sample_count; i++) {
        const uint64_t *values = hf_profile_values(profile, i);
        /* No more are live than were allocated, now or at the peak; nor were temporary. */
        for (size_t type = 0; type < profile->type_count; type++) {
            if (values[type] > values[type % 2 == 0 ? HF_ALLOC_OBJECTS : HF_ALLOC_SPACE])
                abort();
        }
    }
    hf_profile_free(profile);
    return 0;
}
