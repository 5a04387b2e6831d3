#include "attach/tracker/labelled_stacks.h"

#include "base/containers/vec.h"

#include <stdio.h>
#include <stdlib.h>

#define FRAMES_MAX 4096u /* of a stack, names apart; a walk has at most HF_UNWIND_FRAMES_MAX */
#define NAMES_MAX 64u    /* of a label */
#define NAME_BYTES 256u  /* with its brackets; the rest is cut */

void hf_labelled_stacks_done(struct hf_labelled_stacks *stacks)
{
    hf_intern_done(&stacks->names);
    free(stacks->name_frames);
    hf_intern_done(&stacks->labels);
    hf_intern_done(&stacks->stacks);
    hf_map_done(&stacks->by_labelled);
    *stacks = (struct hf_labelled_stacks){.table = stacks->table};
}

bool hf_labelled_stacks_name(
    struct hf_labelled_stacks *stacks, struct hf_text name, uint64_t *out_frame)
{
    uint32_t id, known = stacks->names.count;
    if (!hf_vec_reserve(&stacks->name_frames, &stacks->name_frames_capacity, (size_t)known + 1,
            sizeof *stacks->name_frames) ||
        !hf_intern_put(&stacks->names, name.data, name.size, &id))
        return false;
    if (id == known) { /* without room for its text it stays 0 */
        uint32_t at = hf_live_add_text(stacks->table, name.data, name.size);
        stacks->name_frames[id] =
            at != HF_LIVE_NONE ? hf_live_frame(HF_LIVE_NAME, (uint64_t)at << 16 | name.size) : 0;
    }
    *out_frame = stacks->name_frames[id];
    return *out_frame != 0;
}

bool hf_labelled_stacks_label(struct hf_labelled_stacks *stacks,
    const struct hf_text *names_outermost_first, size_t count, uint32_t *out_label)
{
    uint64_t frames[NAMES_MAX];
    if (stacks->labels.count == 0 && !hf_intern_put(&stacks->labels, NULL, 0, out_label))
        return false; /* HF_LABEL_NONE is the first */
    if (count > NAMES_MAX)
        count = NAMES_MAX;
    for (size_t i = 0; i < count; i++) {
        char text[NAME_BYTES];
        struct hf_text name = hf_text_first(names_outermost_first[i], sizeof text - 3);
        int size = snprintf(text, sizeof text, "[%.*s]", (int)name.size, name.data);
        if (!hf_labelled_stacks_name(stacks, (struct hf_text){text, (size_t)size}, &frames[i]))
            return false;
    }
    return hf_intern_put(&stacks->labels, frames, count * sizeof *frames, out_label);
}

bool hf_labelled_stacks_add(struct hf_labelled_stacks *stacks, const uint64_t *frames_leaf_first,
    size_t count, unsigned flags, uint32_t *out_stack)
{
    uint64_t words[1 + FRAMES_MAX];
    if (count > FRAMES_MAX) {
        count = FRAMES_MAX;
        flags |= HF_LIVE_IS_CUT;
    }
    words[0] = flags;
    memcpy(&words[1], frames_leaf_first, count * sizeof *words);
    return hf_intern_put(&stacks->stacks, words, (1 + count) * sizeof *words, out_stack);
}

static uint32_t labelled_stacks_add_to_table(
    struct hf_labelled_stacks *stacks, uint32_t stack, uint32_t label, unsigned more_flags)
{
    uint64_t frames[FRAMES_MAX + NAMES_MAX];
    struct hf_text words = hf_intern_at(&stacks->stacks, stack), names = {0};
    if (label != HF_LABEL_NONE)
        names = hf_intern_at(&stacks->labels, label);
    uint64_t flags;
    memcpy(&flags, words.data, sizeof flags);
    size_t count = words.size / sizeof *frames - 1, name_count = names.size / sizeof *frames;
    memcpy(frames, words.data + sizeof flags, count * sizeof *frames);
    for (size_t i = name_count; i-- != 0;)
        memcpy(&frames[count++], names.data + i * sizeof *frames, sizeof *frames);
    return hf_live_add_stack(stacks->table, frames, count, (unsigned)flags | more_flags);
}

uint32_t hf_labelled_stacks_in_table(
    struct hf_labelled_stacks *stacks, uint32_t stack, uint32_t label, unsigned more_flags)
{
    bool is_new;
    uint32_t *number =
        hf_map_put(&stacks->by_labelled, (uint64_t)label << 32 | stack, HF_LIVE_NONE, &is_new);
    if (number == NULL)
        return HF_LIVE_NONE;
    if (*number == HF_LIVE_NONE)
        *number = labelled_stacks_add_to_table(stacks, stack, label, more_flags);
    return *number;
}
