#include "render/flame/flame_names.h"

#include "base/budget.h"
#include "base/strings/escape.h"
#include "render/flame/flame_text.h"

struct hf_flame_name_place {
    uint32_t start, size; /* size 0: not known yet */
};

enum hf_status hf_flame_names_init(
    struct hf_flame_names *names, size_t frame_count, struct hf_error *err)
{
    *names = (struct hf_flame_names){0};
    names->of_frame = hf_budget_calloc(frame_count, sizeof *names->of_frame);
    return names->of_frame != NULL || frame_count == 0 ? HF_OK : hf_error_memory(err);
}

void hf_flame_names_done(struct hf_flame_names *names)
{
    hf_out_done(&names->texts);
    hf_budget_free(names->of_frame);
    *names = (struct hf_flame_names){0};
}

struct hf_text hf_flame_names_at(struct hf_flame_names *names, uint32_t frame, struct hf_text label)
{
    struct hf_flame_name_place *place = &names->of_frame[frame];
    if (place->size != 0)
        return (struct hf_text){names->texts.data + place->start, place->size};
    names->texts.size = names->kept;
    hf_flame_put_name(label, hf_escape_xml, &names->texts);
    struct hf_text name = hf_text_from(hf_out_view(&names->texts), names->kept);
    if (names->texts.size <= HF_FLAME_NAMES_KEPT) {
        *place = (struct hf_flame_name_place){(uint32_t)names->kept, (uint32_t)name.size};
        names->kept = names->texts.size;
    }
    return name;
}
