/*
 * Probe specs: every sentence of the parser, what a value comes to, the presets, and every prefix
 * and single-byte change of them.
 */
#include "check.h"
#include "spec/pattern.h"
#include "spec/presets.h"
#include "spec/spec.h"

#define HEAD "spec a\nobject exe\n"

/* What is said of `text`, or "" if it is a file of specs. */
static const char *complaint(const char *text, char out[HF_ERROR_TEXT_MAX])
{
    struct hf_specs specs;
    struct hf_error err;
    out[0] = '\0';
    if (hf_specs_parse(&specs, hf_text_of(text), "f", &err) != HF_OK)
        hf_error_format(&err, out, HF_ERROR_TEXT_MAX);
    hf_specs_done(&specs);
    return out;
}

static const struct {
    const char *text, *says;
} refused[] = {
    {"", "f: expected 'spec NAME', found no line"},
    {"# nothing\n", "f: expected 'spec NAME', found no line"},
    {"object exe", "f: line 1: column 1: expected 'spec NAME' as the first line, found 'object'"},
    {"spec", "f: line 1: column 5: expected a name, found the end of the line"},
    {"spec # a", "f: line 1: column 6: expected a name, found the end of the line"},
    {"spec a b", "f: line 1: column 8: expected the end of the line, found 'b'"},
    {"spec a\nfree sym:f ptr=arg0",
        "f: expected a line of spec a that says in which 'object' it is"},
    {HEAD, "f: expected a line of spec a that says what a function does"},
    {"spec a\nobject",
        "f: line 2: column 7: expected exe, auto, kernel or lib:NAME, found the end of the line"},
    {"spec a\nobject exe program",
        "f: line 2: column 12: expected exe, auto, kernel or lib:NAME, found 'program'"},
    {"spec a\nobject lib:", "f: line 2: column 12: expected the name of a library, e.g. libc.so.*, "
                            "found the end of the line"},
    {"spec a\ndetect main",
        "f: line 2: column 8: expected sym:NAME or string:\"TEXT\", found 'main'"},
    {"spec a\ndetect sym:",
        "f: line 2: column 12: expected a text that is not empty, found the end of the line"},
    {"spec a\ndetect string:\"x", "f: line 2: column 17: expected '\"', found the end of the line"},
    {"spec a\nprefix sym:mallctl", "f: line 2: column 8: expected sym:NAME with a '*' for the "
                                   "prefix, found 'sym:mallctl'"},
    {"spec a\nlabel name", "f: line 2: column 7: expected ctx.name, found 'name'"},
    {"spec a\nskip contexts",
        "f: line 2: column 6: expected 'classes reset-or-deleted', found 'contexts'"},
    {"spec a\nskip classes old", "f: line 2: column 14: expected reset-or-deleted, found 'old'"},
    {"spec a\n\taloc sym:malloc",
        "f: line 2: column 2: expected spec, object, detect, prefix, label, skip, chunk, optional, "
        "alloc, "
        "free, realloc, reset, delete, ctxnew, map or unmap, found 'aloc'"},
    {"spec a\noptional label", "f: line 2: column 10: expected alloc, free, realloc, reset, "
                               "delete, ctxnew, map or unmap, "
                               "found 'label'"},
    {HEAD "free", "f: line 3: column 5: expected where the function is: sym:NAME, table[N], "
                  "off:N@BUILD-ID or syscall:NAME, found the end of the line"},
    {HEAD "free syscall:fork ptr=arg0",
        "f: line 3: column 14: expected mmap, munmap or mremap, found 'fork'"},
    {HEAD "map syscall:mmap size=arg3 new=ret",
        "f: line 3: column 5: expected a system call of which arg0, arg1 and arg2 are read, found "
        "'syscall:mmap'"},
    {HEAD "free sym: ptr=arg0", "f: line 3: column 10: expected the name of a symbol, found the "
                                "end of the line"},
    {HEAD "free table[x]", "f: line 3: column 12: expected a number, found 'x]'"},
    {HEAD "free table[1", "f: line 3: column 13: expected ']', found the end of the line"},
    {HEAD "free off:0x12", "f: line 3: column 14: expected '@' and the build-id of the file, found "
                           "the end of the line"},
    {HEAD "free off:0x12@xy",
        "f: line 3: column 15: expected a build-id: pairs of digits and a to f, found 'xy'"},
    {HEAD "free off:99999999999999999999@ab", "f: line 3: column 10: expected a number, found "
                                              "'99999999999999999999@ab'"},
    {HEAD "free sym:f", "f: line 3: column 11: expected ptr= of free, perhaps ctx= and size=, "
                        "found the end of the line"},
    {HEAD "free sym:f new=ret", "f: line 3: column 12: expected ptr= of free, perhaps ctx= and "
                                "size=, found 'new=ret'"},
    {HEAD "free sym:f ptr=arg0 ptr=arg1",
        "f: line 3: column 21: expected each key once, found 'ptr=arg1'"},
    {HEAD "free sym:f ptr=ret", "f: line 3: column 16: expected a value that is known at the "
                                "entry, without ret, found 'ret'"},
    {HEAD "free sym:f ptr=arg0 ok=ret==0", "f: line 3: column 21: expected no ok=: it takes "
                                           "effect at its entry, found 'ok=ret==0'"},
    {HEAD "alloc sym:f size=arg0 new=ret ok=ret!=0 ok=ret!=0",
        "f: line 3: column 41: expected ok= once, found 'ok=ret!=0'"},
    {HEAD "alloc sym:f size=arg0 new=ret ok=ret", "f: line 3: column 37: expected '==', '!=', '<' "
                                                  "or '>=', found the end of the line"},
    {HEAD "alloc sym:f size=arg0", "f: line 3: column 22: expected size= and new= of alloc, "
                                   "perhaps ctx=, found the end of the line"},
    {HEAD "realloc sym:f size=arg0 new=ret", "f: line 3: column 32: expected ptr=, size= and "
                                             "new= of realloc, perhaps ctx=, found the "
                                             "end of the line"},
    {HEAD "reset sym:f", "f: line 3: column 12: expected ctx= of reset, found the end of the line"},
    {HEAD "delete sym:f",
        "f: line 3: column 13: expected ctx= of delete, found the end of the line"},
    {HEAD "ctxnew sym:f name=arg1", "f: line 3: column 23: expected ctx= or new= of ctxnew, "
                                    "perhaps name=, found the end of the line"},
    {HEAD "map sym:f new=ret",
        "f: line 3: column 18: expected size= and new= of map, found the end of the line"},
    {HEAD "unmap sym:f ptr=arg0",
        "f: line 3: column 21: expected ptr= and size= of unmap, found the end of the line"},
    {HEAD "free sym:f ptr=", "f: line 3: column 16: expected a value: argN, ret, ret32, *VALUE or "
                             "a number, found the end of the line"},
    {HEAD "free sym:f ptr=arg6", "f: line 3: column 19: expected an argument in a register, arg0 "
                                 "to arg5, found '6'"},
    {HEAD "free sym:f ptr=arg",
        "f: line 3: column 19: expected a number, found the end of the line"},
    {HEAD "free sym:f ptr=-x", "f: line 3: column 17: expected a number, found 'x'"},
    {HEAD "free sym:f ptr=(arg0", "f: line 3: column 21: expected ')', found the end of the line"},
    {HEAD "free sym:f ptr=arg0;", "f: line 3: column 20: expected '+', '-', '*' or a blank after a "
                                  "value, found ';'"},
    {HEAD "free sym:f ptr=((((((((((((((((((((((((((((((((arg0",
        "f: line 3: column 48: expected fewer parentheses and stars, found 'arg0'"},
    {HEAD "free sym:f ptr=1+1+1+1+1+1+1", "f: line 3: column 29: expected the end of a value: "
                                          "it has more than 12 parts, found the "
                                          "end of the line"},
};

static void complaints(void **state)
{
    (void)state;
    char said[HF_ERROR_TEXT_MAX];
    for (size_t i = 0; i < HF_COUNT(refused); i++)
        assert_string_equal(complaint(refused[i].text, said), refused[i].says);
}

/* Doubles what it is asked for; there is nothing below 16. */
static bool load(void *context, uint64_t address, uint64_t *out_word)
{
    (void)context;
    *out_word = 2 * address;
    return address >= 16;
}

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool is_known;
        uint64_t number;
    } cases[] = {
        {"arg0", true, 100},
        {"arg5", true, 105},
        {"0x10", true, 16},
        {"-1", true, UINT64_MAX},
        {"ret", true, UINT64_C(0x1ffffffff)},
        {"ret32", true, UINT64_MAX},
        {"arg0*arg1", true, 10100},
        {"arg0+arg1*2", true, 302},
        {"(arg0+arg1)*2", true, 402},
        {"arg0-arg1-1", true, UINT64_MAX - 1},
        {"*arg0", true, 200},
        {"**arg0", true, 400},
        {"*arg0+8", true, 208},
        {"*(arg0+8)", true, 216},
        {"arg1**arg0", true, 20200},
        {"*8", false, 0},
        {"*8*0", false, 0},
    };
    struct hf_spec_call call = {{100, 101, 102, 103, 104, 105}, UINT64_C(0x1ffffffff), load, NULL};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_specs specs;
        struct hf_error err;
        char text[256];
        uint64_t number = 0;
        (void)snprintf(text, sizeof text, HEAD "alloc sym:f size=arg0 new=%s", cases[i].value);
        check_ok(hf_specs_parse(&specs, hf_text_of(text), "f", &err), &err);
        const struct hf_spec_entry *entry = &specs.items[0].entries[0];
        assert_int_equal(
            hf_spec_evaluate(&entry->values[HF_SPEC_NEW], &call, &number), cases[i].is_known);
        assert_int_equal(number, cases[i].number);
        hf_specs_done(&specs);
    }
}

static void conditions(void **state)
{
    (void)state;
    static const struct {
        const char *ok;
        bool succeeded;
    } cases[] = {
        {"", true},
        {"ok=ret==0", false},
        {"ok=ret!=0", true},
        {"ok=ret32==-1", true},
        {"ok=ret<arg0", false},
        {"ok=arg0<arg1", true},
        {"ok=arg0>=arg0", true},
        {"ok=arg0>=arg1", false},
        {"ok=*0==0", false},
    };
    struct hf_spec_call call = {{100, 101, 102, 103, 104, 105}, UINT64_C(0x1ffffffff), load, NULL};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_specs specs;
        struct hf_error err;
        char text[256];
        (void)snprintf(text, sizeof text, HEAD "alloc sym:f size=arg3 new=ret %s", cases[i].ok);
        check_ok(hf_specs_parse(&specs, hf_text_of(text), "f", &err), &err);
        assert_int_equal(hf_spec_succeeded(&specs.items[0].entries[0], &call), cases[i].succeeded);
        hf_specs_done(&specs);
    }
}

/* One of each line, read into what it says. */
static void everything(void **state)
{
    (void)state;
    static const char text[] = "# a comment\r\n"
                               "spec first  # another\n"
                               "\tobject exe lib:lib*.so auto\n"
                               "detect sym:main string:\"a # b\"\n"
                               "detect sym:x\n"
                               "prefix sym:*ctl\n"
                               "label ctx.name\n"
                               "skip classes reset-or-deleted\n"
                               "optional free off:0x1f@ab12 ptr=arg1 ctx=*arg0\n"
                               "alloc table[3] size=arg5 new=*arg2 ok=ret32==0#x\n"
                               "\n"
                               "spec second\n"
                               "object exe\n"
                               "ctxnew sym:new ctx=arg0 name=arg4";
    struct hf_specs specs;
    struct hf_error err;
    check_ok(hf_specs_parse(&specs, hf_text_of(text), "f", &err), &err);
    assert_int_equal(specs.count, 2);
    const struct hf_spec *spec = &specs.items[0];
    check_text(spec->name, "first");
    assert_int_equal(spec->object_count, 3);
    assert_int_equal(spec->objects[1].kind, HF_SPEC_LIBRARY);
    check_text(spec->objects[1].glob, "lib*.so");
    assert_int_equal(spec->objects[2].kind, HF_SPEC_AUTO);
    assert_int_equal(spec->test_count, 3);
    assert_true(spec->tests[1].is_string);
    check_text(spec->tests[1].text, "a # b");
    assert_int_equal(spec->tests[1].line, spec->tests[0].line);
    assert_int_not_equal(spec->tests[2].line, spec->tests[0].line);
    check_text(spec->prefix, "*ctl");
    assert_true(spec->labels_contexts && spec->skips_short_lived);
    assert_int_equal(spec->entry_count, 2);
    const struct hf_spec_entry *entry = &spec->entries[0];
    assert_int_equal(entry->role, HF_ROLE_FREE);
    assert_true(entry->is_optional);
    assert_int_equal(entry->locator.kind, HF_SPEC_OFFSET);
    assert_int_equal(entry->locator.number, 0x1f);
    check_text(entry->locator.build_id, "ab12");
    assert_int_equal(hf_spec_entry_arguments(entry), 3);
    assert_false(hf_spec_entry_returns(entry));
    entry = &spec->entries[1];
    assert_int_equal(entry->line, 10);
    assert_int_equal(entry->locator.number, 3);
    assert_int_equal(hf_spec_entry_arguments(entry), 1u << 5 | 1u << 2);
    assert_true(hf_spec_entry_returns(entry));
    assert_int_equal(specs.items[1].entries[0].values[HF_SPEC_SIZE].count, 0);
    assert_false(specs.items[1].labels_contexts);
    hf_specs_done(&specs);
}

static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *wanted, *prefix, *name;
        enum hf_symbol_match match;
    } cases[] = {
        {"malloc", "", "malloc", HF_SYMBOL_MEANT},
        {"malloc", "", "mallocx", HF_SYMBOL_OTHER},
        {"malloc", "", "mallo", HF_SYMBOL_OTHER},
        {"%malloc", "je_", "je_malloc", HF_SYMBOL_MEANT},
        {"%malloc", "je_", "malloc", HF_SYMBOL_OTHER},
        {"%malloc", "", "malloc", HF_SYMBOL_MEANT},
        {"take", "", "take.constprop.0", HF_SYMBOL_CLONE},
        {"take", "", "take.isra.0.constprop.1", HF_SYMBOL_CLONE},
        {"take", "", "take.part.0", HF_SYMBOL_OTHER},
        {"take", "", "take.cold", HF_SYMBOL_OTHER},
        {"take*", "", "take_all", HF_SYMBOL_MEANT},
        {"take*", "", "take.cold", HF_SYMBOL_OTHER},
        {"t?ke*l*", "", "take_all", HF_SYMBOL_MEANT},
        {"t?ke*x", "", "take_all", HF_SYMBOL_OTHER},
        {"*", "", "", HF_SYMBOL_MEANT},
        {"?", "", "", HF_SYMBOL_OTHER},
        {"*ab*ab", "", "abab", HF_SYMBOL_MEANT},
        {"*ab*ab", "", "aab", HF_SYMBOL_OTHER},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].wanted;
        assert_int_equal(hf_spec_match_symbol(hf_text_of(cases[i].wanted),
                             hf_text_of(cases[i].prefix), hf_text_of(cases[i].name)),
            cases[i].match);
    }
    struct hf_text star;
    assert_true(hf_glob_find_star(HF_TEXT("*mallctl"), HF_TEXT("_rjem_mallctl"), &star));
    check_text(star, "_rjem_");
    assert_true(hf_glob_find_star(HF_TEXT("*mallctl"), HF_TEXT("mallctl"), &star));
    check_text(star, "");
    assert_false(hf_glob_find_star(HF_TEXT("*mallctl"), HF_TEXT("mallctlbymib"), &star));
    assert_false(hf_glob_find_star(HF_TEXT("aa*aa"), HF_TEXT("aaa"), &star));
}

/* A star takes as much as it must: what follows it may begin several times. */
static void globs_go_back_to_the_last_star(void **state)
{
    (void)state;
    static const struct {
        const char *glob, *name;
        bool matches;
    } cases[] = {{"*ab", "aab", true}, {"*ab", "abab", true}, {"*ab", "aba", false},
        {"a*bc*d", "abbcxbcd", true}, {"a*bc*d", "abbcxbc", false}, {"a*b?d", "abxbbcd", true},
        {"a*b?d", "abxbcxd", false}, {"a*b?d", "abxbbd", true}, {"*aab*", "aaab", true},
        {"*aab*", "aabb", true}, {"*aab*", "abab", false}, {"a*", "a", true}, {"a*", "", false},
        {"**a**", "a", true}, {"", "", true}, {"", "a", false}, {"*", "", true}, {"a?", "a", false},
        {"a?", "ab", true}, {"a", "ab", false}, {"ab", "a", false}, {"lib*.so*", "libc.so.6", true},
        {"lib*.so*", "lib.s.so", true}, {"lib*.so*", "libso", false},
        {"*?java.*", "java.nio", false}, {"*?java.*", "long java.nio.Bits", true},
        {"*??x", "xx", false}, {"*??x", "axx", true}, {"*??", "a", false}, {"*??", "ab", true},
        {"*?*x", "x", false}, {"*?*x", "ax", true}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].glob;
        if (hf_glob_matches(hf_text_of(cases[i].glob), hf_text_of(cases[i].name)) !=
            cases[i].matches)
            fail_msg("'%s' on '%s'", cases[i].glob, cases[i].name);
    }
}

/* No change of a preset may do more than be refused. */
static void mutate(struct hf_text text)
{
    struct hf_error err;
    struct hf_specs specs;
    char *copy = malloc(text.size + 1);
    assert_non_null(copy);
    for (size_t i = 0; i < text.size; i++) {
        memcpy(copy, text.data, text.size);
        (void)!hf_specs_parse(&specs, (struct hf_text){copy, i}, "f", &err);
        hf_specs_done(&specs);
        copy[i] = (char)(copy[i] ^ (1 << i % 8));
        (void)!hf_specs_parse(&specs, (struct hf_text){copy, text.size}, "f", &err);
        hf_specs_done(&specs);
    }
    free(copy);
}

static void presets(void **state)
{
    (void)state;
    struct hf_text text;
    struct hf_error err;
    for (const char *const *name = hf_spec_preset_names; *name != NULL; name++) {
        struct hf_specs specs;
        assert_true(hf_spec_preset(hf_text_of(*name), &text));
        check_ok(hf_specs_parse(&specs, text, *name, &err), &err);
        assert_true(hf_text_starts(specs.items[0].name, *name));
        assert_true(name == hf_spec_preset_names || strcmp(name[-1], *name) < 0);
        hf_specs_done(&specs);
        mutate(hf_text_first(text, 1500));
    }
    for (const char *const *name = hf_spec_malloc_presets; *name != NULL; name++)
        assert_true(hf_spec_preset(hf_text_of(*name), &text));
    assert_false(hf_spec_preset(HF_TEXT("lib"), &text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globs_go_back_to_the_last_star),
        cmocka_unit_test(complaints),
        cmocka_unit_test(values),
        cmocka_unit_test(conditions),
        cmocka_unit_test(everything),
        cmocka_unit_test(patterns),
        cmocka_unit_test(presets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
