/* SystemTap's stacks: whatever the lines are, the ids that are made exist, and folding works. */
#include "formats/folded.h"
#include "formats/format.h"
#include "fuzz.h"
#include "profile/fold.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile, *folded;
    struct hf_fold_options options = {.granularity = HF_BY_FUNCTION};
    struct hf_out out = {0};
    struct hf_text text = {(const char *)data, size};
    hf_input_open_memory(&input, text, "input");
    (void)hf_format_stap.bid(text);
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    if (hf_format_stap.read(&input, profile, &err) == HF_OK) {
        for (size_t i = 1; i < profile->stacks.count; i++) {
            uint32_t frame = profile->stacks.nodes[i].frame;
            if (frame >= profile->frames.count ||
                hf_profile_frame_at(profile, frame)->module >= profile->module_count)
                abort();
        }
        if (hf_profile_fold(profile, &options, &folded, &err) != HF_OK ||
            hf_folded_write(folded, 0, &out, &err) != HF_OK)
            abort();
        hf_profile_free(folded);
    }
    hf_out_done(&out);
    hf_input_close(&input);
    hf_profile_free(profile);
    return 0;
}
