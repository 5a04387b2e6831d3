/* Suppressions in LeakSanitizer's syntax; and that a pattern without signs is found where it is. */
#include "analysis/suppressions.h"
#include "fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_suppressions suppressions = {0};
    struct hf_text all = {(const char *)data, size};
    hf_input_open_memory(&input, all, "input");
    if (hf_suppressions_read(&suppressions, &input, &err) != HF_OK && err.text[0] == '\0')
        abort();
    for (size_t i = 0; i < suppressions.count; i++) {
        struct hf_text pattern = hf_text_of(suppressions.items[i].pattern);
        bool is_plain = strpbrk(pattern.data, "*^$") == NULL;
        bool fits = hf_suppression_fits(pattern, all);
        if (is_plain && fits != hf_text_has(all, pattern.data))
            abort();
    }
    hf_suppressions_done(&suppressions);
    hf_input_close(&input);
    return 0;
}
