/* The blocks of a live table by age, by size and by birth: those in use and those that were freed.
 */
#include "check.h"
#include "formats/heap/live_classes.h"
#include "profile/lifetimes.h"

#define FIRST_SHIFT HF_LIVE_EPOCH_SHIFT

struct classes_made {
    struct hf_profile *profile;
    uint32_t nodes[3];
    struct hf_live_classes classes;
    struct hf_live_stack stacks[3];
    struct hf_live_frees frees[2];
    struct hf_live_snapshot table;
};

/* Three stacks, of which the first and the last may have freed something. */
static void classes_init(struct classes_made *m)
{
    struct hf_error err;
    memset(m, 0, sizeof *m);
    check_ok(hf_profile_new(&m->profile, &err), &err);
    check_ok(hf_profile_add_heap_types(m->profile, &err), &err);
    for (uint32_t i = 0; i < 3; i++) {
        struct hf_frame frame = {.flags = HF_FRAME_HAS_OFFSET, .offset = i};
        uint32_t id;
        check_ok(hf_profile_frame(m->profile, &frame, &id, &err), &err);
        check_ok(
            hf_stacktree_child(&m->profile->stacks, HF_STACK_ROOT, id, &m->nodes[i], &err), &err);
    }
    m->table.records[HF_LIVE_STACKS] = m->stacks;
    m->table.records[HF_LIVE_FREES] = m->frees;
    m->table.counts[HF_LIVE_STACKS] = 3;
    m->table.counts[HF_LIVE_FREES] = 2;
}

static void see(struct classes_made *m, uint32_t stack, uint64_t size, uint64_t born, double count)
{
    struct hf_error err;
    check_ok(hf_live_classes_see(&m->classes, stack, size, born, count, &err), &err);
}

/* All that there is, as "stack kind index: first second", in the order of classes. */
static void check_classes(struct classes_made *m, const char *expected)
{
    struct hf_error err;
    struct hf_out out = {0};
    check_ok(hf_live_classes_add(&m->classes, &m->table, m->nodes, m->profile, &err), &err);
    assert_true(m->profile->capture.has_classes);
    for (size_t stack = 0; stack < 3; stack++) {
        for (enum hf_lifetimes_class kind = 0; kind < HF_CLASS_KINDS; kind++) {
            for (size_t index = 0; index < hf_lifetimes_classes(kind); index++) {
                uint32_t thread;
                if (!hf_lifetimes_find_class(m->profile, kind, index, &thread))
                    continue;
                for (size_t s = 0; s < m->profile->sample_count; s++) {
                    const struct hf_sample *sample = &m->profile->samples[s];
                    if (sample->node != m->nodes[stack] || sample->thread != thread)
                        continue;
                    hf_out_printf(&out, "%zu %c%zu: %llu %llu\n", stack, "asb"[kind], index,
                        (unsigned long long)hf_profile_value(
                            m->profile, s, hf_lifetimes_column(kind, false)),
                        (unsigned long long)hf_profile_value(
                            m->profile, s, hf_lifetimes_column(kind, true)));
                }
            }
        }
    }
    check_out(&out, expected);
    hf_out_done(&out);
    hf_live_classes_done(&m->classes);
    assert_int_equal(m->classes.count + m->classes.birth_count, 0);
    hf_profile_free(m->profile);
}

/* A class of sizes ends with its bound; the last takes all that is larger. */
static void sizes_end_with_their_bounds(void **state)
{
    (void)state;
    struct classes_made m;
    classes_init(&m);
    see(&m, 0, 1, 0, 1);
    see(&m, 0, 8, 0, 2);
    see(&m, 0, 9, 0, 4);
    see(&m, 0, 16, 0, 8);
    see(&m, 1, 17, 0, 16);
    see(&m, 1, UINT64_C(1) << 21, 0, 1);
    see(&m, 1, (UINT64_C(1) << 21) + 1, 0, 1);
    see(&m, 1, UINT64_C(1) << 40, 0, 1);
    assert_int_equal(m.classes.epoch_shift, FIRST_SHIFT);
    check_classes(&m, "0 s0: 3 0\n0 s1: 12 0\n0 b0: 181 181\n"
                      "1 s2: 16 0\n1 s18: 1 0\n1 s19: 2 0\n"
                      "1 b0: 1099515822353 1099515822353\n");
}

/* Each two epochs become one when a block is younger than the last; what is in use stays. */
static void epochs_widen(void **state)
{
    (void)state;
    struct classes_made m;
    classes_init(&m);
    for (unsigned e = 0; e < 32; e++)
        see(&m, 2, 100, (uint64_t)e << FIRST_SHIFT, e == 0 ? 1 : e == 31 ? 3 : 0);
    assert_int_equal(m.classes.epoch_shift, FIRST_SHIFT);
    see(&m, 2, 100, (UINT64_C(32) << FIRST_SHIFT) - 1, 1);
    assert_int_equal(m.classes.epoch_shift, FIRST_SHIFT);
    see(&m, 2, 100, UINT64_C(32) << FIRST_SHIFT, 2);
    assert_int_equal(m.classes.epoch_shift, FIRST_SHIFT + 1);
    see(&m, 0, 100, UINT64_C(64) << FIRST_SHIFT, 5);
    assert_int_equal(m.classes.epoch_shift, FIRST_SHIFT + 2);
    check_classes(&m, "0 s4: 5 0\n0 b16: 500 500\n"
                      "2 s4: 7 0\n2 b0: 100 100\n2 b7: 400 400\n2 b8: 200 200\n");
    classes_init(&m); /* of a damaged record */
    see(&m, 0, 100, UINT64_MAX, 1);
    assert_int_equal(m.classes.epoch_shift, HF_CLASS_BIRTH_SHIFT_MAX);
    check_classes(&m, "0 s4: 1 0\n0 b31: 100 100\n");
}

/* Of the record of a stack; without one, and with a number that there is not, there is nothing. */
static void what_was_freed_comes_from_the_table(void **state)
{
    (void)state;
    struct classes_made m;
    classes_init(&m);
    m.stacks[0].frees = 1;
    m.stacks[1].frees = 3;
    m.stacks[2].frees = 2;
    m.frees[0].ages[0].objects = 3 * HF_LIVE_OBJECT;
    m.frees[0].ages[0].bytes = 300;
    m.frees[0].ages[23].objects = HF_LIVE_OBJECT + HF_LIVE_OBJECT / 2;
    m.frees[0].ages[23].bytes = 99;
    m.frees[0].ages[5].bytes = 7; /* of less than an object: not told */
    m.frees[0].sizes[19] = 5 * HF_LIVE_OBJECT;
    m.frees[0].born_bytes[1] = 1000; /* no epochs yet */
    m.frees[1].epoch_shift = (FIRST_SHIFT + 2) | HF_LIVE_MERGING;
    m.frees[1].born_bytes[0] = 10;
    m.frees[1].born_bytes[31] = 20;
    check_classes(&m, "0 a0: 3 300\n0 a23: 2 99\n0 s19: 5 0\n2 b0: 10 0\n2 b31: 20 0\n");
}

/* All births are told by the longest epochs of all; a record that is damaged has none. */
static void the_longest_epochs_count(void **state)
{
    (void)state;
    struct classes_made m;
    classes_init(&m);
    m.stacks[0].frees = 1;
    m.stacks[2].frees = 2;
    m.frees[0].epoch_shift = FIRST_SHIFT + 3;
    m.frees[0].born_bytes[4] = 40;
    m.frees[1].epoch_shift = FIRST_SHIFT + 1;
    m.frees[1].born_bytes[3] = 3;
    m.frees[1].born_bytes[4] = 5;
    see(&m, 1, 8, UINT64_C(7) << FIRST_SHIFT, 1);
    see(&m, 1, 8, UINT64_C(8) << FIRST_SHIFT, 2);
    check_classes(&m, "0 b4: 40 0\n"
                      "1 s0: 3 0\n1 b0: 8 8\n1 b1: 16 16\n"
                      "2 b0: 3 0\n2 b1: 5 0\n");
    classes_init(&m);
    m.stacks[0].frees = 1;
    m.frees[0].epoch_shift = HF_CLASS_BIRTH_SHIFT_MAX + 1;
    m.frees[0].born_bytes[4] = 40;
    see(&m, 1, 8, 0, 1);
    see(&m, 7, 8, 0, 1); /* of a stack that is not there */
    check_classes(&m, "1 s0: 1 0\n1 b0: 8 8\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_end_with_their_bounds),
        cmocka_unit_test(epochs_widen),
        cmocka_unit_test(what_was_freed_comes_from_the_table),
        cmocka_unit_test(the_longest_epochs_count),
    };
    return cmocka_run_group_tests_name("live_classes", tests, NULL, NULL);
}
