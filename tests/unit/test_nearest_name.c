/* How many letters have to be changed, added or left out to make one name of another. */
#include "base/strings/nearest_name.h"

#include "check.h"

static void test_distances(void **state)
{
    static const struct {
        const char *a, *b;
        unsigned distance;
    } rows[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"same", "same", 0},
        {"output", "outptu", 2},
        {"output", "outpu", 1},
        {"output", "xoutput", 1},
        {"output", "outxput", 1},
        {"output", "oxtput", 1},
        {"kitten", "sitting", 3},
        {"saturday", "sunday", 3},
        {"abcdef", "fedcba", 6},
        {"aaaa", "bbbbbb", 6},
        {"abab", "baba", 2},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_text a = hf_text_of(rows[i].a), b = hf_text_of(rows[i].b);
        if (hf_name_distance(a, b) != rows[i].distance ||
            hf_name_distance(b, a) != rows[i].distance)
            fail_msg("%s, %s: %u", rows[i].a, rows[i].b, hf_name_distance(a, b));
    }
}

/* Names that are too long are far from all, themselves too. */
static void test_long_names(void **state)
{
    char name[HF_NAME_MAX + 1];
    (void)state;
    memset(name, 'n', sizeof name);
    const struct hf_text longest = {name, HF_NAME_MAX}, longer = {name, HF_NAME_MAX + 1};
    assert_int_equal(hf_name_distance(longest, longest), 0);
    assert_int_equal(hf_name_distance(longest, HF_TEXT("")), HF_NAME_MAX);
    assert_int_equal(hf_name_distance(longer, longest), HF_NAME_MAX + 1);
    assert_int_equal(hf_name_distance(HF_TEXT(""), longer), HF_NAME_MAX + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests_name("nearest_name", tests, NULL, NULL);
}
