#include "formats/reports/typed_values.h"

#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/plural.h"
#include "base/strings/out.h"

#include <inttypes.h>
#include <stdlib.h>

void hf_typed_values_done(struct hf_typed_values *values)
{
    hf_map_done(&values->index);
    free(values->items);
    *values = (struct hf_typed_values){0};
}

/* HF_VALUE_TYPES_MAX if there is no room for another. */
static uint32_t find_type(struct hf_typed_values *values, uint32_t name)
{
    uint32_t type = 0;
    while (type < values->type_count && values->names[type] != name)
        type++;
    if (type == values->type_count && type < HF_VALUE_TYPES_MAX)
        values->names[values->type_count++] = name;
    return type;
}

enum hf_status hf_typed_values_add(struct hf_typed_values *values, uint32_t node, uint32_t name,
    uint64_t value, struct hf_error *err)
{
    uint32_t type = find_type(values, name);
    if (type == HF_VALUE_TYPES_MAX) {
        values->left_out++;
        return HF_OK;
    }
    if (!hf_vec_reserve(
            &values->items, &values->capacity, values->count + 1, sizeof *values->items))
        return hf_error_memory(err);
    bool is_new;
    uint32_t *item =
        hf_map_put(&values->index, (uint64_t)node << 32 | type, (uint32_t)values->count, &is_new);
    if (item == NULL)
        return hf_error_memory(err);
    if (is_new)
        values->items[values->count++] = (struct hf_typed_value){node, type, 0, 0};
    struct hf_typed_value *sum = &values->items[*item];
    if (sum->round != values->rounds[type])
        *sum = (struct hf_typed_value){node, type, 0, values->rounds[type]};
    sum->value = hf_add_saturating(sum->value, value, &values->is_saturated);
    return HF_OK;
}

bool hf_typed_values_begin_again(struct hf_typed_values *values, uint32_t name)
{
    for (size_t i = 0; i < values->type_count; i++) {
        if (values->names[i] == name) {
            values->rounds[i]++;
            return true;
        }
    }
    return false;
}

static enum hf_status typed_values_add_notes(const struct hf_typed_values *values,
    struct hf_profile *profile, const char *input, const char *what, struct hf_error *err)
{
    if (values->left_out != 0)
        hf_notes_add(&profile->notes, HF_NOTE_LOSS,
            "%s: has more than %d %s; %" PRIu64 " %s left out", input, HF_VALUE_TYPES_MAX, what,
            values->left_out,
            hf_plural(values->left_out, "value of the others is", "values of the others are"));
    if (values->is_saturated)
        hf_notes_add(
            &profile->notes, HF_NOTE_LOSS, "%s: sums above 2^64-1 are taken as 2^64-1", input);
    if (values->type_count <= 1)
        return HF_OK;
    struct hf_out list = {0};
    for (size_t i = 0; i < values->type_count; i++) {
        hf_out_string(&list, i != 0 ? ", " : "");
        hf_out_text(&list, hf_profile_text(profile, values->names[i]));
    }
    hf_out_char(&list, '\0');
    enum hf_status status = hf_out_finish(&list, err);
    if (status == HF_OK)
        hf_notes_add(&profile->notes, HF_NOTE_INFO,
            "%s: has several %s; the first is shown unless --value names another: %s", input, what,
            list.data);
    hf_out_done(&list);
    return status;
}

enum hf_status hf_typed_values_end(struct hf_typed_values *values, struct hf_profile *profile,
    const char *input, const char *what, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (values->type_count == 0)
        status = hf_profile_add_type(profile, "samples", "count", err);
    for (size_t i = 0; i < values->type_count && status == HF_OK; i++) {
        struct hf_text name = hf_profile_text(profile, values->names[i]);
        bool is_bytes = hf_text_has(name, "bytes");
        /* Interned text has a NUL behind it. */
        status = hf_profile_add_type(profile, name.data, is_bytes ? "bytes" : "count", err);
    }
    for (size_t i = 0; i < values->count && status == HF_OK; i++) {
        const struct hf_typed_value *item = &values->items[i];
        uint64_t row[HF_VALUE_TYPES_MAX] = {0};
        row[item->type] = item->value;
        if (item->round == values->rounds[item->type])
            status = hf_profile_add_sample(profile, item->node, HF_THREAD_ALL, row, err);
    }
    return status == HF_OK ? typed_values_add_notes(values, profile, input, what, err) : status;
}
