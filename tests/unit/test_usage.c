/*
 * What is in use by stack, and at the peak: random events against a model that copies all stacks
 * whenever more is in use than ever.
 */
#include "check.h"

#include "live/usage.h"
#include "profile/interval.h"

#include <sys/mman.h>

#define STACKS 20
#define BLOCKS 400

static _Alignas(HF_LIVE_PAGE_BYTES) uint8_t memory[HF_LIVE_TABLE_MIN];

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

static void begin(struct hf_live_table *table)
{
    struct hf_live_head head = {.magic = HF_LIVE_MAGIC, .major = HF_LIVE_MAJOR, .period_bytes = 2};
    memset(memory, 0, sizeof memory);
    hf_live_plan(&head, sizeof memory);
    assert_true(hf_live_begin(table, memory, &head, commit));
    for (uint64_t i = 0; i < STACKS; i++)
        assert_int_equal(hf_live_add_stack(table, &i, 1, 0), i);
}

/* What a reader finds that a stack held at the crest. */
static uint64_t at_crest(struct hf_live_table *table, uint32_t stack, bool of_objects)
{
    const struct hf_live_stack *of = hf_live_stack(table, stack);
    bool is_copy = of->crest == table->state->usage.crest;
    if (of_objects)
        return (is_copy ? of->crest_objects : of->objects - of->freed_objects) / HF_LIVE_OBJECT;
    return is_copy ? of->crest_bytes : of->bytes - of->freed_bytes;
}

static uint32_t samples_at_crest(struct hf_live_table *table, uint32_t stack)
{
    const struct hf_live_stack *of = hf_live_stack(table, stack);
    return of->crest == table->state->usage.crest ? of->crest_samples : of->samples;
}

struct model {
    uint64_t in_use, peak, peak_ns, next, crest;
    uint64_t held[STACKS], objects[STACKS], then[STACKS], then_objects[STACKS];
};

static void model_use(struct model *m, uint32_t stack, uint64_t size, uint64_t now)
{
    m->held[stack] += size;
    m->objects[stack]++;
    m->in_use += size;
    if (m->in_use <= m->peak)
        return;
    m->peak = m->in_use;
    m->peak_ns = now;
    if (m->peak < m->next)
        return;
    m->next = m->peak + m->peak / HF_LIVE_CREST_STEP + 1;
    m->crest = m->peak;
    memcpy(m->then, m->held, sizeof m->then);
    memcpy(m->then_objects, m->objects, sizeof m->then_objects);
}

static void check_model(struct hf_live_table *table, const struct model *m)
{
    const struct hf_live_usage *usage = &table->state->usage;
    uint64_t sum = 0;
    assert_int_equal(usage->bytes, m->in_use);
    assert_int_equal(usage->peak_bytes, m->peak);
    assert_int_equal(usage->peak_ns, m->peak_ns);
    assert_int_equal(usage->crest_bytes, m->crest);
    for (uint32_t i = 0; i < STACKS; i++) {
        assert_int_equal(at_crest(table, i, false), m->then[i]);
        assert_int_equal(at_crest(table, i, true), m->then_objects[i]);
        assert_int_equal(samples_at_crest(table, i), m->then_objects[i]);
        assert_int_equal(hf_live_stack(table, i)->samples, m->objects[i]);
        sum += at_crest(table, i, false);
    }
    assert_int_equal(sum, m->crest);
    assert_true(sum * 1000 >= m->peak * 992);
}

static void test_random_events(void **state)
{
    (void)state;
    static struct {
        uint32_t stack;
        uint64_t size;
    } blocks[BLOCKS];
    struct hf_live_table table;
    struct model m = {0};
    uint64_t random = 1;
    begin(&table);
    for (uint64_t now = 1; now < 40000; now++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t i = (random >> 33) % (now % 4000 < 2000 ? BLOCKS : BLOCKS / 8);
        if (blocks[i].size != 0) {
            hf_live_end_use(&table, blocks[i].stack, HF_LIVE_OBJECT, blocks[i].size, 0);
            m.held[blocks[i].stack] -= blocks[i].size;
            m.objects[blocks[i].stack]--;
            m.in_use -= blocks[i].size;
            blocks[i].size = 0;
        } else {
            blocks[i].stack = (uint32_t)(random >> 40) % STACKS;
            blocks[i].size = 1 + (random >> 50) % (now / 8 + 10);
            hf_live_use(&table, blocks[i].stack, HF_LIVE_OBJECT, blocks[i].size, now);
            model_use(&m, blocks[i].stack, blocks[i].size, now);
        }
        if (now % 7 == 0)
            check_model(&table, &m);
    }
}

/* A peak that nobody looked at is there afterwards, and nothing is in use any more. */
static void test_short_peak(void **state)
{
    (void)state;
    struct hf_live_table table;
    begin(&table);
    hf_live_use(&table, 0, HF_LIVE_OBJECT, 1000, 5);
    hf_live_use(&table, 1, HF_LIVE_OBJECT, 1000000, 6);
    hf_live_end_use(&table, 1, HF_LIVE_OBJECT, 1000000, 0);
    hf_live_end_use(&table, 0, HF_LIVE_OBJECT, 1000, 0);
    const struct hf_live_usage *usage = &table.state->usage;
    assert_int_equal(usage->bytes, 0);
    assert_int_equal(usage->peak_bytes, 1001000);
    assert_int_equal(usage->peak_ns, 6);
    assert_int_equal(at_crest(&table, 0, false), 1000);
    assert_int_equal(at_crest(&table, 1, false), 1000000);
    assert_int_equal(at_crest(&table, 2, false), 0);
}

/* Who was killed in the middle of a copy has changed nothing yet: what is in use is what was. */
static void test_copy_cut_short(void **state)
{
    (void)state;
    struct hf_live_table table;
    begin(&table);
    hf_live_use(&table, 0, HF_LIVE_OBJECT, 1000, 5);
    struct hf_live_stack *of = hf_live_stack(&table, 0);
    of->crest = table.state->usage.crest | HF_LIVE_CRESTING;
    of->crest_bytes = 77;
    assert_int_equal(at_crest(&table, 0, false), 1000);
    hf_live_use(&table, 1, HF_LIVE_OBJECT, 500, 6); /* another crest, and the next copy is whole */
    hf_live_end_use(&table, 0, HF_LIVE_OBJECT, 1000, 0);
    assert_int_equal(at_crest(&table, 0, false), 1000);
}

/* 20,000 blocks of 2000 bytes, of which 200,000 times another is freed and allocated again, as they
 * are sampled every 512 KiB on average. */
#define PLACES 20000
#define WEIGHT_OBJECTS UINT64_C(262)
#define WEIGHT_BYTES (WEIGHT_OBJECTS * 2000)
#define IN_USE (PLACES * UINT64_C(2000))

static uint64_t churned;

static uint64_t churn_random(void)
{
    churned = churned * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return churned >> 33;
}

static void sample_place(struct hf_live_table *table, uint8_t *births, size_t place)
{
    if (births[place] != 0)
        hf_live_end_use(table, 0, WEIGHT_OBJECTS * HF_LIVE_OBJECT, WEIGHT_BYTES, births[place]);
    births[place] = 0;
    if (churn_random() % WEIGHT_OBJECTS != 0)
        return;
    births[place] = (uint8_t)(2 + churn_random() % 2);
    hf_live_use(table, 0, WEIGHT_OBJECTS * HF_LIVE_OBJECT, WEIGHT_BYTES, births[place]);
}

static const struct hf_live_usage *churn(struct hf_live_table *table, uint64_t seed, size_t times)
{
    static uint8_t births[PLACES];
    churned = seed;
    begin(table);
    memset(births, 0, sizeof births);
    for (size_t i = 0; i < PLACES; i++)
        sample_place(table, births, i);
    for (size_t i = 0; i < times; i++)
        sample_place(table, births, churn_random() % PLACES);
    for (size_t i = 0; i < PLACES; i++) {
        if (births[i] != 0)
            hf_live_end_use(table, 0, WEIGHT_OBJECTS * HF_LIVE_OBJECT, WEIGHT_BYTES, births[i]);
    }
    assert_int_equal(table->state->usage.bytes, 0);
    assert_int_equal(table->state->usage.half_bytes[0], 0);
    assert_int_equal(table->state->usage.half_bytes[1], 0);
    return &table->state->usage;
}

/* The largest of many estimates is a quarter too large, and one by the halves is not: 93 % of the
 * intervals hold what was in use. */
static void test_peak_of_churn(void **state)
{
    (void)state;
    static struct hf_live_table table;
    enum { RUNS = 100 };
    double sum = 0, sum_most = 0;
    int held = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        const struct hf_live_usage *usage = churn(&table, run, 200000);
        uint64_t peak = hf_usage_peak(usage), most = usage->peak_bytes;
        struct hf_interval interval = hf_interval_of_peak(peak, peak / WEIGHT_BYTES, peak, most);
        held += interval.low <= IN_USE && IN_USE <= interval.high;
        sum += (double)peak / RUNS;
        sum_most += (double)most / RUNS;
    }
    assert_true(sum_most > 1.2 * (double)IN_USE);
    assert_true(sum > 0.95 * (double)IN_USE && sum < 1.05 * (double)IN_USE);
    assert_true(held >= 93);
}

/* A peak that is none of many is what all samples say; so is one that is now. */
static void test_peak_of_samples(void **state)
{
    (void)state;
    static struct hf_live_table table;
    for (uint64_t run = 0; run < 20; run++) {
        const struct hf_live_usage *usage = churn(&table, run, 0);
        assert_int_equal(hf_usage_peak(usage), usage->peak_bytes);
        hf_live_use(&table, 0, HF_LIVE_OBJECT, 2 * IN_USE, run);
        assert_int_equal(hf_usage_peak(usage), 2 * IN_USE);
    }
}

/* What stands for itself alone counts in both halves: the larger of two blocks is the peak. */
static void test_sure_samples(void **state)
{
    (void)state;
    struct hf_live_table table;
    begin(&table);
    for (uint64_t at = 0; at < 8; at++) {
        hf_live_use(&table, 0, HF_LIVE_OBJECT, 1000 + at % 3, at);
        hf_live_end_use(&table, 0, HF_LIVE_OBJECT, 1000 + at % 3, at);
    }
    assert_int_equal(hf_usage_peak(&table.state->usage), 1002);
    /* Of less sure ones the halves may have seen nothing at the other's moment. */
    hf_live_use(&table, 0, 4 * HF_LIVE_OBJECT, 8000, 1);
    hf_live_end_use(&table, 0, 4 * HF_LIVE_OBJECT, 8000, 1);
    hf_live_use(&table, 0, 4 * HF_LIVE_OBJECT, 7000, 0);
    hf_live_end_use(&table, 0, 4 * HF_LIVE_OBJECT, 7000, 0);
    assert_int_equal(table.state->usage.peak_bytes, 8000);
    assert_int_equal(hf_usage_peak(&table.state->usage), 1000);
}

/* What was in use at the ends of spans, which become longer; nothing happens in some of them. */
static void test_curve(void **state)
{
    (void)state;
    struct hf_live_table table;
    static uint64_t in_use[200000], allocated[200000]; /* at the end of each ms */
    uint64_t held = 0, ever = 0, random = 7;
    const uint64_t ms_ns = 1000000;
    begin(&table);
    table.head->monotonic_ns = 5;
    for (uint64_t ms = 0; ms < HF_COUNT(in_use); ms++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        bool is_quiet = ms / 5000 % 3 == 1;
        if (!is_quiet && held > 100000 && random >> 63 != 0) {
            hf_live_end_use(&table, 0, HF_LIVE_OBJECT, 100, 0);
            held -= 100;
        } else if (!is_quiet) {
            hf_live_use(&table, 0, HF_LIVE_OBJECT, 1000, 5 + ms * ms_ns);
            held += 1000;
            ever += 1000;
        }
        in_use[ms] = held;
        allocated[ms] = ever;
    }
    const struct hf_live_curve *curve = &table.state->curve;
    assert_int_equal(curve->shift, 32);
    assert_int_equal(table.state->usage.allocated_bytes, ever);
    assert_int_equal(curve->count, HF_COUNT(in_use) * ms_ns >> 32);
    for (uint32_t i = 0; i < curve->count; i++) {
        uint64_t ms = (((uint64_t)i + 1) << curve->shift) / ms_ns;
        uint64_t at = curve->points[i].in_use_bytes;
        assert_int_equal(curve->points[i].allocated_bytes, allocated[ms]);
        assert_true(at <= in_use[ms] && at + 2000 >= in_use[ms]);
    }
}

/* While a point is noted, nobody else notes one; the time may stand before the start. */
static void test_curve_is_of_one(void **state)
{
    (void)state;
    struct hf_live_table table;
    begin(&table);
    table.head->monotonic_ns = 1000;
    hf_live_use(&table, 0, HF_LIVE_OBJECT, 10, 5);
    assert_int_equal(table.state->curve.count, 0);
    assert_int_equal(table.state->usage.curve_due_ns, 1000 + (1u << HF_LIVE_CURVE_SHIFT));
    table.state->usage.curve_due_ns = UINT64_MAX;
    hf_live_use(&table, 0, HF_LIVE_OBJECT, 10, UINT64_C(1) << 40);
    assert_int_equal(table.state->curve.count, 0);
    table.state->usage.curve_due_ns = 0;
    hf_live_use(&table, 0, HF_LIVE_OBJECT, 10, UINT64_C(1) << 62);
    assert_int_equal(table.state->curve.shift, 56);
    assert_int_equal(table.state->curve.count, 63);
    assert_int_equal(table.state->curve.points[62].in_use_bytes, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_events),
        cmocka_unit_test(test_short_peak),
        cmocka_unit_test(test_copy_cut_short),
        cmocka_unit_test(test_peak_of_churn),
        cmocka_unit_test(test_peak_of_samples),
        cmocka_unit_test(test_sure_samples),
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_curve_is_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
