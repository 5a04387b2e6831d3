/*
 * profile.proto: what is read, written and read again has the same sums, and from the second time
 * on the same bytes.
 */
#include "formats/format.h"
#include "formats/writers.h"
#include "fuzz.h"
#include "reader.h"

#include <stdlib.h>

static struct hf_profile *read_message(struct hf_text message)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    (void)hf_format_pprof.bid(hf_text_first(message, HF_FORMAT_PEEK_BYTES));
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    hf_input_open_memory(&input, message, "input");
    enum hf_status status = hf_format_pprof.read(&input, profile, &err);
    fuzz_tell_error(status, &err);
    if (status != HF_OK) {
        hf_profile_free(profile);
        return NULL;
    }
    fuzz_tell_profile(profile);
    return profile;
}

/* False: it passed 2^64-1, so what is left of it says nothing. */
static bool has_sum(const struct hf_profile *profile, const char *type_name, uint64_t *out_sum)
{
    size_t type;
    if (!hf_profile_find_type(profile, hf_text_of(type_name), &type))
        abort();
    struct hf_total total = hf_profile_total(profile, type, HF_THREAD_ALL);
    *out_sum = total.value - total.released;
    return total.value != UINT64_MAX && total.released != UINT64_MAX;
}

/* Writes the profile, frees it, and reads what was written. */
static struct hf_profile *turn(struct hf_profile *profile, struct hf_out *out)
{
    struct hf_error err;
    struct hf_notes notes = {0};
    out->size = 0;
    if (hf_writer_pb.write(profile, profile->default_type, &notes, out, &err) != HF_OK)
        abort();
    fuzz_tell_long("written", hf_out_view(out));
    struct hf_profile *again = read_message(hf_out_view(out));
    if (again == NULL || again->notes.has_loss || again->type_count != profile->type_count)
        abort();
    for (size_t i = 0; i < profile->type_count && !profile->is_saturated && !notes.has_loss; i++) {
        const char *type = hf_profile_text(profile, profile->types[i].name).data;
        uint64_t before, after;
        bool is_known = has_sum(profile, type, &before) && has_sum(again, type, &after);
        if (is_known && before != after)
            abort();
    }
    hf_notes_done(&notes);
    hf_profile_free(profile);
    return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_out second = {0}, third = {0};
    struct hf_profile *profile = read_message((struct hf_text){(const char *)data, size});
    if (profile == NULL)
        return 0;
    fuzz_classes(&hf_format_pprof, &hf_writer_pb, data, size);
    profile = turn(profile, &second);
    profile = turn(profile, &second);
    profile = turn(profile, &third);
    if (!hf_text_equal(hf_out_view(&second), hf_out_view(&third)))
        abort();
    hf_out_done(&second);
    hf_out_done(&third);
    hf_profile_free(profile);
    return 0;
}
