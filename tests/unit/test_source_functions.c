/* Functions of scripts: by what their lines, and what these call, make most of. */
#include "source/functions.h"

#include "check.h"

#include <stdio.h>

static const char path[] = "test_source_functions.py";

static struct hf_source_line line_of(const char *name, uint32_t line)
{
    return (struct hf_source_line){hf_text_of(name), hf_text_of(path), line};
}

static void see(struct hf_source_functions *functions, const char *name, uint32_t line,
    const char *callee, uint64_t bytes)
{
    struct hf_error err;
    assert_int_equal(
        hf_source_functions_see(functions, line_of(name, line), hf_text_of(callee), bytes, &err),
        HF_OK);
}

static void call(struct hf_source_functions *functions, const char *caller, const char *callee)
{
    struct hf_error err;
    assert_int_equal(
        hf_source_functions_call(functions, line_of(caller, 1), line_of(callee, 1), &err), HF_OK);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"Index.add", "add"}, {"Index#add", "add"},
        {"Shop\\Front::add", "add"}, {"block in Index#add", "add"}, {"~add", "add"}, {"add", "add"},
        {"a::(anonymous namespace)::add", "add"},
        {"(anonymous namespace)::Log::add(int) const", "add"}, {"add<std::string>", "add"},
        {"a::Box<b::T>::add<c::U>(d::V)", "add"}, {"<a::Box<T> as b::Add>::add", "add"},
        {"a::Box::operator<", "operator<"}, {"add.part.0", "add"}, {"Index.<lambda>", "<lambda>"},
        {"", ""}};
    for (size_t i = 0; i < HF_COUNT(names); i++)
        assert_true(hf_text_is(hf_source_bare_name(hf_text_of(names[i][0])), names[i][1]));
}

static void test_functions(void **state)
{
    (void)state;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("class Desk:\n"
                      "    def run(self):\n"
                      "        slip = compute()\n"
                      "        self.last = text()\n"
                      "        self.file(slip)\n"
                      "    def file(self, slip):\n"
                      "        self.slips.append(slip)\n"
                      "def compute():\n"
                      "    if x:\n"
                      "        return [1]\n"
                      "    y = x * 2\n",
                    file) >= 0);
    assert_int_equal(fclose(file), 0);
    struct hf_error err;
    struct hf_source_functions functions = {0};
    assert_int_equal(hf_source_functions_open(&functions, line_of("Desk.run", 3), &err), HF_OK);
    assert_true(hf_source_functions_are_known(&functions));
    see(&functions, "Desk.run", 3, "compute", 1000);
    see(&functions, "Desk.run", 4, "text", 10);
    see(&functions, "compute", 10, "", 1000);
    see(&functions, "compute", 9, "", 5000); /* nobody can tell */
    call(&functions, "Desk.run", "compute");
    call(&functions, "compute", "compute");

    struct hf_source_judgement judged =
        hf_source_functions_judge(&functions, line_of("Desk.run", 3));
    assert_int_equal(judged.use, HF_SOURCE_GIVES);
    assert_true(hf_text_is(judged.holder.name, "Desk.file"));
    assert_true(hf_text_is(judged.holder.file, path));
    assert_int_equal(judged.holder.line, 7);
    judged = hf_source_functions_judge(&functions, line_of("Desk.run", 4));
    assert_int_equal(judged.use, HF_SOURCE_KEEPS);
    judged = hf_source_functions_judge(&functions, line_of("Desk.run", 0));
    assert_int_equal(judged.use, HF_SOURCE_GIVES);
    judged = hf_source_functions_judge(&functions, line_of("compute", 9));
    assert_int_equal(judged.use, HF_SOURCE_HANDS_ON); /* as the function does otherwise */
    assert_true(judged.is_called && !judged.is_shared);
    call(&functions, "<module>", "compute");
    assert_true(hf_source_functions_judge(&functions, line_of("compute", 9)).is_shared);
    see(&functions, "compute", 11, "", 9000); /* a number, gone at once */
    judged = hf_source_functions_judge(&functions, line_of("compute", 11));
    assert_true(judged.is_gone);
    assert_false(hf_source_functions_judge(&functions, line_of("compute", 9)).is_gone);
    assert_false(hf_source_functions_judge(&functions, line_of("Desk.run", 3)).is_gone);
    judged = hf_source_functions_judge(&functions, line_of("Desk.other", 4));
    assert_int_equal(judged.use, HF_SOURCE_MAY_KEEP);
    hf_source_functions_done(&functions);
    assert_int_equal(remove(path), 0);
}

/* Who calls a function of Lua may have no name for it; its source has. */
static void test_names_of_lua(void **state)
{
    (void)state;
    static const char lua[] = "test_source_functions.lua";
    FILE *file = fopen(lua, "w");
    assert_non_null(file);
    assert_true(fputs("local passed = {}\n"
                      "local function admit(pass)\n"
                      "    passed[#passed + 1] = { pass = pass }\n"
                      "end\n"
                      "gates = { admit }\n",
                    file) >= 0);
    assert_int_equal(fclose(file), 0);
    struct hf_error err;
    struct hf_source_functions functions = {0};
    static const char *const names[] = {"function <test_source_functions.lua:2>", "admit"};
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        const struct hf_source_line at = {hf_text_of(names[i]), hf_text_of(lua), 3};
        assert_int_equal(hf_source_functions_open(&functions, at, &err), HF_OK);
        assert_int_equal(
            hf_source_functions_see(&functions, at, hf_text_of(""), 1000, &err), HF_OK);
        struct hf_source_judgement judged = hf_source_functions_judge(&functions, at);
        assert_int_equal(judged.use, i == 0 ? HF_SOURCE_GIVES : HF_SOURCE_KEEPS);
        if (i == 0) {
            assert_true(hf_text_is(judged.holder.name, "admit"));
            assert_int_equal(judged.holder.line, 3);
        }
    }
    hf_source_functions_done(&functions);
    assert_int_equal(remove(lua), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_names_of_lua),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
