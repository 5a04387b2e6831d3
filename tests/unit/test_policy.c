/*
 * When a watcher dumps, which dumps it keeps, and how it reads the memory cgroup of either version.
 */
#include "capture/policy.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)
#define SECOND UINT64_C(1000000000)

struct explained_row {
    uint64_t anonymous_kib, in_use_kib;
    bool is_unexplained;
};

/* 75 percent, and 4 MiB. */
static const struct explained_row explained[] = {
    {0, 0, false}, {4 * 1024 - 1, 0, false}, {4 * 1024, 0, true}, {128 * 1024, 96 * 1024, false},
    {128 * 1024, 96 * 1024 - 4, true}, {10 * 1024, 6 * 1024, true},
    {10 * 1024, 6 * 1024 + 1, false}, {1024 * 1024, 767 * 1024, true},
    {1024 * 1024, 769 * 1024, false}, {100 * 1024, 100 * 1024, false},
    {100 * 1024, 900 * 1024, false}, /* it is allocated, and was not touched */
};

static void test_what_malloc_explains(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(explained); i++) {
        const struct hf_reading reading = {.anonymous_bytes = explained[i].anonymous_kib << 10,
            .in_use_bytes = explained[i].in_use_kib << 10};
        if (hf_reading_is_unexplained(&reading) != explained[i].is_unexplained)
            fail_msg("row %zu", i);
    }
}

/* The reasons for a series of readings, one letter each: Interval, High water, Time, Pressure. */
static void expect_dumps(struct hf_dump_rules rules, const struct hf_reading *readings,
    size_t count, const char *expected)
{
    static const char letters[] = ".IHTPF";
    char got[64] = "";
    struct hf_policy policy = {.rules = rules};
    for (size_t i = 0; i < count; i++)
        got[i] = letters[hf_policy_next(&policy, &readings[i])];
    assert_string_equal(got, expected);
}

static void test_by_bytes_allocated(void **state)
{
    (void)state;
    static const struct hf_reading readings[] = {
        {.allocated_bytes = 0},
        {.allocated_bytes = 9 * MIB},
        {.allocated_bytes = 10 * MIB},
        {.allocated_bytes = 19 * MIB},
        {.allocated_bytes = 65 * MIB}, /* several at once are one */
        {.allocated_bytes = 74 * MIB},
        {.allocated_bytes = 75 * MIB},
    };
    expect_dumps((struct hf_dump_rules){.interval_bytes = 10 * MIB}, readings, HF_COUNT(readings),
        "..I.I.I");
    expect_dumps((struct hf_dump_rules){0}, readings, HF_COUNT(readings), ".......");
}

static void test_by_high_water(void **state)
{
    (void)state;
    static const struct hf_reading readings[] = {
        {.in_use_bytes = 1 * MIB, .resident_bytes = 100 * MIB},
        {.in_use_bytes = 64 * MIB, .resident_bytes = 101 * MIB},
        {.in_use_bytes = 10 * MIB, .resident_bytes = 101 * MIB},
        {.in_use_bytes = 127 * MIB, .resident_bytes = 120 * MIB},
        {.in_use_bytes = 128 * MIB, .resident_bytes = 120 * MIB},
        {.in_use_bytes = 10 * MIB, .resident_bytes = 163 * MIB},
        {.in_use_bytes = 10 * MIB, .resident_bytes = 184 * MIB}, /* what no malloc knows of */
        {.in_use_bytes = 191 * MIB, .resident_bytes = 184 * MIB},
    };
    expect_dumps((struct hf_dump_rules){.high_water_bytes = 64 * MIB}, readings, HF_COUNT(readings),
        ".H..H.H.");
}

static void test_by_time(void **state)
{
    (void)state;
    static const struct hf_reading readings[] = {
        {.at_ns = 1000 * SECOND},
        {.at_ns = 1029 * SECOND},
        {.at_ns = 1030 * SECOND},
        {.at_ns = 1059 * SECOND},
        {.at_ns = 1100 * SECOND},
        {.at_ns = 1129 * SECOND},
    };
    expect_dumps(
        (struct hf_dump_rules){.every_ns = 30 * SECOND}, readings, HF_COUNT(readings), "..T.T.");
}

static void test_one_dump_for_several_reasons(void **state)
{
    (void)state;
    struct hf_dump_rules rules = {10 * MIB, 64 * MIB, 30 * SECOND, true};
    static const struct hf_reading readings[] = {
        {.at_ns = 0},
        {.at_ns = 30 * SECOND, .allocated_bytes = 100 * MIB, .in_use_bytes = 70 * MIB},
        {.at_ns = 31 * SECOND, .allocated_bytes = 100 * MIB, .in_use_bytes = 70 * MIB},
        {.at_ns = 32 * SECOND, .allocated_bytes = 110 * MIB, .in_use_bytes = 70 * MIB},
    };
    expect_dumps(rules, readings, HF_COUNT(readings), ".H.I");
}

static void test_by_pressure(void **state)
{
    (void)state;
    static const struct hf_reading near[] = {
        {.memory = {.current_bytes = 79 * MIB, .limit_bytes = 100 * MIB}},
        {.memory = {.current_bytes = 80 * MIB, .limit_bytes = 100 * MIB}},
        {.memory = {.current_bytes = 89 * MIB, .limit_bytes = 100 * MIB}},
        {.memory = {.current_bytes = 96 * MIB, .limit_bytes = 100 * MIB}},
        {.memory = {.current_bytes = 75 * MIB, .limit_bytes = 100 * MIB}},
        {.memory = {.current_bytes = 85 * MIB, .limit_bytes = 100 * MIB}}, /* was not below 70 % */
        {.memory = {.current_bytes = 69 * MIB, .limit_bytes = 100 * MIB}},
        {.memory = {.current_bytes = 91 * MIB, .limit_bytes = 100 * MIB}},
    };
    static const struct hf_reading refused[] = {
        {.at_ns = 0, .memory = {.refusals = 7}},
        {.at_ns = 5 * SECOND, .memory = {.refusals = 8}},
        {.at_ns = 11 * SECOND, .memory = {.refusals = 9}},
        {.at_ns = 12 * SECOND, .memory = {.refusals = 99}}, /* too soon, and not forgotten */
        {.at_ns = 22 * SECOND, .memory = {.refusals = 99}},
        {.at_ns = 33 * SECOND, .memory = {.refusals = 99}},
        {.at_ns = 44 * SECOND, .memory = {.refusals = 99, .stall_us = 1000000}},
        {.at_ns = 55 * SECOND, .memory = {.refusals = 99, .stall_us = 2200000}},
    };
    struct hf_dump_rules rules = {.by_pressure = true};
    expect_dumps(rules, near, HF_COUNT(near), ".P.P...P");
    expect_dumps(rules, refused, HF_COUNT(refused), "..P.P..P");
    expect_dumps((struct hf_dump_rules){0}, near, HF_COUNT(near), "........");
}

/* Which of dumps with so much in use stay, one after the other, if `last` of them are kept. */
static void expect_kept(const uint64_t *in_use, size_t count, size_t last, const char *expected)
{
    struct hf_kept_dump kept[64];
    size_t kept_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t before = i != 0 ? in_use[i - 1] : in_use[i];
        kept[kept_count++] =
            (struct hf_kept_dump){i, in_use[i], in_use[i] > before ? in_use[i] - before : 0};
        size_t excess = hf_keep_excess(kept, kept_count, last);
        if (excess == kept_count)
            continue;
        kept_count--;
        for (size_t j = excess; j < kept_count; j++)
            kept[j] = kept[j + 1];
    }
    char got[256] = "";
    for (size_t i = 0; i < kept_count; i++)
        (void)snprintf(
            got + strlen(got), sizeof got - strlen(got), "%u ", (unsigned)kept[i].number);
    assert_string_equal(got, expected);
}

static void test_what_is_kept(void **state)
{
    (void)state;
    static const uint64_t flat[] = {5, 5, 5, 5, 5, 5, 5, 5};
    static const uint64_t peak[] = {5, 5, 5, 9, 5, 5, 5, 5, 5, 5, 5};
    static const uint64_t steps[] = {
        1, 2, 20, 20, 20, 50, 50, 50, 50, 60, 60, 60, 61, 61, 61, 61, 61};
    expect_kept(flat, HF_COUNT(flat), 3, "0 5 6 7 ");
    expect_kept(flat, HF_COUNT(flat), 0, "0 1 2 3 4 5 6 7 ");
    expect_kept(flat, HF_COUNT(flat), 100, "0 1 2 3 4 5 6 7 ");
    expect_kept(peak, HF_COUNT(peak), 2, "0 2 3 9 10 ");
    /* Of the pairs those of +18, +30 and +10 stay, not +1; 12 is the first of the peak. */
    expect_kept(steps, HF_COUNT(steps), 2, "0 1 2 4 5 8 9 12 15 16 ");
}

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_cgroup_v2(void **state)
{
    (void)state;
    char folder[] = "/tmp/hf-policy-XXXXXX";
    assert_non_null(mkdtemp(folder));
    put_file(folder, "memory.current", "104857600\n");
    put_file(folder, "memory.max", "max\n");
    put_file(folder, "memory.high", "max\n");
    put_file(
        folder, "memory.events", "low 1\nhigh 20\nmax 300\noom 2\noom_kill 4\noom_group_kill 0\n");
    put_file(folder, "memory.pressure",
        "some avg10=0.00 avg60=1.50 avg300=0.00 total=123456\nfull avg10=0.00 avg60=0.00 "
        "avg300=0.00 total=99\n");
    struct hf_memory_group group = hf_memory_group_of(1, folder);
    assert_true(group.is_known && !group.is_v1);
    struct hf_memory_reading memory = hf_memory_read(&group);
    assert_int_equal(memory.current_bytes, 104857600);
    assert_int_equal(memory.limit_bytes, 0);
    assert_int_equal(memory.refusals, 320);
    assert_int_equal(memory.kills, 4);
    assert_int_equal(memory.stall_us, 123456);
    put_file(folder, "memory.max", "209715200\n");
    assert_int_equal(hf_memory_read(&group).limit_bytes, 209715200);
    put_file(folder, "memory.high", "157286400\n");
    assert_int_equal(hf_memory_read(&group).limit_bytes, 157286400);
}

static void test_cgroup_v1(void **state)
{
    (void)state;
    char folder[] = "/tmp/hf-policy-XXXXXX";
    assert_non_null(mkdtemp(folder));
    put_file(folder, "memory.usage_in_bytes", "104857600\n");
    put_file(folder, "memory.limit_in_bytes", "9223372036854771712\n");
    put_file(folder, "memory.failcnt", "17\n");
    put_file(folder, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
    struct hf_memory_group group = hf_memory_group_of(1, folder);
    assert_true(group.is_known && group.is_v1);
    struct hf_memory_reading memory = hf_memory_read(&group);
    assert_int_equal(memory.current_bytes, 104857600);
    assert_int_equal(memory.limit_bytes, 0);
    assert_int_equal(memory.refusals, 17);
    assert_int_equal(memory.kills, 3);
    put_file(folder, "memory.limit_in_bytes", "268435456\n");
    assert_int_equal(hf_memory_read(&group).limit_bytes, 268435456);
}

static void test_no_cgroup(void **state)
{
    (void)state;
    struct hf_memory_group group = hf_memory_group_of(1, "/nothing");
    assert_false(group.is_known);
    assert_int_equal(hf_memory_read(&group).current_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_malloc_explains),
        cmocka_unit_test(test_by_bytes_allocated),
        cmocka_unit_test(test_by_high_water),
        cmocka_unit_test(test_by_time),
        cmocka_unit_test(test_one_dump_for_several_reasons),
        cmocka_unit_test(test_by_pressure),
        cmocka_unit_test(test_what_is_kept),
        cmocka_unit_test(test_cgroup_v2),
        cmocka_unit_test(test_cgroup_v1),
        cmocka_unit_test(test_no_cgroup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
