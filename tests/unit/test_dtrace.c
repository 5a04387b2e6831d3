/* DTrace's aggregations: what is a key, a frame, a count, and what is said of the rest. */
#include "reading.h"

#define HEAD "CPU     ID                    FUNCTION:NAME\n"
#define F(name) "              " name "\n"
#define CUT "LOSS in: ends inside a stack, which is skipped: the file is cut\n"

static void reads_dtrace(void **state)
{
    static const struct {
        const char *name, *text, *expected, *notes;
    } rows[] = {
        {"a stack", HEAD F("a`f+0x1") F("a`main") "    7\n", "a`main;a`f 7\n", ""},
        {"no head", F("a`f+0x1") F("a`main") "    7\n", "a`main;a`f 7\n", ""},
        {"no head, tabs", "\ta`f+0x1\n\ta`main\n\t7\n", "a`main;a`f 7\n", ""},
        {"CR LF", HEAD "\r\n              a`f+0x1\r\n    7\r\n\r\n", "a`f 7\n", ""},
        {"two stacks are one", HEAD F("k`f") "\n" F("u`g") F("u`main") "    7\n",
            "u`main;u`g;k`f 7\n", ""},
        {"a key before", HEAD "  bash\n" F("a`f") "    7\n", "bash;a`f 7\n", ""},
        {"the last column of a key", HEAD "       bash\n" F("a`f") "    7\n", "bash;a`f 7\n", ""},
        {"the first column of a frame", HEAD "        java\n" F("a`f") "    7\n", "a`f;java 7\n",
            ""},
        {"a frame behind a tab", HEAD "\tjava\n" F("a`f") "    7\n", "a`f;java 7\n", ""},
        {"an address and a module at the left", HEAD "  0x1f\n  a`f\n    7\n", "a`f;0x1f 7\n", ""},
        {"a key behind", HEAD F("a`f") "  bash    7\n", "bash;a`f 7\n", ""},
        {"two keys", HEAD "  bash\n  web server\n" F("a`f") "  7:1   9\n",
            "bash, web server, 7:1;a`f 9\n", ""},
        {"a key belongs to one entry", HEAD "  bash\n" F("a`f") "    7\n" F("a`g") "    8\n",
            "a`g 8\nbash;a`f 7\n", ""},
        {"a number without a stack", HEAD "  bash    9\n" F("a`f") "    7\n", "a`f 7\n", ""},
        {"a frame that ends in a number", HEAD F("a`f") F("a`operator 5") "    7\n",
            "a`operator 5;a`f 7\n", ""},
        {"the same stack twice", HEAD F("a`f+0x1") "    7\n" F("a`f+0x2") "    8\n", "a`f 15\n",
            ""},
        {"2^64-1 is a number", HEAD F("a`f") "    18446744073709551615\n",
            "a`f 18446744073709551615\n", ""},
        {"what the program says between", HEAD "dtrace: 3 drops on CPU 0\n" F("a`f") "    7\n",
            "a`f 7\n", ""},
        {"two firings", HEAD "  0  64091     :tick-60s\n 12      3    :END\n" F("a`f") "    7\n",
            "a`f 7\n", ""},
        {"the end of a stack is missing", HEAD F("a`f") "    7\n" F("a`g"), "a`f 7\n", CUT},
        {"a number is cut", HEAD F("a`f") "    7\n" F("a`g") "    8", "a`f 7\na`g 8\n",
            "in: line 5 ends without a newline: if the file was cut there, its number is too "
            "low\n"},
        {"a frame is cut", HEAD F("a`f") "    7\n" F("a`g") "      a`h", "a`f 7\n",
            CUT "LOSS in: skipped 1 line that is cut (line 5)\n"},
        {"a number without a stack is cut", HEAD F("a`f") "    7\n  bash  9", "a`f 7\n",
            "LOSS in: skipped 1 line that is cut (line 4)\n"},
        {"distributions",
            HEAD F("a`f") "    7\n  bash\n" F(
                "a`g") "           value  ------------- Distribution ------------- count\n"
                       "               0 |                                         0\n"
                       "               1 |@@@@                                     7\n\n" F(
                           "a`h") "  8\n"
                                  "           value  ------------- Distribution ------------- "
                                  "count\n\n",
            "a`f 7\na`h 8\n",
            "in: 2 distributions of stacks are not read: aggregate with count() or sum()\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].name;
        check_folded(rows[i].text, rows[i].expected, rows[i].notes);
    }
}

/* The same lines, if neither head nor frames say whose they are. */
static void leaves_the_rest_to_others(void **state)
{
    static const char *const texts[] = {"       a`f\n    7\n", "              a`f\n",
        "              `f\n    7\n", "              a b`f\n    7\n", "              a:b`f\n    7\n",
        "              f\n    7\n", "              a`f\n short\n    7\n"};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(texts); i++) {
        struct hf_text bytes = hf_text_of(texts[i]);
        check_case = texts[i];
        assert_int_equal(hf_format_dtrace.bid(bytes), HF_BID_NO);
    }
    assert_int_equal(hf_format_dtrace.bid(HF_TEXT(HEAD)), HF_BID_SURE);
    assert_int_equal(hf_format_dtrace.bid(HF_TEXT("        a`f\n  7\n")), HF_BID_SURE);
    assert_int_equal(hf_format_dtrace.bid(HF_TEXT(F("a`f") F("Ljava;::f") "  7\n")), HF_BID_SURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_dtrace),
        cmocka_unit_test(leaves_the_rest_to_others),
    };
    return cmocka_run_group_tests_name("dtrace", tests, NULL, NULL);
}
