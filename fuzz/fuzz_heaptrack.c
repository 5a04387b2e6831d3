/* The reader of heaptrack's files, whatever the first bytes are: what it makes must add up. */
#include "formats/format.h"
#include "fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    hf_input_open_memory(&input, (struct hf_text){(const char *)data, size}, "input");
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    if (hf_format_heaptrack.read(&input, profile, &err) == HF_OK) {
        for (size_t i = 0; i < profile->sample_count; i++) {
            const uint64_t *values = hf_profile_values(profile, i);
            if (profile->samples[i].node >= profile->stacks.count)
                abort();
            /* No more are live than were allocated, now or at the peak; nor were temporary. */
            for (size_t type = 0; type < profile->type_count; type++) {
                if (values[type] > values[type % 2 == 0 ? HF_ALLOC_OBJECTS : HF_ALLOC_SPACE])
                    abort();
            }
        }
    }
    hf_input_close(&input);
    hf_profile_free(profile);
    return 0;
}
