#include "profile/places.h"

#include "base/containers/vec.h"

#include <stdlib.h>

#define NONE UINT32_MAX           /* nothing is known yet */
#define SEVERAL (UINT32_MAX - 1u) /* more than one: stays unknown */

/* The entry of a label, made if it is new. */
static struct hf_probe_site_entry *places_entry_of(struct hf_places *places, struct hf_text label)
{
    uint32_t id, before = places->labels.count;
    if (!hf_intern_put(&places->labels, label.data, label.size, &id) ||
        !hf_vec_reserve(
            &places->entries, &places->capacity, places->labels.count, sizeof *places->entries))
        return NULL;
    if (id == before)
        places->entries[id] = (struct hf_probe_site_entry){.module = NONE, .file = NONE};
    return &places->entries[id];
}

/* Of two texts that differ, none is known. */
static bool places_join(struct hf_places *places, struct hf_text text, uint32_t *known)
{
    uint32_t id;
    if (text.size == 0)
        return true;
    if (!hf_intern_put(&places->texts, text.data, text.size, &id))
        return false;
    *known = *known == NONE || *known == id ? id : SEVERAL;
    return true;
}

/* `module`: of the address that the frame is a name of. */
static bool places_add_frame(struct hf_places *places, const struct hf_profile *profile,
    const struct hf_frame *frame, uint32_t module, enum hf_granularity granularity,
    struct hf_out *label)
{
    label->size = 0;
    hf_fold_label(profile, frame, granularity, label);
    struct hf_probe_site_entry *entry =
        label->error.status == HF_OK ? places_entry_of(places, hf_out_view(label)) : NULL;
    if (entry == NULL)
        return false;
    if (frame->module != HF_NO_MODULE)
        module = frame->module;
    entry->is_helper |= (frame->flags & HF_FRAME_IS_HELPER) != 0;
    entry->may_keep |= (frame->flags & HF_FRAME_MAY_KEEP) != 0;
    uint32_t line = (frame->flags & HF_FRAME_IS_NEAR) != 0 ? 0 : frame->line;
    if (line != 0 && (entry->line == 0 || line < entry->line))
        entry->line = line;
    return places_join(
               places, hf_profile_text(profile, profile->modules[module].path), &entry->module) &&
           places_join(places, hf_profile_text(profile, frame->file), &entry->file);
}

enum hf_status hf_places_add(struct hf_places *places, const struct hf_profile *profile,
    enum hf_granularity granularity, struct hf_error *err)
{
    struct hf_out label = {0};
    bool is_done = true;
    for (uint32_t i = 0; is_done && i < profile->frames.count; i++) {
        size_t count;
        const uint32_t *named = hf_profile_expansion(profile, &i, &count);
        uint32_t module = hf_profile_frame_at(profile, i)->module;
        for (size_t n = 0; is_done && n < count; n++)
            is_done = places_add_frame(places, profile, hf_profile_frame_at(profile, named[n]),
                module, granularity, &label);
    }
    hf_out_done(&label);
    return is_done ? HF_OK : hf_error_memory(err);
}

enum hf_status hf_places_find(struct hf_places *places, struct hf_text label,
    struct hf_probe_site *out_place, struct hf_error *err)
{
    struct hf_probe_site_entry *entry = places_entry_of(places, label);
    if (entry == NULL)
        return hf_error_memory(err);
    *out_place = (struct hf_probe_site){.is_helper = entry->is_helper, .may_keep = entry->may_keep};
    if (entry->module < SEVERAL)
        out_place->module = hf_intern_at(&places->texts, entry->module);
    if (entry->file < SEVERAL) {
        out_place->file = hf_intern_at(&places->texts, entry->file);
        out_place->line = entry->line;
    }
    return HF_OK;
}

void hf_places_done(struct hf_places *places)
{
    hf_intern_done(&places->labels);
    hf_intern_done(&places->texts);
    free(places->entries);
    *places = (struct hf_places){0};
}
