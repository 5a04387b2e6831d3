/* Recognition by the first bytes, and the reader that is chosen; and folded stacks, asked for. */
#include "formats/folded/folded_input.h"
#include "formats/format.h"
#include "fuzz.h"

#include <stdlib.h>

static void ask_for_folded(struct hf_text text)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    hf_input_open_memory(&input, text, "input");
    (void)hf_folded_input_is(&input);
    hf_input_close(&input);
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    hf_input_open_memory(&input, text, "input");
    (void)!hf_folded_input_read(&input, NULL, profile, &err);
    hf_input_close(&input);
    hf_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    hf_input_open_memory(&input, (struct hf_text){(const char *)data, size}, "input");
    if (hf_format_read(&input, &profile, &err) == HF_OK)
        hf_profile_free(profile);
    hf_input_close(&input);
    if (size % 4 == 0)
        ask_for_folded((struct hf_text){(const char *)data, size});
    return 0;
}
