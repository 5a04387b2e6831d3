/*
 * The live table: what a writer does to it, seen by a reader at every moment.
 *
 * The writer is compiled once more for this test, with its stores to slots and counts recorded, so
 * that the reader can be run against every state the table was ever in, and against every mix of
 * states that one copy may have seen.
 */
#include "live_stores.h"

#include "base/budget.h"
#include "formats/heap/live.h"
#include "live/usage.h"
#include "profile/interval.h"
#include "profile/lifetimes.h"
#include "profile/samples.h"
#include "reading.h"

#define TABLE_BYTES HF_LIVE_TABLE_MIN
#define STORES_MAX 256
#define SECOND UINT64_C(1000000000)

static _Alignas(HF_LIVE_PAGE_BYTES) uint8_t memory[TABLE_BYTES];
static uint64_t commit_left; /* bytes */

static struct {
    size_t offset, size;
    uint64_t value;
} stores[STORES_MAX];
static size_t store_count;
static bool is_recording;

void live_store_record(const volatile void *field, size_t size, uint64_t value)
{
    if (!is_recording)
        return;
    assert_true(store_count < STORES_MAX);
    stores[store_count].offset = (size_t)((const volatile uint8_t *)field - memory);
    stores[store_count].size = size;
    stores[store_count++].value = value;
}

static bool commit(void *at, size_t bytes)
{
    (void)at;
    if (bytes > commit_left)
        return false;
    commit_left -= bytes;
    return true;
}

static void begin(struct hf_live_table *table, uint64_t period_bytes)
{
    struct hf_live_head head = {
        .magic = HF_LIVE_MAGIC,
        .major = HF_LIVE_MAJOR,
        .minor = HF_LIVE_MINOR,
        .pid = 7,
        .period_bytes = period_bytes,
    };
    memset(memory, 0, sizeof memory);
    store_count = 0;
    is_recording = false;
    commit_left = TABLE_BYTES;
    hf_live_plan(&head, TABLE_BYTES);
    assert_true(hf_live_begin(table, memory, &head, commit));
}

/* Two modules, two stacks: main > parse > alloc, and main > cache. */
static void add_stacks(struct hf_live_table *table)
{
    static const uint8_t build_id[] = {1, 2, 3, 4};
    assert_int_equal(hf_live_add_module(table, "/bin/server", 11, build_id, 4, 1, 2), 0);
    assert_int_equal(hf_live_add_module(table, "/lib/libx.so", 12, build_id, 0, 1, 3), 1);
    struct hf_live_segment segment = {0x1000, 0x9000, 0, 0, 1};
    assert_int_equal(hf_live_add_segment(table, &segment), 0);
    struct hf_live_thread thread = {70, "worker"};
    assert_int_equal(hf_live_add_thread(table, &thread), 0);
    uint64_t deep[] = {hf_live_frame(2, 0x300), hf_live_frame(1, 0x200), hf_live_frame(1, 0x100)};
    uint64_t flat[] = {hf_live_frame(1, 0x400), hf_live_frame(1, 0x100)};
    assert_int_equal(hf_live_add_stack(table, deep, 3, 0), 0);
    assert_int_equal(hf_live_add_stack(table, flat, 2, 0), 1);
}

static struct hf_text whole_table(void)
{
    return (struct hf_text){(const char *)memory, sizeof memory};
}

static struct hf_profile *read_table(void)
{
    struct hf_error err;
    struct hf_profile *profile = NULL;
    check_ok(read_bytes(whole_table(), &profile, &err), &err);
    return profile;
}

static void test_profile_of_a_table(void **state)
{
    (void)state;
    struct hf_live_table table;
    struct hf_live_slots slots = {0};
    begin(&table, 1);
    add_stacks(&table);
    for (uint64_t i = 1; i <= 5; i++) {
        hf_live_count(&table, (uint32_t)(i % 2), HF_LIVE_OBJECT, 100 * i);
        assert_int_equal(
            hf_live_put(&table, &slots, 0x10000 * i, 100 * i, (uint32_t)(i % 2), HF_LIVE_NONE, i),
            slots.count == HF_LIVE_SLOTS ? 0 : HF_LIVE_SLOTS / 2 - i);
    }
    hf_live_remove(&table, &slots, HF_LIVE_SLOTS / 2 - 2); /* 200 bytes */
    struct hf_profile *profile = read_table();
    check_type(profile, HF_INUSE_SPACE,
        "server+0x100;server+0x200;libx.so+0x300 400\nserver+0x100;server+0x400 900\n");
    check_type(profile, HF_ALLOC_OBJECTS,
        "server+0x100;server+0x200;libx.so+0x300 2\nserver+0x100;server+0x400 3\n");
    check_type(profile, HF_ALLOC_SPACE,
        "server+0x100;server+0x200;libx.so+0x300 600\nserver+0x100;server+0x400 900\n");
    check_notes(profile, "");
    hf_profile_free(profile);
}

static void test_threads(void **state)
{
    (void)state;
    struct hf_live_table table;
    struct hf_live_slots slots = {0};
    begin(&table, 1);
    add_stacks(&table);
    hf_live_put(&table, &slots, 0x1000, 30, 0, 0, 0);
    hf_live_put(&table, &slots, 0x2000, 50, 1, HF_LIVE_NONE, 0); /* the table of threads was full */
    struct hf_profile *profile = read_table();
    assert_int_equal(profile->thread_count, 1);
    assert_int_equal(profile->threads[0].uid, 70);
    check_text(hf_profile_text(profile, profile->threads[0].name), "worker");
    assert_int_equal(hf_profile_total(profile, HF_INUSE_SPACE, HF_THREAD_ALL).value, 80);
    assert_int_equal(hf_profile_total(profile, HF_INUSE_SPACE, 0).value, 30);
    hf_profile_free(profile);
}

/* A block of 1000 bytes, sampled every 4096 bytes on average, stands for 1/(1-exp(-1000/4096)). */
static void test_estimates(void **state)
{
    (void)state;
    struct hf_live_table table;
    struct hf_live_slots slots = {0};
    begin(&table, 4096);
    add_stacks(&table);
    for (uint64_t i = 1; i <= 10; i++)
        hf_live_put(&table, &slots, 0x1000 * i, i <= 5 ? 1000 : 100000, 0, HF_LIVE_NONE, 0);
    struct hf_profile *profile = read_table();
    /* 5 * 4.61634 * 1000 + 5 * 100000 */
    check_type(profile, HF_INUSE_SPACE, "server+0x100;server+0x200;libx.so+0x300 523082\n");
    hf_profile_free(profile);
}

static void test_full_table(void **state)
{
    (void)state;
    struct hf_live_table table;
    struct hf_live_slots slots = {0};
    begin(&table, 1);
    add_stacks(&table);
    uint64_t capacity = table.head->regions[HF_LIVE_BLOCKS].capacity, put = 0;
    while (hf_live_put(&table, &slots, 0x1000 + 16 * put, 1, 0, 0, 0) != HF_LIVE_NONE)
        put++;
    assert_int_equal(put, capacity);
    struct hf_profile *profile = read_table();
    check_notes(profile, "LOSS 1 recorded allocation of 1 byte was lost: its table of blocks "
                         "was full, so these are missing from those in use\n");
    hf_profile_free(profile);
    /* What is given back is used again, by another thread too. */
    for (uint32_t slot = 0; slot < HF_LIVE_SLOTS + 1; slot++)
        hf_live_remove(&table, &slots, slot);
    struct hf_live_slots others = {0};
    assert_int_not_equal(hf_live_put(&table, &others, 0x1000, 1, 0, 0, 0), HF_LIVE_NONE);
    hf_live_slots_return(&table, &others);
    hf_live_slots_return(&table, &slots);
    put = 0;
    while (hf_live_put(&table, &slots, 0x1000 + 16 * put, 1, 0, 0, 0) != HF_LIVE_NONE)
        put++;
    assert_int_equal(put, HF_LIVE_SLOTS);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct hf_live_table table;
    struct hf_live_slots slots = {0};
    begin(&table, 1);
    commit_left = 0;
    uint64_t frame = hf_live_frame(0, 0x1000);
    assert_int_equal(hf_live_add_stack(&table, &frame, 1, 0), HF_LIVE_NONE);
    assert_int_equal(hf_live_put(&table, &slots, 0x1000, 1, 0, 0, 0), HF_LIVE_NONE);
    assert_int_equal(table.state->counts[HF_LIVE_BLOCKS], 0);
}

/* The moments at which one reader's copies of a slot see it: word before, fields, word after. */
struct moments {
    size_t copy; /* number of the copy */
    size_t before, fields[5], after;
    uint64_t slot_at;
};

static const struct {
    size_t offset, size;
} slot_fields[5] = {
    {offsetof(struct hf_live_block, word), 8},
    {offsetof(struct hf_live_block, size), 8},
    {offsetof(struct hf_live_block, birth), 8},
    {offsetof(struct hf_live_block, stack), 4},
    {offsetof(struct hf_live_block, thread), 4},
};

/* What a field of the table was after the first `moment` stores. */
static uint64_t field_at(size_t offset, size_t moment)
{
    uint8_t bytes[sizeof(uint64_t)] = {0};
    uint64_t value;
    for (size_t i = 0; i < moment; i++) {
        for (size_t n = 0; n < stores[i].size; n++) {
            size_t at = stores[i].offset + n - offset;
            if (at < sizeof bytes)
                bytes[at] = (uint8_t)(stores[i].value >> (8 * n));
        }
    }
    memcpy(&value, bytes, sizeof value);
    return value;
}

static bool copy_at_moments(void *context, uint64_t offset, void *out, size_t size)
{
    struct moments *m = context;
    memcpy(out, memory + offset, size);
    if (offset != m->slot_at)
        return true;
    size_t copy = m->copy++;
    for (size_t i = 0; i < HF_COUNT(slot_fields); i++) {
        size_t moment = copy == 0   ? m->before
                        : copy == 1 ? m->fields[i]
                        : copy == 2 ? m->after
                                    : store_count; /* another try, later */
        uint64_t value = field_at(offset + slot_fields[i].offset, moment);
        memcpy((uint8_t *)out + slot_fields[i].offset, &value, slot_fields[i].size);
    }
    return true;
}

/* Blocks are told apart by their births, from 201; two in turn have the same address. */
#define ADDRESS_OF(n) (0x1000 + (n) % 2 * 0x1000)

static enum hf_status check_block(
    void *context, const struct hf_live_seen_block *block, struct hf_error *err)
{
    (void)err;
    uint64_t *seen = context;
    uint64_t n = block->birth - 200;
    assert_int_equal(block->address, ADDRESS_OF(n));
    assert_int_equal(block->size, 100 + n);
    assert_int_equal(block->stack, 300 + n);
    assert_int_equal(block->thread, 400 + n);
    *seen += 1;
    return HF_OK;
}

static uint64_t look(struct hf_live_table *table, struct moments m)
{
    struct hf_error err;
    struct hf_live_snapshot snapshot;
    uint64_t seen = 0;
    m.slot_at = table->head->regions[HF_LIVE_BLOCKS].offset;
    struct hf_live_source source = {copy_at_moments, &m, "table"};
    check_ok(
        hf_live_read(&snapshot, source, (struct hf_live_visitor){check_block, &seen}, &err), &err);
    assert_int_equal(snapshot.in_flight, 0);
    hf_live_snapshot_done(&snapshot);
    return seen;
}

/*
 * One slot is used for one block after the other. Whenever the three copies happen, and in
 * whatever order each of them reads its words, a block that is told has fields that belong
 * together. A slot whose words never change meanwhile is always told.
 */
static void test_every_interleaving(void **state)
{
    (void)state;
    struct hf_live_table table;
    struct hf_live_slots slots = {0};
    begin(&table, 1);
    slots = (struct hf_live_slots){.count = 1, .items = {0}};
    table.state->counts[HF_LIVE_BLOCKS] = 1;
    is_recording = true;
    for (uint64_t n = 1; n <= 4; n++) {
        hf_live_put(&table, &slots, ADDRESS_OF(n), 100 + n, (uint32_t)(300 + n),
            (uint32_t)(400 + n), 200 + n);
        if (n < 4)
            hf_live_remove(&table, &slots, 0);
        if (n == 2)
            hf_live_slots_return(&table, &slots); /* its size becomes the writer's own */
    }
    is_recording = false;
    uint64_t told = 0;
    for (size_t before = 0; before <= store_count; before++) {
        for (size_t after = before; after <= store_count; after++) {
            for (size_t field = 0; field < HF_COUNT(slot_fields); field++) {
                for (size_t moment = before; moment <= after; moment++) {
                    struct moments m = {.before = before, .after = after};
                    for (size_t i = 0; i < HF_COUNT(slot_fields); i++)
                        m.fields[i] = i == field ? moment : before;
                    told += look(&table, m);
                }
            }
        }
    }
    assert_true(told > 1000);
}

/* What was allocated for records is the snapshot's, also if the work for them is refused. */
static void test_no_budget_for_records(void **state)
{
    (void)state;
    struct hf_live_table table;
    struct hf_live_snapshot snapshot;
    struct hf_error err;
    struct hf_budget budget = {0};
    begin(&table, 1);
    add_stacks(&table);
    table.state->counts[HF_LIVE_BLOCKS] = 0;
    struct hf_text bytes = {(const char *)memory, sizeof memory};
    budget.steps = hf_budget_steps_allowed(&budget) + 1;
    struct hf_budget_scope scope = hf_budget_enter(&budget);
    assert_int_equal(hf_live_read(&snapshot, hf_live_source_in(&bytes, "in"),
                         (struct hf_live_visitor){NULL, NULL}, &err),
        HF_ERR_LIMIT);
    hf_budget_leave(scope);
    assert_non_null(snapshot.records[HF_LIVE_TEXT]); /* or nobody frees them */
    hf_live_snapshot_done(&snapshot);
}

/* Room is made for the blocks that there are, and counted. */
static void test_memory_for_few_blocks(void **state)
{
    (void)state;
    struct hf_live_table table;
    struct hf_live_snapshot snapshot;
    struct hf_error err;
    struct hf_budget budget = {0};
    begin(&table, 1);
    table.state->counts[HF_LIVE_BLOCKS] = 1; /* an empty slot */
    struct hf_text bytes = {(const char *)memory, sizeof memory};
    struct hf_budget_scope scope = hf_budget_enter(&budget);
    check_ok(hf_live_read(&snapshot, hf_live_source_in(&bytes, "in"),
                 (struct hf_live_visitor){NULL, NULL}, &err),
        &err);
    hf_live_snapshot_done(&snapshot);
    hf_budget_leave(scope);
    assert_true(budget.memory_peak >= 3 * sizeof(struct hf_live_block));
    assert_true(budget.memory_peak < 4096);
}

/* Sums need no names: stacks are read, text, modules and frames are not. */
static void test_totals(void **state)
{
    (void)state;
    struct hf_live_table table;
    struct hf_live_slots slots = {0};
    struct hf_live_snapshot snapshot;
    struct hf_error err;
    uint64_t seen = 0;
    begin(&table, 1);
    add_stacks(&table);
    hf_live_put(&table, &slots, ADDRESS_OF(1), 101, 301, 401, 201);
    struct hf_text bytes = whole_table();
    check_ok(hf_live_read_totals(&snapshot, hf_live_source_in(&bytes, "in"),
                 (struct hf_live_visitor){check_block, &seen}, &err),
        &err);
    assert_int_equal(seen, 1);
    assert_int_equal(snapshot.counts[HF_LIVE_STACKS], 2);
    for (enum hf_live_kind kind = 0; kind < HF_LIVE_KINDS; kind++)
        assert_true((snapshot.records[kind] != NULL) == (kind == HF_LIVE_STACKS));
    hf_live_snapshot_done(&snapshot);
}

/* Of two stacks, in two threads, the blocks that were born until 30. */
static void test_ages(void **state)
{
    (void)state;
    static const struct {
        uint32_t stack, thread;
        uint64_t birth;
    } blocks[] = {{0, 0, 20}, {0, HF_LIVE_NONE, 10}, {0, 0, 30}, {1, 0, 25}, {1, 0, 31}};
    struct hf_live_table table;
    struct hf_live_slots slots = {0};
    struct hf_live_ages ages;
    struct hf_error err;
    struct hf_profile *profile;
    begin(&table, 1);
    add_stacks(&table);
    for (size_t i = 0; i < HF_COUNT(blocks); i++)
        hf_live_put(&table, &slots, 0x1000 * (i + 1), 100, blocks[i].stack, blocks[i].thread,
            blocks[i].birth);
    struct hf_text bytes = {(const char *)memory, sizeof memory};
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_live_profile(hf_live_source_in(&bytes, "in"), 30, 0, profile, &ages, &err), &err);
    assert_int_equal(hf_profile_total(profile, HF_INUSE_OBJECTS, HF_THREAD_ALL).value, 4);
    assert_int_equal(ages.count, 2);
    for (size_t i = 0; i < ages.count; i++) {
        bool is_deep = ages.items[i].first_birth == 10;
        assert_int_equal(ages.items[i].first_birth, is_deep ? 10 : 25);
        assert_int_equal(ages.items[i].last_birth, is_deep ? 30 : 25);
        assert_int_equal(ages.items[i].objects, is_deep ? 3 : 1);
        assert_int_equal(ages.items[i].bytes, is_deep ? 300 : 100);
        assert_int_equal(ages.items[i].samples, 0);
    }
    assert_int_not_equal(ages.items[0].node, ages.items[1].node);
    free(ages.items);
    hf_profile_free(profile);
}

/* Births count from the recording on, or from a later time; what is older is in the first epoch. */
static void test_births_from_a_time(void **state)
{
    (void)state;
    static const struct {
        int64_t from_ms, began_ms;
        size_t last_s;      /* the last block was born so long after `began_ms` */
        double first, last; /* bytes in the first epoch, and in that of the last block */
    } cases[] = {{0, 1000000, 25, 100, 800}, {900000, 1000000, 25, 100, 800},
        {1020000, 1020000, 5, 200, 800}, {1025000, 1025000, 0, 1000, 1000},
        {1030000, 1030000, 0, 1000, 1000}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_live_table table;
        struct hf_live_slots slots = {0};
        struct hf_lifetimes lifetimes = {.to_ms = 1040000,
            .born_from_ms = cases[i].from_ms,
            .wants_births = true,
            .wants_epochs_only = true};
        struct hf_error err;
        struct hf_input input;
        struct hf_profile *profile;
        double sum = 0;
        begin(&table, 1);
        table.head->monotonic_ns = 5 * SECOND;
        table.head->realtime_ns = 1000 * SECOND;
        add_stacks(&table);
        hf_live_put(&table, &slots, 0x1000, 100, 0, 0, 5 * SECOND);
        hf_live_put(&table, &slots, 0x2000, 100, 0, 0, 15 * SECOND);
        hf_live_put(&table, &slots, 0x3000, 800, 0, 0, 30 * SECOND);
        hf_input_open_memory(&input, whole_table(), "in");
        input.lifetimes = &lifetimes;
        check_ok(hf_format_read(&input, &profile, &err), &err);
        assert_true(lifetimes.is_known);
        assert_int_equal(lifetimes.began_ms, cases[i].began_ms);
        assert_int_equal(lifetimes.birth_count, 1);
        const double *epochs = lifetimes.births[0].epochs;
        for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++)
            sum += epochs[e];
        assert_true(sum == 1000);
        assert_true(epochs[0] == cases[i].first);
        assert_true(epochs[cases[i].last_s * SECOND >> lifetimes.epoch_shift] == cases[i].last);
        hf_lifetimes_done(&lifetimes);
        hf_profile_free(profile);
        hf_input_close(&input);
    }
}

static void test_foreign_tables(void **state)
{
    (void)state;
    struct hf_live_table table;
    begin(&table, 1);
    table.head->major = HF_LIVE_MAJOR + 1;
    table.head->minor = 0;
    check_refused(whole_table(), HF_ERR_INPUT,
        "in: the live table has layout 2.0, but this heapflame reads up to 1.x: use the heapflame "
        "that wrote it");
    begin(&table, 1);
    table.head->regions[HF_LIVE_STACKS].capacity = UINT64_MAX / 16;
    check_refused(whole_table(), HF_ERR_INPUT,
        "in: region 5 of the live table is outside of it: its head is damaged");
    begin(&table, 1);
    add_stacks(&table);
    check_refused(hf_text_first(whole_table(), 3 * HF_LIVE_PAGE_BYTES), HF_ERR_INPUT,
        "in: the live table ends before its text");
}

/* Bytes of records of a later minor version that this one does not know are passed over. */
static void test_longer_records(void **state)
{
    (void)state;
    struct hf_live_table table;
    begin(&table, 1);
    add_stacks(&table);
    struct hf_live_region *frames = &table.head->regions[HF_LIVE_FRAMES];
    uint64_t *packed = (uint64_t *)(void *)(memory + frames->offset);
    for (size_t i = 5; i-- != 0;) {
        packed[2 * i] = packed[i];
        packed[2 * i + 1] = UINT64_MAX;
    }
    frames->record_bytes = 16;
    frames->capacity /= 2;
    hf_live_count(&table, 1, HF_LIVE_OBJECT, 77);
    struct hf_profile *profile = read_table();
    check_type(profile, HF_ALLOC_SPACE, "server+0x100;server+0x400 77\n");
    hf_profile_free(profile);
}

/* What two stacks held when most was in use; and a table of before, whose stacks are shorter. */
static void test_peak(void **state)
{
    (void)state;
    struct hf_live_table table;
    size_t type;
    begin(&table, 1);
    table.head->monotonic_ns = 1000000000;
    add_stacks(&table);
    hf_live_use(&table, 0, HF_LIVE_OBJECT, 3000, 2000000000);
    hf_live_use(&table, 1, HF_LIVE_OBJECT, 500, 3500000000);
    hf_live_end_use(&table, 0, HF_LIVE_OBJECT, 3000, 0);
    hf_live_use(&table, 0, HF_LIVE_OBJECT, 70, 4000000000);
    struct hf_profile *profile = read_table();
    assert_true(hf_profile_find_type(profile, HF_TEXT(HF_PEAK_SPACE), &type));
    check_type(profile, type,
        "server+0x100;server+0x200;libx.so+0x300 3000\n"
        "server+0x100;server+0x400 500\n");
    check_type(profile, type - 1,
        "server+0x100;server+0x200;libx.so+0x300 1\n"
        "server+0x100;server+0x400 1\n");
    assert_int_equal(profile->capture.peak_bytes, 3500);
    assert_int_equal(profile->capture.peak_after_ms, 2500);
    hf_profile_free(profile);

    struct hf_live_region *stacks = &table.head->regions[HF_LIVE_STACKS];
    memmove(
        memory + stacks->offset + 32, memory + stacks->offset + sizeof(struct hf_live_stack), 32);
    stacks->record_bytes = 32;
    table.head->minor = 3;
    profile = read_table();
    assert_false(hf_profile_find_type(profile, HF_TEXT(HF_PEAK_SPACE), &type));
    check_type(profile, HF_ALLOC_SPACE,
        "server+0x100;server+0x200;libx.so+0x300 3070\n"
        "server+0x100;server+0x400 500\n");
    hf_profile_free(profile);
}

/* How many samples the estimates at the peak stand on; not known of tables of before. */
static void test_samples_at_the_peak(void **state)
{
    (void)state;
    struct hf_live_table table;
    size_t type;
    begin(&table, 4096);
    add_stacks(&table);
    for (int i = 0; i < 3; i++)
        hf_live_use(&table, 0, HF_LIVE_OBJECT, 5000, 5);
    hf_live_use(&table, 1, HF_LIVE_OBJECT, 5000, 6);
    hf_live_use(&table, 1, HF_LIVE_OBJECT, 5000, 6);
    for (int i = 0; i < 3; i++)
        hf_live_end_use(&table, 0, HF_LIVE_OBJECT, 5000, 0);
    struct hf_profile *profile = read_table();
    assert_true(hf_profile_find_type(profile, HF_TEXT(HF_PEAK_SAMPLES), &type));
    check_type(profile, type,
        "server+0x100;server+0x200;libx.so+0x300 3\n"
        "server+0x100;server+0x400 2\n");
    struct hf_error err;
    check_ok(hf_samples_keep_moment(profile, HF_TEXT("peak"), &err), &err);
    assert_true(hf_profile_find_type(profile, HF_TEXT(HF_INUSE_SAMPLES), &type));
    check_type(profile, type,
        "server+0x100;server+0x200;libx.so+0x300 3\n"
        "server+0x100;server+0x400 2\n");
    hf_profile_free(profile);
    assert_int_equal(hf_live_stack(&table, 0)->samples, 0);
    table.head->minor = 7;
    profile = read_table();
    assert_false(hf_profile_find_type(profile, HF_TEXT(HF_PEAK_SAMPLES), &type));
    hf_profile_free(profile);
}

/* The largest estimate, 16000, was chosen; what the other half said of each half's moment was not:
 * 8000 and 0. So each stack has a quarter of what it held, and of its samples. */
static void test_peak_of_halves(void **state)
{
    (void)state;
    struct hf_live_table table;
    size_t type;
    begin(&table, 4096);
    add_stacks(&table);
    for (int i = 0; i < 6; i++)
        hf_live_use(&table, i % 3 == 0, 2 * HF_LIVE_OBJECT, 2000, 4);
    hf_live_use(&table, 0, 2 * HF_LIVE_OBJECT, 4000, 5);
    for (int i = 0; i < 6; i++)
        hf_live_end_use(&table, i % 3 == 0, 2 * HF_LIVE_OBJECT, 2000, 4);
    hf_live_end_use(&table, 0, 2 * HF_LIVE_OBJECT, 4000, 5);
    hf_live_use(&table, 0, 2 * HF_LIVE_OBJECT, 5000, 5);
    hf_live_end_use(&table, 0, 2 * HF_LIVE_OBJECT, 5000, 5);
    struct hf_profile *profile = read_table();
    assert_int_equal(profile->capture.peak_most_bytes, 16000);
    assert_int_equal(profile->capture.peak_bytes, 4000);
    assert_true(hf_profile_find_type(profile, HF_TEXT(HF_PEAK_SPACE), &type));
    check_type(profile, type,
        "server+0x100;server+0x200;libx.so+0x300 3000\n"
        "server+0x100;server+0x400 1000\n");
    hf_profile_free(profile);
    table.head->minor = 8;
    profile = read_table();
    assert_int_equal(profile->capture.peak_most_bytes, 0);
    assert_int_equal(profile->capture.peak_bytes, 16000);
    hf_profile_free(profile);
}

/* Whatever is in the regions: no crash, and nothing out of bounds (the sanitizers look on). */
static void test_damaged_records(void **state)
{
    (void)state;
    struct hf_live_table table;
    struct hf_live_slots slots = {0};
    static const enum hf_live_kind kinds[] = {HF_LIVE_MODULES, HF_LIVE_SEGMENTS, HF_LIVE_THREADS,
        HF_LIVE_FRAMES, HF_LIVE_STACKS, HF_LIVE_FREES, HF_LIVE_BLOCKS};
    for (size_t k = 0; k < HF_COUNT(kinds); k++) {
        begin(&table, 1);
        add_stacks(&table);
        slots.count = 0;
        hf_live_count_free(&table, 0, 1);
        hf_live_put(&table, &slots, 0x1000, 1, 0, 0, 0);
        const struct hf_live_region *region = &table.head->regions[kinds[k]];
        for (size_t byte = 0; byte < 2 * region->record_bytes; byte++) {
            memory[region->offset + byte] ^= 0xff;
            hf_profile_free(read_table());
            memory[region->offset + byte] ^= 0xff;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profile_of_a_table),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_full_table),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_every_interleaving),
        cmocka_unit_test(test_no_budget_for_records),
        cmocka_unit_test(test_memory_for_few_blocks),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_ages),
        cmocka_unit_test(test_births_from_a_time),
        cmocka_unit_test(test_foreign_tables),
        cmocka_unit_test(test_longer_records),
        cmocka_unit_test(test_peak),
        cmocka_unit_test(test_samples_at_the_peak),
        cmocka_unit_test(test_peak_of_halves),
        cmocka_unit_test(test_damaged_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
