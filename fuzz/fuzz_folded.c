/*
 * Folded stacks: what is read, written and read again has the same sums. Other sizes of input are
 * read as a chart with two columns, or their halves as the two sides of a comparison.
 */
#include "formats/folded/folded_stacks.h"
#include "fuzz.h"
#include "reader.h"

#include <stdlib.h>
#include <string.h>

static struct hf_profile *read_text(struct hf_text text)
{
    return fuzz_read(&hf_format_folded, false, (const uint8_t *)text.data, text.size);
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

static void write_pair(const struct hf_profile *pair)
{
    struct hf_error err;
    struct hf_out out = {0};
    for (int is_normalized = 0; is_normalized < 2; is_normalized++) {
        if (hf_folded_write_pair(pair, is_normalized != 0, &out, &err) != HF_OK)
            abort();
        fuzz_tell_long("written as a pair", hf_out_view(&out));
        hf_out_done(&out);
        out = (struct hf_out){0};
    }
}

static void read_how(struct hf_text text, const struct hf_folded_how *how)
{
    struct hf_profile *profile = fuzz_read_folded(text, how);
    if (profile != NULL && profile->type_count == 2)
        write_pair(profile);
    hf_profile_free(profile);
}

static void read_sides(struct hf_text text, bool is_plain)
{
    struct hf_error err;
    struct hf_profile *profile;
    struct hf_folded_stacks stacks = {0};
    struct hf_folded_how how = {.is_plain = is_plain, .stacks = &stacks};
    if (hf_profile_new(&profile, &err) != HF_OK ||
        hf_folded_stacks_init(&stacks, profile, NULL, &err) != HF_OK)
        abort();
    enum hf_status status = HF_OK;
    for (size_t side = 0; side < 2 && status == HF_OK; side++) {
        struct hf_input input;
        size_t half = text.size / 2;
        how.side = side == 0 ? HF_FOLDED_BASE : HF_FOLDED_CURRENT;
        hf_input_open_memory(
            &input, side == 0 ? hf_text_first(text, half) : hf_text_from(text, half), "side");
        status = hf_folded_read(&input, &how, profile, &err);
        hf_input_close(&input);
    }
    fuzz_tell_error(status, &err);
    if (status == HF_OK)
        write_pair(profile);
    hf_folded_stacks_done(&stacks);
    hf_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_text text = {(const char *)data, size};
    const struct hf_folded_how how = {.is_chart = size % 8 > 1,
        .is_reversed = size % 8 == 3,
        .ends_in_separator = size % 16 > 10};
    if (size % 8 == 0)
        read_sides(text, size % 16 == 0);
    else if (size % 8 < 4)
        read_how(text, &how);
    struct hf_profile *first = read_text(text);
    if (first == NULL)
        return 0;
    struct hf_out out = {0};
    if (hf_folded_write(first, 0, &out, &err) != HF_OK)
        abort();
    fuzz_tell_long("written", hf_out_view(&out));
    struct hf_profile *second = read_text(hf_out_view(&out));
    if (second == NULL)
        abort();
    struct hf_total before = hf_profile_total(first, 0, HF_THREAD_ALL);
    struct hf_total after = hf_profile_total(second, 0, HF_THREAD_ALL);
    bool is_same = before.value - before.released == after.value - after.released;
    bool is_full = first->is_saturated || second->is_saturated || before.value == UINT64_MAX ||
                   before.released == UINT64_MAX;
    if (!is_same && !is_full && !is_ambiguous(second))
        abort();
    hf_out_done(&out);
    hf_profile_free(first);
    hf_profile_free(second);
    return 0;
}
