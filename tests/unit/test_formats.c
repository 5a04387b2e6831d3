/* The readers of profiles: what is sound is read, what is lost is said. */
#include "base/limits.h"
#include "formats/folded/folded_stacks.h"
#include "formats/pprof/bundle.h"
#include "formats/writers.h"
#include "profile/profile.h"
#include "reading.h"
#include "stacks.h"

#include <inttypes.h>

#define HEAD                                                                                       \
    "heap_v2/1\n"                                                                                  \
    "  t*: 3: 130 [7: 700]\n"                                                                      \
    "  t0: 1: 30 [0: 0] main thread\n"                                                             \
    "  t3: 2: 100 [7: 700]\n"
#define STACK_1                                                                                    \
    "@ 0x401011 0x401021 0x7f0000001001\n"                                                         \
    "  t*: 1: 30 [0: 0]\n"                                                                         \
    "  t0: 1: 30 [0: 0]\n"
#define STACK_2                                                                                    \
    "@ 0x401012 0x401021 0x7f0000001001\n"                                                         \
    "  t*: 2: 100 [7: 700]\n"                                                                      \
    "  t3: 2: 100 [7: 700]\n"
#define MAPS                                                                                       \
    "\nMAPPED_LIBRARIES:\n"                                                                        \
    "00401000-00402000 r-xp 00001000 fe:01 12      /opt/my app/server (deleted)\n"                 \
    "7f0000000000-7f0000002000 r-xp 00026000 fe:01 99      /usr/lib/libc.so.6\n"                   \
    "7ffd1c5a7000-7ffd1c5a9000 r-xp 00000000 00:00 0      [vdso]\n"
#define STAP                                                                                       \
    "probes are set\n\n"                                                                           \
    " 0x401155 : leaf+0x25/0x30 [/bin/a]\n"                                                        \
    " 0x401170 : next+0x0/0x12 [/bin/a]\n"                                                         \
    " 0x7f174687bb75 : 0x7f174687bb75 [/usr/lib64/libc-2.33.so+0x27b75/0x1c6000]\n"                \
    "\t4096\n"                                                                                     \
    " 0x401158 : leaf+0x28/0x30 [/bin/a]\n"                                                        \
    "\t-12\n"
#define GOLDEN HEAD STACK_1 STACK_2 MAPS

/* "module+0xoffset" of each frame of a stack, leaf first. */
static void write_addresses(const struct hf_profile *profile, uint32_t node, struct hf_out *out)
{
    for (; node != HF_STACK_ROOT; node = profile->stacks.nodes[node].parent) {
        const struct hf_frame *frame =
            hf_profile_frame_at(profile, profile->stacks.nodes[node].frame);
        hf_out_text(
            out, hf_text_basename(hf_profile_text(profile, profile->modules[frame->module].path)));
        hf_out_printf(out, "+0x%" PRIx64 " ", frame->offset);
    }
}

/* "stack: objects bytes all_objects all_bytes" for each sample, with "tN" before those of threads.
 */
static void check_samples(const struct hf_profile *profile, const char *expected)
{
    struct hf_out out = {0};
    for (size_t i = 0; i < profile->sample_count; i++) {
        uint32_t thread = profile->samples[i].thread;
        if (thread != HF_THREAD_ALL)
            hf_out_printf(&out, "t%" PRIu64 " ", profile->threads[thread].uid);
        write_addresses(profile, profile->samples[i].node, &out);
        const uint64_t *v = hf_profile_values(profile, i);
        hf_out_printf(&out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
            v[HF_INUSE_OBJECTS], v[HF_INUSE_SPACE], v[HF_ALLOC_OBJECTS], v[HF_ALLOC_SPACE]);
    }
    check_out(&out, expected);
    hf_out_done(&out);
}

static const char golden_samples[] =
    "server+0x1010 server+0x1020 libc.so.6+0x27000 1 30 0 0\n"
    "t0 server+0x1010 server+0x1020 libc.so.6+0x27000 1 30 0 0\n"
    "server+0x1011 server+0x1020 libc.so.6+0x27000 2 100 7 700\n"
    "t3 server+0x1011 server+0x1020 libc.so.6+0x27000 2 100 7 700\n";

static void reads_heap_v2(void **state)
{
    (void)state;
    check_case = "heap_v2";
    struct hf_profile *profile = read_text(GOLDEN);
    check_samples(profile, golden_samples);
    check_notes(profile, "");
    assert_int_equal(profile->capture.period_bytes, 1);
    assert_int_equal(profile->thread_count, 2);
    check_text(hf_profile_text(profile, profile->threads[0].name), "main thread");
    assert_int_equal(profile->module_count, 4);
    check_text(hf_profile_text(profile, profile->modules[1].path), "/opt/my app/server");
    assert_true(profile->modules[1].is_deleted);
    assert_false(profile->modules[2].is_deleted);
    hf_profile_free(profile);
}

static void reads_cr_lf(void **state)
{
    (void)state;
    struct hf_out text = {0};
    for (const char *c = GOLDEN; *c != '\0'; c++) {
        if (*c == '\n')
            hf_out_char(&text, '\r');
        hf_out_char(&text, *c);
    }
    hf_out_char(&text, '\0');
    struct hf_profile *profile = read_text(text.data);
    check_samples(profile, golden_samples);
    check_notes(profile, "");
    hf_profile_free(profile);
    hf_out_done(&text);
}

static void says_what_is_wrong(void **state)
{
    static const struct {
        const char *name, *text, *notes;
    } rows[] = {
        {"no maps", HEAD STACK_1 STACK_2,
            "LOSS in: ends without 'MAPPED_LIBRARIES:', so its addresses belong to no file: the "
            "file is cut\n"},
        {"maps without a line", HEAD STACK_1 STACK_2 "\nMAPPED_LIBRARIES:\n",
            "LOSS in: 'MAPPED_LIBRARIES:' lists no mapping: the file is cut\n"},
        {"maps cut between lines",
            HEAD STACK_1 STACK_2
            "\nMAPPED_LIBRARIES:\n00401000-00402000 r-xp 00001000 fe:01 12 /server\n",
            "LOSS in: 1 of 4 addresses is in no mapping, and 'MAPPED_LIBRARIES:' does not end as "
            "it does on Linux: the file is cut\n"},
        {"an unloaded library",
            HEAD STACK_1 STACK_2 "\nMAPPED_LIBRARIES:\n00401000-00402000 r-xp 00001000 fe:01 12 "
                                 "/server\n7ff0-7ff1 r--p 0 0:0 0 [vdso]\n",
            "in: 1 of 4 addresses is in no mapping: its file was unmapped before the dump\n"},
        {"no first line", "  t*: 1: 30 [0: 0]\n" STACK_1 MAPS,
            "in: the first line 'heap_v2/period' is missing; assumed jemalloc's default, "
            "heap_v2/524288\n"},
        {"a stack is missing", HEAD STACK_1 MAPS,
            "LOSS in: its head announces 3 sampled objects in 130 bytes, but its stacks hold 1 in "
            "30: "
            "the file is cut or damaged\n"},
        {"a stack without counts", HEAD STACK_1 STACK_2 "@ 0x401011\n" MAPS,
            "LOSS in: skipped 1 stack without counts '  t*: ...' (line 11)\n"},
        {"damaged counts", HEAD STACK_1 STACK_2 "@ 0x401011\n  t*: 1x: 30 [0: 0]\n" MAPS,
            "LOSS in: line 12: expected '  tN: objects: bytes [objects: bytes]', found "
            "'  t*: 1x: 30 [0: 0]'; skipped\n"},
        {"a damaged address", HEAD STACK_1 STACK_2 "@ 0x4010zz\n  t*: 1: 30 [0: 0]\n" MAPS,
            "LOSS in: line 11: expected a stack '@ 0x... 0x...', found '@ 0x4010zz'; skipped\n"},
        {"an address of 17 digits", HEAD STACK_1 STACK_2 "@ 0x10000000000000000\n" MAPS,
            "LOSS in: line 11: expected a stack '@ 0x... 0x...', found '@ 0x10000000000000000'; "
            "skipped\n"},
        {"a damaged mapping", GOLDEN "00401000 r-xp\n",
            "LOSS in: line 16: expected a mapping 'start-end perms offset dev inode path', found "
            "'00401000 r-xp'; skipped\n"},
        {"a strange line", HEAD "what\n" STACK_1 STACK_2 MAPS,
            "LOSS in: line 5: expected a stack '@ 0x...', counts '  t*: ...' or "
            "'MAPPED_LIBRARIES:', found 'what'; skipped\n"},
        {"no end of line", HEAD STACK_1 STACK_2 MAPS "7fff0000-7fff1000 r-xp 0",
            "LOSS in: line 16 ends without a newline: the file is cut there; the line is "
            "skipped\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].name;
        struct hf_profile *profile = read_text(rows[i].text);
        check_notes(profile, rows[i].notes);
        hf_profile_free(profile);
    }
}

static void reads_odd_stacks(void **state)
{
    (void)state;
    check_case = "bare";
    struct hf_profile *profile =
        read_text("heap_v2/1\n  t*: 1: 7 [0: 0]\n@\n  t*: 1: 7 [0: 0]\n" MAPS);
    check_samples(profile, "1 7 0 0\n");
    check_notes(profile, "");
    hf_profile_free(profile);

    check_case = "the same stack twice";
    profile = read_text("heap_v2/1\n  t*: 2: 60 [0: 0]\n" STACK_1 STACK_1 MAPS);
    check_samples(profile, "server+0x1010 server+0x1020 libc.so.6+0x27000 2 60 0 0\n"
                           "t0 server+0x1010 server+0x1020 libc.so.6+0x27000 2 60 0 0\n");
    check_notes(profile, "");
    hf_profile_free(profile);

    check_case = "sums beyond 2^64";
    profile = read_text("heap_v2/1\n  t*: 2: 60 [0: 0]\n@\n  t*: 1: 18446744073709551615 [0: 0]\n"
                        "@\n  t*: 1: 5 [0: 0]\n" MAPS);
    check_samples(profile, "2 18446744073709551615 0 0\n");
    assert_true(profile->is_saturated);
    hf_profile_free(profile);
}

static void reads_deep_stacks(void **state)
{
    enum { DEPTH = 50000 };
    (void)state;
    check_case = "50,000 frames";
    struct hf_out text = {0};
    hf_out_string(&text, "heap_v2/1\n  t*: 1: 7 [0: 0]\n@");
    for (unsigned i = 0; i < DEPTH; i++)
        hf_out_printf(&text, " 0x%x", 0x401000 + i % 0x1000);
    hf_out_string(&text, "\n  t*: 1: 7 [0: 0]\n" MAPS);
    hf_out_char(&text, '\0');
    struct hf_profile *profile = read_text(text.data);
    assert_int_equal(profile->sample_count, 1);
    assert_int_equal(hf_stacktree_depth(&profile->stacks, profile->samples[0].node), DEPTH);
    hf_profile_free(profile);
    hf_out_done(&text);
}

static void refuses_what_it_does_not_know(void **state)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "in: line 1: is empty; expected a profile"},
        {"hello\n", "in: line 1: is not a profile in a known format ('man heapflame' lists them); "
                    "found 'hello'"},
        {"heap_v2/x\n", "in: line 1: expected 'heap_v2/' and the sampling period in bytes, found "
                        "'heap_v2/x'"},
        {"\n\020heapflame bundle\020\002\032\001a",
            "in: is a bundle of version 2, but this heapflame reads version 1: use a newer "
            "heapflame"},
        {"\n\020heapflame bundle", "in: is a bundle without a version: it is cut or damaged"},
        {"\n\020heapflame bundle\020\001\032\001a",
            "in: is a bundle without values: it is cut or damaged before them"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].text;
        check_refused(hf_text_of(rows[i].text), HF_ERR_INPUT, rows[i].error);
    }
}

/*
 * Each prefix of a good file is an error, has a loss note, or holds all of its stacks with their
 * modules. (What is behind the last mapping that a stack needs may be missing.)
 */
static void loses_nothing_silently(void **state)
{
    (void)state;
    check_case = "prefixes of heap_v2";
    size_t complete = 0;
    for (size_t size = 0; size < sizeof GOLDEN; size++) {
        struct hf_profile *profile = read_damaged((struct hf_text){GOLDEN, size});
        if (profile == NULL)
            continue;
        if (!profile->notes.has_loss) {
            check_samples(profile, golden_samples);
            complete++;
        }
        hf_profile_free(profile);
    }
    /* The whole file, and the one that lacks the line of [vdso]. */
    assert_int_equal(complete, 2);
}

static void reads_damaged_files(void **state)
{
    static const char *const texts[] = {GOLDEN, STAP};
    (void)state;
    check_case = "every byte changed";
    for (size_t i = 0; i < HF_COUNT(texts); i++)
        read_each_flip(hf_text_of(texts[i]), NULL, NULL);
}

/* The golden profile as a bundle, and as its message alone. */
static void write_bundles(struct hf_out *packed, struct hf_out *message)
{
    struct hf_error err;
    struct hf_profile *profile = read_text(GOLDEN);
    check_ok(hf_writer_bundle.write(profile, 0, &profile->notes, packed, &err), &err);
    check_ok(hf_bundle_write(profile, 0, message, &err), &err);
    hf_profile_free(profile);
}

/* What has no loss must have all. */
static void check_whole(const struct hf_profile *profile, const void *context)
{
    (void)context;
    if (!profile->notes.has_loss)
        check_samples(profile, golden_samples);
}

/* False for an error and a loss; else all must be there. */
static bool is_complete(struct hf_text bytes)
{
    struct hf_profile *profile = read_damaged(bytes);
    bool is_whole = profile != NULL && !profile->notes.has_loss;
    if (is_whole)
        check_whole(profile, NULL);
    hf_profile_free(profile);
    return is_whole;
}

static void reads_bundles(void **state)
{
    (void)state;
    struct hf_out packed = {0}, message = {0};
    write_bundles(&packed, &message);
    struct hf_text texts[] = {hf_out_view(&packed), hf_out_view(&message)};
    for (size_t i = 0; i < HF_COUNT(texts); i++) {
        check_case = "a whole bundle";
        assert_true(is_complete(texts[i]));
        check_case = "prefixes of a bundle";
        for (size_t size = 0; size < texts[i].size; size++)
            assert_false(is_complete(hf_text_first(texts[i], size)));
    }
    check_case = "every bit of a bundle changed";
    read_each_flip(texts[0], check_whole, NULL); /* the time in gzip's head is no loss */
    hf_out_done(&packed);
    hf_out_done(&message);
}

static void reads_folded(void **state)
{
    static const struct {
        const char *name, *text, *expected, *notes;
    } rows[] = {
        {"plain", "main;b 7\nmain;a 10\nmain 1\n", "main 1\nmain;a 10\nmain;b 7\n", ""},
        {"blanks at the end, CR LF", "a;b 7\r\na;c 8 \n", "a;b 7\na;c 8\n", ""},
        {"blanks in names", "a b;c d 7\na b;c d  8\n", "a b;c d 7\na b;c d  8\n", ""},
        {"a tab", "a;b\t7\n", "a;b 7\n", ""},
        {"empty frames at the end", "a;bc; 7\na;bc;; 8\n", "a;bc 15\n", ""},
        {"the same stack twice", "a;b 7\na;b 8\n", "a;b 15\n", ""},
        {"exact beyond 2^53", "a 9007199254740993\n", "a 9007199254740993\n", ""},
        {"2^64-1", "a 18446744073709551615\n", "a 18446744073709551615\n", ""},
        {"2^64", "a 18446744073709551616\n", "a 18446744073709551615\n",
            "LOSS in: counts above 2^64-1 are taken as 2^64-1\n"},
        {"fractions", "a .5\nb 1.5\nc 2.25\nd 1e3\n", "b 2\nc 2\nd 1000\n",
            "in: counts with a fraction are rounded\n"},
        {"a count of 0 is kept", "a;b 0\na 1\n", "a 1\n", ""},
        {"negative: released", "a 10\nb -7\nb 2\n", "a 10\nb -5\n", ""},
        {"two counts", "a 10 12\nb 7 0\n", "a 2\nb -7\n",
            "in: every line has two counts: read as a difference, before and after\n"},
        {"a name that ends in a number", "main;thread 12 10\nmain 5\n",
            "main 5\nmain;thread 12 10\n", ""},
        {"most names end in a number", "thread 1 20\nthread 2 30\nmain 5\n",
            "main 5\nthread 1 20\nthread 2 30\n", ""},
        {"a line without a count", "a 10\nb\n10\nc x\n", "a 10\n",
            "LOSS in: skipped 3 lines that are not 'stack count' (first: line 2)\n"},
        {"no stack", " 10\na 1\n", "[no stack] 10\na 1\n", ""},
        {"blank lines and comments", "# made by x\n\n  \na 1\n", "a 1\n", ""},
        {"empty frames at the end", "a;b;; 5\na;b 1\n", "a;b 6\n", ""},
        {"empty frames before", ";a;;b 5\n", ";a;;b 5\n", ""},
        {"annotations are names", "a_[k];[unknown];0x1f 5\n", "a_[k];[unknown];0x1f 5\n", ""},
        {"no newline at the end", "a 10\nb 2", "a 10\nb 2\n",
            "in: line 2 ends without a newline: if the file was cut there, its count is too "
            "low\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].name;
        check_folded(rows[i].text, rows[i].expected, rows[i].notes);
    }
}

static void reads_stap(void **state)
{
    static const struct {
        const char *name, *text, *expected, *notes;
    } rows[] = {
        {"print_usyms", STAP, "leaf+0x28 -12\nlibc-2.33.so+0x27b75;[before next];leaf+0x25 4096\n",
            "in: skipped 1 line between the stacks that is not a frame (line 1)\n"},
        {"the text has the function that ends there",
            " 0x401160 : next+0x0/0x12 [/bin/a]\n 0x401160 : next+0x0/0x12 [/bin/a]\n"
            " 0x401158 : leaf+0x28/0x30 [/bin/a]\n\t7\n",
            "leaf+0x28;leaf+0x30;next+0x0 7\n", ""},
        {"it ends there in another module",
            " 0x401165 : next+0x5/0x12 [/bin/a]\n 0x401160 : next+0x0/0x12 [/bin/a]\n"
            " 0x401158 : leaf+0x28/0x30 [/bin/b]\n\t7\n",
            "leaf+0x28;[before next];next+0x5 7\n", ""},
        {"two functions end there",
            " 0x401165 : next+0x5/0x12 [/bin/a]\n 0x401160 : next+0x0/0x12 [/bin/a]\n"
            " 0x401158 : leaf+0x28/0x30 [/bin/a]\n 0x401158 : also+0x8/0x10 [/bin/a]\n\t7\n",
            "also+0x8;leaf+0x28;[before next];next+0x5 7\n", ""},
        {"a + in the module's name",
            " 0x7f0001 : _Znwm+0x1/0x20 [/usr/lib/libstdc++.so.6]\n"
            " 0x7f0002 [/usr/lib/libstdc++.so.6+0x2/0x1000]\n\t7\n",
            "libstdc++.so.6+0x2;_Znwm+0x1 7\n", ""},
        {"kernel frames",
            " 0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]\n"
            " 0xffffffffa01e0001 [ext4]\n 0xffffffff8101c6a3 : default_idle+0x53/0x1d0 [kernel]"
            " (inexact)\n\t2404\n",
            "default_idle+0x53;[ext4];native_safe_halt+0xb 2404\n", ""},
        {"sprint_usyms", "leaf+0x2 [a]\nmain+0x1a [a]\n0x7f00 [libc.so.6+0x27b75]\n 12\n",
            "libc.so.6+0x27b75;main+0x1a;leaf+0x2 12\n", ""},
        {"print_ubacktrace_brief", "leaf+0x2\nmain+0x1a\n0x7f00\n12\n",
            "0x7f00;main+0x1a;leaf+0x2 12\n", ""},
        {"ubacktrace()", "0x401155 0x401160 0x401170\n12\n", "0x401170;0x401160;0x401155 12\n", ""},
        {"no offset", " 0x401155 : leaf [/bin/a]\n 0x401165 : main\n 1\n", "main;leaf 1\n", ""},
        {"the same stack twice", " 0x5 : a+0x1/0x2 [/a]\n\t7\n 0x5 : a+0x1/0x2 [/a]\n\t8\n",
            "a+0x1 15\n", ""},
        {"2^64", " 0x5 : a+0x1/0x2 [/a]\n\t18446744073709551616\n", "a+0x1 18446744073709551615\n",
            "LOSS in: numbers above 2^64-1 are taken as 2^64-1\n"},
        {"a damaged frame",
            " 0x5 : a+0x1/0x2 [/a]\n 0x6 ; b+0x1/0x2 [/a]\n\t7\n 0x5 : a+0x1/0x2 [/a]\n\t8\n",
            "a+0x1 8\n", "LOSS in: skipped 1 stack with a line that is not a frame (line 2)\n"},
        {"a number with a colon", " 0x5 : a+0x1/0x2 [/a]\n\t7:\n\t8\n 0x6 : b+0x1/0x2 [/a]\n\t9\n",
            "b+0x1 9\n", "LOSS in: skipped 1 stack with a line that is not a frame (line 2)\n"},
        {"a number with a slash", " 0x5 : a+0x1/0x2 [/a]\n\t7/\n\t8\n 0x6 : b+0x1/0x2 [/a]\n\t9\n",
            "b+0x1 9\n", "LOSS in: skipped 1 stack with a line that is not a frame (line 2)\n"},
        {"a number without a stack", "\t7\n 0x5 : a+0x1/0x2 [/a]\n\t8\n", "a+0x1 8\n",
            "LOSS in: skipped 1 number without a stack above it (line 1)\n"},
        {"a blank line at the end", " 0x5 : a+0x1/0x2 [/a]\n\t8\n \n", "a+0x1 8\n", ""},
        {"a blank line without its newline", " 0x5 : a+0x1/0x2 [/a]\n\t8\n ", "a+0x1 8\n",
            "LOSS in: ends within a stack: the file is cut\n"},
        {"no newline at the end", " 0x5 : a+0x1/0x2 [/a]\n\t8", "a+0x1 8\n",
            "in: line 2 ends without a newline: if the file was cut there, its number is too "
            "low\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_case = rows[i].name;
        check_folded(rows[i].text, rows[i].expected, rows[i].notes);
    }
}

/* A prefix that ends with a number and between two lines is a good file; any other has a note. */
static void cuts_stap(void **state)
{
    static const char text[] = STAP;
    (void)state;
    for (size_t size = 20; size < sizeof text - 1; size++) {
        struct hf_profile *profile = read_damaged((struct hf_text){text, size});
        const char *end = text + size - 5;
        bool is_whole = memcmp(end, "4096\n", 5) == 0 || memcmp(end, "set\n\n", 5) == 0;
        if (profile == NULL)
            continue;
        size_t banner = 1;
        assert_int_equal(profile->notes.count > banner, !is_whole);
        hf_profile_free(profile);
    }
}

static void reads_long_names(void **state)
{
    enum { SIZE = 5 << 20 };
    (void)state;
    check_case = "5 MB name";
    char *text = malloc(SIZE + 16);
    assert_non_null(text);
    memset(text, 'x', SIZE);
    memcpy(text + SIZE, ";leaf 7\n", sizeof ";leaf 7\n");
    struct hf_profile *profile = read_text(text);
    assert_int_equal(hf_profile_total(profile, 0, HF_THREAD_ALL).value, 7);
    hf_profile_free(profile);
    free(text);
}

/*
 * Folded stacks have no end mark: a prefix that ends with a line is a good file. Any other has a
 * note.
 */
static void cuts_folded(void **state)
{
    static const char text[] = "main;parse;read 4096\nmain;parse 12\nmain 1\n";
    (void)state;
    for (size_t size = 1; size < sizeof text - 1; size++) {
        struct hf_profile *profile = read_damaged((struct hf_text){text, size});
        if (profile == NULL)
            continue;
        assert_int_equal(profile->notes.count != 0, text[size - 1] != '\n');
        hf_profile_free(profile);
    }
}

/* One input more: each of some stacks so often, one after the other; they are 20 frames deep. */
static void read_stacks(struct hf_profile *profile, struct hf_folded_stacks *stacks, unsigned first,
    unsigned count, unsigned times)
{
    struct hf_out text = {0};
    struct hf_input input;
    struct hf_error err;
    struct hf_folded_how how = {.stacks = stacks};
    for (unsigned i = 0; i < times * count; i++) {
        unsigned stack = first + i % count;
        for (unsigned depth = 0; depth < 20; depth++) {
            hf_out_string(&text, "frame_number_");
            hf_out_u64(&text, stack % (2 + depth * depth));
            hf_out_char(&text, ';');
        }
        hf_out_printf(&text, "leaf_%u %u\n", stack, stack + 1);
    }
    hf_input_open_memory(&input, hf_out_view(&text), "text");
    check_ok(hf_folded_read(&input, &how, profile, &err), &err);
    hf_input_close(&input);
    hf_out_done(&text);
}

/* One input more: stacks that end in one long frame, `of` different ones in turn. */
static void read_alike(
    struct hf_profile *profile, struct hf_folded_stacks *stacks, unsigned of, unsigned lines)
{
    struct hf_out text = {0};
    struct hf_input input;
    struct hf_error err;
    struct hf_folded_how how = {.stacks = stacks};
    for (unsigned i = 0; i < lines; i++) {
        hf_out_printf(&text, "main;way_%u;", i % of);
        for (unsigned part = 0; part < 8; part++)
            hf_out_string(&text, "the_same_long_name::");
        hf_out_printf(&text, "leaf %u\n", 1);
    }
    hf_input_open_memory(&input, hf_out_view(&text), "text");
    check_ok(hf_folded_read(&input, &how, profile, &err), &err);
    hf_input_close(&input);
    hf_out_done(&text);
}

/* All are chosen, or none: then they are looked for again after some thousands. */
static void looks_for_stacks_that_end_alike(void **state)
{
    (void)state;
    struct hf_profile *profile;
    struct hf_folded_stacks stacks;
    struct hf_error err;
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_folded_stacks_init(&stacks, profile, NULL, &err), &err);
    read_stacks(profile, &stacks, 0, 12000, 1);
    assert_true(stacks.are_distinct);
    read_alike(profile, &stacks, 300, 20000);
    assert_false(stacks.are_distinct);
    assert_int_equal(profile->sample_count, 12300);
    hf_folded_stacks_done(&stacks);
    hf_profile_free(profile);
}

/* One that is cut is reported once, also where none is looked for. */
static void reports_a_cut_stack_once(void **state)
{
    (void)state;
    struct hf_profile *profile;
    struct hf_folded_stacks stacks;
    struct hf_error err;
    struct hf_out text = {0};
    struct hf_input input;
    struct hf_folded_how how = {.stacks = &stacks};
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_folded_stacks_init(&stacks, profile, NULL, &err), &err);
    read_stacks(profile, &stacks, 0, 12000, 1);
    assert_true(stacks.are_distinct);
    for (unsigned i = 0; i < 5; i++) {
        for (unsigned depth = 0; depth <= HF_LIMIT_STACK_FRAMES; depth++)
            hf_out_string(&text, "f;");
        hf_out_printf(&text, "end_%u 1\n", 0);
    }
    hf_input_open_memory(&input, hf_out_view(&text), "text");
    check_ok(hf_folded_read(&input, &how, profile, &err), &err);
    hf_input_close(&input);
    hf_out_done(&text);
    assert_int_equal(profile->notes.count, 1);
    hf_folded_stacks_done(&stacks);
    hf_profile_free(profile);
}

/* Stacks are not looked for where none occurs twice, and are again where they do: the sums and
 * their order are the same. */
static void counts_distinct_stacks(void **state)
{
    (void)state;
    enum { STACKS = 12000, AGAIN = 9 };
    struct hf_profile *profile;
    struct hf_folded_stacks stacks;
    struct hf_error err;
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_folded_stacks_init(&stacks, profile, NULL, &err), &err);
    assert_false(stacks.are_distinct);
    read_stacks(profile, &stacks, 0, STACKS, 1);
    assert_true(stacks.are_distinct);
    assert_int_equal(profile->sample_count, STACKS);
    read_stacks(profile, &stacks, 0, STACKS, AGAIN);
    assert_false(stacks.are_distinct);
    read_stacks(profile, &stacks, STACKS, 8 * STACKS, 1);
    assert_true(stacks.are_distinct);
    assert_int_equal(profile->sample_count, 9 * STACKS);
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        assert_int_equal(hf_stacktree_depth(&profile->stacks, profile->samples[i].node), 21);
        assert_int_equal(
            hf_profile_value(profile, i, 0), (i + UINT64_C(1)) * (i < STACKS ? 1 + AGAIN : 1));
    }
    hf_folded_stacks_done(&stacks);
    hf_profile_free(profile);
}

/* What is found by its frames alone is what is found by one after the other. */
static void goes_down_the_tree(void **state)
{
    (void)state;
    struct hf_stacktree tree;
    struct hf_error err;
    uint64_t random = 7;
    check_ok(hf_stacktree_init(&tree, &err), &err);
    for (unsigned round = 0; round < 3000; round++) {
        uint32_t frames[HF_STACKTREE_EXPECTED_MAX], paths[HF_STACKTREE_EXPECTED_MAX];
        uint32_t nodes[HF_STACKTREE_EXPECTED_MAX], node = HF_STACK_ROOT;
        size_t count = 1 + check_random(&random) % HF_STACKTREE_EXPECTED_MAX;
        for (size_t i = 0; i < count; i++)
            frames[i] = (uint32_t)(check_random(&random) % 3);
        hf_stacktree_expect(&tree, HF_STACK_ROOT, frames, count, paths);
        hf_stacktree_expect_nodes(&tree, paths, count);
        check_ok(hf_stacktree_go(&tree, HF_STACK_ROOT, frames, paths, count, nodes, &err), &err);
        for (size_t i = 0; i < count; i++) {
            check_ok(hf_stacktree_child(&tree, node, frames[i], &node, &err), &err);
            assert_int_equal(node, nodes[i]);
        }
    }
    hf_stacktree_done(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_heap_v2),
        cmocka_unit_test(reads_cr_lf),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(reads_odd_stacks),
        cmocka_unit_test(reads_deep_stacks),
        cmocka_unit_test(refuses_what_it_does_not_know),
        cmocka_unit_test(loses_nothing_silently),
        cmocka_unit_test(reads_damaged_files),
        cmocka_unit_test(reads_bundles),
        cmocka_unit_test(reads_folded),
        cmocka_unit_test(reads_long_names),
        cmocka_unit_test(cuts_folded),
        cmocka_unit_test(counts_distinct_stacks),
        cmocka_unit_test(looks_for_stacks_that_end_alike),
        cmocka_unit_test(reports_a_cut_stack_once),
        cmocka_unit_test(goes_down_the_tree),
        cmocka_unit_test(reads_stap),
        cmocka_unit_test(cuts_stap),
    };
    return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
