/* Lines of printed stacks: names with blanks and parentheses, paths with both. */
#include "check.h"
#include "formats/reports/text_frame.h"

#include <inttypes.h>

/* "function|file:line|module+0xoffset|address" */
static void check_frame(const struct hf_text_frame *frame, const char *expected)
{
    struct hf_out out = {0};
    hf_out_text(&out, frame->function);
    hf_out_char(&out, '|');
    hf_out_text(&out, frame->file);
    hf_out_printf(&out, ":%" PRIu32 "|", frame->line);
    hf_out_text(&out, frame->module);
    if (frame->has_offset)
        hf_out_printf(&out, "+0x%" PRIx64, frame->offset);
    hf_out_printf(&out, "|0x%" PRIx64, frame->address);
    check_out(&out, expected);
    hf_out_done(&out);
}

static void reads_valgrind(void **state)
{
    static const struct {
        const char *line, *expected;
    } rows[] = {
        {"0x109279: compare (leaks.c:17)", "compare|leaks.c:17||0x109279"},
        {"0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload.so)",
            "malloc|:0|/usr/libexec/valgrind/vgpreload.so|0x48417b4"},
        {"0x401AB70: ??? (in /usr/lib/ld.so.2)", "|:0|/usr/lib/ld.so.2|0x401ab70"},
        {"0x1: ???", "|:0||0x1"},
        {"0x2: (below main) (libc_start.c:389)", "(below main)|libc_start.c:389||0x2"},
        {"0x2: (below main)", "(below main)|:0||0x2"},
        {"0x3: operator()(int) const (x.cc:12)", "operator()(int) const|x.cc:12||0x3"},
        {"0x3: operator() (x.cc:12)", "operator()|x.cc:12||0x3"},
        {"0x3: operator()", "operator()|:0||0x3"},
        {"0x4: std::function<void ()>::operator()() const (in /a.out)",
            "std::function<void ()>::operator()() const|:0|/a.out|0x4"},
        {"0x5: f(void (*)(int), std::function<int ()>)",
            "f(void (*)(int), std::function<int ()>)|:0||0x5"},
        {"0x6: void f<int>(int) [clone .part.0] (a.cc:1)",
            "void f<int>(int) [clone .part.0]|a.cc:1||0x6"},
        {"0x7: lose (my leaks (old).c:3)", "lose|my leaks (old).c:3||0x7"},
        {"0x8: lose (in /opt/a) b/lib.so)", "lose|:0|/opt/a) b/lib.so|0x8"},
        {"0x9: main::{lambda()#1}::operator()() const (a.cc:7)",
            "main::{lambda()#1}::operator()() const|a.cc:7||0x9"},
        {"0xa: alloc::raw_vec::grow (src/raw vec.rs:12:34)",
            "alloc::raw_vec::grow|src/raw vec.rs:12||0xa"},
        {"0xb: f (C:\\x.c:4294967296)", "f (C:\\x.c:4294967296)|:0||0xb"},
        {"0x0: ???", "|:0||0x0"},
        {"[root]", NULL},
        {"0x: f", NULL},
        {"0x1", NULL},
        {"0x1: ", NULL},
        {"0x1:f", NULL},
        {"0xg: f", NULL},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_text_frame frame;
        check_case = rows[i].line;
        bool is_read = hf_text_frame_valgrind(hf_text_of(rows[i].line), &frame);
        assert_int_equal(is_read, rows[i].expected != NULL);
        if (is_read)
            check_frame(&frame, rows[i].expected);
    }
}

static void reads_sanitizers(void **state)
{
    static const struct {
        const char *line, *expected;
    } rows[] = {
        {"    #1 0x55d326 in lose_chain /tmp/a b/leaks.c:12",
            "lose_chain|/tmp/a b/leaks.c:12||0x55d326"},
        {"    #1 0x55d7df in lose_chain /tmp/leaks.c:12:30",
            "lose_chain|/tmp/leaks.c:12||0x55d7df"},
        {"#0 0x7f45 in __interceptor_malloc ../../../../src/libsanitizer/lsan/lsan.cpp:75",
            "__interceptor_malloc|../../../../src/libsanitizer/lsan/lsan.cpp:75||0x7f45"},
        {"#0 0x7f in operator new[](unsigned long) ../x/lsan.cpp:250",
            "operator new[](unsigned long)|../x/lsan.cpp:250||0x7f"},
        {"#0 0x7f in operator new[](unsigned long) (/a.out+0xdf05d) (BuildId: e947)",
            "operator new[](unsigned long)|:0|/a.out+0xdf05d|0x7f"},
        {"#2 0x55 in qsort_r (/tmp/a (1)/leaks+0x82d0b) (BuildId: bafc)",
            "qsort_r|:0|/tmp/a (1)/leaks+0x82d0b|0x55"},
        {"#1 0x564144e14326  (/tmp/vg/leaks+0x1326)", "|:0|/tmp/vg/leaks+0x1326|0x564144e14326"},
        {"#1 0x564144e14326 (/tmp/vg/leaks+0x1326) (BuildId: 00)",
            "|:0|/tmp/vg/leaks+0x1326|0x564144e14326"},
        {"#2 0x7ffe  ([stack]+0x1e7e7)", "|:0|[stack]+0x1e7e7|0x7ffe"},
        {"#2 0xbebe  (<unknown module>)", "|:0||0xbebe"},
        {"#1 0x24737f in lose_chain leaks.c", "lose_chain|leaks.c:0||0x24737f"},
        {"#1 0x24737f in lose_chain my leaks.c:3:1", "lose_chain|my leaks.c:3||0x24737f"},
        {"#1 0x1 in operator< leaks.cc:7", "operator<|leaks.cc:7||0x1"},
        {"#1 0x1 in operator/ /tmp/leaks.cc:7", "operator/|/tmp/leaks.cc:7||0x1"},
        {"#1 0x1 in f(int) const", "f(int) const|:0||0x1"},
        {"#1 0x1 in std::function<void ()>::operator()() const /usr/include/x.h:591:9",
            "std::function<void ()>::operator()() const|/usr/include/x.h:591||0x1"},
        {"#1 0x1 in main", "main|:0||0x1"},
        {"#1 0x1 in main+0x12 (/a.out+0x1326)", "main|:0|/a.out+0x1326|0x1"},
        {"#1 0x1 in operator+ /a.cc:1", "operator+|/a.cc:1||0x1"},
        {"#x 0x1 in main /a.c:1", NULL},
        {"#1 1 in main /a.c:1", NULL},
        {"#1 0x1", NULL},
        {"#1 0x1 main", NULL},
        {"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_text_frame frame;
        check_case = rows[i].line;
        bool is_read = hf_text_frame_sanitizer(hf_text_of(rows[i].line), &frame);
        assert_int_equal(is_read, rows[i].expected != NULL);
        if (is_read)
            check_frame(&frame, rows[i].expected);
    }
}

/* What is known of a frame decides what it becomes. */
static void adds_frames(void **state)
{
    static const struct {
        const char *line, *label;
        uint32_t flags;
    } rows[] = {
        {"#0 0x1 in main /a.c:3", "main", HF_FRAME_NAMED | HF_FRAME_IS_LONG},
        {"#0 0x1 (/lib/x.so+0x12) (BuildId: 0aff)", "/lib/x.so",
            HF_FRAME_HAS_OFFSET | HF_FRAME_LINKED},
        {"#0 0x1 (<unknown module>)", "", HF_FRAME_HAS_OFFSET},
        {"#0 0x0 (<unknown module>)", "[unknown]", HF_FRAME_NAMED},
    };
    (void)state;
    struct hf_error err;
    struct hf_profile *profile;
    check_ok(hf_profile_new(&profile, &err), &err);
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_text_frame read;
        uint32_t id;
        check_case = rows[i].line;
        assert_true(hf_text_frame_sanitizer(hf_text_of(rows[i].line), &read));
        check_ok(hf_text_frame_add(profile, &read, &id, &err), &err);
        const struct hf_frame *frame = hf_profile_frame_at(profile, id);
        const struct hf_module *module = &profile->modules[frame->module];
        assert_int_equal(frame->flags, rows[i].flags);
        check_text(
            hf_profile_text(profile, frame->name != 0 ? frame->name : module->path), rows[i].label);
        if (frame->module != HF_NO_MODULE)
            assert_true(
                hf_text_equal(hf_profile_text(profile, module->build_id), HF_TEXT("\x0a\xff")));
    }
    hf_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_valgrind),
        cmocka_unit_test(reads_sanitizers),
        cmocka_unit_test(adds_frames),
    };
    return cmocka_run_group_tests_name("text_frame", tests, NULL, NULL);
}
