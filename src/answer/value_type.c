#include "answer/value_type.h"

#include "base/strings/escape.h"
#include "profile/samples.h"

#include <string.h>

enum hf_status hf_value_type_choose(
    const struct hf_profile *profile, const char *name, size_t *out_type, struct hf_error *err)
{
    *out_type = profile->default_type;
    if (name == NULL || hf_profile_find_type(profile, hf_text_of(name), out_type))
        return HF_OK;
    if (strcmp(name, HF_TEMPORARY_OBJECTS) == 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "the profile does not say which allocations were temporary; profiles of heapflame run "
            "and of heaptrack do");
    struct hf_out known = {0};
    for (size_t i = 0; i < profile->type_count; i++) {
        hf_out_string(&known, i == 0 ? "" : ", ");
        hf_escape_terminal(&known, hf_profile_text(profile, profile->types[i].name));
    }
    hf_out_char(&known, '\0');
    hf_error_set(
        err, HF_ERR_USAGE, "the profile has no values of type '%s'; it has: %s", name, known.data);
    hf_out_done(&known);
    return HF_ERR_USAGE;
}
