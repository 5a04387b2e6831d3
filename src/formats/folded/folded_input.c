#include "formats/folded/folded_input.h"

#include "base/budget.h"
#include "base/limits.h"
#include "formats/format.h"
#include "formats/unpacked.h"

bool hf_folded_input_is(struct hf_input *input)
{
    struct hf_unpacked unpacked;
    struct hf_text first_bytes;
    bool is_folded =
        hf_unpacked_open(&unpacked, input, HF_LIMIT_UNPACKED, NULL) == HF_OK &&
        hf_input_peek(unpacked.input, HF_FORMAT_PEEK_BYTES, &first_bytes, NULL) == HF_OK &&
        hf_format_of(first_bytes) == &hf_format_folded;
    hf_unpacked_close(&unpacked);
    return is_folded;
}

static enum hf_status read_plain_folded(struct hf_input *input, const struct hf_folded_how *how,
    struct hf_profile *profile, struct hf_error *err)
{
    struct hf_text first_bytes;
    enum hf_status status = hf_input_peek(input, HF_FORMAT_PEEK_BYTES, &first_bytes, err);
    if (status != HF_OK)
        return status;
    const struct hf_format *format = hf_format_of(first_bytes);
    if (format != NULL && format != &hf_format_folded)
        return hf_error_set(err, HF_ERR_INPUT,
            "%s: expected folded stacks, found %s: draw it with heapflame flame", input->name,
            format->name);
    return hf_folded_read(input, how, profile, err);
}

enum hf_status hf_folded_input_read(struct hf_input *input, const struct hf_folded_how *how,
    struct hf_profile *profile, struct hf_error *err)
{
    struct hf_unpacked unpacked;
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_format_enter_budget(&budget, input);
    enum hf_status status = hf_unpacked_open(&unpacked, input, HF_LIMIT_UNPACKED, err);
    if (status == HF_OK)
        status = read_plain_folded(unpacked.input, how, profile, err);
    if (status == HF_OK)
        hf_unpacked_note(&unpacked, &profile->notes);
    profile->given_bytes += budget.given_bytes;
    hf_unpacked_close(&unpacked);
    hf_budget_leave(before);
    return status;
}
