#include "answer/side.h"

#include "answer/loader.h"
#include "answer/names.h"
#include "answer/value_type.h"
#include "base/budget.h"
#include "base/strings/num.h"

enum hf_status hf_side_read(
    const struct hf_request *request, struct hf_side *side, bool is_quiet, struct hf_error *err)
{
    struct hf_loader_options load = request->input;
    load.listener = is_quiet ? NULL : load.listener;
    return hf_loader_read(side->profiles, side->count, &load, &side->read, err);
}

enum hf_status hf_side_load(const struct hf_request *request, struct hf_side *side,
    struct hf_profile **out_profile, struct hf_error *err)
{
    enum hf_status status = side->read == NULL ? hf_side_read(request, side, false, err) : HF_OK;
    if (status == HF_OK)
        status = hf_names_add(&request->names, side->read, err);
    if (status != HF_OK)
        return status;
    *out_profile = side->read;
    side->read = NULL;
    return HF_OK;
}

/* True if the values are of memory, whose owners can be asked for. */
static bool side_is_heap(const struct hf_profile *folded, size_t type)
{
    struct hf_text unit = hf_profile_text(folded, folded->types[type].unit);
    return hf_text_is(unit, "bytes") || hf_text_is(unit, "objects");
}

/* True if owners are looked for, and learn of this profile. */
static bool side_has_owners(
    const struct hf_request *request, const struct hf_profile *folded, size_t type)
{
    const struct hf_request_fold *fold = &request->fold;
    return fold->owners == HF_OWNERS_END ||
           (fold->owners != HF_OWNERS_UNKNOWN && fold->granularity <= HF_BY_LINE &&
               side_is_heap(folded, type));
}

/* The owners learn of what was folded. */
static enum hf_status side_teach(const struct hf_request *request,
    const struct hf_fold_options *how, const struct hf_profile *profile, struct hf_profile *folded,
    struct hf_owners *owners, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (!owners->is_made)
        status =
            hf_owners_init(owners, request->fold.own, request->fold.wrapper, &folded->notes, err);
    return status == HF_OK ? hf_owners_learn(owners, folded, profile, how->granularity, err)
                           : status;
}

enum hf_status hf_side_cut(const struct hf_request *request, struct hf_owners *owners,
    struct hf_profile *folded, size_t type, struct hf_error *err)
{
    bool ends = request->fold.owners >= HF_OWNERS_IN_HEAPS;
    return ends && owners->is_made && side_has_owners(request, folded, type)
               ? hf_owners_cut(owners, folded, type, err)
               : HF_OK;
}

/* Folds one side; *out_whole is its total before the filters. */
static enum hf_status fold_side(const struct hf_request *request, const struct hf_fold_options *how,
    const struct hf_profile *profile, struct hf_owners *owners, struct hf_profile **out_folded,
    size_t *out_type, struct hf_total *out_whole, struct hf_error *err)
{
    enum hf_status status = hf_value_type_choose(profile, request->fold.value, out_type, err);
    if (status != HF_OK)
        return status;
    uint64_t uid;
    uint32_t *thread = NULL;
    if (request->fold.whole_is_thread && how->thread != NULL &&
        hf_num_u64(hf_text_of(how->thread), &uid))
        thread = hf_map_find(&profile->thread_index, uid);
    if (request->fold.places != NULL)
        status = hf_places_add(request->fold.places, profile, how->granularity, err);
    if (status != HF_OK)
        return status;
    *out_whole = hf_profile_total(profile, *out_type, thread != NULL ? *thread : HF_THREAD_ALL);
    struct hf_profile *folded;
    status = hf_profile_fold(profile, how, &folded, err);
    if (status == HF_OK && owners != NULL && side_has_owners(request, folded, *out_type)) {
        status = side_teach(request, how, profile, folded, owners, err);
        if (status != HF_OK)
            hf_profile_free(folded);
    }
    if (status == HF_OK)
        *out_folded = folded;
    return status;
}

static bool side_has_lines(const struct hf_profile *profile)
{
    for (uint32_t i = 0; i < profile->frames.count; i++) {
        if (hf_profile_frame_at(profile, i)->line != 0)
            return true;
    }
    return false;
}

/* The same stacks once more, for who asks what an address holds. */
static enum hf_status fold_addresses(const struct hf_fold_options *how, const struct hf_side *side,
    const struct hf_profile *profile, struct hf_error *err)
{
    struct hf_fold_options by_address = *how;
    by_address.granularity = HF_BY_LINE;
    by_address.keeps_threads = false;
    by_address.keeps_addresses = true;
    return side->out_by_address != NULL && profile->has_addresses
               ? hf_profile_fold(profile, &by_address, side->out_by_address, err)
               : HF_OK;
}

/* The same by line. */
static enum hf_status fold_lines(const struct hf_fold_options *how, const struct hf_side *side,
    const struct hf_profile *profile, struct hf_error *err)
{
    struct hf_fold_options by_line = *how;
    by_line.granularity = HF_BY_LINE;
    by_line.keeps_threads = false;
    by_line.keeps_modules = true; /* a server has source by module */
    return side->out_by_line != NULL && side_has_lines(profile)
               ? hf_profile_fold(profile, &by_line, side->out_by_line, err)
               : HF_OK;
}

/* Both, of a profile with names. */
static enum hf_status fold_named(const struct hf_request *request,
    const struct hf_fold_options *how, const struct hf_side *side, const struct hf_profile *profile,
    struct hf_profile **out_folded, size_t *out_type, struct hf_total *out_whole,
    struct hf_error *err)
{
    struct hf_profile *folded;
    enum hf_status status =
        fold_side(request, how, profile, side->owners, &folded, out_type, out_whole, err);
    if (status != HF_OK)
        return status;
    status = fold_lines(how, side, profile, err);
    if (status == HF_OK)
        status = fold_addresses(how, side, profile, err);
    if (status == HF_OK)
        *out_folded = folded;
    else
        hf_profile_free(folded);
    return status;
}

enum hf_status hf_side_make(const struct hf_request *request, const struct hf_fold_options *how,
    struct hf_side *side, struct hf_profile **out_folded, size_t *out_type,
    struct hf_total *out_whole, struct hf_error *err)
{
    struct hf_profile *profile;
    if (side->given != NULL)
        hf_budget_give(side->given->given_bytes);
    if (side->given != NULL)
        return fold_named(request, how, side, side->given, out_folded, out_type, out_whole, err);
    enum hf_status status = hf_side_load(request, side, &profile, err);
    if (status != HF_OK)
        return status;
    status = fold_named(request, how, side, profile, out_folded, out_type, out_whole, err);
    struct hf_budget_scope before = hf_budget_enter(NULL); /* it was made in none, or its own */
    hf_profile_free(profile);
    hf_budget_leave(before);
    return status;
}
