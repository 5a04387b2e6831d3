#include "formats/format.h"

#include "base/budget.h"
#include "base/limits.h"
#include "base/strings/escape.h"
#include "formats/unpacked.h"

#define SHOWN_BYTES 48

#define FORMAT(name) &hf_format_##name,
static const struct hf_format *const formats[] = {HF_FORMATS(FORMAT)};
#undef FORMAT

/* A live table gets its first bytes last (live/writer.h). */
static bool format_is_unborn(const struct hf_input *input, struct hf_text first_bytes)
{
    for (size_t i = 0; i < first_bytes.size && i < 8; i++) {
        if (first_bytes.data[i] != '\0')
            return false;
    }
    return hf_text_ends(hf_text_of(input->name), ".live");
}

/* The formats are too many for one sentence. */
static enum hf_status format_refuse(
    const struct hf_input *input, struct hf_text first_bytes, struct hf_error *err)
{
    struct hf_out found = {0};
    struct hf_text line = hf_text_first(first_bytes, hf_text_find(first_bytes, '\n'));
    hf_escape_terminal(&found, hf_text_first(line, SHOWN_BYTES));
    hf_out_char(&found, '\0');
    enum hf_status status = hf_out_finish(&found, err);
    if (status != HF_OK) {
        hf_out_done(&found);
        return status;
    }
    if (format_is_unborn(input, first_bytes))
        hf_error_set(err, HF_ERR_INPUT,
            "is the live table of a process that was killed before anything was recorded");
    else if (first_bytes.size == 0)
        hf_error_set(err, HF_ERR_INPUT, "is empty; expected a profile");
    else
        hf_error_set(err, HF_ERR_INPUT,
            "is not a profile in a known format ('man heapflame' lists them); found '%s'%s",
            found.data, line.size > SHOWN_BYTES ? "..." : "");
    hf_error_at_line(err, input->name, 1);
    hf_out_done(&found);
    return HF_ERR_INPUT;
}

const struct hf_format *hf_format_of(struct hf_text first_bytes)
{
    const struct hf_format *best = NULL;
    enum hf_bid best_bid = HF_BID_NO;
    for (size_t i = 0; i < HF_COUNT(formats); i++) {
        enum hf_bid bid = formats[i]->bid(first_bytes);
        if (bid > best_bid) {
            best = formats[i];
            best_bid = bid;
        }
    }
    return best;
}

static enum hf_status format_read_plain(
    struct hf_input *input, struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_text first_bytes;
    enum hf_status status = hf_input_peek(input, HF_FORMAT_PEEK_BYTES, &first_bytes, err);
    if (status != HF_OK)
        return status;
    const struct hf_format *best = hf_format_of(first_bytes);
    if (best == NULL)
        return format_refuse(input, first_bytes, err);
    struct hf_profile *profile;
    status = hf_profile_new(&profile, err);
    if (status != HF_OK)
        return status;
    status = best->read(input, profile, err);
    if (status != HF_OK) {
        hf_error_in(err, input->name);
        hf_profile_free(profile);
        return status;
    }
    hf_profile_trim(profile);
    *out_profile = profile;
    return HF_OK;
}

struct hf_budget_scope hf_format_enter_budget(
    struct hf_budget *budget, const struct hf_input *input)
{
    struct hf_budget_scope before =
        hf_budget_enter(hf_budget_scope.budget != NULL ? hf_budget_scope.budget : budget);
    if (input->fd < 0 && input->source.read == NULL)
        hf_budget_give(input->to); /* borrowed memory is there as a whole */
    return before;
}

enum hf_status hf_format_read(
    struct hf_input *input, struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_unpacked unpacked;
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_format_enter_budget(&budget, input);
    enum hf_status status = hf_unpacked_open(&unpacked, input, HF_LIMIT_UNPACKED, err);
    if (status == HF_OK)
        status = format_read_plain(unpacked.input, out_profile, err);
    if (status == HF_OK)
        hf_unpacked_note(&unpacked, &(*out_profile)->notes);
    if (status == HF_OK)
        (*out_profile)->given_bytes = budget.given_bytes;
    hf_unpacked_close(&unpacked);
    hf_budget_leave(before);
    return status;
}
