#include "spec/presets.h"

#include "profile/allocator.h"
#include "spec/embedded.h"

#define NAME(name) #name,
const char *const hf_spec_preset_names[] = {HF_PRESETS(NAME) NULL};

const char *const hf_spec_malloc_presets[] = {HF_ALLOCATORS(NAME) "libc", NULL};

bool hf_spec_preset(struct hf_text name, struct hf_text *out_text)
{
#define ARRAY(name) {hf_preset_##name, &hf_preset_##name##_size},
    static const struct {
        const char *text;
        const size_t *size;
    } arrays[] = {HF_PRESETS(ARRAY)};
    for (size_t i = 0; i < HF_COUNT(arrays); i++) {
        if (!hf_text_is(name, hf_spec_preset_names[i]))
            continue;
        *out_text = (struct hf_text){arrays[i].text, *arrays[i].size};
        return true;
    }
    return false;
}
