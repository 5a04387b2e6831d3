/* SystemTap's stacks: whatever the lines are, folding works. */
#include "formats/folded/folded.h"
#include "fuzz.h"
#include "profile/fold.h"
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_profile *folded;
    struct hf_fold_options options = {.granularity = HF_BY_FUNCTION};
    struct hf_out out = {0};
    struct hf_profile *profile = fuzz_read(&hf_format_stap, false, data, size);
    if (profile == NULL)
        return 0;
    if (hf_profile_fold(profile, &options, &folded, &err) != HF_OK ||
        hf_folded_write(folded, 0, &out, &err) != HF_OK)
        abort();
    fuzz_tell_long("folded", hf_out_view(&out));
    hf_profile_free(folded);
    hf_out_done(&out);
    hf_profile_free(profile);
    return 0;
}
