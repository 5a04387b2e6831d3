/* The reader of maps that bpftrace prints, whatever the first bytes are: the ids it makes must
 * exist. */
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
    if (hf_format_bpftrace.read(&input, profile, &err) == HF_OK) {
        if (profile->type_count == 0 || profile->type_count > HF_VALUE_TYPES_MAX)
            abort();
        for (size_t i = 0; i < profile->sample_count; i++) {
            if (profile->samples[i].node >= profile->stacks.count)
                abort();
        }
    }
    hf_input_close(&input);
    hf_profile_free(profile);
    return 0;
}
