/* Classes of blocks: epochs that become longer, what a sum of two profiles has, what is left out.
 */
#include "check.h"

#include "formats/heap/live_classes.h"
#include "profile/lifetimes.h"
#include "profile/merge.h"
#include "profile/samples.h"

#define SECOND UINT64_C(1000000000)

static struct hf_profile *profile_of(uint64_t began_ms, uint32_t shift)
{
    struct hf_profile *profile;
    const uint64_t values[HF_VALUE_TYPES_MAX] = {1, 10, 4, 40};
    uint32_t thread;
    assert_int_equal(HF_OK, hf_profile_new(&profile, NULL));
    assert_int_equal(HF_OK, hf_profile_add_heap_types(profile, NULL));
    profile->capture.began_ms = began_ms;
    profile->capture.epoch_shift = shift;
    profile->capture.has_classes = true;
    assert_true(hf_lifetimes_have_room(profile));
    assert_int_equal(HF_OK, hf_lifetimes_add_class(profile, HF_STACK_ROOT, HF_CLASS_AGE, 3,
                                (const uint64_t[]){3, 30}, NULL));
    assert_int_equal(HF_OK, hf_profile_thread(profile, 7, HF_TEXT("worker"), &thread, NULL));
    assert_int_equal(HF_OK, hf_lifetimes_add_class(profile, HF_STACK_ROOT, HF_CLASS_BIRTH, 31,
                                (const uint64_t[]){40, 10}, NULL));
    assert_int_equal(
        HF_OK, hf_profile_add_sample(profile, HF_STACK_ROOT, HF_THREAD_ALL, values, NULL));
    assert_int_equal(HF_OK, hf_profile_add_sample(profile, HF_STACK_ROOT, thread, values, NULL));
    return profile;
}

/* What a class has in the first of its two columns; UINT64_MAX: it is not there. */
static uint64_t value_of(
    const struct hf_profile *profile, enum hf_lifetimes_class kind, size_t index)
{
    uint32_t thread;
    if (!hf_lifetimes_find_class(profile, kind, index, &thread))
        return UINT64_MAX;
    return hf_profile_total(profile, hf_lifetimes_column(kind, false), thread).value;
}

static void expect_threads(const struct hf_profile *profile, uint64_t inuse_bytes)
{
    uint32_t thread = *(const uint32_t *)hf_map_find(&profile->thread_index, 7);
    assert_int_equal(hf_profile_total(profile, HF_INUSE_SPACE, HF_THREAD_ALL).value, inuse_bytes);
    assert_int_equal(hf_profile_total(profile, HF_INUSE_SPACE, thread).value, inuse_bytes);
}

static void test_what_adds_up(void **state)
{
    (void)state;
    static const struct {
        uint64_t began_ms;
        uint32_t shift;
        bool has_classes;
        uint64_t age, birth;
    } cases[] = {{5, 28, true, 6, 80}, {6, 28, true, 6, UINT64_MAX}, {5, 29, true, 6, UINT64_MAX},
        {5, 28, false, UINT64_MAX, UINT64_MAX}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_profile *a = profile_of(5, 28);
        struct hf_profile *b = profile_of(cases[i].began_ms, cases[i].shift);
        if (!cases[i].has_classes)
            assert_int_equal(HF_OK, hf_lifetimes_drop(b, false, NULL));
        assert_int_equal(HF_OK, hf_profile_merge(a, b, NULL));
        assert_int_equal(value_of(a, HF_CLASS_AGE, 3), cases[i].age);
        assert_int_equal(value_of(a, HF_CLASS_BIRTH, 31), cases[i].birth);
        assert_int_equal(a->capture.has_classes, cases[i].has_classes);
        expect_threads(a, 20);
        hf_profile_free(a);
        hf_profile_free(b);
    }
}

static void test_what_is_left_out(void **state)
{
    (void)state;
    struct hf_profile *profile = profile_of(5, 28);
    assert_int_equal(HF_OK, hf_lifetimes_drop(profile, true, NULL));
    assert_int_equal(value_of(profile, HF_CLASS_AGE, 3), 3);
    assert_int_equal(value_of(profile, HF_CLASS_BIRTH, 31), UINT64_MAX);
    expect_threads(profile, 10);
    assert_int_equal(HF_OK, hf_lifetimes_drop(profile, false, NULL));
    assert_int_equal(profile->thread_count, 1);
    assert_int_equal(profile->sample_count, 2);
    expect_threads(profile, 10);
    hf_profile_free(profile);
}

static void test_no_thread_is_a_class_unless_the_profile_says_so(void **state)
{
    (void)state;
    enum hf_lifetimes_class kind;
    size_t index;
    uint32_t thread;
    struct hf_profile *profile = profile_of(5, 28);
    assert_true(hf_lifetimes_find_class(profile, HF_CLASS_AGE, 3, &thread));
    assert_true(hf_lifetimes_class_of(profile, thread, &kind, &index));
    assert_true(kind == HF_CLASS_AGE && index == 3);
    assert_false(hf_lifetimes_class_of(profile, HF_THREAD_ALL, &kind, &index));
    profile->capture.has_classes = false;
    assert_false(hf_lifetimes_class_of(profile, thread, &kind, &index));
    hf_profile_free(profile);
}

/* Births of all stacks are in epochs of one length, which doubles when one comes too late. */
static void test_epochs_become_longer(void **state)
{
    (void)state;
    struct hf_live_classes classes = {0};
    const struct {
        uint32_t stack;
        uint64_t born_ns, bytes;
    } blocks[] = {{3, 0, 8}, {3, SECOND / 2, 16}, {5, 8 * SECOND, 32}, {3, 70 * SECOND, 64}};
    for (size_t i = 0; i < HF_COUNT(blocks); i++)
        assert_int_equal(HF_OK, hf_live_classes_see(&classes, blocks[i].stack, blocks[i].bytes,
                                    blocks[i].born_ns, 2, NULL));
    assert_int_equal(classes.epoch_shift, 32); /* 4.3 s: 31 of them are 133 s */
    assert_int_equal(classes.birth_count, 2);
    assert_int_equal((int)classes.births[0].bytes[0], 48);
    assert_int_equal((int)classes.births[0].bytes[16], 128);
    assert_int_equal((int)classes.births[1].bytes[1], 64);
    hf_live_classes_done(&classes);
}

/* Births of a file: of its classes, which go; one object of 10 bytes is in use, and all are
 * recorded. */
static void test_taken_births(void **state)
{
    (void)state;
    static const struct {
        uint64_t began_ms;
        uint32_t shift;
        bool is_known;
    } cases[] = {{5, 28, true}, {5, 0, false}, {0, 28, false}, {UINT64_MAX, 28, false}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_profile *profile = profile_of(cases[i].began_ms, cases[i].shift);
        struct hf_lifetimes lifetimes = {.wants_births = true};
        profile->capture.period_bytes = 1;
        assert_true(hf_lifetimes_need_classes(&lifetimes));
        assert_int_equal(HF_OK, hf_lifetimes_take_births(&lifetimes, profile, NULL));
        assert_false(profile->capture.has_classes);
        assert_int_equal(value_of(profile, HF_CLASS_BIRTH, 31), UINT64_MAX);
        assert_int_equal(hf_profile_total(profile, HF_INUSE_SPACE, HF_THREAD_ALL).value, 10);
        assert_int_equal(lifetimes.is_known, cases[i].is_known);
        assert_int_equal(lifetimes.birth_count, cases[i].is_known);
        if (cases[i].is_known) {
            assert_int_equal(lifetimes.began_ms, 5);
            assert_int_equal(lifetimes.epoch_shift, 28);
            assert_true(
                lifetimes.births[0].epochs[31] == 10 && lifetimes.births[0].epochs[30] == 0);
            assert_true(lifetimes.births[0].squares == 10 * 10);
        }
        hf_lifetimes_done(&lifetimes);
        hf_profile_free(profile);
    }
}

/* A part of the time was recorded: amounts are multiplied, counts of samples are not, and what a
 * sample stands for is more, so that there are no more samples than there were. */
static void test_a_part_of_the_time(void **state)
{
    (void)state;
    struct hf_profile *profile = profile_of(5, 28);
    struct hf_lifetimes taken = {.wants_births = true}, added = {.began_ms = 5};
    uint64_t values[HF_VALUE_TYPES_MAX] = {2, 20, 2, 20, 2};
    uint32_t sample;
    hf_samples_scale(profile, 1);
    assert_int_equal(profile->capture.weight_per_mille, 0);
    hf_profile_free(profile);

    assert_int_equal(HF_OK, hf_profile_new(&profile, NULL));
    assert_int_equal(HF_OK, hf_profile_add_heap_types(profile, NULL));
    assert_int_equal(HF_OK, hf_profile_add_type(profile, "inuse_samples", "count", NULL));
    assert_int_equal(HF_OK, hf_sample_append(profile, HF_STACK_ROOT, HF_THREAD_ALL, &sample, NULL));
    hf_sample_add(profile, sample, values);
    profile->capture.began_ms = 5;
    profile->capture.epoch_shift = 28;
    profile->capture.has_classes = true;
    assert_int_equal(HF_OK, hf_lifetimes_add_class(profile, HF_STACK_ROOT, HF_CLASS_BIRTH, 3,
                                (const uint64_t[]){20, 20}, NULL));
    hf_samples_scale(profile, 2.5);
    assert_int_equal(hf_profile_value(profile, 0, HF_INUSE_OBJECTS), 5);
    assert_int_equal(hf_profile_value(profile, 0, HF_INUSE_SPACE), 50);
    assert_int_equal(hf_profile_value(profile, 0, 4), 2);
    assert_int_equal(profile->capture.weight_per_mille, 2500);
    assert_int_equal(HF_OK, hf_lifetimes_take_births(&taken, profile, NULL));
    assert_true(taken.births[0].epochs[3] == 50);
    assert_true(taken.births[0].squares == 50 * 25); /* two samples, each of 25 bytes */
    hf_lifetimes_done(&taken);
    hf_profile_free(profile);

    assert_int_equal(HF_OK, hf_lifetimes_add(&added, 0, 5, 10, NULL));
    assert_int_equal(HF_OK, hf_lifetimes_add(&added, 0, 5, 10, NULL));
    hf_lifetimes_scale(&added, 2.5);
    assert_true(added.births[0].epochs[0] == 50);
    assert_true(added.births[0].squares == 2 * 25 * 25);
    hf_lifetimes_done(&added);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_adds_up),
        cmocka_unit_test(test_what_is_left_out),
        cmocka_unit_test(test_no_thread_is_a_class_unless_the_profile_says_so),
        cmocka_unit_test(test_epochs_become_longer),
        cmocka_unit_test(test_taken_births),
        cmocka_unit_test(test_a_part_of_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
