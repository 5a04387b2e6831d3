#include "render/page/page_trend.h"

#include "base/budget.h"
#include "profile/fold.h"
#include "render/table/growth_report.h"

#include <stdlib.h>

/* Frames of the change of a series and of its history: those that read the same have one number. */
struct labels {
    struct hf_intern texts;
    uint32_t *of_change, *of_history;
};

static enum hf_status add_labels(struct labels *labels, const struct hf_profile *profile,
    uint32_t *out_numbers, struct hf_error *err)
{
    struct hf_out label = {0};
    bool has_memory = out_numbers != NULL;
    for (uint32_t i = 0; has_memory && i < profile->frames.count; i++) {
        label.size = 0;
        hf_frame_label(profile, hf_profile_frame_at(profile, i), &label);
        has_memory = hf_intern_put(&labels->texts, label.data, label.size, &out_numbers[i]) &&
                     label.error.status == HF_OK;
    }
    hf_out_done(&label);
    return has_memory ? HF_OK : hf_error_memory(err);
}

/* Where a place is on the page, where parents come before their children. */
static uint32_t page_trend_node_of(const struct hf_page_data *data,
    const struct hf_growth_place *place, const struct labels *labels)
{
    const struct hf_trie_data *trie = &data->trie;
    uint32_t node = HF_STACK_ROOT, index = 0;
    size_t left = place->depth;
    for (uint32_t i = 1; left != 0 && i < trie->node_count; i++) {
        const struct hf_stack_node *at = &trie->nodes[trie->preorder[i]];
        if (at->parent == node &&
            labels->of_change[at->frame] == labels->of_history[place->frames[left - 1]]) {
            node = trie->preorder[i];
            index = i;
            left--;
        }
    }
    return index;
}

static void put_trend(const struct hf_growth *growth, const struct hf_page_data *data,
    const struct labels *labels, struct hf_out *out)
{
    uint32_t nodes[HF_GROWTH_PLACES];
    size_t type = 0;
    struct hf_text value =
        hf_profile_text(growth->folded, growth->folded->types[HF_HISTORY_VALUE].name);
    if (!hf_profile_find_type(data->folded, value, &type)) {
        hf_out_string(out, "null");
        return;
    }
    for (size_t i = 0; i < growth->count; i++)
        nodes[i] = page_trend_node_of(data, &growth->places[i], labels);
    hf_out_printf(out, "{\"type\": %zu, ", type);
    hf_growth_members_json(growth, nodes, NULL, out);
    hf_out_char(out, '}');
}

enum hf_status hf_page_trend(const struct hf_growth *growth, const struct hf_page_data *data,
    struct hf_out *out, struct hf_error *err)
{
    const struct hf_profile *change = data->folded, *history = growth->folded;
    struct labels labels = {
        .of_change = hf_budget_calloc((size_t)change->frames.count + 1, sizeof *labels.of_change),
        .of_history =
            hf_budget_calloc((size_t)history->frames.count + 1, sizeof *labels.of_history),
    };
    enum hf_status status = add_labels(&labels, change, labels.of_change, err);
    if (status == HF_OK)
        status = add_labels(&labels, history, labels.of_history, err);
    if (status == HF_OK)
        put_trend(growth, data, &labels, out);
    hf_budget_free(labels.of_change);
    hf_budget_free(labels.of_history);
    hf_intern_done(&labels.texts);
    return status;
}
