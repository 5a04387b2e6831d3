#include "answer/heap/holdings.h"

#include "answer/filters.h"
#include "answer/names.h"
#include "base/containers/vec.h"
#include "formats/heap/live_nodes.h"
#include "formats/heap/live_notes.h"
#include "profile/unbias.h"
#include "render/tally.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX

/* The blocks of one stack that one keeper has. */
struct holding_tally {
    uint32_t stack, keeper;
    uint32_t example;
    uint64_t samples, sampled_bytes, depths;
    double objects, bytes; /* estimated */
    bool is_hidden;        /* by a filter */
};

struct holdings_maker {
    struct hf_holdings *holdings;
    const struct hf_holdings_of *of;
    struct hf_map by_pair; /* stack << 32 | keeper -> tally */
    struct holding_tally *tallies;
    size_t count, capacity;
    struct hf_live_nodes nodes;
    struct hf_profile *profile;
    struct hf_intern functions; /* in whose frames keepers are */
};

/* ---- Blocks, by stack and keeper ---- */

static uint32_t keeper_of_block(const struct holdings_maker *m, const struct hf_table_block *block)
{
    return block->block != HF_BLOCK_NONE ? m->of->keepers->of[block->block] : HF_HOLDING_UNSEEN;
}

static enum hf_status count_block(struct holdings_maker *m, size_t index, struct hf_error *err)
{
    const struct hf_table_block *block = &m->of->blocks->items[index];
    uint32_t keeper = keeper_of_block(m, block);
    bool is_new;
    if (block->stack >= m->of->table->counts[HF_LIVE_STACKS]) {
        m->holdings->damaged++;
        m->holdings->tally_of[index] = NOWHERE;
        return HF_OK;
    }
    uint32_t *number =
        hf_map_put(&m->by_pair, (uint64_t)block->stack << 32 | keeper, (uint32_t)m->count, &is_new);
    if (number == NULL ||
        (is_new && !hf_vec_reserve(&m->tallies, &m->capacity, m->count + 1, sizeof *m->tallies)))
        return hf_error_memory(err);
    if (is_new)
        m->tallies[m->count++] = (struct holding_tally){
            .stack = block->stack, .keeper = keeper, .example = HF_BLOCK_NONE};
    struct holding_tally *tally = &m->tallies[*number];
    tally->samples++;
    tally->sampled_bytes += block->bytes;
    tally->objects += block->weight;
    tally->bytes += block->weight * (double)block->bytes;
    tally->depths += block->block != HF_BLOCK_NONE ? m->of->keepers->depth[block->block] : 0;
    m->holdings->tally_of[index] = *number;
    return HF_OK;
}

static uint64_t difference_of(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* When all are counted, the mean is known. */
static void choose_examples(struct holdings_maker *m)
{
    const uint32_t *depth = m->of->keepers->depth;
    for (size_t i = 0; i < m->of->blocks->count; i++) {
        uint32_t block = m->of->blocks->items[i].block, number = m->holdings->tally_of[i];
        if (number == NOWHERE || block == HF_BLOCK_NONE)
            continue;
        struct holding_tally *tally = &m->tallies[number];
        uint64_t mean = tally->depths / tally->samples;
        if (tally->example == HF_BLOCK_NONE ||
            difference_of(depth[block], mean) < difference_of(depth[tally->example], mean))
            tally->example = block;
    }
}

static enum hf_status count_blocks(struct holdings_maker *m, struct hf_error *err)
{
    size_t count = m->of->blocks->count;
    enum hf_status status = HF_OK;
    m->holdings->tally_of = malloc((count + 1) * sizeof *m->holdings->tally_of);
    if (m->holdings->tally_of == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count && status == HF_OK; i++)
        status = count_block(m, i, err);
    if (status == HF_OK)
        choose_examples(m);
    return status;
}

/* ---- The profile: each tally is a thread of it, so that folding keeps them apart ---- */

static enum hf_status add_tally_samples(
    struct holdings_maker *m, size_t index, struct hf_error *err)
{
    const struct holding_tally *tally = &m->tallies[index];
    uint32_t node = m->nodes.of[tally->stack], thread;
    bool is_exact = m->of->table->head.period_bytes <= 1;
    uint64_t values[HF_VALUE_TYPES_MAX] = {
        [HF_INUSE_OBJECTS] = is_exact ? tally->samples : hf_unbias_round(tally->objects),
        [HF_INUSE_SPACE] = is_exact ? tally->sampled_bytes : hf_unbias_round(tally->bytes),
    };
    enum hf_status status = hf_profile_add_sample(m->profile, node, HF_THREAD_ALL, values, err);
    if (status == HF_OK)
        status = hf_profile_thread(m->profile, index, (struct hf_text){NULL, 0}, &thread, err);
    return status == HF_OK ? hf_profile_add_sample(m->profile, node, thread, values, err) : status;
}

/* What each stack ever allocated: by that wrappers are known, as for `top`. */
static enum hf_status add_allocated(struct holdings_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < m->of->table->counts[HF_LIVE_STACKS] && status == HF_OK; i++) {
        const struct hf_live_stack *stack = &hf_live_stacks(m->of->table)[i];
        uint64_t objects = atomic_load_explicit(&stack->objects, memory_order_relaxed);
        const uint64_t values[HF_VALUE_TYPES_MAX] = {
            [HF_ALLOC_OBJECTS] = hf_unbias_round((double)objects / HF_LIVE_OBJECT),
            [HF_ALLOC_SPACE] = atomic_load_explicit(&stack->bytes, memory_order_relaxed),
        };
        status = hf_profile_add_sample(m->profile, m->nodes.of[i], HF_THREAD_ALL, values, err);
    }
    return status;
}

static enum hf_status make_profile(struct holdings_maker *m, struct hf_error *err)
{
    const struct hf_live_head *head = &m->of->table->head;
    enum hf_status status = hf_profile_new(&m->profile, err);
    if (status == HF_OK)
        status = hf_profile_add_heap_types(m->profile, err);
    if (status == HF_OK)
        status = hf_live_nodes_add(&m->nodes, m->of->table, m->profile, err);
    if (status != HF_OK)
        return status;
    struct hf_capture_facts *capture = &m->profile->capture;
    m->profile->has_addresses = true;
    capture->period_bytes = head->period_bytes;
    capture->process_id = head->pid;
    capture->process_start = head->start_ticks;
    capture->began_ms = head->realtime_ns / 1000000;
    for (size_t i = 0; i < m->count && status == HF_OK; i++)
        status = add_tally_samples(m, i, err);
    if (status == HF_OK)
        status = add_allocated(m, err);
    if (status == HF_OK)
        hf_live_note(m->of->table, m->nodes.damaged + m->holdings->damaged, &m->profile->notes);
    return status;
}

static const struct hf_text *place_name(
    const struct hf_holdings_places *places, struct hf_text name, bool *out_is_chosen)
{
    for (size_t i = 0; i < places->count; i++) {
        if (hf_text_compare(places->names[i], name) == 0) {
            *out_is_chosen = places->are_chosen[i];
            return &places->names[i];
        }
    }
    return NULL;
}

/* By the innermost frame that is a place. */
static bool is_of_chosen(
    const struct hf_holdings_places *places, const struct hf_profile *folded, uint32_t node)
{
    bool is_chosen = false;
    for (; places != NULL && node != HF_STACK_ROOT; node = folded->stacks.nodes[node].parent) {
        const struct hf_frame *frame =
            hf_profile_frame_at(folded, folded->stacks.nodes[node].frame);
        if (frame->name != HF_NO_STRING &&
            place_name(places, hf_profile_text(folded, frame->name), &is_chosen) != NULL)
            return is_chosen;
    }
    return places == NULL;
}

/* Whose stacks the filters keep; the others hold nothing from here on. They stay, because owners
 * are learned from all stacks (analysis/owner.h): a place has the same name whatever is asked for.
 */
static enum hf_status drop_others(
    struct holdings_maker *m, const struct hf_request *request, struct hf_error *err)
{
    struct hf_view kept;
    struct hf_request asked = *request;
    bool *is_kept = calloc(m->count + 1, sizeof *is_kept);
    asked.fold.owners = HF_OWNERS_UNKNOWN;
    enum hf_status status =
        is_kept != NULL ? hf_view_make(&kept, &asked, NULL, 0, err) : hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < kept.folded->sample_count; i++) {
        const struct hf_sample *sample = &kept.folded->samples[i];
        uint32_t thread = sample->thread;
        if (thread != HF_THREAD_ALL && is_of_chosen(m->of->places, kept.folded, sample->node))
            is_kept[kept.folded->threads[thread].uid] = true;
    }
    for (size_t i = 0; status == HF_OK && i < m->profile->sample_count; i++)
        memset(hf_profile_values(m->profile, i), 0, HF_ALLOC_OBJECTS * sizeof *m->profile->values);
    for (size_t i = 0; status == HF_OK && i < m->count; i++) {
        m->tallies[i].is_hidden = !is_kept[i];
        if (is_kept[i])
            status = add_tally_samples(m, i, err);
    }
    if (is_kept != NULL)
        hf_view_done(&kept);
    free(is_kept);
    return status;
}

static enum hf_status holdings_fold(struct holdings_maker *m, const struct hf_request *request,
    size_t max_rows, struct hf_error *err)
{
    struct hf_holdings *h = m->holdings;
    struct hf_request asked = *request;
    asked.given = m->profile;
    asked.fold.granularity = HF_BY_LINE;
    asked.fold.keeps_threads = m->count != 0;
    enum hf_status status = hf_names_add(&asked.names, m->profile, err);
    if (status == HF_OK && (hf_filters_hide(&asked.fold) || m->of->places != NULL))
        status = drop_others(m, &asked, err);
    asked.fold.focus = NULL;
    if (status == HF_OK)
        status = hf_view_make(&h->view, &asked, NULL, 0, err);
    const struct hf_rows_options ranking = {.type = h->view.type,
        .granularity = HF_BY_FUNCTION,
        .only_ranked = true,
        .max_rows = max_rows};
    return status == HF_OK ? hf_rows_init(&h->rows, h->view.folded, &ranking, err) : status;
}

/* ---- What was folded, by row and keeper ---- */

static uint32_t holdings_leaf(const struct hf_profile *folded, uint32_t node)
{
    return node == HF_STACK_ROOT ? HF_TALLY_NONE : folded->stacks.nodes[node].frame;
}

/* Fills row_of: a row is what its frame is counted in. */
static enum hf_status find_holding_rows(struct holdings_maker *m, struct hf_error *err)
{
    struct hf_holdings *h = m->holdings;
    const struct hf_profile *folded = h->view.folded;
    const struct hf_tally_options counted = {.type = h->view.type, .by_name = true};
    struct hf_tally tally;
    enum hf_status status = hf_tally_init(&tally, folded, &counted, err);
    uint32_t *rows = malloc((tally.entry_count + 1) * sizeof *rows);
    h->row_of = malloc((m->count + 1) * sizeof *h->row_of);
    if (status == HF_OK && (rows == NULL || h->row_of == NULL))
        status = hf_error_memory(err);
    if (status == HF_OK) {
        memset(rows, 0xff, (tally.entry_count + 1) * sizeof *rows);
        memset(h->row_of, 0xff, (m->count + 1) * sizeof *h->row_of);
    }
    for (size_t i = 0; i < h->rows.count && status == HF_OK; i++)
        rows[hf_tally_find(&tally, h->rows.items[i].frame) - tally.entries] = (uint32_t)i;
    for (size_t i = 0; i < folded->sample_count && status == HF_OK; i++) {
        const struct hf_sample *sample = &folded->samples[i];
        const struct hf_tally_entry *entry =
            hf_tally_find(&tally, holdings_leaf(folded, sample->node));
        uint64_t number =
            sample->thread != HF_THREAD_ALL ? folded->threads[sample->thread].uid : m->count;
        if (number < m->count && !m->tallies[number].is_hidden && entry != NULL)
            h->row_of[number] = rows[entry - tally.entries];
    }
    free(rows);
    hf_tally_done(&tally);
    return status;
}

static bool is_of_thread(const struct hf_block_keeper *keeper)
{
    return keeper->form >= HF_KEEPER_MANY &&
           (keeper->kind == HF_ROOT_STACK || keeper->kind == HF_ROOT_REGISTER ||
               keeper->kind == HF_ROOT_THREAD_LOCAL);
}

/* The function in whose frame a keeper is, or the variable of a thread; empty: none is known. */
static struct hf_text holding_function(const struct holdings_maker *m, uint32_t keeper)
{
    const struct hf_block_keeper *of =
        keeper != HF_HOLDING_UNSEEN ? &m->of->keepers->items[keeper] : NULL;
    bool has_frame = of != NULL && of->form == HF_KEEPER_ONE &&
                     (of->kind == HF_ROOT_STACK || of->kind == HF_ROOT_THREAD_LOCAL) &&
                     of->where != NULL;
    return has_frame ? of->where->name : HF_TEXT("");
}

/* What is told as one keeper: all of one kind of threads, all frames of a function, or all of a
 * variable. */
static enum hf_status group_of(
    struct holdings_maker *m, uint32_t keeper, uint64_t *out_group, struct hf_error *err)
{
    struct hf_text function = holding_function(m, keeper);
    uint32_t id;
    *out_group = keeper;
    if (function.size != 0) {
        if (!hf_intern_put(&m->functions, function.data, function.size, &id))
            return hf_error_memory(err);
        uint64_t kind = (uint64_t)m->of->keepers->items[keeper].kind;
        *out_group = ((1 + kind) << 32) + id;
    } else if (keeper != HF_HOLDING_UNSEEN && is_of_thread(&m->of->keepers->items[keeper])) {
        *out_group = hf_keeper_many(m->of->keepers->items[keeper].kind);
    }
    return HF_OK;
}

/* A tally of a row, with its group: sorted, those of a holding stand together. */
struct placed_tally {
    uint64_t group;
    uint32_t row, tally;
};

static int by_row_and_group(const void *a, const void *b)
{
    const struct placed_tally *left = a, *right = b;
    if (left->row != right->row)
        return left->row < right->row ? -1 : 1;
    if (left->group != right->group)
        return left->group < right->group ? -1 : 1;
    return (left->tally > right->tally) - (left->tally < right->tally);
}

static int by_holding_bytes(const void *a, const void *b)
{
    const struct hf_holding *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes < right->bytes ? 1 : -1;
    return (left->keeper > right->keeper) - (left->keeper < right->keeper);
}

/* The tallies [from, to) as one holding; its example is that of the largest. */
static struct hf_holding add_up_holding(
    const struct holdings_maker *m, const struct placed_tally *from, const struct placed_tally *to)
{
    bool is_exact = m->of->table->head.period_bytes <= 1;
    struct hf_holding holding = {
        .keeper = m->tallies[from->tally].keeper, .example = HF_BLOCK_NONE};
    uint64_t most = 0;
    for (; from < to; from++) {
        const struct holding_tally *tally = &m->tallies[from->tally];
        uint64_t bytes = is_exact ? tally->sampled_bytes : hf_unbias_round(tally->bytes);
        holding.bytes += bytes;
        holding.objects += is_exact ? tally->samples : hf_unbias_round(tally->objects);
        holding.samples += tally->samples;
        if (tally->keeper != holding.keeper) { /* of threads: the others are groups of their own */
            holding.function = holding_function(m, tally->keeper);
            holding.keeper = hf_keeper_many(m->of->keepers->items[tally->keeper].kind);
        }
        if (holding.example == HF_BLOCK_NONE || bytes > most) {
            holding.example = tally->example;
            most = bytes;
        }
    }
    return holding;
}

/* The holdings of one row, whose tallies are [from, to). */
static enum hf_status add_row_holdings(struct holdings_maker *m, size_t row,
    const struct placed_tally *from, const struct placed_tally *to, struct hf_error *err)
{
    struct hf_holdings *h = m->holdings;
    struct hf_holdings_part *part = &h->parts[row];
    part->first = h->count;
    while (from < to) {
        const struct placed_tally *next = from;
        while (next < to && next->group == from->group)
            next++;
        if (!hf_vec_reserve(&h->items, &h->capacity, h->count + 1, sizeof *h->items))
            return hf_error_memory(err);
        h->items[h->count++] = add_up_holding(m, from, next);
        from = next;
    }
    part->count = h->count - part->first;
    if (part->count != 0)
        qsort(h->items + part->first, part->count, sizeof *h->items, by_holding_bytes);
    return HF_OK;
}

static enum hf_status add_parts(
    struct holdings_maker *m, struct placed_tally *placed, size_t count, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (count != 0)
        qsort(placed, count, sizeof *placed, by_row_and_group);
    for (size_t from = 0, to; from < count && status == HF_OK; from = to) {
        to = from;
        while (to < count && placed[to].row == placed[from].row)
            to++;
        status = add_row_holdings(m, placed[from].row, placed + from, placed + to, err);
    }
    for (size_t i = 0; i < count; i++)
        placed[i].row = 0;
    if (count != 0)
        qsort(placed, count, sizeof *placed, by_row_and_group);
    return status == HF_OK
               ? add_row_holdings(m, m->holdings->rows.count, placed, placed + count, err)
               : status;
}

static enum hf_status place_tallies(struct holdings_maker *m, struct hf_error *err)
{
    size_t count = 0;
    struct hf_holdings *h = m->holdings;
    struct placed_tally *placed = malloc((m->count + 1) * sizeof *placed);
    h->parts = calloc(h->rows.count + 1, sizeof *h->parts);
    enum hf_status status = placed != NULL && h->parts != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; i < m->count && status == HF_OK; i++) {
        if (h->row_of[i] == NOWHERE)
            continue;
        placed[count] = (struct placed_tally){.row = h->row_of[i], .tally = (uint32_t)i};
        status = group_of(m, m->tallies[i].keeper, &placed[count++].group, err);
    }
    if (status == HF_OK)
        status = add_parts(m, placed, count, err);
    free(placed);
    return status;
}

enum hf_status hf_holdings_make(struct hf_holdings *holdings, const struct hf_request *request,
    const struct hf_holdings_of *of, size_t max_rows, struct hf_error *err)
{
    struct holdings_maker m = {.holdings = holdings, .of = of};
    *holdings = (struct hf_holdings){0};
    enum hf_status status = count_blocks(&m, err);
    if (status == HF_OK)
        status = make_profile(&m, err);
    if (status == HF_OK)
        status = holdings_fold(&m, request, max_rows, err);
    if (status == HF_OK)
        status = find_holding_rows(&m, err);
    if (status == HF_OK)
        status = place_tallies(&m, err);
    hf_profile_free(m.profile);
    hf_live_nodes_done(&m.nodes);
    hf_map_done(&m.by_pair);
    hf_intern_done(&m.functions);
    free(m.tallies);
    return status;
}

void hf_holdings_done(struct hf_holdings *holdings)
{
    hf_view_done(&holdings->view);
    hf_rows_done(&holdings->rows);
    free(holdings->items);
    free(holdings->parts);
    free(holdings->tally_of);
    free(holdings->row_of);
    *holdings = (struct hf_holdings){0};
}
