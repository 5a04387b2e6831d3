/* reader.h: for targets that are the reader of one format, whatever the first bytes are. */
#ifndef HF_FUZZ_READER_H
#define HF_FUZZ_READER_H

#include "formats/folded/folded.h"
#include "formats/format.h"

#include <stdlib.h>

/* Bids, and reads the input; NULL if it is refused. All ids of the profile that is made must exist.
 */
static inline struct hf_profile *fuzz_read(
    const struct hf_format *format, bool is_tcmalloc_v1, const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    struct hf_text input_text = {(const char *)data, size};
    hf_input_open_memory(&input, input_text, "input");
    input.is_tcmalloc_v1 = is_tcmalloc_v1;
    if (format->bid(hf_text_first(input_text, HF_FORMAT_PEEK_BYTES)) > HF_BID_SURE ||
        hf_profile_new(&profile, &err) != HF_OK)
        abort();
    if (format->read(&input, profile, &err) != HF_OK) {
        hf_profile_free(profile);
        profile = NULL;
    }
    hf_input_close(&input);
    if (profile == NULL)
        return NULL;
    if (profile->type_count == 0 || profile->type_count > HF_VALUE_TYPES_MAX)
        abort();
    for (size_t i = 0; i < profile->sample_count; i++) {
        if (profile->samples[i].node >= profile->stacks.count)
            abort();
    }
    for (size_t i = 1; i < profile->stacks.count; i++) {
        uint32_t frame = profile->stacks.nodes[i].frame;
        if (frame >= profile->frames.count ||
            hf_profile_frame_at(profile, frame)->module >= profile->module_count)
            abort();
    }
    return profile;
}

/* Folded stacks, read in a way that no bid chooses; NULL if they are refused. */
static inline struct hf_profile *fuzz_read_folded(
    struct hf_text text, const struct hf_folded_how *how)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    hf_input_open_memory(&input, text, "input");
    if (hf_folded_read(&input, how, profile, &err) != HF_OK) {
        hf_profile_free(profile);
        profile = NULL;
    }
    hf_input_close(&input);
    return profile;
}

static inline int fuzz_reader(const struct hf_format *format, const uint8_t *data, size_t size)
{
    hf_profile_free(fuzz_read(format, false, data, size));
    return 0;
}

#endif
