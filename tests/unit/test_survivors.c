/* What stays of a capture, with its births. */
#include "render/table/survivors.h"

#include "stacks.h"

#define S UINT64_C(1000000000)
#define BEGIN (100 * S)

static const struct {
    const char *name;
    struct {
        const char *stack;
        uint64_t first, last, objects, bytes, samples;
    } rows[7];
    const char *expected;
} cases[] = {
    {"nothing", {{0}}, ""},
    {"exact",
        {{"main;leak", BEGIN + S / 10, BEGIN + 12 * S, 6499, 831872, 0},
            {"[Top];[Cache];main;run;fetch;lookup;keep;malloc", BEGIN - 1, BEGIN, 2, 96, 0},
            {"[stack lost]", BEGIN + S, BEGIN + S, 1, 100, 0}},
        "        in use  per second      blocks  first birth  last birth      age  stack\n"
        "     812.4 KiB    62.5 KiB       6,499        0.1 s      12.0 s   12.9 s  leak < main\n"
        "         100 B         8 B           1        1.0 s       1.0 s   12.0 s  [stack lost]\n"
        "          96 B         7 B           2        0.0 s       0.0 s   13.0 s  keep < lookup < "
        "fetch < run "
        "< main in [Cache]\n"},
    {"read alike",
        {{"main;leak", BEGIN + S, BEGIN + 2 * S, 10, 500, 0},
            {"main;other", BEGIN, BEGIN, 1, 600, 0},
            {"start;main;run;load;leak", BEGIN + S, BEGIN + S, 1, 300, 0},
            {"spawn;main;run;load;leak", BEGIN + S, BEGIN + 3 * S, 2, 400, 0}},
        "        in use  per second      blocks  first birth  last birth      age  stack\n"
        "         700 B        54 B           3        1.0 s       3.0 s   12.0 s  leak < load < "
        "run < main\n"
        "         600 B        46 B           1        0.0 s       0.0 s   13.0 s  other < main\n"
        "         500 B        38 B          10        1.0 s       2.0 s   12.0 s  leak < main\n"},
    {"the user's function behind those of libraries",
        {{"start;main;user;lib5;lib4;lib3;lib2;lib1;leak;malloc", BEGIN, BEGIN, 1, 96, 0}},
        "        in use  per second      blocks  first birth  last birth      age  stack\n"
        "          96 B         7 B           1        0.0 s       0.0 s   13.0 s  leak < lib1 < "
        "lib2 < lib3 < "
        "lib4 < lib5 < user < main\n"},
    {"sampled",
        {{"a\x1b", BEGIN, BEGIN, 1024, 1048576, 100}, {"b", BEGIN, BEGIN, 1, 600, 1},
            {"c", BEGIN, BEGIN, 1, 500, 1}, {"d", BEGIN, BEGIN, 1, 400, 1},
            {"e", BEGIN, BEGIN, 1, 300, 1}, {"f", BEGIN, BEGIN, 1, 200, 1},
            {"g", BEGIN, BEGIN, 1, 100, 1}},
        "        in use                    95 %  per second      blocks  first birth  last birth   "
        "   age  "
        "stack\n"
        "       1.0 MiB    833.2 KiB to 1.2 MiB    78.8 KiB       1,024        0.0 s       0.0 s   "
        "13.0 s  "
        "a\\x1b\n"
        "         600 B         15 B to 3.3 KiB        46 B           1        0.0 s       0.0 s   "
        "13.0 s  b\n"
        "         500 B         13 B to 2.7 KiB        38 B           1        0.0 s       0.0 s   "
        "13.0 s  c\n"
        "         400 B         10 B to 2.2 KiB        31 B           1        0.0 s       0.0 s   "
        "13.0 s  d\n"
        "         300 B          8 B to 1.6 KiB        23 B           1        0.0 s       0.0 s   "
        "13.0 s  e\n"
        "         300 B  at 2 more stacks\n"},
};

static void test_survivors(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_profile *profile = stacks_new("bytes", false);
        struct hf_live_age items[HF_COUNT(cases[0].rows)];
        struct hf_live_ages ages = {.items = items};
        struct hf_survivors survivors;
        struct hf_out out = {0};
        check_case = cases[i].name;
        for (size_t j = 0; j < HF_COUNT(items) && cases[i].rows[j].stack != NULL; j++)
            items[ages.count++] = (struct hf_live_age){
                .node = stacks_node(profile, cases[i].rows[j].stack),
                .first_birth = cases[i].rows[j].first,
                .last_birth = cases[i].rows[j].last,
                .objects = cases[i].rows[j].objects,
                .bytes = cases[i].rows[j].bytes,
                .held_bytes = cases[i].rows[j].bytes,
                .samples = cases[i].rows[j].samples,
            };
        hf_survivors_choose(&survivors, profile, &ages);
        hf_survivors_text(&survivors, profile, BEGIN, BEGIN + 13 * S, &out);
        check_out(&out, cases[i].expected);
        hf_out_done(&out);
        hf_profile_free(profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_survivors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
