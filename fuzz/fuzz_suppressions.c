/* Suppressions in LeakSanitizer's syntax; and that a pattern without signs is found where it is. */
#include "analysis/suppressions.h"
#include "fuzz.h"
#include "tell.h"

#include <stdlib.h>

/* Looks for the input's first bytes as a function, a file and a module. */
static void find(struct hf_suppressions *suppressions, struct hf_text all)
{
    struct hf_error err;
    struct hf_profile *profile;
    struct hf_text part = hf_text_first(all, 24);
    uint32_t module, text, frames[3];
    if (hf_profile_new(&profile, &err) != HF_OK ||
        hf_profile_string(profile, part, &text, &err) != HF_OK ||
        hf_profile_module(profile, part, hf_text_first(part, 0), &module, &err) != HF_OK)
        abort();
    const struct hf_frame each[] = {{.name = text, .file = HF_NO_STRING, .module = HF_NO_MODULE},
        {.name = HF_NO_STRING, .file = text, .module = HF_NO_MODULE},
        {.name = HF_NO_STRING, .file = HF_NO_STRING, .module = module}};
    for (size_t i = 0; i < HF_COUNT(each); i++) {
        if (hf_profile_frame(profile, &each[i], &frames[i], &err) != HF_OK)
            abort();
    }
    const struct hf_suppression *found =
        hf_suppressions_find(suppressions, profile, frames, HF_COUNT(frames));
    fuzz_tell_named("found", hf_text_of(found != NULL ? found->pattern : "none"));
    if (found != NULL &&
        (found->hits != 1 || !hf_suppression_fits(hf_text_of(found->pattern), part)))
        abort();
    hf_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_suppressions suppressions = {0};
    struct hf_text all = {(const char *)data, size};
    hf_input_open_memory(&input, all, "input");
    enum hf_status status = hf_suppressions_read(&suppressions, &input, &err);
    fuzz_tell_error(status, &err);
    if (status != HF_OK && err.text[0] == '\0')
        abort();
    for (size_t i = 0; i < suppressions.count; i++) {
        struct hf_text pattern = hf_text_of(suppressions.items[i].pattern);
        bool is_plain = strpbrk(pattern.data, "*^$") == NULL;
        bool fits = hf_suppression_fits(pattern, all);
        fuzz_tell("%s ", fits ? "fits" : "does not fit");
        fuzz_tell_named("pattern", pattern);
        if (is_plain && fits != hf_text_has(all, pattern.data))
            abort();
    }
    find(&suppressions, all);
    hf_suppressions_done(&suppressions);
    hf_input_close(&input);
    return 0;
}
