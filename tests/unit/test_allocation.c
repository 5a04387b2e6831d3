/*
 * Every allocation fails once: the N-th of a run, for every N until the run succeeds. Each failure
 * must come back as HF_ERR_MEMORY and give back all that was allocated before it.
 *
 * The malloc family is replaced in this program alone, in front of glibc's own. A sanitizer has
 * replaced it already: then this test only says so.
 */
#include "analysis/difference.h"
#include "analysis/growth/growth.h"
#include "analysis/owner.h"
#include "analysis/suppressions.h"
#include "analysis/suspects.h"
#include "capture/mark.h"
#include "failing_malloc.h"
#include "formats/format.h"
#include "formats/writers.h"
#include "profile/allocator.h"
#include "profile/fold.h"
#include "profile/order.h"
#include "render/graph/graph.h"
#include "render/page/page.h"
#include "render/table/listing.h"
#include "render/table/top.h"
#include "stacks.h"

#include <fcntl.h>
#include <unistd.h>

#if HF_SANITIZED

SKIPPED_FOR_SANITIZER(sweep)

#else

static const struct stacks_row rows_a[] = {{"main@m.c:1;work@w.c:2;malloc", 100, 0},
    {"main@m.c:1;cache@c.c:9", 7, 0}, {"main@m.c:3;work@w.c:2;work@w.c:2", 5, 0}};
static const struct stacks_row rows_b[] = {
    {"main@m.c:1;work@w.c:2;malloc", 300, 0}, {"other", 1, 0}};

static struct hf_profile *a, *b;

static enum hf_status folds(struct hf_error *err)
{
    struct hf_profile *folded;
    struct hf_fold_options options = {.granularity = HF_BY_LINE};
    enum hf_status status = hf_profile_fold(a, &options, &folded, err);
    if (status == HF_OK)
        hf_profile_free(folded);
    return status;
}

static enum hf_status subtracts_and_ranks(struct hf_error *err)
{
    struct hf_profile *difference;
    enum hf_status status = hf_difference(a, b, &difference, err);
    if (status != HF_OK)
        return status;
    struct hf_out out = {0};
    struct hf_top_options options = {.granularity = HF_BY_FUNCTION, .is_growth_first = true};
    status = hf_top_text(difference, &options, &out, err);
    if (status == HF_OK)
        status = hf_top_json(difference, &options, &out, err);
    if (status == HF_OK)
        status = hf_out_finish(&out, err);
    hf_out_done(&out);
    hf_profile_free(difference);
    return status;
}

/* What a history and its places are made of. */
struct judged {
    struct hf_history history;
    struct hf_growth growth;
    struct hf_profile *folded;
};

static enum hf_status judge(struct judged *judged, struct hf_error *err)
{
    struct hf_fold_options fold = {.keeps_threads = true};
    *judged = (struct judged){0};
    enum hf_status status = hf_history_init(&judged->history, a, 0, err);
    for (int64_t i = 0; status == HF_OK && i < 8; i++)
        status = hf_history_add(&judged->history, i < 4 ? a : b, NULL, i * 1000, err);
    if (status == HF_OK)
        status = hf_profile_fold(judged->history.stacks, &fold, &judged->folded, err);
    if (status == HF_OK)
        status = hf_growth_find(&judged->growth, &judged->history, judged->folded, NULL, err);
    return status;
}

static void judged_done(struct judged *judged)
{
    hf_growth_done(&judged->growth);
    hf_profile_free(judged->folded);
    hf_history_done(&judged->history);
}

/* A table whose rows have a history. */
static enum hf_status tells_trends(struct hf_error *err)
{
    struct judged judged;
    struct hf_out out = {0};
    enum hf_status status = judge(&judged, err);
    struct hf_top_options options = {.granularity = HF_BY_FUNCTION, .growth = &judged.growth};
    if (status == HF_OK)
        status = hf_top_text(b, &options, &out, err);
    if (status == HF_OK)
        status = hf_top_json(b, &options, &out, err);
    if (status == HF_OK)
        status = hf_out_finish(&out, err);
    hf_out_done(&out);
    judged_done(&judged);
    return status;
}

/* A page of a series: all that a series, its suspects, its verdicts and the page's data allocate.
 */
static enum hf_status writes_a_page(struct hf_error *err)
{
    struct hf_series series = {0};
    struct hf_places places = {0};
    struct hf_profile *change, *point;
    struct judged judged;
    struct hf_fold_options fold = {.granularity = HF_BY_LINE, .keeps_threads = true};
    enum hf_status status = judge(&judged, err);
    for (size_t i = 0; status == HF_OK && i < 3; i++) {
        status = hf_profile_fold(i == 1 ? b : a, &fold, &point, err);
        if (status == HF_OK)
            status = hf_series_add(&series, point, "point", 0, err);
    }
    if (status == HF_OK)
        status = hf_places_add(&places, a, HF_BY_LINE, err);
    if (status == HF_OK)
        status = hf_series_change(&series, &change, err);
    if (status == HF_OK) {
        struct hf_out out = {0};
        struct hf_page_options options = {.colors = "hot",
            .view = "flame",
            .series = &series,
            .growth = &judged.growth,
            .places = &places};
        status = hf_page_html(change, &options, &out, err);
        if (status == HF_OK)
            status = hf_out_finish(&out, err);
        hf_out_done(&out);
        hf_profile_free(change);
    }
    hf_series_done(&series);
    hf_places_done(&places);
    judged_done(&judged);
    return status;
}

/* Both ways of following suspects: by name, and by frame as pages do. */
static enum hf_status finds_suspects(struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (int by_name = 0; status == HF_OK && by_name < 2; by_name++) {
        struct hf_suspects suspects;
        status = hf_suspects_find(
            &suspects, a, &(struct hf_suspects_options){.by_name = by_name != 0}, err);
        hf_suspects_done(&suspects);
    }
    return status;
}

/* With a wrapper to learn, so that calls are counted, too. */
static enum hf_status finds_owners(struct hf_error *err)
{
    static const char *const stacks[] = {"main;one;take", "main;two;take", "main;three;take"};
    struct hf_profile *profile;
    struct hf_owners owners = {0};
    enum hf_status status = hf_profile_new(&profile, err);
    if (status != HF_OK)
        return status;
    status = hf_profile_add_inuse_types(profile, err);
    for (size_t i = 0; status == HF_OK && i < HF_COUNT(stacks); i++) {
        uint64_t values[HF_VALUE_TYPES_MAX] = {[HF_INUSE_OBJECTS] = 1, [HF_INUSE_SPACE] = i * 100};
        uint32_t frames[3], node;
        struct hf_text rest = hf_text_of(stacks[i]);
        for (size_t n = HF_COUNT(frames); status == HF_OK && n-- != 0;) {
            struct hf_frame frame = {.flags = HF_FRAME_NAMED};
            struct hf_text name = hf_text_first(rest, hf_text_find(rest, ';'));
            rest = hf_text_from(rest, name.size + 1);
            status = hf_profile_string(profile, name, &frame.name, err);
            if (status == HF_OK)
                status = hf_profile_frame(profile, &frame, &frames[n], err);
        }
        if (status == HF_OK)
            status = hf_stacktree_add(&profile->stacks, frames, HF_COUNT(frames), &node, err);
        if (status == HF_OK)
            status = hf_profile_add_sample(profile, node, HF_THREAD_ALL, values, err);
    }
    if (status == HF_OK)
        status = hf_owners_init(&owners, NULL, NULL, NULL, err);
    if (status == HF_OK)
        status = hf_owners_learn(&owners, profile, profile, HF_BY_LINE, err);
    if (status == HF_OK)
        status = hf_owners_cut(&owners, profile, HF_INUSE_SPACE, err);
    if (status == HF_OK)
        assert_true(hf_text_is(hf_owners_via(&owners, HF_TEXT("three")), "take"));
    hf_owners_done(&owners);
    hf_profile_free(profile);
    return status;
}

static enum hf_status draws(struct hf_error *err)
{
    struct hf_out out = {0};
    struct hf_graph_options options = hf_graph_defaults();
    options.granularity = HF_BY_LINE;
    enum hf_status status = hf_graph_dot(a, &options, &out, err);
    if (status == HF_OK)
        status = hf_out_finish(&out, err);
    hf_out_done(&out);
    return status;
}

static enum hf_status orders(struct hf_error *err)
{
    struct hf_order order;
    enum hf_status status = hf_order_init(&order, a, err);
    hf_order_done(&order);
    return status;
}

static enum hf_status compiles_a_pattern(struct hf_error *err)
{
    struct hf_regex *regex;
    enum hf_status status = hf_regex_new("le(a|e)k", &regex, err);
    if (status == HF_OK)
        hf_regex_free(regex);
    return status;
}

static enum hf_status reads_bytes(struct hf_text bytes, struct hf_error *err)
{
    struct hf_input input;
    struct hf_profile *profile;
    hf_input_open_memory(&input, bytes, "test");
    enum hf_status status = hf_format_read(&input, &profile, err);
    hf_input_close(&input);
    if (status == HF_OK)
        hf_profile_free(profile);
    return status;
}

static enum hf_status reads(const char *text, struct hf_error *err)
{
    return reads_bytes(hf_text_of(text), err);
}

static enum hf_status reads_gperftools(struct hf_error *err)
{
    return reads(
        "heap profile: 2: 30 [2: 30] @ heap/2\n1: 10 [1: 10] @ 0x11 0x22 0x33\n"
        "#\t0x10\tmain.inner+0x1\t/src/main.go:1\n#\t0x21\tmain.main+0x2\t/src/main.go:2\n\n"
        "1: 20 [1: 20] @ 0x44\n\n--- Memory map:\nbuild=/opt\n10-50: $build/server\n",
        err);
}

static enum hf_status reads_symbolized(struct hf_error *err)
{
    return reads("--- symbol\n0x10 main--inner\n0x21 start\n---\n--- heap\nheap_v2/1\n"
                 "  t*: 1: 10 [0: 0]\n@ 0x11 0x22\n  t*: 1: 10 [0: 0]\n\nMAPPED_LIBRARIES:\n"
                 "0-1000 r-xp 0 0:0 0 /opt/server\n",
        err);
}

static enum hf_status writes_heap_v2(struct hf_error *err)
{
    struct hf_out out = {0};
    struct hf_notes notes = {0};
    enum hf_status status = hf_writer_heap_v2.write(a, 0, &notes, &out, err);
    if (status == HF_OK)
        status = hf_out_finish(&out, err);
    hf_out_done(&out);
    hf_notes_done(&notes);
    return status;
}

static enum hf_status lists(struct hf_error *err)
{
    struct hf_out out = {0};
    struct hf_notes notes = {0};
    struct hf_listing_options options = {.is_exact = true};
    enum hf_status status = hf_regex_new("main", &options.pattern, err);
    if (status == HF_OK)
        status = hf_listing(a, &options, &notes, &out, err);
    if (status == HF_OK)
        status = hf_out_finish(&out, err);
    hf_regex_free(options.pattern);
    hf_out_done(&out);
    hf_notes_done(&notes);
    return status;
}

static enum hf_status reads_heap_v2(struct hf_error *err)
{
    return reads("heap_v2/524288\n  t*: 2: 300 [0: 0]\n  t1: 2: 300 [0: 0] main\n"
                 "@ 0x401000 0x402000 0x7f0000001000\n  t*: 2: 300 [0: 0]\n  t1: 2: 300 [0: 0]\n"
                 "\nMAPPED_LIBRARIES:\n"
                 "00400000-00410000 r-xp 00000000 08:01 1  /bin/app\n"
                 "7f0000000000-7f0000010000 r-xp 00001000 08:01 2  /lib/libx.so\n",
        err);
}

static enum hf_status reads_folded(struct hf_error *err)
{
    return reads("main;a;b 10\nmain;a 5\nmain;c 7\n", err);
}

static enum hf_status reads_heaptrack(struct hf_error *err)
{
    return reads("v 10400 3\nX a\ns 1 a\ns 1 f\ni 1 1 2 1 5\nt 1 0\na 64 1\n+ 0\n# strings: 2\n"
                 "# ips: 1\n",
        err);
}

static enum hf_status reads_perf_script(struct hf_error *err)
{
    return reads("a 1/2 3.5: 7 cycles:\n\t            1297 f+0x2 (/a)\n  f.c:1\n"
                 "\t            1298 [unknown] (/a)\n\nb 1/2 3.5: 7 cycles:\n\t  1 f (/b)\n\n",
        err);
}

static enum hf_status reads_old_perf_script(struct hf_error *err)
{
    return reads("a 1/2 3.5: 7 cycles:\n\t          401297 [unknown] (/a)\n"
                 "\t    7f4de9515645 main (/lib/b.so)\n\n",
        err);
}

static enum hf_status reads_memcheck(struct hf_error *err)
{
    return reads("==7== 9 bytes in 1 blocks are definitely lost in loss record 1 of 1\n"
                 "==7==    at 0x1: f (a.c:1)\n==7==    by 0x2: ??? (in /lib/x.so)\n==7== \n"
                 "==7== LEAK SUMMARY:\n==7==    definitely lost: 9 bytes in 1 blocks\n"
                 "==7==    indirectly lost: 0 bytes in 0 blocks\n"
                 "==7==      possibly lost: 0 bytes in 0 blocks\n"
                 "==7==    still reachable: 0 bytes in 0 blocks\n"
                 "==7==         suppressed: 0 bytes in 0 blocks\n",
        err);
}

static enum hf_status reads_memcheck_xml(struct hf_error *err)
{
    return reads("<valgrindoutput>\n<error>\n<kind>Leak_StillReachable</kind>\n"
                 "<text>9 bytes in 1 blocks are still reachable in loss record 1 of 1</text>\n"
                 "<stack>\n<frame>\n<ip>0x1</ip>\n<fn>f&lt;&gt;</fn>\n<dir>/d</dir>\n"
                 "<file>a.c</file>\n<line>7</line>\n</frame>\n</stack>\n</error>\n"
                 "</valgrindoutput>\n",
        err);
}

static enum hf_status reads_massif(struct hf_error *err)
{
    return reads("desc: (none)\n#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=9\n"
                 "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\nn2: 9 (heap)\n"
                 " n1: 8 0x1: f (a.c:1)\n  n0: 8 0x2: main (a.c:2)\n"
                 " n0: 1 in 1 place, below massif's threshold (1.00%)\n",
        err);
}

static enum hf_status reads_lsan(struct hf_error *err)
{
    return reads("Direct leak of 9 byte(s) in 1 object(s) allocated from:\n"
                 "    #0 0x1 in f a.c:1\n    #1 0x2 (/lib/x.so+0x12) (BuildId: 0aff)\n\n"
                 "SUMMARY: LeakSanitizer: 9 byte(s) leaked in 1 allocation(s).\n",
        err);
}

static enum hf_status reads_memleak(struct hf_error *err)
{
    return reads("[1] Top 9 stacks with outstanding allocations:\n"
                 "\t8 bytes in 1 allocations from stack\n\t\tf [a]\n\t\tg+0x2 [b]\n"
                 "\t9 bytes in 1 allocations from stack\n\t\t[unknown] [a]\n\n",
        err);
}

static enum hf_status reads_bpftrace(struct hf_error *err)
{
    return reads("@a[srv, \n    f+26\n    main+5\n]: 3\n@a[\n    f+26\n]: 4\n", err);
}

static enum hf_status reads_dtrace(struct hf_error *err)
{
    return reads("  srv\n              a`f+0x1a\n              LMain;::a->LMain;::b\n   3\n", err);
}

static enum hf_status reads_bpftrace_json(struct hf_error *err)
{
    return reads("{\"type\": \"map\", \"data\": {\"@c\": {\"\\n    g+1\\n\": 3}}}\n", err);
}

/* "main;a 5\n", compressed. */
static enum hf_status reads_gzip(struct hf_error *err)
{
    return reads_bytes(HF_TEXT("\037\213\010\000\000\000\000\000\002\003\313\115\314\314\263\116"
                               "\124\060\345\002\000\335\301\166\124\011\000\000\000"),
        err);
}

static enum hf_status reads_zstd(struct hf_error *err)
{
    return reads_bytes(HF_TEXT("\050\265\057\375\004\130\111\000\000\155\141\151\156\073\141\040"
                               "\065\012\271\062\052\342"),
        err);
}

/* Written as profile.proto, read again, cut, and written for speedscope. */
static enum hf_status converts(struct hf_error *err)
{
    struct hf_out packed = {0}, json = {0};
    struct hf_notes notes = {0};
    struct hf_input input;
    struct hf_profile *read = NULL, *folded = NULL;
    struct hf_fold_options options = {.granularity = HF_BY_LINE};
    enum hf_status status = hf_writer_pprof.write(a, 0, &notes, &packed, err);
    if (status == HF_OK)
        status = hf_out_finish(&packed, err);
    hf_input_open_memory(&input, hf_out_view(&packed), "in");
    if (status == HF_OK)
        status = hf_format_read(&input, &read, err);
    if (status == HF_OK)
        status = hf_allocator_cut(read, err);
    if (status == HF_OK)
        status = hf_profile_fold(read, &options, &folded, err);
    if (status == HF_OK)
        status = hf_writer_speedscope.write(folded, 0, &notes, &json, err);
    if (status == HF_OK)
        status = hf_out_finish(&json, err);
    hf_input_close(&input);
    hf_profile_free(read);
    hf_profile_free(folded);
    hf_notes_done(&notes);
    hf_out_done(&packed);
    hf_out_done(&json);
    return status;
}

/* Written as a bundle and read again. */
static enum hf_status bundles(struct hf_error *err)
{
    struct hf_out packed = {0};
    struct hf_notes notes = {0};
    struct hf_input input;
    struct hf_profile *read = NULL;
    enum hf_status status = hf_writer_bundle.write(a, 0, &notes, &packed, err);
    if (status == HF_OK)
        status = hf_out_finish(&packed, err);
    hf_input_open_memory(&input, hf_out_view(&packed), "in");
    if (status == HF_OK)
        status = hf_format_read(&input, &read, err);
    hf_input_close(&input);
    hf_profile_free(read);
    hf_out_done(&packed);
    return status;
}

/* Reads suppressions, and looks whether one fits. */
static enum hf_status suppresses(struct hf_error *err)
{
    struct hf_input input;
    struct hf_suppressions known = {0};
    const uint32_t frame = 0;
    hf_input_open_memory(&input, HF_TEXT("# known\nleak:nowhere\nleak:^m*n$\n"), "known.supp");
    enum hf_status status = hf_suppressions_read(&known, &input, err);
    if (status == HF_OK)
        (void)hf_suppressions_find(&known, a, &frame, 1);
    hf_input_close(&input);
    hf_suppressions_done(&known);
    return status;
}

/* Keeps a mark, and finds it again among others. */
static enum hf_status marks(struct hf_error *err)
{
    char found[PATH_MAX];
    struct hf_found_table table = {.path = "1-2.live"};
    static const char *const files[] = {"1-2.live", "1-2.cold.mark", "1-3.warm.mark"};
    for (size_t i = 0; i < HF_COUNT(files); i++) {
        table.fd = open(files[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_true(table.fd >= 0 && close(table.fd) == 0);
    }
    table.fd = open(table.path, O_RDONLY | O_CLOEXEC);
    assert_true(table.fd >= 0);
    struct hf_mark_place place;
    enum hf_status status = hf_mark_place_find(&place, &table, "warm", err);
    if (status == HF_OK)
        status = hf_mark_write(place.path, HF_TEXT("bundle"), err);
    hf_mark_place_done(&place);
    if (status == HF_OK)
        status = hf_mark_find(&table, "warm", found, err);
    if (status == HF_OK)
        assert_string_equal(found, "1-2.warm.mark");
    close(table.fd);
    (void)unlink("1-2.warm.mark");
    return status;
}

static const struct {
    const char *name;
    enum hf_status (*run)(struct hf_error *err);
    bool may_succeed; /* a failure may only make it slower */
} paths[] = {
    {"heap_v2", reads_heap_v2, false}, {"folded", reads_folded, false},
    {"gperftools", reads_gperftools, false}, {"symbolized", reads_symbolized, false},
    {"heap_v2 written", writes_heap_v2, true}, {"listing", lists, true},
    {"heaptrack", reads_heaptrack, false}, {"perf script", reads_perf_script, false},
    {"an old perf script", reads_old_perf_script, false}, {"memcheck", reads_memcheck, false},
    {"memcheck XML", reads_memcheck_xml, false},
    {"massif", reads_massif, true}, /* without its note */
    {"lsan", reads_lsan, false}, {"memleak", reads_memleak, false}, {"dtrace", reads_dtrace, false},
    {"bpftrace", reads_bpftrace, false}, {"bpftrace JSON", reads_bpftrace_json, false},
    {"gzip", reads_gzip, false}, {"zstd", reads_zstd, false}, {"convert", converts, false},
    {"suppressions", suppresses, false}, {"bundle", bundles, false},
    {"mark", marks, true}, /* with a path that was cut no shorter */
    {"fold", folds, false}, {"difference and top", subtracts_and_ranks, false},
    {"trends", tells_trends, false}, {"suspects", finds_suspects, false},
    {"owners", finds_owners, false}, {"page of a series", writes_a_page, false},
    {"graph", draws, false}, {"order", orders, false},
    {"regex", compiles_a_pattern, true}, /* without JIT */
};

static void sweep(void **state)
{
    (void)state;
    a = stacks_profile("bytes", rows_a);
    b = stacks_profile("bytes", rows_b);
    for (size_t p = 0; p < HF_COUNT(paths); p++) {
        for (size_t n = 0;; n++) {
            struct hf_error err = {0};
            failing_begin(n);
            enum hf_status status = paths[p].run(&err);
            is_counting = false;
            if (live != 0)
                fail_msg("%s: failing allocation %zu leaks %ld blocks", paths[p].name, n, live);
            if (!has_failed) {
                check_ok(status, &err);
                assert_true(n > 1);
                break;
            }
            if (status != HF_ERR_MEMORY && !(status == HF_OK && paths[p].may_succeed))
                fail_msg("%s: failing allocation %zu gives status %d", paths[p].name, n, status);
        }
    }
    hf_profile_free(a);
    hf_profile_free(b);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sweep)};
    return cmocka_run_group_tests_name("allocation", tests, NULL, NULL);
}
