/*
 * Bundles: what is read and written again is read as the same: from the first time on, the same
 * bytes.
 */
#include "formats/pprof/bundle.h"
#include "formats/writers.h"
#include "fuzz.h"
#include "reader.h"

static struct hf_profile *turn(struct hf_profile *profile, struct hf_out *out)
{
    struct hf_error err;
    if (hf_bundle_write(profile, profile->default_type, out, &err) != HF_OK)
        abort();
    fuzz_tell_long("written", hf_out_view(out));
    hf_profile_free(profile);
    struct hf_text bytes = hf_out_view(out);
    profile = fuzz_read(&hf_format_bundle, false, (const uint8_t *)bytes.data, bytes.size);
    if (profile == NULL)
        abort();
    return profile;
}

/* Uncompressed, as it is read here. */
static enum hf_status write_bare(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    (void)notes;
    return hf_bundle_write(profile, type, out, err);
}

static void write_packed(const struct hf_profile *profile)
{
    struct hf_error err;
    struct hf_notes notes = {0};
    struct hf_out out = {0};
    if (hf_writer_bundle.write(profile, profile->default_type, &notes, &out, &err) != HF_OK)
        abort();
    hf_notes_done(&notes);
    hf_out_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_out first = {0}, second = {0};
    struct hf_profile *profile = fuzz_read(&hf_format_bundle, false, data, size);
    if (profile == NULL)
        return 0;
    const struct hf_writer bare = {.write = write_bare};
    fuzz_classes(&hf_format_bundle, &bare, data, size);
    if (size % 8 == 0)
        write_packed(profile);
    profile = turn(profile, &first);
    profile = turn(profile, &second);
    if (!hf_text_equal(hf_out_view(&first), hf_out_view(&second)))
        abort();
    hf_out_done(&first);
    hf_out_done(&second);
    hf_profile_free(profile);
    return 0;
}
