#include "spec/system_call.h"

static const char *const names[HF_SYSTEM_CALLS] = {"mmap", "munmap", "mremap"};

const char *hf_system_call_name(uint64_t number)
{
    return number < HF_SYSTEM_CALLS ? names[number] : NULL;
}

bool hf_system_call_find(struct hf_text name, uint64_t *out_number)
{
    for (*out_number = 0; *out_number < HF_SYSTEM_CALLS; ++*out_number) {
        if (hf_text_is(name, names[*out_number]))
            return true;
    }
    return false;
}
