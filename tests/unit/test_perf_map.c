/* Perf maps of JITs: which line an address gets its name from. */
#include "check.h"
#include "symbol/lookup/perf_map.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_by_the_last_line),
        cmocka_unit_test(answers_equal_addresses),
    };
    return cmocka_run_group_tests_name("perf_map", tests, NULL, NULL);
}
