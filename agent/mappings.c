#include "mappings.h"

#include "pages.h"

#include <string.h>

void hf_mappings_begin(struct hf_mappings *mappings, struct hf_live_table *table)
{
    uint64_t capacity = hf_live_region(table->head, HF_LIVE_MAPPINGS)->capacity;
    *mappings = (struct hf_mappings){.order = hf_pages_map(capacity * sizeof *mappings->order)};
    if (mappings->order != NULL)
        mappings->capacity = (uint32_t)capacity;
}

void hf_mappings_forget(struct hf_mappings *mappings)
{
    hf_pages_unmap(mappings->order, mappings->capacity * sizeof *mappings->order);
    *mappings = (struct hf_mappings){0};
}

void hf_mappings_mend(struct hf_mappings *mappings)
{
    if (hf_spinlock_is_mine(&mappings->lock))
        hf_spinlock_release(&mappings->lock);
}

static struct hf_live_mapped mapped_at(const struct hf_live_table *table, uint32_t slot)
{
    const struct hf_live_block *record = hf_live_mapping(table, slot);
    uint64_t word = atomic_load_explicit(&record->word, memory_order_relaxed);
    uint64_t start = hf_live_word_address(word);
    return (struct hf_live_mapped){
        .start = start,
        .end = start + atomic_load_explicit(&record->size, memory_order_relaxed),
        .birth = atomic_load_explicit(&record->birth, memory_order_relaxed),
        .stack = atomic_load_explicit(&record->stack, memory_order_relaxed),
        .thread = atomic_load_explicit(&record->thread, memory_order_relaxed),
    };
}

/* The place in the order of the first that ends behind `address`. */
static uint32_t find_place(
    const struct hf_mappings *mappings, const struct hf_live_table *table, uint64_t address)
{
    uint32_t low = 0, high = mappings->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (mapped_at(table, mappings->order[middle]).end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Puts the slot that is at `from` in the order at `to`, and moves those in between. */
static void move_slot(struct hf_mappings *mappings, uint32_t from, uint32_t to)
{
    uint32_t *order = mappings->order, slot = order[from];
    if (from > to)
        memmove(&order[to + 1], &order[to], (from - to) * sizeof *order);
    else
        memmove(&order[from], &order[from + 1], (to - from) * sizeof *order);
    order[to] = slot;
}

static void put_in(struct hf_mappings *mappings, struct hf_live_table *table, uint32_t place,
    const struct hf_live_mapped *mapped)
{
    if (mappings->count == mappings->slots) {
        uint32_t slot = HF_LIVE_NONE;
        if (mappings->slots < mappings->capacity && hf_live_lock(table)) {
            slot = hf_live_add_mapping(table);
            hf_live_unlock(table);
        }
        if (slot == HF_LIVE_NONE) {
            hf_live_lose_mapping(table);
            return;
        }
        mappings->order[mappings->slots++] = slot;
    }
    move_slot(mappings, mappings->count, place);
    mappings->count++;
    hf_live_map(table, mappings->order[place], mapped);
}

static void mappings_take_out(
    struct hf_mappings *mappings, struct hf_live_table *table, uint32_t place)
{
    hf_live_unmap(table, mappings->order[place]);
    move_slot(mappings, place, --mappings->count);
}

/* The record at `place` has other ends. */
static void mappings_change(struct hf_mappings *mappings, struct hf_live_table *table,
    uint32_t place, const struct hf_live_mapped *mapped)
{
    hf_live_unmap(table, mappings->order[place]);
    hf_live_map(table, mappings->order[place], mapped);
}

/* Whoever left a change halfway left each record empty or whole, but perhaps not the order. */
static void sort_again(struct hf_mappings *mappings, struct hf_live_table *table)
{
    uint64_t slots = atomic_load(hf_live_count_of(table->state, HF_LIVE_MAPPINGS));
    mappings->count = 0;
    mappings->slots = slots < mappings->capacity ? (uint32_t)slots : mappings->capacity;
    for (uint32_t slot = 0; slot < mappings->slots; slot++) {
        mappings->order[slot] = slot;
        struct hf_live_mapped mapped = mapped_at(table, slot);
        if (mapped.start == 0)
            continue;
        /* Empty ones before it go behind it. */
        uint32_t place = find_place(mappings, table, mapped.start);
        uint32_t behind = mappings->order[mappings->count];
        mappings->order[mappings->count] = slot;
        mappings->order[slot] = behind;
        move_slot(mappings, mappings->count++, place);
    }
}

static bool mappings_lock(struct hf_mappings *mappings, struct hf_live_table *table)
{
    if (mappings->order == NULL || !hf_spinlock_take(&mappings->lock)) {
        hf_live_lose_mapping(table);
        return false;
    }
    if (HF_UNLIKELY(mappings->is_changing))
        sort_again(mappings, table);
    mappings->is_changing = true;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static void mappings_unlock(struct hf_mappings *mappings)
{
    atomic_signal_fence(memory_order_seq_cst);
    mappings->is_changing = false;
    hf_spinlock_release(&mappings->lock);
}

static void keep_piece(
    struct hf_mappings_taken *taken, struct hf_live_mapped piece, uint64_t start, uint64_t end)
{
    if (taken == NULL || taken->count == HF_MAPPINGS_TAKEN)
        return;
    piece.start = piece.start > start ? piece.start : start;
    piece.end = piece.end < end ? piece.end : end;
    taken->pieces[taken->count++] = piece;
}

/* Cuts [start, end) out of all; returns the place where something else may come. */
static uint32_t cut(struct hf_mappings *mappings, struct hf_live_table *table, uint64_t start,
    uint64_t end, struct hf_mappings_taken *taken)
{
    uint32_t place = find_place(mappings, table, start);
    while (place < mappings->count) {
        struct hf_live_mapped old = mapped_at(table, mappings->order[place]);
        struct hf_live_mapped before = old, behind = old;
        if (old.start >= end)
            break;
        before.end = start;
        behind.start = end;
        keep_piece(taken, old, start, end);
        if (old.start < start)
            mappings_change(mappings, table, place++, &before);
        if (old.end > end && old.start < start)
            put_in(mappings, table, place, &behind);
        else if (old.end > end)
            mappings_change(mappings, table, place, &behind);
        else if (old.start >= start)
            mappings_take_out(mappings, table, place);
    }
    return place;
}

/* Puts it at `place`, or makes it part of its neighbour there. */
static void join(struct hf_mappings *mappings, struct hf_live_table *table, uint32_t place,
    const struct hf_live_mapped *mapped)
{
    struct hf_live_mapped both = *mapped;
    if (place > 0) {
        struct hf_live_mapped before = mapped_at(table, mappings->order[place - 1]);
        if (before.end == mapped->start && before.stack == mapped->stack) {
            before.end = mapped->end;
            mappings_change(mappings, table, place - 1, &before);
            return;
        }
    }
    if (place < mappings->count) {
        struct hf_live_mapped behind = mapped_at(table, mappings->order[place]);
        if (behind.start == mapped->end && behind.stack == mapped->stack) {
            both.end = behind.end;
            mappings_change(mappings, table, place, &both);
            return;
        }
    }
    put_in(mappings, table, place, mapped);
}

void hf_mappings_add(
    struct hf_mappings *mappings, struct hf_live_table *table, const struct hf_live_mapped *mapped)
{
    if (mapped->start >= mapped->end || !mappings_lock(mappings, table))
        return;
    join(mappings, table, cut(mappings, table, mapped->start, mapped->end, NULL), mapped);
    mappings_unlock(mappings);
}

void hf_mappings_take(struct hf_mappings *mappings, struct hf_live_table *table, uint64_t start,
    uint64_t end, struct hf_mappings_taken *out_taken)
{
    if (out_taken != NULL)
        out_taken->count = 0;
    if (start >= end || !mappings_lock(mappings, table))
        return;
    (void)cut(mappings, table, start, end, out_taken);
    mappings_unlock(mappings);
}
