/* The reader of live tables, with lifetimes and without. Input: the whole table. */
#include "fuzz.h"
#include "profile/lifetimes.h"
#include "reader.h"

static void read_with_lifetimes(struct hf_text table)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    struct hf_lifetimes lifetimes = {.from_ms = 1000, .to_ms = 1735689600000, .old_ms = 5000};
    hf_input_open_memory(&input, table, "input");
    input.lifetimes = &lifetimes;
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    if (hf_format_live.read(&input, profile, &err) == HF_OK) {
        for (size_t i = 0; i < lifetimes.birth_count; i++) {
            if (lifetimes.births[i].node >= profile->stacks.count)
                abort();
        }
        for (size_t i = 0; i < lifetimes.freed_count; i++) {
            if (lifetimes.freed[i].node >= profile->stacks.count ||
                lifetimes.freed[i].at >= profile->stacks.count)
                abort();
        }
    }
    hf_lifetimes_done(&lifetimes);
    hf_profile_free(profile);
    hf_input_close(&input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_with_lifetimes((struct hf_text){(const char *)data, size});
    return fuzz_reader(&hf_format_live, data, size);
}
