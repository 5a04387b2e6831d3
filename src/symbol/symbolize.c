#include "symbol/symbolize.h"

enum hf_status hf_symbolize(
    struct hf_profile *profile, const struct hf_symbol_options *options, struct hf_error *err)
{
    (void)profile;
    (void)options;
    (void)err;
    return HF_OK;
}
