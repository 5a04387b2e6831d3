#include "answer/conversion.h"

#include "analysis/unnamed.h"
#include "answer/names.h"
#include "answer/value_type.h"
#include "profile/allocator.h"

static enum hf_status fold_profiles(struct hf_conversion *conversion,
    const struct hf_request *request, const char *const *profiles, size_t count,
    struct hf_error *err)
{
    struct hf_view *view = &conversion->view;
    enum hf_status status = hf_view_make(view, request, profiles, count, err);
    if (status != HF_OK)
        return status;
    conversion->profile = view->folded;
    conversion->type = view->type;
    return HF_OK;
}

/* Named by now; with addresses and mappings. */
static enum hf_status take_whole(struct hf_conversion *conversion, const struct hf_request *request,
    struct hf_profile *profile, struct hf_error *err)
{
    conversion->profile = profile;
    enum hf_status status =
        hf_value_type_choose(profile, request->fold.value, &conversion->type, err);
    if (status == HF_OK && !request->fold.keep_allocator && !conversion->writer->takes_all)
        status = hf_allocator_cut(profile, err);
    return status;
}

/* Where all of a profile is written, its names are what they are to a linker. */
static struct hf_request request_of(const struct hf_writer *writer, const struct hf_request *asked)
{
    struct hf_request request = *asked;
    request.names.linkage_names = writer->takes_all;
    return request;
}

enum hf_status hf_conversion_read(struct hf_conversion *conversion, const struct hf_writer *writer,
    const struct hf_request *request, const char *const *profiles, size_t count,
    struct hf_error *err)
{
    const struct hf_request_comparison *with = &request->comparison;
    *conversion = (struct hf_conversion){.writer = writer};
    if (writer->takes_folded || with->base.count != 0 || with->since != NULL)
        return fold_profiles(conversion, request, profiles, count, err);
    struct hf_request whole = request_of(writer, request);
    struct hf_lifetimes lifetimes = {.wants_classes = true};
    if (writer->takes_classes)
        whole.input.lifetimes = &lifetimes;
    struct hf_budget_scope before = hf_budget_enter(&conversion->view.budget);
    enum hf_status status = hf_view_load(&whole, profiles, count, &conversion->read, err);
    if (status == HF_OK)
        status = take_whole(conversion, &whole, conversion->read, err);
    hf_budget_leave(before);
    return status;
}

enum hf_status hf_conversion_of(struct hf_conversion *conversion, const struct hf_writer *writer,
    const struct hf_request *request, struct hf_profile *profile, struct hf_error *err)
{
    struct hf_request whole = request_of(writer, request);
    *conversion = (struct hf_conversion){.writer = writer};
    struct hf_budget_scope before = hf_budget_enter(&conversion->view.budget);
    hf_budget_give(profile->given_bytes);
    enum hf_status status = hf_names_add(&whole.names, profile, err);
    hf_budget_leave(before);
    if (status != HF_OK)
        return status;
    whole.given = profile;
    return writer->takes_folded ? fold_profiles(conversion, &whole, NULL, 0, err)
                                : take_whole(conversion, &whole, profile, err);
}

enum hf_status hf_conversion_write(
    struct hf_conversion *conversion, struct hf_out *out, struct hf_error *err)
{
    struct hf_profile *profile = conversion->profile;
    struct hf_budget_scope before = hf_budget_enter(&conversion->view.budget);
    enum hf_status status =
        conversion->writer->write(profile, conversion->type, &profile->notes, out, err);
    if (status == HF_OK)
        status = hf_out_finish(out, err);
    hf_budget_leave(before);
    if (status == HF_OK)
        hf_note_unnamed(profile, conversion->type);
    return status;
}

const struct hf_notes *hf_conversion_notes(struct hf_conversion *conversion)
{
    return conversion->profile != NULL && conversion->profile != conversion->view.folded
               ? &conversion->profile->notes
               : hf_view_notes(&conversion->view);
}

void hf_conversion_done(struct hf_conversion *conversion)
{
    hf_view_done(&conversion->view);
    hf_profile_free(conversion->read);
    *conversion = (struct hf_conversion){0};
}
