/* What a server says instead of a profile: JSON errors, one line of text, the state of a switch. */
#include "fuzz.h"

#include "net/answer.h"
#include "tell.h"

#include <assert.h>
#include <string.h>

static void tell_remedy(const char *remedy)
{
    fuzz_tell_named("remedy", hf_text_of(remedy != NULL ? remedy : "none"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_text body = {(const char *)data, size};
    char sentence[HF_ANSWER_TEXT_MAX];
    bool is_active = false;
    bool found = hf_answer_json_error(body, sentence);
    assert(strnlen(sentence, sizeof sentence) < sizeof sentence);
    assert(found == (sentence[0] != '\0'));
    fuzz_tell_named("of JSON", hf_text_of(sentence));
    tell_remedy(hf_answer_remedy(hf_answer_problem(sentence)));
    found = hf_answer_line(body, sentence);
    assert(strnlen(sentence, sizeof sentence) < sizeof sentence);
    assert(found == (sentence[0] != '\0'));
    fuzz_tell_named("line", hf_text_of(sentence));
    tell_remedy(hf_answer_remedy(hf_answer_problem(sentence)));
    if (!hf_answer_active(body, &is_active))
        assert(!is_active);
    fuzz_tell("%s\n", is_active ? "active" : "not active");
    return 0;
}
