/* The ranked table, in its three layouts. */
#include "render/table/top.h"

#include "stacks.h"

#define MIB UINT64_C(1048576)

static const struct stacks_row plain[] = {
    {"main@/src/main.c:9;handle@/src/web/h.c:20;process_leak@/src/web/leak.c:41", 150 * MIB, 0},
    {"main@/src/main.c:9;handle@/src/web/h.c:24;process_leak@/src/web/leak.c:44", 10, 0},
    {"main@/src/main.c:5;cache_fill@/src/db/leak.c:7", 100 * MIB, 0},
    {"main@/src/main.c:5;walk@/src/w.c:3;walk@/src/w.c:3;walk@/src/w.c:1", 50 * MIB, 0},
};

/* formats.md's golden: A = 200 x 1 MiB, of which B keeps 50, and 100 x 1 MiB elsewhere. */
static const struct stacks_row golden[] = {
    {"main@s.c:9;process_leak@leak.c:41", 100 * MIB, 0},
    {"main@s.c:8;cache_fill@cache.c:12", 0, 150 * MIB},
};

static const struct stacks_row mixed[] = {
    {"main;resize@t.c:88", 3 * MIB, 0},
    {"main;resize@t.c:90", 0, 1 * MIB},
    {"main;a", 2 * MIB, 0},
    {"main;b", 0, 512},
};

static const struct {
    const char *name;
    const struct stacks_row *rows;
    size_t count;
    bool is_difference;
    struct hf_top_options options;
    const char *expected;
} cases[] = {
    {"plain", plain, HF_COUNT(plain), false, {.granularity = HF_BY_FUNCTION},
        "300.0 MiB in use; 5 functions\n"
        "     flat   flat %        cum    cum %  function      where\n"
        "150.0 MiB   50.0 %  150.0 MiB   50.0 %  process_leak  web/leak.c:41\n"
        "100.0 MiB   33.3 %  100.0 MiB   33.3 %  cache_fill    db/leak.c:7\n"
        " 50.0 MiB   16.7 %   50.0 MiB   16.7 %  walk          w.c:1\n"
        "      0 B    0.0 %  300.0 MiB  100.0 %  main          main.c:9\n"
        "      0 B    0.0 %  150.0 MiB   50.0 %  handle        h.c:20\n"},
    {"plain, exact, cut", plain, HF_COUNT(plain), false,
        {.granularity = HF_BY_FUNCTION, .is_exact = true, .max_rows = 2},
        "314572810 B in use; 5 functions\n"
        "       flat   flat %          cum    cum %  function      where\n"
        "157286410 B   50.0 %  157286410 B   50.0 %  process_leak  web/leak.c:41\n"
        "104857600 B   33.3 %  104857600 B   33.3 %  cache_fill    db/leak.c:7\n"
        "and 3 more functions: flat 52428800 B\n"},
    {"plain, cumulative, filtered", plain, HF_COUNT(plain), false,
        {.granularity = HF_BY_FUNCTION,
            .is_cumulative = true,
            .max_rows = 1,
            .whole = {800 * MIB, 0}},
        "300.0 MiB of the 800.0 MiB in use pass the filters; 5 functions\n"
        "flat   flat %        cum    cum %  function  where\n"
        " 0 B    0.0 %  300.0 MiB  100.0 %  main      main.c:9\n"
        "and 4 more functions: flat 300.0 MiB\n"},
    {"plain, by line", plain, HF_COUNT(plain), false, {.granularity = HF_BY_LINE, .max_rows = 1},
        "300.0 MiB in use; 9 lines\n"
        "     flat   flat %        cum    cum %  line\n"
        "150.0 MiB   50.0 %  150.0 MiB   50.0 %  process_leak /src/web/leak.c:41\n"
        "and 8 more lines: flat 150.0 MiB\n"},
    {"nothing", NULL, 0, false, {.granularity = HF_BY_FUNCTION}, "0 B in use; 0 functions\n"},
    {"difference", golden, HF_COUNT(golden), true,
        {.granularity = HF_BY_FUNCTION, .base_total = 200 * MIB, .current_total = 150 * MIB},
        "-150.0 MiB  100.0 %  cache_fill    cache.c:12\n"
        "+100.0 MiB  100.0 %  process_leak  leak.c:41\n"
        "\n"
        "A 200.0 MiB → B 150.0 MiB: grew 100.0 MiB, released 150.0 MiB, net -50.0 MiB\n"
        "Percentages are of all growth (+) or of all released memory (-).\n"},
    {"difference, growth first", golden, HF_COUNT(golden), true,
        {.granularity = HF_BY_FUNCTION, .is_growth_first = true, .is_exact = true},
        "+104857600 B  100.0 %  process_leak  leak.c:41\n"
        "-157286400 B  100.0 %  cache_fill    cache.c:12\n"
        "\n"
        "grew 104857600 B, released 157286400 B, net -52428800 B\n"
        "Percentages are of all growth (+) or of all released memory (-).\n"},
    {"difference, both ways", mixed, HF_COUNT(mixed), true,
        {.granularity = HF_BY_FUNCTION,
            .max_rows = 2,
            .base_total = 2000 * MIB,
            .current_total = 2000 * MIB + 4 * MIB - 512},
        "+2.0 MiB   40.0 %  a\n"
        "+2.0 MiB   40.0 %  resize  t.c:88  (grew 3.0 MiB, released 1.0 MiB)\n"
        "and 1 more function: grew 0 B, released 512 B\n"
        "\n"
        "A 2,000.0 MiB → B 2,004.0 MiB: grew 5.0 MiB, released 1.0 MiB, net +4.0 MiB\n"
        "Percentages are of all growth (+) or of all released memory (-).\n"},
    {"difference, release dropped", golden, 1, true,
        {.granularity = HF_BY_FUNCTION, .base_total = 200 * MIB, .current_total = 150 * MIB},
        "+100.0 MiB  100.0 %  process_leak  leak.c:41\n"
        "\n"
        "A 200.0 MiB → B 150.0 MiB: grew 100.0 MiB, released 0 B, net +100.0 MiB\n"
        "Not shown: -150.0 MiB of the change from A to B.\n"
        "Percentages are of all growth (+) or of all released memory (-).\n"},
    {"no difference", NULL, 0, true,
        {.granularity = HF_BY_FUNCTION, .base_total = 5 * MIB, .current_total = 5 * MIB},
        "Nothing changed.\n"
        "\n"
        "A 5.0 MiB → B 5.0 MiB: grew 0 B, released 0 B, net 0 B\n"},
    /* The layout of jeprof --text, jemalloc 5.3.0, as compared on dumps of real programs. */
    {"jeprof", plain, HF_COUNT(plain), false, {.granularity = HF_BY_FUNCTION, .is_jeprof = true},
        "Total: 300.0 MB\n"
        "   150.0  50.0%  50.0%    150.0  50.0% process_leak\n"
        "   100.0  33.3%  83.3%    100.0  33.3% cache_fill\n"
        "    50.0  16.7% 100.0%     50.0  16.7% walk\n"
        "     0.0   0.0% 100.0%    150.0  50.0% handle\n"
        "     0.0   0.0% 100.0%    300.0 100.0% main\n"},
    {"jeprof --cum --show_bytes", plain, HF_COUNT(plain), false,
        {.granularity = HF_BY_FUNCTION, .is_jeprof = true, .is_cumulative = true, .is_exact = true},
        "Total: 314572810 B\n"
        "       0   0.0%   0.0% 314572810 100.0% main\n"
        "       0   0.0%   0.0% 157286410  50.0% handle\n"
        "157286410  50.0%  50.0% 157286410  50.0% process_leak\n"
        "104857600  33.3%  83.3% 104857600  33.3% cache_fill\n"
        "52428800  16.7% 100.0% 52428800  16.7% walk\n"},
    /* Here jeprof prints -200.0% and 300.0%: percent of the net. */
    {"jeprof with a base", golden, HF_COUNT(golden), true,
        {.granularity = HF_BY_FUNCTION, .is_jeprof = true},
        "Total: -50.0 MB\n"
        "   100.0  40.0%  40.0%    100.0  40.0% process_leak\n"
        "     0.0   0.0%  40.0%    -50.0 -20.0% main\n"
        "  -150.0 -60.0% -20.0%   -150.0 -60.0% cache_fill\n"},
};

static void writes_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].name;
        struct hf_profile *profile =
            stacks_make("bytes", cases[i].is_difference, cases[i].rows, cases[i].count);
        struct hf_error err;
        struct hf_out out = {0};
        check_ok(hf_top_text(profile, &cases[i].options, &out, &err), &err);
        check_out(&out, cases[i].expected);
        hf_out_done(&out);
        hf_profile_free(profile);
    }
}

/* The order of the input must not show. */
static void does_not_depend_on_input_order(void **state)
{
    (void)state;
    struct hf_out first = {0}, second = {0};
    struct hf_error err;
    struct hf_top_options options = {.granularity = HF_BY_FUNCTION};
    struct hf_profile *forwards = stacks_profile("bytes", plain);
    struct hf_profile *backwards = stacks_new("bytes", false);
    for (size_t i = HF_COUNT(plain); i-- != 0;)
        stacks_add(backwards, &plain[i]);
    check_ok(hf_top_text(forwards, &options, &first, &err), &err);
    check_ok(hf_top_text(backwards, &options, &second, &err), &err);
    hf_out_char(&second, '\0');
    check_out(&first, second.data);
    hf_out_done(&first);
    hf_out_done(&second);
    hf_profile_free(forwards);
    hf_profile_free(backwards);
}

static void counts_objects(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"main;a", 60201, 0}};
    struct hf_profile *profile = stacks_profile("objects", rows);
    struct hf_error err;
    struct hf_out out = {0};
    struct hf_top_options options = {.granularity = HF_BY_FUNCTION};
    check_ok(hf_top_text(profile, &options, &out, &err), &err);
    check_out(&out, "60,201 objects in use; 2 functions\n"
                    "  flat   flat %     cum    cum %  function\n"
                    "60,201  100.0 %  60,201  100.0 %  a\n"
                    "     0    0.0 %  60,201  100.0 %  main\n");
    options.is_jeprof = true;
    check_ok(hf_top_text(profile, &options, &out, &err), &err);
    check_out(&out, "Total: 60201 objects\n"
                    "   60201 100.0% 100.0%    60201 100.0% a\n"
                    "       0   0.0% 100.0%    60201 100.0% main\n");
    hf_out_done(&out);
    hf_profile_free(profile);
}

static void escapes_names(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"\x1b[2Jevil\"<b>\xff@/tmp/\x07.c:1", 1, 0}};
    struct hf_profile *profile = stacks_profile("bytes", rows);
    struct hf_error err;
    struct hf_out out = {0};
    struct hf_top_options options = {.granularity = HF_BY_FUNCTION};
    check_ok(hf_top_text(profile, &options, &out, &err), &err);
    check_out(&out, "1 B in use; 1 function\n"
                    "flat   flat %  cum    cum %  function             where\n"
                    " 1 B  100.0 %  1 B  100.0 %  \\x1b[2Jevil\"<b>\\xff  \\x07.c:1\n");
    check_ok(hf_top_json(profile, &options, &out, &err), &err);
    check_out(&out, "{\n"
                    "  \"schema\": \"heapflame.top/1\",\n"
                    "  \"type\": \"inuse_space\",\n"
                    "  \"unit\": \"bytes\",\n"
                    "  \"difference\": false,\n"
                    "  \"by\": \"leaf\",\n"
                    "  \"rows_total\": 1,\n"
                    "  \"total\": 1,\n"
                    "  \"rows\": [\n"
                    "    {\"name\": \"\\\\x1b[2Jevil\\\"\\u003cb\\u003e\\\\xff\", "
                    "\"file\": \"/tmp/\\\\x07.c\", \"line\": 1, \"flat\": 1, \"cum\": 1}],\n"
                    "  \"suspects\": [\n"
                    "    {\"name\": \"\\\\x1b[2Jevil\\\"\\u003cb\\u003e\\\\xff\", "
                    "\"value\": 1, \"percent\": 100.0, "
                    "\"sentence\": \"\\\\x1b[2Jevil\\\"\\u003cb\\u003e\\\\xff accounts for "
                    "1 B (100.0 %), all of which it allocates itself.\", "
                    "\"suppression\": \"leak:\\\\x1b[2Jevil\\\"\", "
                    "\"stack\": [\"\\\\x1b[2Jevil\\\"\\u003cb\\u003e\\\\xff\"]}],\n"
                    "  \"notes\": [],\n"
                    "  \"notes_dropped\": 0\n"
                    "}\n");
    hf_out_done(&out);
    hf_profile_free(profile);
}

static void writes_differences_as_json(void **state)
{
    (void)state;
    struct hf_profile *profile = stacks_make("bytes", true, &golden[1], 1);
    hf_notes_add(&profile->notes, HF_NOTE_LOSS, "line 7 is cut");
    struct hf_error err;
    struct hf_out out = {0};
    struct hf_top_options options = {
        .granularity = HF_BY_FUNCTION, .base_total = 200, .current_total = 50, .max_rows = 1};
    check_ok(hf_top_json(profile, &options, &out, &err), &err);
    check_out(&out, "{\n"
                    "  \"schema\": \"heapflame.top/1\",\n"
                    "  \"type\": \"inuse_space\",\n"
                    "  \"unit\": \"bytes\",\n"
                    "  \"difference\": true,\n"
                    "  \"by\": \"leaf\",\n"
                    "  \"rows_total\": 1,\n"
                    "  \"total\": {\"grew\": 0, \"released\": 157286400, \"net\": -157286400},\n"
                    "  \"base_total\": 200,\n"
                    "  \"current_total\": 50,\n"
                    "  \"rows\": [\n"
                    "    {\"name\": \"cache_fill\", \"file\": \"cache.c\", \"line\": 12, "
                    "\"flat\": {\"grew\": 0, \"released\": 157286400, \"net\": -157286400}, "
                    "\"cum\": {\"grew\": 0, \"released\": 157286400, \"net\": -157286400}}],\n"
                    "  \"suspects\": [],\n"
                    "  \"notes\": [\n"
                    "    {\"kind\": \"loss\", \"times\": 1, \"text\": \"line 7 is cut\"}],\n"
                    "  \"notes_dropped\": 0\n"
                    "}\n");
    hf_out_done(&out);
    hf_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_tables),
        cmocka_unit_test(does_not_depend_on_input_order),
        cmocka_unit_test(counts_objects),
        cmocka_unit_test(escapes_names),
        cmocka_unit_test(writes_differences_as_json),
    };
    return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
