/* A user's pattern on a name of the input: no pattern may hang. Input: pattern, NUL, text. */
#include "base/strings/regex.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_regex *regex = NULL;
    struct hf_text all = {(const char *)data, size};
    size_t nul = hf_text_find(all, '\0');
    char *pattern = strndup(size != 0 ? all.data : "", nul);
    if (pattern == NULL)
        abort();
    enum hf_status status = hf_regex_new(pattern, &regex, &err);
    fuzz_tell_error(status, &err);
    if (status == HF_OK) {
        bool matches = hf_regex_matches(regex, hf_text_from(all, nul + 1));
        fuzz_tell("%s, %d given up\n", matches ? "matches" : "does not match",
            (int)hf_regex_given_up(regex));
    }
    hf_regex_free(regex);
    free(pattern);
    return 0;
}
