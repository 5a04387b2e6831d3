/*
 * @NAME@.c: what it is, and which program writes it.
 *
 *     profile = ...               the grammar
 *
 * Source: where the format is described, or what it was recorded from.
 */
#include "formats/format.h"

static enum hf_bid @NAME@_bid(struct hf_text first_bytes)
{
    return hf_text_starts(first_bytes, "@NAME@ 1\n") ? HF_BID_SURE : HF_BID_NO;
}

static enum hf_status read_@NAME@(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    (void)input;
    (void)profile;
    return hf_error_set(err, HF_ERR_INPUT, "is of the format @NAME@, whose reader is not written yet");
}

const struct hf_format hf_format_@NAME@ = {
    .name = "@NAME@",
    .bid = @NAME@_bid,
    .read = read_@NAME@,
};
