/* Recognition by the first bytes, and the reader that is chosen; and folded stacks, asked for. */
#include "formats/folded/folded_input.h"
#include "formats/format.h"
#include "fuzz.h"
#include "reader.h"

#include <stdlib.h>

static void ask_for_folded(struct hf_text text)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    hf_input_open_memory(&input, text, "input");
    fuzz_tell(
        "asked for folded stacks, which it %s\n", hf_folded_input_is(&input) ? "is" : "is not");
    hf_input_close(&input);
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    hf_input_open_memory(&input, text, "input");
    enum hf_status status = hf_folded_input_read(&input, NULL, profile, &err);
    fuzz_tell_error(status, &err);
    if (status == HF_OK)
        fuzz_tell_profile(profile);
    hf_input_close(&input);
    hf_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    hf_input_open_memory(&input, (struct hf_text){(const char *)data, size}, "input");
    enum hf_status status = hf_format_read(&input, &profile, &err);
    fuzz_tell_error(status, &err);
    if (status == HF_OK) {
        fuzz_tell_profile(profile);
        hf_profile_free(profile);
    }
    hf_input_close(&input);
    if (size % 4 == 0)
        ask_for_folded((struct hf_text){(const char *)data, size});
    return 0;
}
