/* Lines of scripts that hand on what they make, and functions of which all do. */
#include "spec/script_source.h"

#include "check.h"

#include <stdio.h>

static bool hands_on(const char *text, uint32_t line, bool is_python)
{
    struct hf_script_lines lines;
    assert_true(hf_script_lines_find(&lines, hf_text_of(text)));
    bool found = hf_script_line_hands_on(&lines, line, is_python);
    hf_script_lines_done(&lines);
    return found;
}

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool python, other;
    } cases[] = {
        {"    return self.body.decode()", true, true},
        {"\treturn[x for x in y]", true, true},
        {"return {'a': 1, 'b': f(n=2)}", true, false}, /* others have no such arguments */
        {"return a == b ? c : d >= e;", true, true},
        {"return map(x => x + 1, xs);", true, true},
        {"return $x =~ /y/;", true, true},
        {"return this.known[key] = parse(key);", true, false},
        {"return $known{$key} ||= parse($key);", true, false},
        {"return (found := parse(key))", false, false},
        {"return seen.setdefault(key, Node())", false, false},
        {"return $this->seen->add(new Node());", false, false},
        {"return padded(address(1))", true, true},
        {"return add", true, true},
        {"returned = parse(key)", false, false},
        {"return_it(parse(key))", false, false},
        {"self.kept = parse(key)", false, false},
        {"return", false, false},
        {"", false, false},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        assert_int_equal(hands_on(cases[i].text, 1, true), cases[i].python);
        assert_int_equal(hands_on(cases[i].text, 1, false), cases[i].other);
    }
}

static void test_places(void **state)
{
    (void)state;
    static const char text[] = "a = 1\n\n  return f(a)\nreturn g(a)";
    static const bool expected[] = {false, false, false, true, true, false};
    for (uint32_t line = 0; line < HF_COUNT(expected); line++)
        assert_int_equal(hands_on(text, line, false), expected[line]);
    assert_false(hands_on(text, UINT32_MAX, true));
}

static void test_decorators(void **state)
{
    (void)state;
    static const char kept[] = "@app.route('/')\n@functools.lru_cache(maxsize=None)\n"
                               "def render(page):\n    text = page.text\n    return text * 2\n";
    static const char inner[] = "@memoized\ndef outer(page):\n"
                                "    def inner():\n        return page * 2\n    return inner\n";
    static const char plain[] = "@property\nasync def text(self):\n    return self.body.decode()\n";
    assert_false(hands_on(kept, 5, true));
    assert_true(hands_on(kept, 5, false)); /* no decorators */
    assert_true(hands_on(inner, 4, true));
    assert_false(hands_on(inner, 5, true));
    assert_true(hands_on(plain, 3, true));
}

static void add(
    struct hf_script_functions *functions, const char *name, const char *file, uint32_t line)
{
    struct hf_error err;
    assert_int_equal(
        hf_script_functions_add(functions, hf_text_of(name), hf_text_of(file), line, &err), HF_OK);
}

static void call(struct hf_script_functions *functions, uint64_t caller, uint64_t callee)
{
    struct hf_error err;
    assert_int_equal(hf_script_functions_call(functions, caller, callee, &err), HF_OK);
}

static void test_functions(void **state)
{
    (void)state;
    static const char path[] = "test_script_source.py";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("def text(self):\n    return self.body\n    x = f()\n", file) >= 0);
    assert_int_equal(fclose(file), 0);

    struct hf_script_functions functions = {0};
    uint64_t text = hf_script_key(HF_TEXT("text"), hf_text_of(path));
    uint64_t both = hf_script_key(HF_TEXT("both"), hf_text_of(path));
    uint64_t lost = hf_script_key(HF_TEXT("lost"), HF_TEXT("not-there.py"));
    assert_int_equal(hf_script_key(HF_TEXT("main"), HF_TEXT("main.c")), 0);
    assert_int_equal(hf_script_key(HF_TEXT(""), hf_text_of(path)), 0);
    add(&functions, "text", path, 2);
    add(&functions, "both", path, 2);
    add(&functions, "both", path, 3);
    add(&functions, "lost", "not-there.py", 2);
    add(&functions, "main", "main.c", 2);
    for (uint64_t caller = 100; caller < 102; caller++) {
        call(&functions, caller, both);
        call(&functions, caller, lost);
    }
    assert_true(hf_script_functions_may_hand_on(&functions, text));
    assert_false(hf_script_functions_may_hand_on(&functions, both));
    assert_false(hf_script_functions_may_hand_on(&functions, 0));
    call(&functions, 100, text);
    call(&functions, 100, text);
    call(&functions, text, text);
    assert_false(hf_script_functions_hand_on(&functions, text)); /* from one place */
    call(&functions, 101, text);
    assert_true(hf_script_functions_hand_on(&functions, text));
    assert_false(hf_script_functions_hand_on(&functions, both));
    assert_false(hf_script_functions_hand_on(&functions, lost));
    hf_script_functions_done(&functions);
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_decorators),
        cmocka_unit_test(test_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
