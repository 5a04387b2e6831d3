#include "cli/compat/encoding.h"
#include "profile/samples.h"

#include <errno.h>
#include <stdlib.h>

#define GROWTH 4 /* bytes of UTF-8 for a byte of any other encoding, at most */

/* The name in UTF-8; false if it is not in the encoding. */
static bool encoding_convert(
    iconv_t converter, struct hf_text name, char *buffer, struct hf_text *out_name)
{
    char *from = (char *)(uintptr_t)name.data, *to = buffer;
    size_t from_left = name.size, to_left = name.size * GROWTH;
    iconv(converter, NULL, NULL, NULL, NULL);
    if (iconv(converter, &from, &from_left, &to, &to_left) == (size_t)-1)
        return false;
    *out_name = (struct hf_text){buffer, name.size * GROWTH - to_left};
    return true;
}

static enum hf_status convert_all(
    struct hf_profile *profile, iconv_t converter, uint32_t *new_frames, struct hf_error *err)
{
    uint32_t count = profile->frames.count;
    for (uint32_t i = 0; i < count; i++) {
        struct hf_frame frame = *hf_profile_frame_at(profile, i);
        struct hf_text name = hf_profile_text(profile, frame.name), converted;
        char *buffer = malloc(name.size * GROWTH + 1);
        enum hf_status status = buffer != NULL ? HF_OK : hf_error_memory(err);
        if (status == HF_OK && encoding_convert(converter, name, buffer, &converted))
            status = hf_profile_string(profile, converted, &frame.name, err);
        if (status == HF_OK)
            status = hf_profile_frame(profile, &frame, &new_frames[i], err);
        free(buffer);
        if (status != HF_OK)
            return status;
    }
    return hf_samples_map_frames(profile, new_frames, err);
}

enum hf_status hf_encoding_open(iconv_t *out_encoding, const char *name, struct hf_error *err)
{
    *out_encoding = iconv_open("UTF-8", name);
    if (*out_encoding != (iconv_t)-1)
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "--encoding: there is no encoding '%.64s' (iconv --list names them)", name);
}

enum hf_status hf_encoding_apply(struct hf_profile *profile, iconv_t encoding, struct hf_error *err)
{
    uint32_t *new_frames = calloc((size_t)profile->frames.count + 1, sizeof *new_frames);
    enum hf_status status =
        new_frames != NULL ? convert_all(profile, encoding, new_frames, err) : hf_error_memory(err);
    free(new_frames);
    return status;
}
