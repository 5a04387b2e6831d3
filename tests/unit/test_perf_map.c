/* Perf maps of JITs: which line an address gets its name from. */
#include "check.h"
#include "symbol/lookup/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The names at 0x1000, 0x1010 ... 0x1040 and at the last address, each in brackets. */
static const struct {
    const char *map, *names;
} maps[] = {
    {"", "[][][][][][]"},
    {"\n\n", "[][][][][][]"},
    {"1000 10 a\n", "[a][][][][][]"},
    {"1001 3f a\n", "[][a][a][a][][]"},
    {"0x1010 0x20 a\n", "[][a][a][][][]"},
    {"1000 10 b\n1020 1 c\nfff 1 a\n", "[b][][c][][][]"},
    /* The name is what is left of the line. */
    {"1000 10 LazyCompile:*f  g /a b.js:1:2 \n", "[LazyCompile:*f  g /a b.js:1:2][][][][][]"},
    {"1000   10   a\r\n", "[a][][][][][]"},
    /* The last line counts, also without a name. */
    {"1000 50 a\n1010 10 b\n1020 10 c\n", "[a][b][c][a][a][]"},
    {"1010 10 b\n1000 50 a\n", "[a][a][a][a][a][]"},
    {"1000 50 a\n1010 10\n1020 10 \n", "[a][][][a][a][]"},
    {"1000 10 a\n1000 10 b\n1000 10 c\n", "[c][][][][][]"},
    /* What is no line of a map. */
    {"1000 10 a\n1000 10 b", "[a][][][][][]"},
    {"1000 10 a", "[][][][][][]"},
    {"zz 10 a\n1000 zz a\n1000 10z b\n1000-1010 a\n1000\n1000 \n-1000 10 a\n", "[][][][][][]"},
    {"10000000000001000 10 a\n1000 10000000000000010 a\n", "[][][][][][]"},
    {"1000 0 a\n", "[][][][][][]"},
    /* The end of a range is a number, too. */
    {"1000 ffffffffffffefff a\n", "[a][a][a][a][a][]"},
    {"1000 fffffffffffff000 a\nffffffffffffffff 1 b\n", "[][][][][][]"},
};

static void answers_by_the_last_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(maps); i++) {
        struct hf_perf_map_query queries[6] = {{.address = 0x1000}, {.address = 0x1010},
            {.address = 0x1020}, {.address = 0x1030}, {.address = 0x1040}, {.address = UINT64_MAX}};
        struct hf_out names = {0};
        check_case = maps[i].map;
        hf_perf_map_find(hf_text_of(maps[i].map), queries, HF_COUNT(queries));
        for (size_t at = 0; at < HF_COUNT(queries); at++) {
            hf_out_char(&names, '[');
            hf_out_text(&names, queries[at].name);
            hf_out_char(&names, ']');
        }
        check_out(&names, maps[i].names);
        hf_out_done(&names);
    }
}

/* One address may be that of several frames. */
static void answers_equal_addresses(void **state)
{
    (void)state;
    struct hf_perf_map_query queries[] = {{.address = 5}, {.address = 5}, {.address = 6}};
    hf_perf_map_find(HF_TEXT("0 10 a\n5 1 b\n"), queries, HF_COUNT(queries));
    check_text(queries[0].name, "b");
    check_text(queries[1].name, "b");
    check_text(queries[2].name, "a");
}

static char top[64];

static void write_map(const char *path, const char *text, time_t age_s)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - age_s}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The map of process `id` with --symdir, or why there is none. */
static void check_opened(uint32_t id, const struct hf_live_process *process, size_t symdirs,
    const char *text, const char *why)
{
    static struct hf_perf_map map;
    struct hf_error err;
    struct hf_profile *profile;
    const char *folders[] = {"/nowhere", top};
    const struct hf_symbol_options options = {.symdirs = folders, .symdir_count = symdirs};
    check_ok(hf_profile_new(&profile, &err), &err);
    profile->capture.process_id = id;
    memset(&map, 'x', sizeof map);
    bool is_open = hf_perf_map_open(&map, profile, process, &options);
    assert_int_equal(is_open, text != NULL);
    if (is_open)
        check_text(map.text, text);
    else
        assert_string_equal(map.why, why);
    hf_perf_map_close(&map);
    hf_profile_free(profile);
}

/* Whose map is taken: that in a --symdir, or that of the process that runs or has just ended. */
static void test_whose_it_is(void **state)
{
    char path[128], said[300];
    const struct hf_live_process none = {0};
    const uint32_t nobody = 4000000;
    (void)state;
    (void)snprintf(top, sizeof top, "/tmp/maps-XXXXXX");
    assert_non_null(mkdtemp(top));
    check_opened(0, &none, 2, NULL,
        "it is code generated at run time; to find its perf map, the PID is needed, which is part "
        "of the name that jemalloc gave the dump");
    static const char ended[] =
        "it is code generated at run time, and its process has ended; if /tmp/perf-4000000.map "
        "belongs to that process, not to a later one, give --symdir /tmp";
    check_opened(nobody, &none, 2, NULL, ended);
    (void)snprintf(path, sizeof path, "%s/perf-4000000.map", top);
    write_map(path, "1000 10 a\n", 1000000);
    check_opened(nobody, &none, 2, "1000 10 a\n", NULL); /* however old it is */
    check_opened(nobody, &none, 1, NULL, ended);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/etc/hostname", path), 0);
    check_opened(nobody, &none, 1, NULL, ended);
    assert_int_equal(unlink(path) | rmdir(top), 0);
    /* Of this process, which runs. */
    uint32_t own = (uint32_t)getpid();
    struct hf_live_process here = {
        .id = own, .started_ns = (time(NULL) - 100) * INT64_C(1000000000)};
    (void)snprintf(said, sizeof said,
        "it is code generated at run time, and its process has no /tmp/perf-%u.map; let the JIT "
        "write one (node: --perf-basic-prof)",
        own);
    check_opened(own, &here, 0, NULL, said);
    (void)snprintf(path, sizeof path, "/tmp/perf-%u.map", own);
    write_map(path, "2000 10 b\n", 50);
    check_opened(own, &here, 0, "2000 10 b\n", NULL);
    write_map(path, "2000 10 b\n", 200);
    (void)snprintf(said, sizeof said,
        "/proc/%u/root/tmp/perf-%u.map is stale: it belongs to an earlier process with this PID",
        own, own);
    check_opened(own, &here, 0, NULL, said);
    struct hf_live_process over = {.has_just_ended = true, .started_ns = here.started_ns};
    write_map(path, "2000 10 b\n", 50);
    check_opened(own, &over, 0, "2000 10 b\n", NULL);
    (void)snprintf(said, sizeof said,
        "it is code generated at run time, and its process has ended; if /tmp/perf-%u.map belongs "
        "to that process, not to a later one, give --symdir /tmp",
        own);
    check_opened(own, &none, 0, NULL, said); /* nobody can tell */
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whose_it_is),
        cmocka_unit_test(answers_by_the_last_line),
        cmocka_unit_test(answers_equal_addresses),
    };
    return cmocka_run_group_tests_name("perf_map", tests, NULL, NULL);
}
