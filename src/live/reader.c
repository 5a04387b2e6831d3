#include "live/reader.h"

#include "base/budget.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#define CHUNK_BLOCKS 2048u
#define TRIES 3
#define MAPPINGS_SINCE 6 /* minor version */
#define BLOCK_STEPS 30   /* apart from its bytes, which are copied three times */

bool hf_live_is_table(struct hf_text first_bytes)
{
    return hf_text_starts(first_bytes, HF_LIVE_MAGIC);
}

static bool copy_from_file(void *context, uint64_t offset, void *out, size_t size)
{
    const int *fd = context;
    uint8_t *at = out;
    while (size != 0) {
        ssize_t got = pread(*fd, at, size, (off_t)offset);
        if (got <= 0)
            return false;
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

static bool copy_from_memory(void *context, uint64_t offset, void *out, size_t size)
{
    const struct hf_text *bytes = context;
    if (offset > bytes->size || size > bytes->size - offset)
        return false;
    memcpy(out, bytes->data + offset, size);
    return true;
}

struct hf_live_source hf_live_source_in(const struct hf_text *bytes, const char *name)
{
    /* The cast is safe: nothing is written to it. */
    return (struct hf_live_source){copy_from_memory, (void *)(uintptr_t)bytes, name};
}

struct hf_live_source hf_live_source_of(const int *fd, const char *name)
{
    return (struct hf_live_source){copy_from_file, (void *)(uintptr_t)fd, name};
}

static enum hf_status fail_cut(struct hf_live_source source, const char *what, struct hf_error *err)
{
    enum hf_status status =
        hf_error_set(err, HF_ERR_INPUT, "the live table ends before its %s", what);
    hf_error_in(err, source.name);
    return status;
}

/* True if a region lies in the table, with records of at least `least_bytes`. */
static bool region_is_sound(
    const struct hf_live_head *head, const struct hf_live_region *region, size_t least_bytes)
{
    uint64_t bytes;
    return region->record_bytes >= least_bytes && region->record_bytes <= HF_LIVE_PAGE_BYTES &&
           region->offset % 8 == 0 && (least_bytes == 1 || region->record_bytes % 8 == 0) &&
           !__builtin_mul_overflow(region->capacity, region->record_bytes, &bytes) &&
           region->offset <= head->table_bytes && bytes <= head->table_bytes - region->offset;
}

/* Region number `place`, in the order in which they lie in the table; NULL: there is none. */
static const struct hf_live_region *region_at(
    struct hf_live_head *head, size_t place, size_t *out_least_bytes)
{
    size_t kinds = head->minor >= MAPPINGS_SINCE ? HF_LIVE_KINDS : HF_LIVE_KINDS_FIRST;
    if (place < kinds) {
        *out_least_bytes = hf_live_least_record_bytes((enum hf_live_kind)place);
        return hf_live_region(head, (enum hf_live_kind)place);
    }
    *out_least_bytes = sizeof(struct hf_live_resident);
    return kinds == HF_LIVE_KINDS && place == kinds ? &head->residents : NULL;
}

static enum hf_status check_regions(struct hf_live_head *head, struct hf_error *err)
{
    size_t least_bytes;
    uint64_t end = HF_LIVE_REGIONS_FROM;
    const struct hf_live_region *region;
    for (size_t i = 0; (region = region_at(head, i, &least_bytes)) != NULL; i++) {
        if (!region_is_sound(head, region, least_bytes))
            return hf_error_set(err, HF_ERR_INPUT,
                "region %zu of the live table is outside of it: its head is damaged", i);
        if (region->offset < end)
            return hf_error_set(err, HF_ERR_INPUT,
                "region %zu of the live table overlaps what is before it: its head is damaged", i);
        end = region->offset + region->capacity * region->record_bytes;
    }
    return HF_OK;
}

static enum hf_status check_head(struct hf_live_head *head, const char *name, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (!hf_live_is_table((struct hf_text){(const char *)head->magic, sizeof head->magic}))
        status = hf_error_set(err, HF_ERR_INPUT, "this is not a live table of heapflame");
    else if (head->major > HF_LIVE_MAJOR || head->major == 0)
        status = hf_error_set(err, HF_ERR_INPUT,
            "the live table has layout %u.%u, but this heapflame reads up to %d.x: use the "
            "heapflame that wrote it",
            head->major, head->minor, HF_LIVE_MAJOR);
    else if (head->table_bytes > HF_LIMIT_LIVE_BYTES)
        status = hf_error_set(err, HF_ERR_LIMIT,
            "the live table says it has %" PRIu64 " bytes; more than %" PRIu64
            " are not read (HF_LIMIT_LIVE_BYTES)",
            /* never 1 */ head->table_bytes, (uint64_t)HF_LIMIT_LIVE_BYTES);
    if (status == HF_OK)
        status = check_regions(head, err);
    if (status != HF_OK)
        hf_error_in(err, name);
    if (head->minor < MAPPINGS_SINCE) {
        memset(head->more_regions, 0, sizeof head->more_regions);
        head->residents = (struct hf_live_region){0};
    }
    return status;
}

/* How many records of a region are published, at most as many as fit. */
static size_t published(struct hf_live_snapshot *snapshot, enum hf_live_kind kind)
{
    uint64_t count =
        atomic_load_explicit(hf_live_count_of(&snapshot->state, kind), memory_order_relaxed);
    uint64_t capacity = hf_live_region(&snapshot->head, kind)->capacity;
    return count < capacity ? count : capacity;
}

bool hf_live_read_state(struct hf_live_source source, struct hf_live_state *out_state)
{
    return source.copy(source.context, HF_LIVE_PAGE_BYTES, out_state, sizeof *out_state);
}

static bool copy_state(struct hf_live_snapshot *snapshot, struct hf_live_source source)
{
    return hf_live_read_state(source, &snapshot->state);
}

/* Room for one chunk of slots: the words before, all fields, the words after. */
struct reader_chunk {
    uint8_t *before, *fields, *after;
    size_t record_bytes;
};

static const struct hf_live_block *reader_slot_of(
    const uint8_t *copy, const struct reader_chunk *chunk, size_t i)
{
    return (const struct hf_live_block *)(const void *)(copy + i * chunk->record_bytes);
}

static uint64_t reader_word_of(const uint8_t *copy, const struct reader_chunk *chunk, size_t i)
{
    return atomic_load_explicit(&reader_slot_of(copy, chunk, i)->word, memory_order_relaxed);
}

/* Copies slots three times: if the word is the same in the first and the last copy, the fields in
 * the second belong to it. */
static bool copy_slots(const struct reader_chunk *chunk, struct hf_live_source source,
    uint64_t offset, size_t first, size_t count)
{
    size_t from = first * chunk->record_bytes, size = count * chunk->record_bytes;
    return source.copy(source.context, offset + from, chunk->before + from, size) &&
           source.copy(source.context, offset + from, chunk->fields + from, size) &&
           source.copy(source.context, offset + from, chunk->after + from, size);
}

static bool reader_is_whole(const struct reader_chunk *chunk, size_t i)
{
    uint64_t word = reader_word_of(chunk->before, chunk, i);
    return word == reader_word_of(chunk->fields, chunk, i) &&
           word == reader_word_of(chunk->after, chunk, i);
}

static enum hf_status see_slot(const struct reader_chunk *chunk, size_t i,
    struct hf_live_visitor visitor, struct hf_error *err)
{
    const struct hf_live_block *slot = reader_slot_of(chunk->fields, chunk, i);
    struct hf_live_seen_block block = {
        .address = hf_live_word_address(reader_word_of(chunk->fields, chunk, i)),
        .size = atomic_load_explicit(&slot->size, memory_order_relaxed),
        .birth = atomic_load_explicit(&slot->birth, memory_order_relaxed),
        .stack = atomic_load_explicit(&slot->stack, memory_order_relaxed),
        .thread = atomic_load_explicit(&slot->thread, memory_order_relaxed),
    };
    return block.address != 0 ? visitor.see(visitor.context, &block, err) : HF_OK;
}

static enum hf_status read_chunk(struct hf_live_snapshot *snapshot,
    const struct reader_chunk *chunk, struct hf_live_source source, uint64_t offset, size_t count,
    struct hf_live_visitor visitor, struct hf_error *err)
{
    if (!copy_slots(chunk, source, offset, 0, count))
        return fail_cut(source, "blocks", err);
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        for (size_t tries = 1; tries < TRIES && !reader_is_whole(chunk, i); tries++)
            if (!copy_slots(chunk, source, offset, i, 1))
                return fail_cut(source, "blocks", err);
        if (reader_is_whole(chunk, i))
            status = see_slot(chunk, i, visitor, err);
        else
            snapshot->in_flight++;
    }
    return status;
}

/* `kind`: blocks or mappings. */
static enum hf_status read_slots(struct hf_live_snapshot *snapshot, struct hf_live_source source,
    enum hf_live_kind kind, struct hf_live_visitor visitor, struct hf_error *err)
{
    const struct hf_live_region *region = hf_live_region(&snapshot->head, kind);
    size_t left = published(snapshot, kind);
    size_t bytes = (left < CHUNK_BLOCKS ? left : CHUNK_BLOCKS) * region->record_bytes;
    if (left == 0)
        return HF_OK;
    uint8_t *copies = hf_budget_malloc(3 * bytes);
    if (copies == NULL)
        return hf_error_memory(err);
    struct reader_chunk chunk = {copies, copies + bytes, copies + 2 * bytes, region->record_bytes};
    enum hf_status status = HF_OK;
    uint64_t offset = region->offset;
    while (left != 0 && status == HF_OK) {
        size_t count = left < CHUNK_BLOCKS ? left : CHUNK_BLOCKS;
        bool is_allowed = hf_budget_step(count * (BLOCK_STEPS + 3 * region->record_bytes / 2));
        status = is_allowed ? read_chunk(snapshot, &chunk, source, offset, count, visitor, err)
                            : hf_budget_refuse(err);
        left -= count;
        offset += count * region->record_bytes;
    }
    hf_budget_free(copies);
    return status;
}

/* Turns records of `from` bytes each into records of `to` bytes: longer ones are cut, shorter ones
 * are filled with 0. There must be room for the larger size. */
static void reader_fit(uint8_t *records, size_t count, size_t from, size_t to)
{
    for (size_t i = 1; i < count && from > to; i++)
        memmove(records + i * to, records + i * from, to);
    for (size_t i = count; i-- != 0 && from < to;) {
        memmove(records + i * to, records + i * from, from);
        memset(records + i * to + from, 0, to - from);
    }
}

/* Copies the published records of a kind, as records of this version. */
static enum hf_status read_records(struct hf_live_snapshot *snapshot, struct hf_live_source source,
    enum hf_live_kind kind, struct hf_error *err)
{
    static const char *const names[HF_LIVE_KINDS] = {"text", "modules", "segments", "threads",
        "frames", "stacks", "frees", "blocks", "mappings"};
    const struct hf_live_region *region = hf_live_region(&snapshot->head, kind);
    size_t count = published(snapshot, kind), size = hf_live_record_bytes(kind);
    if (count == 0)
        return HF_OK;
    size_t given = count * region->record_bytes;
    size_t bytes = size > region->record_bytes ? count * size : given;
    uint8_t *records = hf_budget_take(bytes) ? malloc(bytes) : NULL;
    if (records == NULL)
        return hf_error_memory(err);
    snapshot->records[kind] = records;
    if (!hf_budget_step(bytes / 2))
        return hf_budget_refuse(err);
    if (!source.copy(source.context, region->offset, records, given))
        return fail_cut(source, names[kind], err);
    reader_fit(records, count, region->record_bytes, size);
    snapshot->counts[kind] = count;
    return HF_OK;
}

enum hf_status hf_live_read_head(
    struct hf_live_source source, struct hf_live_head *out_head, struct hf_error *err)
{
    bool is_whole = source.copy(source.context, 0, out_head, sizeof *out_head);
    bool has_magic =
        is_whole || source.copy(source.context, 0, out_head->magic, sizeof out_head->magic);
    if (!is_whole && has_magic &&
        memcmp(out_head->magic, HF_LIVE_MAGIC, sizeof out_head->magic) == 0)
        return fail_cut(source, "head", err);
    if (!is_whole)
        memset(out_head, 0, sizeof *out_head);
    return check_head(out_head, source.name, err);
}

/* Blocks, then the records of kinds [from, to). */
static enum hf_status read_kinds(struct hf_live_snapshot *snapshot, struct hf_live_source source,
    struct hf_live_visitor visitor, enum hf_live_kind from, enum hf_live_kind to,
    struct hf_error *err)
{
    *snapshot = (struct hf_live_snapshot){0};
    enum hf_status status = hf_live_read_head(source, &snapshot->head, err);
    if (status == HF_OK && !copy_state(snapshot, source))
        status = fail_cut(source, "state", err);
    if (status == HF_OK)
        status = read_slots(snapshot, source, HF_LIVE_BLOCKS, visitor, err);
    if (status == HF_OK && !copy_state(snapshot, source))
        status = fail_cut(source, "state", err);
    for (enum hf_live_kind kind = from; status == HF_OK && kind < to; kind++)
        status = read_records(snapshot, source, kind, err);
    return status;
}

enum hf_status hf_live_read(struct hf_live_snapshot *snapshot, struct hf_live_source source,
    struct hf_live_visitor visitor, struct hf_error *err)
{
    return read_kinds(snapshot, source, visitor, HF_LIVE_TEXT, HF_LIVE_BLOCKS, err);
}

enum hf_status hf_live_read_totals(struct hf_live_snapshot *snapshot, struct hf_live_source source,
    struct hf_live_visitor visitor, struct hf_error *err)
{
    return read_kinds(snapshot, source, visitor, HF_LIVE_STACKS, HF_LIVE_STACKS + 1, err);
}

enum hf_status hf_live_read_slots(struct hf_live_source source, enum hf_live_kind kind,
    struct hf_live_visitor visitor, struct hf_error *err)
{
    struct hf_live_snapshot snapshot = {0};
    enum hf_status status = hf_live_read_head(source, &snapshot.head, err);
    if (status == HF_OK && !copy_state(&snapshot, source))
        status = fail_cut(source, "state", err);
    if (status == HF_OK)
        status = read_slots(&snapshot, source, kind, visitor, err);
    return status;
}

const char *hf_live_part_name(enum hf_live_part part)
{
    static const char *const names[HF_LIVE_PARTS] = {
        [HF_LIVE_PART_IN_USE] = "[in use by malloc]",
        [HF_LIVE_PART_FREE] = "[kept by malloc]",
        [HF_LIVE_PART_STACKS] = "[thread stacks]",
        [HF_LIVE_PART_DATA] = "[data of programs]",
        [HF_LIVE_PART_FILES] = "[files]",
        [HF_LIVE_PART_SHARED] = "[shared memory]",
        [HF_LIVE_PART_AGENT] = "[heapflame]",
        [HF_LIVE_PART_TABLE] = "[live table]",
        [HF_LIVE_PART_UNKNOWN] = "[not seen]",
    };
    return names[part];
}

enum hf_status hf_live_read_resident(struct hf_live_source source, const struct hf_live_head *head,
    struct hf_live_resident_memory *out_memory, struct hf_error *err)
{
    struct hf_live_control control;
    *out_memory = (struct hf_live_resident_memory){0};
    if (head->minor < MAPPINGS_SINCE)
        return HF_OK;
    if (!source.copy(source.context, 2 * HF_LIVE_PAGE_BYTES, &control, sizeof control))
        return fail_cut(source, "control", err);
    size_t count = atomic_load_explicit(&control.resident_count, memory_order_relaxed);
    size_t size = head->residents.record_bytes;
    if (count > head->residents.capacity)
        count = head->residents.capacity;
    size_t parts = atomic_load_explicit(&control.part_count, memory_order_relaxed);
    for (size_t i = 0; i < HF_LIVE_PARTS && i < parts; i++)
        out_memory->parts[i] = atomic_load_explicit(&control.parts[i], memory_order_relaxed);
    out_memory->is_known = parts != 0;
    if (parts == 0 || count == 0)
        return HF_OK;
    uint8_t *records = hf_budget_take(count * size) ? malloc(count * size) : NULL;
    if (records == NULL)
        return hf_error_memory(err);
    out_memory->residents = (struct hf_live_resident *)(void *)records;
    if (!source.copy(source.context, head->residents.offset, records, count * size))
        return fail_cut(source, "residents", err);
    reader_fit(records, count, size, sizeof(struct hf_live_resident));
    out_memory->count = count;
    return HF_OK;
}

void hf_live_resident_memory_done(struct hf_live_resident_memory *memory)
{
    free(memory->residents);
    *memory = (struct hf_live_resident_memory){0};
}

void hf_live_snapshot_done(struct hf_live_snapshot *snapshot)
{
    for (enum hf_live_kind kind = 0; kind < HF_LIVE_KINDS; kind++)
        free(snapshot->records[kind]);
    *snapshot = (struct hf_live_snapshot){0};
}

struct hf_text hf_live_text(const struct hf_live_snapshot *snapshot, uint32_t at, uint32_t size)
{
    size_t count = snapshot->counts[HF_LIVE_TEXT];
    if (at > count || size > count - at)
        return (struct hf_text){0};
    return (struct hf_text){(const char *)snapshot->records[HF_LIVE_TEXT] + at, size};
}

const uint64_t *hf_live_stack_frames(
    const struct hf_live_snapshot *snapshot, const struct hf_live_stack *stack, size_t *out_count)
{
    size_t count = snapshot->counts[HF_LIVE_FRAMES];
    *out_count = 0;
    if (stack->first_frame > count || stack->frame_count > count - stack->first_frame)
        return NULL;
    *out_count = stack->frame_count;
    return (const uint64_t *)snapshot->records[HF_LIVE_FRAMES] + stack->first_frame;
}
