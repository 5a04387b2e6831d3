/* The mappings of a process, against a model that has a stack for each page. */
#include "check.h"

#include "../../agent/mappings.h"
#include "live/reader.h"

#include <sys/mman.h>

#define PAGE HF_LIVE_PAGE_BYTES
#define PAGES 256u
#define FROM (UINT64_C(0x7f0000000000))
#define TABLE_BYTES HF_LIVE_TABLE_MIN

static struct hf_live_table table;
static struct hf_mappings mappings;
static uint32_t model[PAGES]; /* 1 + stack; 0: nobody's */

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

static int begin(void **state)
{
    (void)state;
    struct hf_live_head head = {
        .magic = HF_LIVE_MAGIC, .major = HF_LIVE_MAJOR, .minor = HF_LIVE_MINOR, .period_bytes = 1};
    hf_live_plan(&head, TABLE_BYTES);
    void *memory =
        mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || !hf_live_begin(&table, memory, &head, commit))
        return 1;
    hf_mappings_begin(&mappings, &table);
    memset(model, 0, sizeof model);
    return mappings.order == NULL;
}

static int end(void **state)
{
    (void)state;
    hf_mappings_forget(&mappings);
    return munmap(table.head, TABLE_BYTES);
}

static void map(uint32_t page, uint32_t pages, uint32_t stack)
{
    const struct hf_live_mapped mapped = {.start = FROM + page * PAGE,
        .end = FROM + (page + pages) * PAGE,
        .stack = stack,
        .birth = 7};
    hf_mappings_add(&mappings, &table, &mapped);
    for (uint32_t i = page; i < page + pages; i++)
        model[i] = 1 + stack;
}

static void unmap(uint32_t page, uint32_t pages, struct hf_mappings_taken *taken)
{
    hf_mappings_take(&mappings, &table, FROM + page * PAGE, FROM + (page + pages) * PAGE, taken);
    for (uint32_t i = page; i < page + pages; i++)
        model[i] = 0;
}

struct seen {
    uint32_t pages[PAGES];
    size_t records;
};

static enum hf_status see(
    void *context, const struct hf_live_seen_block *block, struct hf_error *err)
{
    (void)err;
    struct seen *seen = context;
    seen->records++;
    for (uint64_t at = block->address; at < block->address + block->size; at += PAGE) {
        uint32_t page = (uint32_t)((at - FROM) / PAGE);
        assert_true(page < PAGES && seen->pages[page] == 0);
        seen->pages[page] = 1 + block->stack;
    }
    return HF_OK;
}

/* What a reader sees is the model; returns in how many records. */
static size_t check_model(void)
{
    struct seen seen = {0};
    struct hf_error err;
    struct hf_text bytes = {(const char *)table.head, TABLE_BYTES};
    assert_int_equal(hf_live_read_slots(hf_live_source_in(&bytes, "table"), HF_LIVE_MAPPINGS,
                         (struct hf_live_visitor){see, &seen}, &err),
        HF_OK);
    for (uint32_t i = 0; i < PAGES; i++)
        assert_int_equal(seen.pages[i], model[i]);
    assert_int_equal(seen.records, mappings.count);
    return seen.records;
}

static void what_follows_is_one(void **state)
{
    (void)state;
    map(10, 5, 1);
    map(20, 5, 1);
    map(15, 5, 1); /* joins what is before it */
    assert_int_equal(check_model(), 2);
    map(5, 5, 1);
    map(30, 2, 2);
    assert_int_equal(check_model(), 3);
}

static void cut_and_split(void **state)
{
    (void)state;
    map(0, 100, 1);
    unmap(40, 10, NULL);
    assert_int_equal(check_model(), 2);
    map(20, 5, 2);
    assert_int_equal(check_model(), 4);
    map(0, 100, 3);
    assert_int_equal(check_model(), 1);
    unmap(0, PAGES, NULL);
    assert_int_equal(check_model(), 0);
}

/* As after an munmap that failed. */
static void put_back(void **state)
{
    (void)state;
    struct hf_mappings_taken taken;
    map(0, 10, 1);
    map(10, 10, 2);
    map(30, 10, 3);
    unmap(5, 30, &taken);
    assert_int_equal(taken.count, 3);
    assert_int_equal(check_model(), 2);
    for (uint32_t i = 0; i < taken.count; i++)
        map((uint32_t)((taken.pieces[i].start - FROM) / PAGE),
            (uint32_t)((taken.pieces[i].end - taken.pieces[i].start) / PAGE),
            taken.pieces[i].stack);
    assert_int_equal(model[9], 2);
    assert_int_equal(model[34], 4);
    assert_int_equal(model[25], 0);
    (void)check_model();
}

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 42;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static void random_changes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t page = draw(PAGES - 1), pages = 1 + draw(draw(4) == 0 ? PAGES - page : 4);
        if (pages > PAGES - page)
            pages = PAGES - page;
        if (draw(3) != 0)
            map(page, pages, draw(3));
        else
            unmap(page, pages, NULL);
        if (i % 16 == 0)
            (void)check_model();
        if (i % 1000 == 0) { /* somebody jumped out of a change */
            mappings.is_changing = true;
            for (uint32_t slot = 0; slot < mappings.slots / 2; slot++)
                mappings.order[slot] = mappings.order[mappings.slots - 1 - slot];
        }
    }
    assert_int_equal(table.state->lost_mappings, 0);
}

static void full(void **state)
{
    (void)state;
    uint64_t capacity = hf_live_region(table.head, HF_LIVE_MAPPINGS)->capacity;
    for (uint32_t i = 0; i < capacity + 10; i++) {
        const struct hf_live_mapped mapped = {
            .start = FROM + 2 * i * PAGE, .end = FROM + (2 * i + 1) * PAGE};
        hf_mappings_add(&mappings, &table, &mapped);
    }
    assert_int_equal(mappings.count, capacity);
    assert_int_equal(table.state->lost_mappings, 10);
    /* A cut in the middle has no room for what is behind it. */
    hf_mappings_take(&mappings, &table, FROM, FROM + PAGE, NULL);
    assert_int_equal(mappings.count, capacity - 1);
    const struct hf_live_mapped again = {.start = FROM, .end = FROM + PAGE};
    hf_mappings_add(&mappings, &table, &again);
    assert_int_equal(mappings.count, capacity);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_follows_is_one, begin, end),
        cmocka_unit_test_setup_teardown(cut_and_split, begin, end),
        cmocka_unit_test_setup_teardown(put_back, begin, end),
        cmocka_unit_test_setup_teardown(random_changes, begin, end),
        cmocka_unit_test_setup_teardown(full, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
