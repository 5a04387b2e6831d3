#include "cli/profiles/live_held.h"

#include <stdlib.h>
#include <string.h>

void hf_live_held_begin(struct hf_live_held *held)
{
    held->table++;
}

static struct hf_live_held_row *find_held_row(struct hf_live_held *held, struct hf_text name)
{
    for (size_t i = 0; i < held->count; i++) {
        if (hf_text_is(name, held->rows[i].name))
            return &held->rows[i];
    }
    return NULL;
}

static void held_row_done(struct hf_live_held_row *row)
{
    free(row->name);
    hf_growth_held_done(&row->held);
    *row = (struct hf_live_held_row){0};
}

/* Another row, or the place of the one that has not leaked for longest. */
static struct hf_live_held_row *choose_held_row(struct hf_live_held *held)
{
    struct hf_live_held_row *oldest = &held->rows[0];
    if (held->count < HF_LIVE_HELD_ROWS)
        return &held->rows[held->count];
    for (size_t i = 1; i < held->count; i++) {
        if (held->rows[i].table < oldest->table)
            oldest = &held->rows[i];
    }
    return oldest;
}

/* NULL: there is no memory for it, so it is not asked for now. */
static struct hf_live_held_row *add_held_row(struct hf_live_held *held, struct hf_text name)
{
    char *copy = strndup(name.data, name.size);
    if (copy == NULL)
        return NULL;
    struct hf_live_held_row *row = choose_held_row(held);
    held->count += row == &held->rows[held->count];
    held_row_done(row);
    row->name = copy;
    row->is_new = true;
    return row;
}

const struct hf_growth_held *hf_live_held_find(void *holder, struct hf_text name)
{
    struct hf_live_held *held = holder;
    struct hf_live_held_row *row = find_held_row(held, name);
    if (row == NULL)
        row = add_held_row(held, name);
    if (row == NULL)
        return NULL;
    row->is_new = row->is_new || row->table + 1 < held->table;
    row->table = held->table;
    return row->held.count != 0 ? &row->held : NULL;
}

bool hf_live_held_ask(struct hf_live_held *held, uint64_t now_ns)
{
    bool has_new = false;
    for (size_t i = 0; i < held->count; i++)
        has_new = has_new || (held->rows[i].is_new && held->rows[i].table == held->table);
    if (!has_new || (held->has_asked && now_ns - held->asked_ns < HF_LIVE_HELD_EVERY_NS))
        return false;
    for (size_t i = 0; i < held->count; i++) {
        if (held->rows[i].table == held->table)
            held->rows[i].is_new = false;
    }
    held->has_asked = true;
    held->asked_ns = now_ns;
    return true;
}

size_t hf_live_held_names(const struct hf_live_held *held, struct hf_text names[HF_LIVE_HELD_ROWS])
{
    size_t count = 0;
    for (size_t i = 0; i < held->count; i++) {
        if (held->rows[i].table == held->table)
            names[count++] = hf_text_of(held->rows[i].name);
    }
    return count;
}

void hf_live_held_put(struct hf_live_held *held, struct hf_text name, struct hf_growth_held *found)
{
    struct hf_live_held_row *row = find_held_row(held, name);
    if (row == NULL || found->count == 0)
        return;
    struct hf_growth_held before = row->held;
    row->held = *found;
    *found = before;
}

void hf_live_held_done(struct hf_live_held *held)
{
    for (size_t i = 0; i < held->count; i++)
        held_row_done(&held->rows[i]);
    *held = (struct hf_live_held){0};
}
