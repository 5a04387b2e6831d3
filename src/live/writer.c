#include "live/writer.h"

#include "base/mutant.h"
#include "live/interpreted.h"

#include <string.h>

/* The stores that a reader may see halfway; tests/unit/live_stores.h records them. */
#ifdef HF_LIVE_STORES
#include HF_LIVE_STORES
#else
#define HF_LIVE_STORE(field, value, order) atomic_store_explicit(field, value, order)
#endif

/* Each commit doubles what there is, within these limits. */
#define COMMIT_MIN (UINT64_C(64) << 10)
#define COMMIT_MAX (UINT64_C(1) << 20)

/* In 1/64ths of a table; the blocks get the rest. */
static const uint8_t shares[HF_LIVE_KINDS] = {
    [HF_LIVE_TEXT] = 1,
    [HF_LIVE_MODULES] = 1,
    [HF_LIVE_SEGMENTS] = 1,
    [HF_LIVE_THREADS] = 1,
    [HF_LIVE_FRAMES] = 12,
    [HF_LIVE_STACKS] = 7,
    [HF_LIVE_FREES] = 8,
    [HF_LIVE_MAPPINGS] = 1,
};
#define SHARE_OF_RESIDENTS 1 /* residents come last */

static uint64_t bytes_of_share(uint64_t table_bytes, unsigned share)
{
    uint64_t bytes = table_bytes / 64 * share;
    return bytes - bytes % HF_LIVE_PAGE_BYTES;
}

static struct hf_live_region plan_region(uint64_t at, uint64_t bytes, size_t record_bytes)
{
    return (struct hf_live_region){at, bytes / record_bytes, record_bytes};
}

void hf_live_plan(struct hf_live_head *head, uint64_t table_bytes)
{
    uint64_t at = 3 * HF_LIVE_PAGE_BYTES;
    uint64_t behind_blocks = bytes_of_share(table_bytes, shares[HF_LIVE_MAPPINGS]) +
                             bytes_of_share(table_bytes, SHARE_OF_RESIDENTS);
    head->table_bytes = table_bytes;
    for (enum hf_live_kind kind = 0; kind < HF_LIVE_KINDS; kind++) {
        uint64_t bytes = kind == HF_LIVE_BLOCKS ? table_bytes - at - behind_blocks
                                                : bytes_of_share(table_bytes, shares[kind]);
        bytes -= bytes % HF_LIVE_PAGE_BYTES;
        *hf_live_region(head, kind) = plan_region(at, bytes, hf_live_record_bytes(kind));
        at += bytes;
    }
    head->residents = plan_region(
        at, bytes_of_share(table_bytes, SHARE_OF_RESIDENTS), sizeof(struct hf_live_resident));
    if (head->regions[HF_LIVE_MODULES].capacity > HF_LIVE_MODULES_MAX)
        head->regions[HF_LIVE_MODULES].capacity = HF_LIVE_MODULES_MAX;
    if (head->regions[HF_LIVE_BLOCKS].capacity > HF_LIVE_BLOCKS_MAX)
        head->regions[HF_LIVE_BLOCKS].capacity = HF_LIVE_BLOCKS_MAX;
}

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + HF_LIVE_PAGE_BYTES - 1) / HF_LIVE_PAGE_BYTES * HF_LIVE_PAGE_BYTES;
}

bool hf_live_begin(struct hf_live_table *table, void *memory, const struct hf_live_head *head,
    hf_live_commit *commit)
{
    uint8_t *bytes = memory;
    struct hf_live_head unborn = *head;
    *table = (struct hf_live_table){
        .head = memory,
        .state = (struct hf_live_state *)(void *)(bytes + HF_LIVE_PAGE_BYTES),
        .control = (struct hf_live_control *)(void *)(bytes + 2 * HF_LIVE_PAGE_BYTES),
        .commit = commit,
        .is_sampled = head->period_bytes > 1,
    };
    for (size_t i = 0; i < HF_LIVE_LISTS; i++)
        table->first_empty[i] = HF_LIVE_NONE;
    if (!commit(memory, 3 * HF_LIVE_PAGE_BYTES))
        return false;
    for (enum hf_live_kind kind = 0; kind < HF_LIVE_KINDS; kind++) {
        uint64_t offset = hf_live_region(&unborn, kind)->offset;
        uint64_t end = kind + 1 < HF_LIVE_KINDS ? hf_live_region(&unborn, kind + 1)->offset
                                                : unborn.table_bytes;
        table->regions[kind] = bytes + offset;
        table->limits[kind] = end - offset;
    }
    /* If the process is killed halfway, nothing can take this for a head. */
    memset(unborn.magic, 0, sizeof unborn.magic);
    *table->head = unborn;
    atomic_thread_fence(memory_order_release);
    memcpy(table->head->magic, head->magic, sizeof head->magic);
    return true;
}

bool hf_live_lock(struct hf_live_table *table)
{
    return hf_spinlock_take(&table->lock);
}

void hf_live_unlock(struct hf_live_table *table)
{
    hf_spinlock_release(&table->lock);
}

static uint64_t writer_count_of(const struct hf_live_table *table, enum hf_live_kind kind)
{
    return atomic_load_explicit(hf_live_count_of(table->state, kind), memory_order_relaxed);
}

/* True if `more` records fit behind the existing ones, and have memory. */
static bool writer_make_room(struct hf_live_table *table, enum hf_live_kind kind, uint64_t more)
{
    const struct hf_live_region *region = hf_live_region(table->head, kind);
    uint64_t count = writer_count_of(table, kind);
    if (more > region->capacity - count)
        return false;
    uint64_t *committed = &table->committed[kind],
             needed = (count + more) * hf_live_record_bytes(kind);
    if (needed <= *committed)
        return true;
    uint64_t whole = table->limits[kind], step = needed - *committed;
    if (needed > whole)
        return false;
    uint64_t doubled = *committed < COMMIT_MAX ? *committed : COMMIT_MAX;
    if (step < doubled)
        step = doubled;
    if (step < COMMIT_MIN)
        step = COMMIT_MIN;
    if (step > whole - *committed)
        step = whole - *committed;
    if (!table->commit(table->regions[kind] + *committed, step))
        return false;
    *committed += step;
    return true;
}

/* A region's share of `bytes` of the whole table. */
static uint64_t writer_share_of(
    const struct hf_live_table *table, enum hf_live_kind kind, uint64_t bytes)
{
    struct hf_live_head *head = table->head;
    uint64_t own = hf_live_region(head, kind)->capacity * hf_live_record_bytes(kind);
    return whole_pages(own / HF_LIVE_PAGE_BYTES * bytes / (head->table_bytes / HF_LIVE_PAGE_BYTES));
}

void hf_live_reserve(struct hf_live_table *table, uint64_t bytes)
{
    for (enum hf_live_kind kind = 0; kind < HF_LIVE_KINDS && hf_live_lock(table); kind++) {
        uint64_t *committed = &table->committed[kind], more = writer_share_of(table, kind, bytes);
        if (more > table->limits[kind] - *committed)
            more = table->limits[kind] - *committed;
        while (more != 0 && !table->commit(table->regions[kind] + *committed, more))
            more = more / 2 / HF_LIVE_PAGE_BYTES * HF_LIVE_PAGE_BYTES;
        *committed += more;
        hf_live_unlock(table);
    }
}

void hf_live_give_way(struct hf_live_table *table, uint64_t bytes, hf_live_release *release)
{
    for (enum hf_live_kind kind = 0; kind < HF_LIVE_KINDS && hf_live_lock(table); kind++) {
        uint64_t *limit = &table->limits[kind];
        uint64_t kept = whole_pages(table->committed[kind]) + writer_share_of(table, kind, bytes);
        if (kept < *limit) {
            release(table->regions[kind] + kept, *limit - kept);
            *limit = kept;
        }
        hf_live_unlock(table);
    }
}

static void *record_at(struct hf_live_table *table, enum hf_live_kind kind, uint64_t number)
{
    return table->regions[kind] + number * hf_live_record_bytes(kind);
}

/* Publishes records that were written behind the last one. Returns the number of the first. */
static uint32_t publish(struct hf_live_table *table, enum hf_live_kind kind, uint64_t more)
{
    uint64_t count = writer_count_of(table, kind);
    HF_LIVE_STORE(hf_live_count_of(table->state, kind), count + more, memory_order_release);
    return (uint32_t)count;
}

static uint32_t writer_add(
    struct hf_live_table *table, enum hf_live_kind kind, const void *records, uint64_t count)
{
    if (!writer_make_room(table, kind, count))
        return HF_LIVE_NONE;
    if (count != 0) /* else `records` may be NULL */
        memcpy(record_at(table, kind, writer_count_of(table, kind)), records,
            count * hf_live_record_bytes(kind));
    return publish(table, kind, count);
}

uint32_t hf_live_add_text(struct hf_live_table *table, const void *bytes, size_t count)
{
    return writer_add(table, HF_LIVE_TEXT, bytes, count);
}

uint32_t hf_live_add_module(struct hf_live_table *table, const char *path, size_t path_bytes,
    const uint8_t *build_id, size_t build_id_bytes, uint64_t device, uint64_t inode)
{
    uint32_t path_at = hf_live_add_text(table, path, path_bytes);
    uint32_t build_id_at = hf_live_add_text(table, build_id, build_id_bytes);
    if (path_at == HF_LIVE_NONE || build_id_at == HF_LIVE_NONE)
        return HF_LIVE_NONE;
    struct hf_live_module module = {
        .path = path_at,
        .path_bytes = (uint32_t)path_bytes,
        .build_id = build_id_at,
        .build_id_bytes = (uint32_t)build_id_bytes,
        .device = device,
        .inode = inode,
    };
    return writer_add(table, HF_LIVE_MODULES, &module, 1);
}

uint32_t hf_live_add_code(struct hf_live_table *table, const char *name, size_t name_bytes,
    uint32_t file, size_t file_bytes)
{
    struct hf_live_code code = {
        .name_bytes = (uint16_t)name_bytes, .file_bytes = (uint16_t)file_bytes, .file = file};
    uint64_t whole = sizeof code + name_bytes, at = writer_count_of(table, HF_LIVE_TEXT);
    if (at >= HF_LIVE_CODE_TEXT_MAX || name_bytes > UINT16_MAX || file_bytes > UINT16_MAX ||
        !writer_make_room(table, HF_LIVE_TEXT, whole))
        return HF_LIVE_NONE;
    (void)hf_live_add_text(table, &code, sizeof code);
    (void)hf_live_add_text(table, name, name_bytes);
    return (uint32_t)at;
}

uint32_t hf_live_add_segment(struct hf_live_table *table, const struct hf_live_segment *segment)
{
    return writer_add(table, HF_LIVE_SEGMENTS, segment, 1);
}

uint32_t hf_live_add_thread(struct hf_live_table *table, const struct hf_live_thread *thread)
{
    return writer_add(table, HF_LIVE_THREADS, thread, 1);
}

uint32_t hf_live_add_stack(
    struct hf_live_table *table, const uint64_t *frames_leaf_first, size_t count, unsigned flags)
{
    if (!writer_make_room(table, HF_LIVE_STACKS, 1))
        return HF_LIVE_NONE;
    uint32_t first = writer_add(table, HF_LIVE_FRAMES, frames_leaf_first, count);
    if (first == HF_LIVE_NONE)
        return HF_LIVE_NONE;
    struct hf_live_stack *stack =
        record_at(table, HF_LIVE_STACKS, writer_count_of(table, HF_LIVE_STACKS));
    stack->first_frame = first;
    stack->frame_count = (uint16_t)count;
    stack->flags = (uint16_t)flags;
    return publish(table, HF_LIVE_STACKS, 1);
}

/* In a process with one thread it need not be atomic, which takes ten times as long. */
static void writer_add_to(_Atomic uint64_t *total, uint64_t more)
{
    if (hf_is_alone())
        atomic_store_explicit(
            total, atomic_load_explicit(total, memory_order_relaxed) + more, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(total, more, memory_order_relaxed);
}

void hf_live_count(struct hf_live_table *table, uint32_t stack, uint64_t objects, uint64_t bytes)
{
    struct hf_live_stack *of = hf_live_stack(table, stack);
    writer_add_to(&of->objects, objects);
    writer_add_to(&of->bytes, bytes);
}

/* The record in which frees of the stack are counted; it is made if there is none. NULL: there is
 * no room. */
static struct hf_live_frees *frees_of(struct hf_live_table *table, struct hf_live_stack *of)
{
    uint32_t number = atomic_load_explicit(&of->frees, memory_order_relaxed);
    if (number == 0) {
        if (!writer_make_room(table, HF_LIVE_FREES, 1))
            return NULL;
        number = publish(table, HF_LIVE_FREES, 1) + 1;
        atomic_store_explicit(&of->frees, number, memory_order_release);
    }
    return record_at(table, HF_LIVE_FREES, number - 1);
}

struct hf_live_frees *hf_live_frees_begin(struct hf_live_table *table, struct hf_live_stack *of)
{
    if (!hf_live_lock(table))
        return NULL;
    struct hf_live_frees *frees = frees_of(table, of);
    hf_live_unlock(table);
    return frees;
}

void hf_live_count_free(struct hf_live_table *table, uint32_t stack, uint32_t at)
{
    if (!hf_live_lock(table))
        return;
    struct hf_live_frees *frees = frees_of(table, hf_live_stack(table, stack));
    for (size_t i = 0; frees != NULL && i <= HF_LIVE_FREE_SITES; i++) {
        if (i == HF_LIVE_FREE_SITES) {
            writer_add_to(&frees->others, 1);
            break;
        }
        uint32_t site = atomic_load_explicit(&frees->stacks[i], memory_order_relaxed);
        if (site != 0 && site != at + 1)
            continue;
        atomic_fetch_add_explicit(&frees->counts[i], 1, memory_order_relaxed);
        atomic_store_explicit(&frees->stacks[i], at + 1, memory_order_release);
        break;
    }
    hf_live_unlock(table);
}

void hf_live_lose(struct hf_live_table *table, enum hf_live_loss why, uint64_t bytes)
{
    atomic_fetch_add_explicit(
        &table->state->lost_objects[why], HF_MUTANT(LOSE) ? 0 : 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&table->state->lost_bytes[why], bytes, memory_order_relaxed);
}

/* Takes up to half of HF_LIVE_SLOTS: first slots that were given back, then new ones. */
static void take_slots(struct hf_live_table *table, struct hf_live_slots *slots)
{
    if (!hf_live_lock(table))
        return;
    for (uint32_t i = 0, none = 0; slots->count < HF_LIVE_SLOTS / 2 && none < HF_LIVE_LISTS; i++) {
        uint32_t slot = table->first_empty[i % HF_LIVE_LISTS];
        none = slot == HF_LIVE_NONE ? none + 1 : 0;
        if (slot == HF_LIVE_NONE)
            continue;
        slots->items[slots->count++] = slot;
        table->first_empty[i % HF_LIVE_LISTS] =
            (uint32_t)atomic_load_explicit(&hf_live_block(table, slot)->size, memory_order_relaxed);
    }
    while (slots->count < HF_LIVE_SLOTS / 2 && writer_make_room(table, HF_LIVE_BLOCKS, 1))
        slots->items[slots->count++] = publish(table, HF_LIVE_BLOCKS, 1);
    hf_live_unlock(table);
}

static void return_slots(struct hf_live_table *table, struct hf_live_slots *slots, uint32_t keep)
{
    if (!hf_live_lock(table))
        return;
    while (slots->count > keep) {
        uint32_t slot = slots->items[--slots->count];
        uint32_t *first = &table->first_empty[slot % HF_LIVE_LISTS];
        HF_LIVE_STORE(&hf_live_block(table, slot)->size, *first, memory_order_relaxed);
        *first = slot;
    }
    hf_live_unlock(table);
}

/* Fills a slot, whose word was `empty`. No field may be seen before the store that emptied the
 * slot, so the caller puts a fence in between. */
static HF_ALWAYS_INLINE void fill_slot(struct hf_live_block *block, uint64_t empty,
    uint64_t address, uint64_t size, uint32_t stack, uint32_t thread, uint64_t birth)
{
    HF_LIVE_STORE(&block->size, size, memory_order_relaxed);
    HF_LIVE_STORE(&block->birth, birth, memory_order_relaxed);
    HF_LIVE_STORE(&block->stack, stack, memory_order_relaxed);
    HF_LIVE_STORE(&block->thread, thread, memory_order_relaxed);
    HF_LIVE_STORE(&block->word, hf_live_word(address, empty + 1), memory_order_release);
}

uint32_t hf_live_put(struct hf_live_table *table, struct hf_live_slots *slots, uint64_t address,
    uint64_t size, uint32_t stack, uint32_t thread, uint64_t birth)
{
    if (slots->count == 0)
        take_slots(table, slots);
    if (slots->count == 0) {
        hf_live_lose(table, HF_LIVE_LOST_BLOCK, size);
        return HF_LIVE_NONE;
    }
    uint32_t slot = slots->items[--slots->count];
    struct hf_live_block *block = hf_live_block(table, slot);
    uint64_t empty = atomic_load_explicit(&block->word, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    fill_slot(block, empty, address, size, stack, thread, birth);
    return slot;
}

void hf_live_remove(struct hf_live_table *table, struct hf_live_slots *slots, uint32_t slot)
{
    /* The generation stays. It is not read here, because that would wait for memory. */
    HF_LIVE_STORE(&hf_live_block(table, slot)->word_halves[1], 0, memory_order_release);
    if (slots->count == HF_LIVE_SLOTS)
        return_slots(table, slots, HF_LIVE_SLOTS / 2);
    if (slots->count < HF_LIVE_SLOTS)
        slots->items[slots->count++] = slot;
}

void hf_live_lose_mapping(struct hf_live_table *table)
{
    atomic_fetch_add_explicit(&table->state->lost_mappings, 1, memory_order_relaxed);
}

uint32_t hf_live_add_mapping(struct hf_live_table *table)
{
    if (!writer_make_room(table, HF_LIVE_MAPPINGS, 1))
        return HF_LIVE_NONE;
    return publish(table, HF_LIVE_MAPPINGS, 1);
}

void hf_live_map(struct hf_live_table *table, uint32_t slot, const struct hf_live_mapped *mapped)
{
    struct hf_live_block *record = hf_live_mapping(table, slot);
    uint64_t empty = atomic_load_explicit(&record->word, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    fill_slot(record, empty, mapped->start, mapped->end - mapped->start, mapped->stack,
        mapped->thread, mapped->birth);
}

void hf_live_unmap(struct hf_live_table *table, uint32_t slot)
{
    HF_LIVE_STORE(&hf_live_mapping(table, slot)->word_halves[1], 0, memory_order_release);
}

void hf_live_slots_return(struct hf_live_table *table, struct hf_live_slots *slots)
{
    return_slots(table, slots, 0);
}
