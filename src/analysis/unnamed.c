#include "analysis/unnamed.h"

#include "base/checked.h"
#include "base/plural.h"
#include "base/strings/units.h"

#include <stdlib.h>

/* What gets a line of its own; the others are counted. */
#define MODULES_NAMED 3
#define WORTH_A_LINE_PERCENT 1

struct share {
    uint64_t value;     /* of the stacks that pass an unnamed frame of the module */
    size_t last_sample; /* + 1: a stack counts once */
};

static bool is_unnamed(const struct hf_profile *profile, uint32_t id)
{
    const struct hf_frame *frame = hf_profile_frame_at(profile, id);
    return frame->module != HF_NO_MODULE &&
           ((frame->flags & (HF_FRAME_HAS_OFFSET | HF_FRAME_IS_MODULE)) != 0 ||
               frame->symbol != HF_NO_STRING) &&
           (frame->flags & HF_FRAME_NAMED) == 0 && !hf_profile_is_expanded(profile, id);
}

/* Fills shares[module]; returns the sum over all stacks. */
static uint64_t unnamed_measure(const struct hf_profile *profile, size_t type, struct share *shares)
{
    uint64_t all = 0;
    bool ignored = false;
    for (size_t i = 0; i < profile->sample_count; i++) {
        uint64_t value = hf_add_saturating(
            hf_profile_value(profile, i, type), hf_profile_released(profile, i, type), &ignored);
        if (profile->samples[i].thread != HF_THREAD_ALL)
            continue;
        all = hf_add_saturating(all, value, &ignored);
        if (value == 0)
            continue;
        for (uint32_t node = profile->samples[i].node; node != HF_STACK_ROOT;
             node = profile->stacks.nodes[node].parent) {
            uint32_t frame = profile->stacks.nodes[node].frame;
            struct share *share = &shares[hf_profile_frame_at(profile, frame)->module];
            if (!is_unnamed(profile, frame) || share->last_sample == i + 1)
                continue;
            share->last_sample = i + 1;
            share->value = hf_add_saturating(share->value, value, &ignored);
        }
    }
    return all;
}

static void note_module(
    struct hf_profile *profile, size_t type, uint32_t module, uint64_t value, uint64_t all)
{
    char amount[HF_UNITS_MAX];
    bool is_bytes = hf_text_is(hf_profile_text(profile, profile->types[type].unit), "bytes");
    struct hf_text path = hf_profile_text(profile, profile->modules[module].path);
    hf_notes_add(&profile->notes, HF_NOTE_INFO,
        "%s (%.1f %%) of the total passes through addresses of %s without a name: %s",
        is_bytes ? hf_units_bytes(value, amount) : hf_units_grouped(value, amount),
        hf_units_percent(value, all), path.data,
        hf_profile_text(profile, profile->modules[module].why_unnamed).data);
}

void hf_note_unnamed(struct hf_profile *profile, size_t type)
{
    if (profile->module_count == 1)
        return; /* "none": every frame came with its name */
    struct share *shares = calloc(profile->module_count, sizeof *shares);
    if (shares == NULL)
        return; /* a note less */
    uint64_t all = unnamed_measure(profile, type, shares);
    size_t left = 0;
    for (size_t m = 0; m < profile->module_count; m++)
        left += shares[m].value != 0 && profile->modules[m].why_unnamed != HF_NO_STRING;
    size_t named = 0;
    for (; named < MODULES_NAMED && named < left; named++) {
        size_t largest = 0;
        for (size_t m = 1; m < profile->module_count; m++) {
            if (profile->modules[m].why_unnamed != HF_NO_STRING &&
                shares[m].value > (largest != 0 ? shares[largest].value : 0))
                largest = m;
        }
        if (named != 0 && hf_units_percent(shares[largest].value, all) < WORTH_A_LINE_PERCENT)
            break;
        note_module(profile, type, (uint32_t)largest, shares[largest].value, all);
        shares[largest].value = 0;
    }
    if (left != named)
        hf_notes_add(&profile->notes, HF_NOTE_INFO,
            "%zu more %s addresses without a name; each accounts for less than those above",
            left - named, hf_plural(left - named, "file has", "files have"));
    free(shares);
}
