/* Recognition by the first bytes, and the reader that is chosen. */
#include "formats/format.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    hf_input_open_memory(&input, (struct hf_text){(const char *)data, size}, "input");
    if (hf_format_read(&input, &profile, &err) == HF_OK)
        hf_profile_free(profile);
    hf_input_close(&input);
    return 0;
}
