/* Functions of scripts of which no line keeps what it makes, and one hands it on. */
#include "spec/script_source.h"

#include "check.h"

#include <stdio.h>

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
    assert_true(fputs("def text(self):\n    return self.body\n    self.x = f()\n", file) >= 0);
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
    call(&functions, text, text);
    assert_int_equal(hf_script_functions_giving(&functions, text), HF_SCRIPT_GIVES_NOTHING);
    call(&functions, 100, text);
    call(&functions, 100, text);
    assert_int_equal(hf_script_functions_giving(&functions, text), HF_SCRIPT_GIVES_ONE);
    call(&functions, 101, text);
    assert_int_equal(hf_script_functions_giving(&functions, text), HF_SCRIPT_GIVES_MANY);
    assert_int_equal(hf_script_functions_giving(&functions, both), HF_SCRIPT_GIVES_NOTHING);
    assert_int_equal(hf_script_functions_giving(&functions, lost), HF_SCRIPT_GIVES_NOTHING);
    hf_script_functions_done(&functions);
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
