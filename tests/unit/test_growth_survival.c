/* What a growth makes of the births that a history has of its places: survivors, and when their
 * births say nothing. */
#include "analysis/growth/growth_cohorts.h"
#include "stacks.h"

#include <math.h>

#define LOOKS 16
#define LOOK_MS 4000
#define SHIFT 30 /* an epoch is 1.07 s */
#define EPOCH_MS 1073.741824
#define NOBODY UINT32_MAX

static struct hf_growth growth;
static struct hf_history history;
static double values[2][LOOKS], objects[2][LOOKS];

/* Blocks of 64 bytes that were born in an epoch and are in use at a look, for a node. */
static void add_blocks(
    struct hf_profile *profile, uint32_t node, size_t look, size_t epoch, uint64_t count)
{
    struct hf_error err;
    const uint64_t row[HF_HISTORY_VALUES] = {[HF_HISTORY_SPACE] = count * 64,
        [HF_HISTORY_OBJECTS] = count * 64 * 64 / HF_HISTORY_SQUARES};
    uint32_t thread = (uint32_t)(HF_HISTORY_COHORTS + look * HF_LIFETIMES_EPOCHS + epoch);
    check_ok(hf_profile_add_sample(profile, node, thread, row, &err), &err);
    check_ok(hf_profile_add_sample(profile, node, (uint32_t)look, row, &err), &err);
}

/* A place whose blocks stay for so many epochs, of which 100 are born in each. */
static void add_place(struct hf_profile *profile, size_t place, const char *stack, size_t stay)
{
    uint32_t node = stacks_node(profile, stack);
    for (size_t look = 0; look < LOOKS; look++) {
        size_t now = (size_t)((double)(look + 1) * LOOK_MS / EPOCH_MS);
        uint64_t count = 0;
        for (size_t epoch = now > stay ? now - stay : 0; epoch < now; epoch++, count += 100)
            add_blocks(profile, node, look, epoch, 100);
        values[place][look] = (double)count * 64;
        objects[place][look] = (double)count;
    }
}

/* A leak and a pool that is renewed, as places 0 and 1. The caller frees it. */
static struct hf_profile *begin(uint32_t *owners, size_t owner_count)
{
    static const char *const types[] = {"value", "objects", "space", "allocated"};
    struct hf_error err;
    struct hf_profile *profile;
    check_ok(hf_profile_new(&profile, &err), &err);
    for (size_t i = 0; i < HF_COUNT(types); i++)
        check_ok(hf_profile_add_type(profile, types[i], "bytes", &err), &err);
    add_place(profile, 0, "main;leak", SIZE_MAX);
    add_place(profile, 1, "main;pool", 2);
    for (size_t i = 0; i < owner_count; i++)
        owners[i] = NOBODY;
    owners[stacks_node(profile, "main;leak")] = 0;
    owners[stacks_node(profile, "main;pool")] = 1;
    history = (struct hf_history){.count = LOOKS, .epoch_shift = SHIFT};
    growth.point_count = LOOKS;
    growth.count = 2;
    growth.is_in_use = growth.is_bytes = true;
    growth.history = &history;
    growth.folded = profile;
    for (size_t i = 0; i < LOOKS; i++)
        history.points[i].look_ms = (int64_t)(i + 1) * LOOK_MS;
    for (size_t i = 0; i < 2; i++)
        growth.places[i] = (struct hf_growth_place){.values = values[i], .objects = objects[i]};
    static double whole_values[LOOKS], whole_objects[LOOKS];
    for (size_t i = 0; i < LOOKS; i++) {
        whole_values[i] = values[0][i] + values[1][i];
        whole_objects[i] = objects[0][i] + objects[1][i];
    }
    growth.whole = (struct hf_growth_place){.values = whole_values, .objects = whole_objects};
    return profile;
}

static void measure(const uint32_t *owners)
{
    struct hf_error err;
    check_ok(hf_growth_measure_survival(&growth, owners, &err), &err);
}

static void tells_what_stays_from_what_is_renewed(void **state)
{
    (void)state;
    uint32_t owners[8];
    struct hf_profile *profile = begin(owners, HF_COUNT(owners));
    measure(owners);
    const struct hf_survival *leak = &growth.places[0].survival;
    assert_int_equal(leak->kind, HF_SURVIVAL_LEAK);
    assert_int_equal(growth.places[1].survival.kind, HF_SURVIVAL_RENEWED);
    assert_false(growth.places[1].survival.moves);
    assert_int_equal(growth.whole.survival.kind, HF_SURVIVAL_LEAK);
    /* 100 blocks of 64 bytes an epoch, and no more than a sample of them can be lost */
    double rate = 100 * 64 / EPOCH_MS * 1000;
    assert_true(leak->rate_low < rate && rate < leak->rate_high);
    assert_true(fabs(leak->rate - rate) < rate / 100);
    assert_true(leak->lost < 0.1);
    hf_profile_free(profile);
}

/* A place of which 180 blocks an epoch came in the first half of the time, and then `late`; nothing
 * else. */
static struct hf_profile *begin_uneven(uint32_t *owners, size_t owner_count, uint64_t late)
{
    struct hf_profile *profile = begin(owners, owner_count);
    uint32_t node = stacks_node(profile, "main;leak");
    for (size_t i = 0; i < profile->sample_count; i++)
        memset(hf_profile_values(profile, i), 0, HF_HISTORY_VALUES * sizeof(uint64_t));
    for (size_t look = 0; look < LOOKS; look++) {
        size_t now = (size_t)((double)(look + 1) * LOOK_MS / EPOCH_MS);
        uint64_t count = 0;
        for (size_t epoch = 0; epoch < now; epoch++) {
            uint64_t born = (double)epoch * EPOCH_MS < 32000 ? 180 : late;
            add_blocks(profile, node, look, epoch, born);
            count += born;
        }
        values[0][look] = (double)count * 64;
        objects[0][look] = (double)count;
    }
    return profile;
}

/* Blocks that stay come ever fewer by time, and evenly by the load that brings them. */
static void follows_the_load(void **state)
{
    uint32_t owners[8];
    double times_s[] = {0, 32, 64}, sums[] = {0, 900, 1000};
    const struct hf_load_clock clock = {.times_s = times_s, .sums = sums, .count = 3};
    (void)state;
    struct hf_profile *profile = begin_uneven(owners, HF_COUNT(owners), 20);
    measure(owners);
    assert_int_equal(growth.places[0].survival.kind, HF_SURVIVAL_ENDED);
    hf_profile_free(profile);
    profile = begin_uneven(owners, HF_COUNT(owners), 20);
    growth.load = hf_load_window_of(&clock, 0, 64);
    measure(owners);
    growth.load = (struct hf_load_window){.clock = NULL};
    const struct hf_survival *leak = &growth.places[0].survival;
    assert_int_equal(leak->kind, HF_SURVIVAL_LEAK);
    double rate = (180 + 20) / 2 * 64 / EPOCH_MS * 1000; /* at the mean load */
    assert_true(fabs(leak->rate - rate) < rate / 20);
    hf_profile_free(profile);
}

/* A third as many later, by time; evenly by what the place allocates, of which a quarter stays. */
static void follows_what_is_allocated(void **state)
{
    uint32_t owners[8];
    double allocated[LOOKS];
    (void)state;
    for (size_t times = 1; times <= 4; times += 3) {
        struct hf_profile *profile = begin_uneven(owners, HF_COUNT(owners), 60);
        for (size_t i = 0; i < LOOKS; i++) {
            growth.clock_s[i] = (double)(i + 1) * LOOK_MS / 1000;
            allocated[i] = (double)times * values[0][i];
        }
        growth.places[0].allocated = allocated;
        measure(owners);
        assert_int_equal(
            growth.places[0].survival.kind, times == 4 ? HF_SURVIVAL_LEAK : HF_SURVIVAL_UNDECIDED);
        hf_profile_free(profile);
    }
}

/* Blocks that grow instead of becoming more: each dies when it moves. */
static void what_grows_by_size_moves(void **state)
{
    static const struct {
        double bytes, objects; /* at the end, times what they are at the start */
        bool moves;
    } rows[] = {{1, 1, false}, {1.4, 1, false}, {1.6, 1, true}, {2, 2, false}, {1, 0.6, true}};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        uint32_t owners[8];
        struct hf_profile *profile = begin(owners, HF_COUNT(owners));
        /* The last quarter counts against the first: in each, what is next to the middle has all.
         */
        for (size_t k = 0; k < LOOKS; k++) {
            size_t early = LOOKS / 4 - 1, late = LOOKS - LOOKS / 4;
            bool is_between = k > early && k < late;
            values[1][k] = k == late ? 6400 * rows[i].bytes : k == early ? 6400 : is_between;
            objects[1][k] = k == late    ? 100 * rows[i].objects
                            : k == early ? 100
                            : is_between ? 1e9
                                         : 0;
        }
        measure(owners);
        const struct hf_survival *survival = &growth.places[1].survival;
        assert_int_equal(survival->moves, rows[i].moves);
        assert_int_equal(survival->kind, rows[i].moves ? HF_SURVIVAL_UNKNOWN : HF_SURVIVAL_RENEWED);
        hf_profile_free(profile);
    }
}

/* Seven tenths of what a place holds must have births. */
static void births_of_a_part_say_nothing(void **state)
{
    (void)state;
    uint32_t owners[8];
    struct hf_profile *profile = begin(owners, HF_COUNT(owners));
    double born = values[0][LOOKS - 1];
    values[0][LOOKS - 1] = born / 0.71;
    measure(owners);
    assert_int_equal(growth.places[0].survival.kind, HF_SURVIVAL_LEAK);
    values[0][LOOKS - 1] = born / 0.69;
    measure(owners);
    assert_int_equal(growth.places[0].survival.kind, HF_SURVIVAL_UNKNOWN);
    assert_false(growth.places[0].survival.moves);
    hf_profile_free(profile);
}

static void without_births_nothing_is_known(void **state)
{
    (void)state;
    uint32_t owners[8];
    struct hf_profile *profile = begin(owners, HF_COUNT(owners));
    history.epoch_shift = 0;
    measure(owners);
    assert_int_equal(growth.places[0].survival.kind, HF_SURVIVAL_UNKNOWN);
    history.epoch_shift = SHIFT;
    growth.is_in_use = false; /* what was allocated has no survivors */
    measure(owners);
    assert_int_equal(growth.places[0].survival.kind, HF_SURVIVAL_UNKNOWN);
    growth.is_in_use = true;
    for (size_t i = 0; i < HF_COUNT(owners); i++) /* nobody's: only the whole has them */
        owners[i] = NOBODY;
    measure(owners);
    assert_int_equal(growth.places[0].survival.kind, HF_SURVIVAL_UNKNOWN);
    assert_int_equal(growth.whole.survival.kind, HF_SURVIVAL_LEAK);
    hf_profile_free(profile);
}

/* Points that have no look are left out; at least eight looks must remain. */
static void points_without_a_look_are_left_out(void **state)
{
    (void)state;
    uint32_t owners[8];
    struct hf_profile *profile = begin(owners, HF_COUNT(owners));
    for (size_t i = 0; i < LOOKS - HF_SURVIVAL_LOOKS_MIN; i++)
        history.points[i].look_ms = -1;
    measure(owners);
    assert_int_equal(growth.places[0].survival.kind, HF_SURVIVAL_LEAK);
    assert_int_equal(growth.places[1].survival.kind, HF_SURVIVAL_RENEWED);
    history.points[LOOKS - HF_SURVIVAL_LOOKS_MIN].look_ms = -1;
    measure(owners);
    assert_int_equal(growth.places[0].survival.kind, HF_SURVIVAL_UNKNOWN);
    hf_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_stays_from_what_is_renewed),
        cmocka_unit_test(follows_the_load),
        cmocka_unit_test(follows_what_is_allocated),
        cmocka_unit_test(what_grows_by_size_moves),
        cmocka_unit_test(births_of_a_part_say_nothing),
        cmocka_unit_test(without_births_nothing_is_known),
        cmocka_unit_test(points_without_a_look_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
