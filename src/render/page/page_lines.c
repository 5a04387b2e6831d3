#include "render/page/page_lines.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/containers/intern.h"
#include "base/containers/vec.h"
#include "profile/fold.h"

#include <stdlib.h>

static uint64_t page_lines_add(uint64_t a, uint64_t b)
{
    bool ignored = false;
    return hf_add_saturating(a, b, &ignored);
}

/* Labels of functions that own what they hold. */
static bool list_owner_labels(
    const struct hf_trie_data *trie, const uint32_t *owners, struct hf_intern *labels)
{
    bool is_done = true;
    for (uint32_t name = 1; is_done && owners != NULL && name < trie->name_count; name++) {
        struct hf_text label = hf_trie_data_label(trie, name);
        uint32_t ignored;
        if (owners[name] == name)
            is_done = hf_intern_put(labels, label.data, label.size, &ignored);
    }
    return is_done;
}

/* The line of a frame: file and number, whatever the function is called; or an address. */
static bool page_lines_find(struct hf_page_lines *lines, uint32_t file, uint32_t number,
    struct hf_intern *known, uint32_t *out_line)
{
    const uint32_t key[] = {file, number};
    if (!hf_intern_put(known, key, sizeof key, out_line) ||
        !hf_vec_reserve(&lines->items, &lines->capacity, known->count, sizeof *lines->items))
        return false;
    if (lines->count < known->count)
        lines->items[lines->count++] = (struct hf_page_line){.file = file, .number = number};
    return true;
}

/* True if one of what the frame shows is called like a function that owns memory. */
static bool is_owned(const struct hf_profile *p, uint32_t frame, struct hf_intern *owner_labels,
    uint32_t owner_count, struct hf_out *label, bool *is_done)
{
    size_t count;
    const uint32_t *named = hf_profile_expansion(p, &frame, &count);
    bool is_owner = false;
    for (size_t i = 0; *is_done && i < count; i++) {
        uint32_t id = owner_count;
        label->size = 0;
        hf_fold_label(p, hf_profile_frame_at(p, named[i]), HF_BY_FUNCTION, label);
        *is_done = label->error.status == HF_OK &&
                   hf_intern_put(owner_labels, label->data, label->size, &id);
        is_owner |= id < owner_count;
    }
    return is_owner;
}

static enum hf_status list_lines(
    struct hf_page_lines *lines, struct hf_intern *owner_labels, struct hf_error *err)
{
    const struct hf_profile *p = lines->by_line;
    struct hf_intern known = {0};
    struct hf_out label = {0};
    uint32_t owner_count = owner_labels->count;
    bool is_done = true;
    for (uint32_t i = 0; is_done && i < p->frames.count; i++) {
        const struct hf_frame *frame = hf_profile_frame_at(p, i);
        bool is_address = hf_profile_is_expanded(p, i);
        uint32_t line;
        if (!is_address && (frame->file == HF_NO_STRING || frame->line == 0 ||
                               (frame->flags & HF_FRAME_IS_NEAR) != 0))
            continue;
        is_done = is_address ? page_lines_find(lines, HF_NO_STRING, i, &known, &line)
                             : page_lines_find(lines, frame->file, frame->line, &known, &line);
        if (!is_done)
            break;
        lines->of_frame[i] = line + 1;
        lines->items[line].is_owner |= is_owned(p, i, owner_labels, owner_count, &label, &is_done);
    }
    hf_intern_done(&known);
    hf_out_done(&label);
    return is_done ? HF_OK : hf_error_memory(err);
}

static void page_lines_add_stack(struct hf_page_lines *lines, size_t sample, const uint64_t *values)
{
    const struct hf_profile *p = lines->by_line;
    uint32_t leaf = p->samples[sample].node;
    for (uint32_t node = leaf; node != HF_STACK_ROOT; node = p->stacks.nodes[node].parent) {
        uint32_t at = lines->of_frame[p->stacks.nodes[node].frame];
        if (at == 0)
            continue;
        uint64_t *held = &lines->held[2 * p->type_count * (at - 1)];
        bool is_new = lines->items[at - 1].last_sample != sample + 1;
        lines->items[at - 1].last_sample = sample + 1;
        for (size_t type = 0; type < p->type_count; type++) {
            if (is_new)
                held[2 * type] = page_lines_add(held[2 * type], values[type]);
            if (node == leaf)
                held[2 * type + 1] = page_lines_add(held[2 * type + 1], values[type]);
        }
    }
}

enum hf_status hf_page_lines_init(struct hf_page_lines *out_lines, const struct hf_profile *by_line,
    size_t type, const struct hf_trie_data *trie, const uint32_t *owners, struct hf_error *err)
{
    struct hf_page_lines *lines = out_lines;
    struct hf_intern labels = {0};
    *lines = (struct hf_page_lines){.by_line = by_line};
    lines->of_frame = hf_budget_calloc(by_line->frames.count + 1u, sizeof *lines->of_frame);
    enum hf_status status = lines->of_frame != NULL && list_owner_labels(trie, owners, &labels)
                                ? HF_OK
                                : hf_error_memory(err);
    if (status == HF_OK)
        status = list_lines(lines, &labels, err);
    hf_intern_done(&labels);
    if (status != HF_OK)
        return status;
    lines->held = hf_budget_calloc(lines->count + 1, 2 * by_line->type_count * sizeof *lines->held);
    if (lines->held == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < by_line->sample_count; i++) {
        if (by_line->samples[i].thread == HF_THREAD_ALL)
            page_lines_add_stack(lines, i, hf_profile_values(by_line, i));
    }
    for (size_t i = 0; i < lines->count; i++) {
        const uint64_t *held = hf_page_lines_held(lines, &lines->items[i], type);
        lines->items[i].weight = held[0];
        lines->items[i].is_owner |= owners == NULL && held[1] != 0;
    }
    return HF_OK;
}

void hf_page_lines_done(struct hf_page_lines *lines)
{
    free(lines->items);
    hf_budget_free(lines->of_frame);
    hf_budget_free(lines->held);
    *lines = (struct hf_page_lines){0};
}

static int page_lines_compare(const void *a, const void *b)
{
    const struct hf_page_line *x = *(const struct hf_page_line *const *)a;
    const struct hf_page_line *y = *(const struct hf_page_line *const *)b;
    int order = (x->file > y->file) - (x->file < y->file);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int page_lines_compare_rank(const void *a, const void *b)
{
    const struct hf_page_line *x = *(const struct hf_page_line *const *)a;
    const struct hf_page_line *y = *(const struct hf_page_line *const *)b;
    if (x->is_owner != y->is_owner)
        return x->is_owner ? -1 : 1;
    return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1) : page_lines_compare(a, b);
}

static void page_lines_order(const struct hf_page_lines *lines,
    const struct hf_page_line **out_order, int (*compare)(const void *, const void *))
{
    for (size_t i = 0; i < lines->count; i++)
        out_order[i] = &lines->items[i];
    if (lines->count != 0)
        qsort((void *)out_order, lines->count, sizeof *out_order, compare);
}

void hf_page_lines_rank(const struct hf_page_lines *lines, const struct hf_page_line **out_order)
{
    page_lines_order(lines, out_order, page_lines_compare_rank);
}

void hf_page_lines_sort(const struct hf_page_lines *lines, const struct hf_page_line **out_order)
{
    page_lines_order(lines, out_order, page_lines_compare);
}

const uint64_t *hf_page_lines_held(
    const struct hf_page_lines *lines, const struct hf_page_line *line, size_t type)
{
    static const uint64_t nothing[2] = {0};
    size_t types = lines->by_line->type_count;
    return type < types ? &lines->held[2 * (types * (size_t)(line - lines->items) + type)]
                        : nothing;
}
