/* What is said of programs whose functions are not native code. */
#include "answer/interpreters.h"

#include "profile/modules.h"
#include "stacks.h"

struct interpreters_case {
    const char *program, *code; /* NULL: no frame of code that was made at run time */
    bool is_named;              /* that frame is */
    const char *begins;         /* of the note; NULL: there is none */
    bool has_lines;             /* there are frames of the interpreter's own, too */
};

static void interpreters_add(struct hf_profile *p, uint32_t module, bool is_named)
{
    struct hf_error err;
    uint32_t id, node, name;
    uint64_t bytes = 5;
    struct hf_frame frame = {.module = module, .flags = HF_FRAME_HAS_OFFSET, .offset = 16};
    check_ok(hf_profile_frame(p, &frame, &id, &err), &err);
    if (is_named) {
        name = stacks_frame(p, HF_TEXT("JS:receive"));
        check_ok(hf_profile_expand(p, id, &name, 1, &err), &err);
    }
    check_ok(hf_stacktree_child(&p->stacks, HF_STACK_ROOT, id, &node, &err), &err);
    check_ok(hf_profile_add_sample(p, node, HF_THREAD_ALL, &bytes, &err), &err);
}

static void expect_note(const struct interpreters_case *c)
{
    struct hf_error err;
    struct hf_notes notes = {0};
    uint32_t program, code = HF_NO_MODULE;
    struct hf_profile *p = stacks_new("bytes", false);
    check_case = c->program;
    check_ok(hf_profile_module(p, hf_text_of(c->program), HF_TEXT(""), &program, &err), &err);
    interpreters_add(p, program, false);
    if (c->code != NULL && c->code[0] != '\0')
        check_ok(hf_profile_module(p, hf_text_of(c->code), HF_TEXT(""), &code, &err), &err);
    if (c->code != NULL)
        interpreters_add(p, code, c->is_named);
    struct hf_frame line = {.flags = HF_FRAME_NAMED, .line = 8};
    check_ok(hf_profile_string(p, HF_TEXT("feed.js"), &line.file, &err), &err);
    if (c->has_lines)
        check_ok(hf_profile_frame(p, &line, &(uint32_t){0}, &err), &err);
    hf_note_interpreter(p, &notes);
    assert_int_equal(notes.count, c->begins != NULL);
    if (c->begins != NULL && !hf_text_starts(hf_text_of(notes.items[0].text), c->begins))
        fail_msg("%s: found '%s'", c->program, notes.items[0].text);
    hf_notes_done(&notes);
    hf_profile_free(p);
}

static void says_what_is_not_seen(void **state)
{
    (void)state;
    static const struct interpreters_case cases[] = {
        {"/usr/bin/ruby3.1", NULL, false, NULL, false},
        {"/usr/bin/perl", NULL, false, NULL, false},
        {"/usr/bin/php8.2", NULL, false, NULL, false},
        {"/usr/bin/lua5.4", NULL, false, "functions of Lua are not seen", false},
        {"/usr/bin/lua5.4", NULL, false, NULL, true},
        {"/usr/bin/node", "", false, "functions of JavaScript have no names; node --perf-basic",
            false},
        {"/usr/bin/node", HF_ANONYMOUS, false, "functions of JavaScript have no names", false},
        {"/usr/bin/node", HF_ANONYMOUS, true, NULL, false},
        {"/usr/bin/node", NULL, false, NULL, false},
        {"/usr/bin/node", HF_ANONYMOUS, false, NULL, true},
        {"/usr/lib/jvm/bin/java", HF_JIT, false, "methods of Java have no names", false},
        {"/opt/server", "", false, NULL, false},
        {"/usr/bin/python3.11", NULL, false, NULL, false},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++)
        expect_note(&cases[i]);
}

static void says_nothing_of_nothing(void **state)
{
    (void)state;
    struct hf_error err;
    uint32_t program;
    struct hf_notes notes = {0};
    struct hf_profile *p = stacks_new("bytes", false);
    check_ok(hf_profile_module(p, HF_TEXT("/usr/bin/lua5.4"), HF_TEXT(""), &program, &err), &err);
    hf_note_interpreter(p, &notes);
    assert_int_equal(notes.count, 0);
    hf_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_not_seen),
        cmocka_unit_test(says_nothing_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
