/* Which files of a process a spec names: of this one, which has a program and libraries. */
#include "attach/probes/spec_match.h"

#include "attach/probes/malloc_owner.h"
#include "check.h"

#include <unistd.h>

/* What specs look for in this program. */
void *spec_match_one_alloc(void);
void *spec_match_two_alloc(void);
void *spec_match_one_alloc(void)
{
    return NULL;
}
void *spec_match_two_alloc(void)
{
    return NULL;
}
char spec_match_data_alloc[4] = "a";

static struct hf_images images;

static int begin(void **state)
{
    (void)state;
    return hf_images_open(&images, (uint32_t)getpid(), NULL) == HF_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    hf_images_close(&images);
    return 0;
}

#define PROGRAM 1u
#define LIBC 2u
#define OWNER 4u

static const struct {
    const char *what, *head;
    unsigned files; /* that fit */
    const char *prefixes;
} cases[] = {
    {"the program", "object exe\n", PROGRAM, ";"},
    {"a library", "object lib:libc.so*\n", LIBC, ";"},
    {"the program is no library", "object lib:test_spec*\n", 0, ""},
    {"no such library", "object lib:libnothing.so*\n", 0, ""},
    {"whose malloc is called", "object auto\n", OWNER, ";"},
    {"either of two", "object exe lib:libc.so*\n", PROGRAM | LIBC, ";;"},
    {"a symbol that is there", "object exe\ndetect sym:spec_match_one_alloc\n", PROGRAM, ";"},
    {"one that is not", "object exe\ndetect sym:spec_match_no_alloc\n", 0, ""},
    {"a text that is there", "object exe\ndetect string:\"a text, of this very test\"\n", PROGRAM,
        ";"},
    {"all of a line", "object exe\ndetect sym:spec_match_one_alloc sym:spec_match_two_alloc\n",
        PROGRAM, ";"},
    {"the first of a line is not",
        "object exe\ndetect sym:nothing_at_all sym:spec_match_one_alloc\n", 0, ""},
    {"the last of a line is not",
        "object exe\ndetect sym:spec_match_one_alloc sym:nothing_at_all\n", 0, ""},
    {"the first of two lines",
        "object exe\ndetect sym:spec_match_one_alloc\ndetect sym:nothing_at_all\n", PROGRAM, ";"},
    {"the second of two lines",
        "object exe\ndetect sym:nothing_at_all\ndetect sym:spec_match_one_alloc\n", PROGRAM, ";"},
    {"neither of two lines", "object exe\ndetect sym:nothing_at_all\ndetect sym:nothing_else\n", 0,
        ""},
    {"prefixes, of functions", "object exe\nprefix sym:spec_match_*_alloc\n", PROGRAM, "one;two;"},
    {"a prefix that nobody has", "object exe\nprefix sym:spec_match_*_nothing\n", 0, ""},
};

static void test_find(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        char text[512];
        struct hf_specs specs;
        struct hf_error err;
        struct hf_out out = {0};
        unsigned files = 0;
        int size =
            snprintf(text, sizeof text, "spec own\n%sfree sym:%%_free ptr=arg0\n", cases[i].head);
        check_case = cases[i].what;
        check_ok(hf_specs_parse(&specs, (struct hf_text){text, (size_t)size}, "own", &err), &err);
        struct hf_spec_match match = hf_spec_match_of(&images);
        for (int times = 0; times < 2; times++) /* what was found is not there twice */
            check_ok(hf_spec_match_find(&match, &specs.items[0], &err), &err);
        for (size_t n = 0; n < match.count; n++) {
            const char *path = images.images[match.items[n].image].path;
            files |= match.items[n].image == match.program        ? PROGRAM
                     : strstr(path, "/libc.so") != NULL           ? LIBC
                     : match.items[n].image == match.malloc_owner ? OWNER
                                                                  : 8;
            hf_out_text(&out, match.items[n].prefix);
            hf_out_char(&out, ';');
        }
        if (cases[i].files == OWNER) { /* the C library's, or a sanitizer's */
            assert_int_equal(match.count, 1);
            assert_int_equal(match.items[0].image, match.malloc_owner);
        } else {
            assert_int_equal(files, cases[i].files);
        }
        if (hf_text_is(hf_out_view(&out), "two;one;"))
            out.size = 0,
            hf_out_string(&out, "one;two;"); /* the order of symbols is the linker's */
        check_out(&out, cases[i].prefixes);
        hf_out_done(&out);
        hf_spec_match_done(&match);
        hf_specs_done(&specs);
    }
    check_case = "";
}

static const struct {
    const char *head, *said;
    bool has_images, has_owner;
} refusals[] = {
    {"object exe\n", "process 7 has no program file: it is a kernel thread, or has ended", false,
        true},
    {"object auto\n",
        "process 7: none of its mapped files exports malloc; in a stripped static program, "
        "functions "
        "cannot be found",
        true, false},
    {"object exe\n",
        "process 7 does not match spec own: it has mapped none of the files that the spec names",
        true, false},
    {"object exe\ndetect sym:a_free sym:b\n",
        "process 7 does not match spec own: it has mapped none of the files that the spec names "
        "and has "
        "a_free",
        true, true},
    {"object exe\nprefix sym:*_free\n",
        "process 7 does not match spec own: it has mapped none of the files that the spec names "
        "and has "
        "*_free",
        true, true},
};

static void test_refuse(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(refusals); i++) {
        char text[512];
        struct hf_specs specs;
        struct hf_error err;
        int size = snprintf(text, sizeof text,
            "spec other\nobject auto\nfree sym:a ptr=arg0\nspec own\n%sfree "
            "sym:c ptr=arg0\n",
            refusals[i].head);
        check_ok(hf_specs_parse(&specs, (struct hf_text){text, (size_t)size}, "own", &err), &err);
        struct hf_images other = images;
        other.pid = 7;
        other.image_count = refusals[i].has_images ? images.image_count : 0;
        struct hf_spec_match match = {.images = &other, .program = hf_images_program(&images)};
        match.malloc_owner = refusals[i].has_owner ? match.program : HF_NO_IMAGE;
        assert_int_equal(hf_spec_match_refuse(&match, &specs, &err), HF_ERR_INPUT);
        check_error(&err, refusals[i].said);
        hf_specs_done(&specs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_refuse),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
