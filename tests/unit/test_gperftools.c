/* gperftools' and Go's heap profiles, profiles with names, and heap_v2 written with names. */
#include "formats/writers.h"
#include "profile/profile.h"
#include "reading.h"

#define MAPS                                                                                       \
    "\nMAPPED_LIBRARIES:\n"                                                                        \
    "00401000-00402000 r-xp 00001000 fe:01 12      /opt/server\n"                                  \
    "7ffd1c5a7000-7ffd1c5a9000 r-xp 00000000 00:00 0      [vdso]\n"
#define STACK " @ 0x401011 0x401021\n"
#define SERVER "server+0x1020;server+0x1010 "
/* A head and one stack that both hold `pairs`. */
#define PLAIN(type, pairs) "heap profile: " pairs " @ " type "\n  " pairs STACK MAPS

static void check_value(const char *text, const char *type, const char *expected, const char *notes)
{
    struct hf_profile *profile = read_text(text);
    size_t index;
    check_case = text;
    if (hf_profile_find_type(profile, hf_text_of(type), &index))
        check_type(profile, index, expected);
    else
        check_text(HF_TEXT("no such type"), expected);
    check_notes(profile, notes);
    hf_profile_free(profile);
}

static void corrects_by_type(void **state)
{
#define POISSON_PAIR "125: 136218 [125: 136218]"
#define V1_PAIR "  1246:  8800744 [  1246:  8800744]"
    static const struct {
        const char *text, *type, *expected, *notes;
    } rows[] = {
        {PLAIN("heapprofile", "3: 30 [7: 700]"), "inuse_space", SERVER "30\n", ""},
        {PLAIN("heapprofile", "3: 30 [7: 700]"), "inuse_objects", SERVER "3\n", ""},
        {PLAIN("heapprofile", "3: 30 [7: 700]"), "alloc_space", SERVER "700\n", ""},
        {PLAIN("heapprofile", "3: 30 [7: 700]"), "alloc_objects", SERVER "7\n", ""},
        {PLAIN("heapprofile", "3: 30 [3: 30]"), "alloc_space", SERVER "30\n", ""},
        {PLAIN("heap_v2/524288", POISSON_PAIR), "inuse_space", SERVER "65604133\n", ""},
        {PLAIN("heap_v2/524288", POISSON_PAIR), "inuse_objects", SERVER "60201\n", ""},
        {PLAIN("heap_v2/524288", POISSON_PAIR), "alloc_space", "no such type", ""},
        {PLAIN("heapz_v2/524288", POISSON_PAIR), "inuse_space", SERVER "65604133\n", ""},
        {PLAIN("heap/1048576", POISSON_PAIR), "inuse_space", SERVER "65604133\n", ""},
        {PLAIN("heap/1048576", POISSON_PAIR), "alloc_space", SERVER "65604133\n", ""},
        {PLAIN("growth", POISSON_PAIR), "inuse_space", SERVER "136218\n", ""},
        {PLAIN("growthz/524288", POISSON_PAIR), "inuse_space", SERVER "136218\n", ""},
        {PLAIN("fragmentation", POISSON_PAIR), "inuse_space", SERVER "136218\n", ""},
        {PLAIN("fragmentationz", POISSON_PAIR), "inuse_space", SERVER "136218\n", ""},
        {PLAIN("", "1: 192 [1: 193]"), "inuse_space", SERVER "192\n", ""},
        {PLAIN("", "1: 192 [1: 192]"), "inuse_space", SERVER "131072\n",
            "in: its head has no sampling period; assumed 131072 bytes, the period of old versions "
            "of tcmalloc\n"},
        {PLAIN("heap_v2", "1: 192 [1: 192]"), "inuse_objects", SERVER "683\n",
            "in: its head has no sampling period; assumed 131072 bytes, the period of old versions "
            "of tcmalloc\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++)
        check_value(rows[i].text, rows[i].type, rows[i].expected, rows[i].notes);
}

/* The other reading of heap/P is the user's choice. */
static void corrects_as_asked(void **state)
{
    static const char text[] = PLAIN("heap/266053", V1_PAIR);
    (void)state;
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    hf_input_open_memory(&input, HF_TEXT(text), "in");
    input.is_tcmalloc_v1 = true;
    check_ok(hf_format_read(&input, &profile, &err), &err);
    assert_int_equal(hf_profile_total(profile, HF_INUSE_OBJECTS, HF_THREAD_ALL).value, 23467);
    assert_int_equal(hf_profile_total(profile, HF_INUSE_SPACE, HF_THREAD_ALL).value, 165751019);
    assert_int_equal(profile->type_count, 2);
    hf_profile_free(profile);
    hf_input_close(&input);
}

static void reads_gperftools(void **state)
{
#define TWO "heap profile: 3: 60 [3: 60] @ heapprofile\n"
    static const struct {
        const char *text, *expected, *notes;
    } rows[] = {
        {TWO "  1: 20 [1: 20] @ 0x401011\n  2: 40 [2: 40] @ 0x401011 0x401021\n" MAPS,
            "server+0x1010 20\n" SERVER "40\n", ""},
        {TWO "# remark\r\n\r\n  3: 60 [3: 60] @ 0x401011\r\n\r\nMAPPED_LIBRARIES:\r\n"
             "00401000-00402000 r-xp 00001000 fe:01 12 /opt/server\r\n",
            "server+0x1010 60\n", ""},
        {TWO "3: 60 [3: 60] @\n" MAPS, "[no stack] 60\n", ""},
        {TWO "\t3\t:\t \t60 [\t3 :60\t] \t@ 0x401011\n" MAPS, "server+0x1010 60\n", ""},
        {TWO "3: 60 [3: 60] @ 0x401011\n\n--- Memory map:\n  build=/opt/my\n"
             "  00400000-00402000: $build/server\n",
            "server+0x1010 60\n", ""},
        {TWO "4: 70 [4: 70] @ 0x401011\n-1: -10 [0: 0] @ 0x401021\n" MAPS,
            "server+0x1010 70\nserver+0x1020 -10\n", ""},
        {"heap profile: -1: -10 [0: 0] @ heapprofile\n-1: -10 [0: 0] @ 0x401021\n" MAPS,
            "server+0x1020 -10\n", ""},
        {"heap profile: -1: -10 [0: 0] @ heapprofile\n-2: -20 [0: 0] @ 0x401021\n" MAPS,
            "server+0x1020 -20\n",
            "LOSS in: its head announces -1 object in -10 bytes, but its stacks hold less: the "
            "file is cut or damaged, or the profiler had no room for all stacks\n"},
        {TWO "2: 50 [3: 60] @ 0x401011\n" MAPS, "server+0x1010 50\n",
            "LOSS in: its head announces 3 objects in 60 bytes, but its stacks hold less: the file "
            "is cut or damaged, or the profiler had no room for all stacks\n"},
        {TWO "3: 60 [3: 60] @ 0x401011\n1x\n" MAPS, "server+0x1010 60\n",
            "LOSS in: line 3: expected 'objects: bytes [objects: bytes] @ 0x...' or a map, found "
            "'1x'; skipped\n"},
        {TWO "3: 60 [3: 60] @ 0x401011\n", "0x401010 60\n",
            "LOSS in: ends without 'MAPPED_LIBRARIES:', so its addresses belong to no file: the "
            "file is cut\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++)
        check_value(rows[i].text, "inuse_space", rows[i].expected, rows[i].notes);
}

#define GO                                                                                         \
    "heap profile: 2: 8192 [3: 12288] @ heap/2\n"                                                  \
    "1: 4096 [2: 8192] @ 0x11 0x22 0x33 0x44\n"                                                    \
    "#\t0x21\tmain.inner+0x1\t\t/src/main.go:12\n"                                                 \
    "#\t0x21\tmain.outer+0x1\t\t/src/main.go:20\n"                                                 \
    "#\t0x32\tmain.(*T).main+0x2\t/src/main.go:30\n"                                               \
    "\n"                                                                                           \
    "1: 4096 [1: 4096] @ 0x55 0x33\n"                                                              \
    "#\t0x54\tmain.leak+0x4\t/src/main.go:40\n"                                                    \
    "#\t0x32\tmain.(*T).main+0x2\t/src/main.go:30\n"                                               \
    "\n\n# runtime.MemStats\n# Alloc = 8192\n"

/* Frames of each stack, root first, with what names them. */
static void write_names(const struct hf_profile *profile, uint32_t node, struct hf_out *out)
{
    if (node == HF_STACK_ROOT)
        return;
    const struct hf_stack_node *at = &profile->stacks.nodes[node];
    write_names(profile, at->parent, out);
    size_t count;
    const uint32_t *names = hf_profile_expansion(profile, &at->frame, &count);
    for (size_t i = count; i-- != 0;) {
        const struct hf_frame *frame = hf_profile_frame_at(profile, names[i]);
        if (frame->name == HF_NO_STRING)
            hf_out_printf(out, "?%llx", (unsigned long long)frame->offset);
        hf_out_text(out, hf_profile_text(profile, frame->name));
        if (frame->line != 0)
            hf_out_printf(out, ":%u", frame->line);
        hf_out_string(out, (frame->flags & HF_FRAME_INLINED) != 0 ? "[inlined] " : " ");
    }
}

static void check_names(const char *text, const char *expected, const char *notes)
{
    struct hf_profile *profile = read_text(text);
    struct hf_out out = {0};
    check_case = text;
    for (size_t i = 0; i < profile->sample_count; i++) {
        write_names(profile, profile->samples[i].node, &out);
        hf_out_printf(
            &out, "%llu\n", (unsigned long long)hf_profile_value(profile, i, HF_INUSE_SPACE));
    }
    check_out(&out, expected);
    check_notes(profile, notes);
    hf_out_done(&out);
    hf_profile_free(profile);
}

static void takes_names_of_remarks(void **state)
{
    (void)state;
    check_names(GO,
        "runtime.goexit main.(*T).main:30 main.outer:20 main.inner:12[inlined] ?10 4096\n"
        "main.(*T).main:30 main.leak:40 4096\n",
        "");
    check_names(
        "heap profile: 1: 9 [1: 9] @ heapprofile\n1: 9 [1: 9] @ 0x11\n#\t0x10\tf+0x1\ta.c:2\n" MAPS,
        "f:2 9\n", "");
}

#define NAMES                                                                                      \
    "--- symbol\n"                                                                                 \
    "binary=/opt/server\n"                                                                         \
    "0x401010 leak(int)--Iter::operator--(int)--inner\n"                                           \
    "0x401020 ??\n"                                                                                \
    "0x0000000000401031 leaf\n"                                                                    \
    "---\n"                                                                                        \
    "--- heap\n"
#define HEAP                                                                                       \
    "heap_v2/1\n  t*: 2: 50 [0: 0]\n  t7: 2: 50 [0: 0] main thread\n"                              \
    "@ 0x401011 0x401021\n  t*: 1: 20 [0: 0]\n  t7: 1: 20 [0: 0]\n"                                \
    "@ 0x401031 0x401021\n  t*: 1: 30 [0: 0]\n  t7: 1: 30 [0: 0]\n" MAPS

#define TEN "0123456789"

static void takes_names_of_symbols(void **state)
{
    static const char named[] = "?1020 leak(int) Iter::operator--(int)[inlined] inner[inlined] 20\n"
                                "?1020 leak(int) Iter::operator--(int)[inlined] inner[inlined] 20\n"
                                "?1020 leaf 30\n?1020 leaf 30\n";
    static const char all_named[] = "--- symbol\n0x1 b\n0x4 a\n---\nheap_v2/1\n"
                                    "  t*: 1: 20 [0: 0]\n@ 0x4 0x2\n  t*: 1: 20 [0: 0]\n";
    (void)state;
    check_names(NAMES HEAP, named, "");
    check_names("%warn old\n%more\n" NAMES HEAP, named, "in: the profiler warns: old\n");
    check_names(
        "--- heap\n" HEAP, "?1020 ?1010 20\n?1020 ?1010 20\n?1020 ?1030 30\n?1020 ?1030 30\n", "");
    check_names(all_named, "b a 20\n", "");
    check_names("--- symbol\nzz\n---\n--- growth\n" PLAIN("growth", "1: 2 [1: 2]"),
        "?1020 ?1010 2\n",
        "LOSS in: line 2: expected '0x... name' or '---', found 'zz'; skipped\n");
    /* of a long line, sixty bytes are told */
    check_names("--- symbol\n" TEN TEN TEN TEN TEN TEN
                "zz\n---\n--- growth\n" PLAIN("growth", "1: 2 [1: 2]"),
        "?1020 ?1010 2\n",
        "LOSS in: line 2: expected '0x... name' or '---', found '" TEN TEN TEN TEN TEN TEN
        "'; skipped\n");
    /* blanks and tabs around names are none of them */
    check_names("--- symbol\n0x1\t \tb\t \n0x4 a \n---\nheap_v2/1\n"
                "  t*: 1: 20 [0: 0]\n@ 0x4 0x2\n  t*: 1: 20 [0: 0]\n",
        "b a 20\n", "");
}

static void refuses_other_profiles(void **state)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"heap profile: x\n", "in: line 1: expected 'heap profile: objects: bytes [objects: bytes] "
                              "@ type/period', found 'heap profile: x'"},
        {"--- symbol\n0x1 a\n---\n--- profile\n",
            "in: expected '--- heap' or '--- growth' before the profile, found '--- profile': "
            "heapflame reads only profiles of memory"},
        {"--- symbol\n0x1 a\n---\nhello\n",
            "in: line 4: expected a profile, 'heap_v2/...' or 'heap profile: ...', after the "
            "names"},
        {"--- symbol\n0x1 a\n", "in: line 3: expected a profile, 'heap_v2/...' or 'heap profile: "
                                "...', after the names"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].text;
        check_refused(hf_text_of(rows[i].text), HF_ERR_INPUT, rows[i].error);
    }
}

/* 64 times $build of 1 MiB: longer than any line may be. */
static void bounds_what_build_becomes(void **state)
{
    (void)state;
    check_case = "$build";
    struct hf_out text = {0};
    hf_out_string(&text, "heap profile: 0: 0 [0: 0] @ heapprofile\n--- Memory map:\nbuild=");
    for (unsigned i = 0; i < 1u << 20; i++)
        hf_out_char(&text, 'x');
    hf_out_string(&text, "\n1000-2000: ");
    for (unsigned i = 0; i < 65; i++)
        hf_out_string(&text, "$build");
    hf_out_char(&text, '\n');
    check_refused(hf_out_view(&text), HF_ERR_LIMIT,
        "in: a mapping with $build replaced is longer than 67108864 bytes (HF_LIMIT_LINE_BYTES)");
    hf_out_done(&text);
}

static const char *const whole_files[] = {
    PLAIN("heapprofile", "3: 30 [7: 700]"),
    PLAIN("heap_v2/524288", POISSON_PAIR),
    GO,
    NAMES HEAP,
};

/* Bytes in use of the whole file, and how many of its stacks have a name. */
static uint64_t measure(const struct hf_profile *profile)
{
    return hf_profile_total(profile, HF_INUSE_SPACE, HF_THREAD_ALL).value +
           profile->names.span_count + profile->module_count;
}

/* Each prefix is an error, has a loss note, or holds what the whole holds. */
static void loses_nothing_silently(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(whole_files); i++) {
        const char *text = whole_files[i];
        struct hf_profile *whole = read_text(text);
        check_case = text;
        for (size_t size = 1; size < strlen(text); size++) {
            struct hf_profile *profile = read_damaged((struct hf_text){text, size});
            if (profile == NULL)
                continue;
            /* Without the last line, that of [vdso], all addresses still have their place. */
            if (!profile->notes.has_loss)
                assert_in_range(measure(profile), measure(whole) - 1, measure(whole));
            hf_profile_free(profile);
        }
        hf_profile_free(whole);
    }
}

static void reads_damaged_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(whole_files); i++)
        read_each_flip(hf_text_of(whole_files[i]), NULL, NULL);
}

static void write_text(const char *text, struct hf_out *out, const char *notes)
{
    struct hf_error err;
    struct hf_profile *profile = read_text(text);
    hf_notes_done(&profile->notes);
    check_ok(
        hf_writer_heap_v2.write(profile, profile->default_type, &profile->notes, out, &err), &err);
    check_notes(profile, notes);
    hf_out_char(out, '\0');
    hf_profile_free(profile);
}

/* What is written is read as the same, and written as the same bytes again. */
static void writes_heap_v2(void **state)
{
    static const char expected[] =
        "--- symbol\n"
        "binary=/opt/server\n"
        "0x0000000000401010 leak(int)--Iter::operator--(int)--inner\n"
        "0x0000000000401011 leak(int)--Iter::operator--(int)--inner\n"
        "0x0000000000401030 leaf\n"
        "0x0000000000401031 leaf\n"
        "---\n--- heap\nheap_v2/0\n"
        "  t*: 2: 50 [0: 0]\n  t7: 2: 50 [0: 0] main thread\n"
        "@ 0x0000000000401011 0x0000000000401021\n  t*: 1: 20 [0: 0]\n  t7: 1: 20 [0: 0]\n"
        "@ 0x0000000000401031 0x0000000000401021\n  t*: 1: 30 [0: 0]\n  t7: 1: 30 [0: 0]\n"
        "\nMAPPED_LIBRARIES:\n"
        "401000-402000 r-xp 00001000 00:00 0 /opt/server\n"
        "7ffd1c5a7000-7ffd1c5a9000 r-xp 00000000 00:00 0 [vdso]\n";
    (void)state;
    check_case = "heap_v2 written";
    struct hf_out out = {0}, again = {0};
    write_text(NAMES HEAP, &out, "");
    check_text(hf_text_of(out.data), expected);
    write_text(out.data, &again, "");
    check_text(hf_text_of(again.data), expected);
    hf_out_done(&out);
    hf_out_done(&again);
}

static void writes_what_has_no_address(void **state)
{
    (void)state;
    check_case = "folded stacks as heap_v2";
    struct hf_out out = {0};
    write_text("main;a b 5\nmain 1\n", &out, "the values 'samples' are written as bytes in use\n");
    check_names(out.data, "main 1\nmain a b 5\n", "");
    hf_out_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrects_by_type),
        cmocka_unit_test(corrects_as_asked),
        cmocka_unit_test(reads_gperftools),
        cmocka_unit_test(takes_names_of_remarks),
        cmocka_unit_test(takes_names_of_symbols),
        cmocka_unit_test(refuses_other_profiles),
        cmocka_unit_test(bounds_what_build_becomes),
        cmocka_unit_test(loses_nothing_silently),
        cmocka_unit_test(reads_damaged_files),
        cmocka_unit_test(writes_heap_v2),
        cmocka_unit_test(writes_what_has_no_address),
    };
    return cmocka_run_group_tests_name("gperftools", tests, NULL, NULL);
}
