/* Folded stacks: what is read, written and read again has the same sums. */
#include "formats/folded.h"
#include "formats/format.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static struct hf_profile *read_text(struct hf_text text)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    hf_input_open_memory(&input, text, "input");
    if (hf_format_folded.read(&input, profile, &err) != HF_OK) {
        hf_profile_free(profile);
        return NULL;
    }
    return profile;
}

/* "thread 12 10": a name that ends in a number, or two counts. Nothing in the file tells. */
static bool is_ambiguous(const struct hf_profile *profile)
{
    for (size_t i = 0; i < profile->notes.count; i++) {
        if (strstr(profile->notes.items[i].text, "two counts") != NULL)
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_profile *first = read_text((struct hf_text){(const char *)data, size});
    if (first == NULL)
        return 0;
    struct hf_out out = {0};
    if (hf_folded_write(first, 0, &out, &err) != HF_OK)
        abort();
    struct hf_profile *second = read_text(hf_out_view(&out));
    if (second == NULL)
        abort();
    struct hf_total before = hf_profile_total(first, 0, HF_THREAD_ALL);
    struct hf_total after = hf_profile_total(second, 0, HF_THREAD_ALL);
    bool is_same = before.grew - before.released == after.grew - after.released;
    bool is_full = first->is_saturated || second->is_saturated || before.grew == UINT64_MAX ||
                   before.released == UINT64_MAX;
    if (!is_same && !is_full && !is_ambiguous(second))
        abort();
    hf_out_done(&out);
    hf_profile_free(first);
    hf_profile_free(second);
    return 0;
}
