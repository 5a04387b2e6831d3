/* From captured to shown: names, granularity, the allocator's cut, filters, threads. */
#include "profile/fold.h"

#include "profile/allocator.h"
#include "profile/order.h"
#include "stacks.h"

/* All stacks of a folded profile, "label;label value" a line, in the one order of output. */
static void list(const struct hf_profile *profile, struct hf_out *out)
{
    struct hf_error err;
    struct hf_order order;
    check_ok(hf_order_init(&order, profile, &err), &err);
    /* Stacks here are shallow and few: each node's samples are looked up the slow way. */
    uint32_t path[64], depth = 0, at[64] = {0};
    path[0] = HF_STACK_ROOT;
    at[0] = order.first_children[HF_STACK_ROOT];
    for (;;) {
        uint32_t node = path[depth];
        for (size_t i = 0; at[depth] == order.first_children[node] && i < profile->sample_count;
             i++) {
            if (profile->samples[i].node != node)
                continue;
            for (uint32_t d = 1; d <= depth; d++) {
                hf_out_string(out, d != 1 ? ";" : "");
                hf_out_text(out, hf_order_label(&order, profile->stacks.nodes[path[d]].frame));
            }
            hf_out_printf(out, " %llu\n", (unsigned long long)hf_profile_value(profile, i, 0));
        }
        while (at[depth] == order.first_children[path[depth] + 1] && depth != 0)
            depth--;
        if (at[depth] == order.first_children[path[depth] + 1])
            break;
        uint32_t child = order.children[at[depth]++];
        path[++depth] = child;
        at[depth] = order.first_children[child];
    }
    hf_order_done(&order);
}

static void check_fold_at(const struct hf_profile *from, const struct hf_fold_options *options,
    const char *expected, const char *file, int line)
{
    struct hf_error err;
    struct hf_profile *folded;
    struct hf_out out = {0};
    check_ok_at(hf_profile_fold(from, options, &folded, &err), &err, file, line);
    list(folded, &out);
    check_out_at(&out, expected, file, line);
    hf_out_done(&out);
    hf_profile_free(folded);
}
#define check_fold(from, options, expected)                                                        \
    check_fold_at(from, options, expected, __FILE__, __LINE__)

static uint32_t address_frame(struct hf_profile *profile, const char *module, uint64_t offset)
{
    struct hf_error err;
    struct hf_frame frame = {.offset = offset, .flags = HF_FRAME_HAS_OFFSET};
    uint32_t id;
    if (module != NULL)
        check_ok(
            hf_profile_module(profile, hf_text_of(module), HF_TEXT(""), &frame.module, &err), &err);
    check_ok(hf_profile_frame(profile, &frame, &id, &err), &err);
    return id;
}

/* A named frame as src/symbol makes it: the address stays, for --addresses. */
static uint32_t named_frame(
    struct hf_profile *profile, uint32_t address, const char *name, const char *file, uint32_t line)
{
    struct hf_error err;
    struct hf_frame frame = *hf_profile_frame_at(profile, address);
    frame.flags |= HF_FRAME_NAMED;
    frame.line = line;
    uint32_t id;
    check_ok(hf_profile_string(profile, hf_text_of(name), &frame.name, &err), &err);
    check_ok(hf_profile_string(profile, hf_text_of(file), &frame.file, &err), &err);
    check_ok(hf_profile_frame(profile, &frame, &id, &err), &err);
    return id;
}

static void add(struct hf_profile *profile, const uint32_t *leaf_first, size_t depth,
    uint32_t thread, uint64_t value)
{
    struct hf_error err;
    uint32_t node;
    check_ok(hf_stacktree_add(&profile->stacks, leaf_first, depth, &node, &err), &err);
    check_ok(hf_profile_add_sample(profile, node, thread, &value, &err), &err);
}

/*
 * main calls work at two places; work, with step inlined into it, calls malloc in libjemalloc.
 * One frame is in no module, one in a library without symbols.
 */
static struct hf_profile *captured(void)
{
    struct hf_error err;
    struct hf_profile *profile = stacks_new("bytes", false);
    profile->has_addresses = true;
    uint32_t main_1 = address_frame(profile, "/bin/app", 0x100);
    uint32_t main_2 = address_frame(profile, "/bin/app", 0x120);
    uint32_t work = address_frame(profile, "/bin/app", 0x200);
    uint32_t malloc_1 = address_frame(profile, "/lib/libjemalloc.so.2", 0x10);
    uint32_t malloc_2 = address_frame(profile, "/lib/libjemalloc.so.2", 0x20);
    uint32_t stripped = address_frame(profile, "/lib/libx.so", 0xabc);
    uint32_t nowhere = address_frame(profile, NULL, 0x7f00);
    uint32_t named_main_1 = named_frame(profile, main_1, "main", "/s/m.c", 5);
    uint32_t named_main_2 = named_frame(profile, main_2, "main", "/s/m.c", 6);
    uint32_t inlined[2] = {named_frame(profile, work, "step", "/s/s.h", 70),
        named_frame(profile, work, "work", "/s/w.c", 8)};
    uint32_t named_malloc = named_frame(profile, malloc_2, "malloc", "", 0);
    check_ok(hf_profile_expand(profile, main_1, &named_main_1, 1, &err), &err);
    check_ok(hf_profile_expand(profile, main_2, &named_main_2, 1, &err), &err);
    check_ok(hf_profile_expand(profile, work, inlined, 2, &err), &err);
    check_ok(hf_profile_expand(profile, malloc_2, &named_malloc, 1, &err), &err);
    uint32_t worker;
    check_ok(hf_profile_thread(profile, 9, HF_TEXT("worker"), &worker, &err), &err);
    add(profile, (uint32_t[]){malloc_1, malloc_2, work, main_1}, 4, HF_THREAD_ALL, 1);
    add(profile, (uint32_t[]){malloc_1, malloc_2, work, main_2}, 4, HF_THREAD_ALL, 10);
    add(profile, (uint32_t[]){malloc_1, malloc_2, work, main_2}, 4, worker, 4);
    add(profile, (uint32_t[]){malloc_2, stripped, main_1}, 3, HF_THREAD_ALL, 100);
    add(profile, (uint32_t[]){malloc_2, nowhere}, 2, HF_THREAD_ALL, 1000);
    add(profile, (uint32_t[]){malloc_1, malloc_2}, 2, HF_THREAD_ALL, 10000);
    return profile;
}

static void shows_each_granularity(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct hf_fold_options options;
        const char *expected;
    } cases[] = {
        {"function", {.granularity = HF_BY_FUNCTION},
            "0x7f00 1000\nmain;libx.so+0xabc 100\nmain;work;step 11\nmalloc 10000\n"},
        {"line", {.granularity = HF_BY_LINE},
            "0x7f00 1000\n"
            "main /s/m.c:5;libx.so+0xabc 100\n"
            "main /s/m.c:5;work /s/w.c:8;step /s/s.h:70 1\n"
            "main /s/m.c:6;work /s/w.c:8;step /s/s.h:70 10\n"
            "malloc 10000\n"},
        {"file", {.granularity = HF_BY_FILE},
            "/s/m.c;/s/w.c;/s/s.h 11\n/s/m.c;libx.so 100\n[no file] 1000\nlibjemalloc.so.2 "
            "10000\n"},
        {"address", {.granularity = HF_BY_ADDRESS},
            "0x7f00 1000\n"
            "app+0x100 main /s/m.c:5;app+0x200 step /s/s.h:70 1\n"
            "app+0x100 main /s/m.c:5;libx.so+0xabc 100\n"
            "app+0x120 main /s/m.c:6;app+0x200 step /s/s.h:70 10\n"
            "libjemalloc.so.2+0x20 malloc 10000\n"},
        {"with the allocator", {.granularity = HF_BY_FUNCTION, .keep_allocator = true},
            "0x7f00;malloc 1000\n"
            "main;libx.so+0xabc;malloc 100\n"
            "main;work;step;malloc;libjemalloc.so.2+0x10 11\n"
            "malloc;libjemalloc.so.2+0x10 10000\n"},
        {"one thread", {.granularity = HF_BY_FUNCTION, .thread = "9"}, "main;work;step 4\n"},
    };
    struct hf_profile *profile = captured();
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].name;
        check_fold(profile, &cases[i].options, cases[i].expected);
    }
    struct hf_error err;
    struct hf_profile *folded = NULL;
    struct hf_fold_options unknown = {.thread = "8"};
    assert_int_equal(hf_profile_fold(profile, &unknown, &folded, &err), HF_ERR_USAGE);
    check_error(&err, "--thread: the profile has no thread '8'; it has 1 thread, which heapflame "
                      "top --threads lists");
    hf_profile_free(profile);
}

static void filters_stacks_and_frames(void **state)
{
    (void)state;
    static const struct {
        const char *name, *focus, *ignore, *retain, *exclude, *expected;
    } cases[] = {
        {"focus on a function", "^b$", NULL, NULL, NULL, "a;b 2\na;b;c 4\nb 8\n"},
        {"focus on a file", "f2\\.c", NULL, NULL, NULL, "a;b;c 4\n"},
        {"ignore", NULL, "^b$", NULL, NULL, "a 1\n"},
        {"both", "^a$", "^c$", NULL, NULL, "a 1\na;b 2\n"},
        {"retain", NULL, NULL, "^[bc]$", NULL, " 1\nb 10\nb;c 4\n"},
        {"exclude", NULL, NULL, NULL, "^b$", " 8\na 3\na;c 4\n"},
        {"exclude a focused frame", "^b$", NULL, NULL, "^b$", " 8\na 2\na;c 4\n"},
        {"nothing is left", "zzz", NULL, NULL, NULL, ""},
    };
    const struct stacks_row rows[] = {{"a@/s/f1.c:1", 1, 0}, {"a@/s/f1.c:1;b@/s/f1.c:2", 2, 0},
        {"a@/s/f1.c:1;b@/s/f1.c:2;c@/s/f2.c:3", 4, 0}, {"b@/s/f1.c:9", 8, 0}};
    struct hf_profile *profile = stacks_profile("bytes", rows);
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].name;
        struct hf_error err;
        struct hf_fold_options options = {.granularity = HF_BY_FUNCTION};
        const char *const patterns[] = {
            cases[i].focus, cases[i].ignore, cases[i].retain, cases[i].exclude};
        struct hf_regex **const regexes[] = {
            &options.focus, &options.ignore, &options.retain, &options.exclude};
        for (size_t r = 0; r < HF_COUNT(patterns); r++) {
            if (patterns[r] != NULL)
                check_ok(hf_regex_new(patterns[r], regexes[r], &err), &err);
        }
        check_fold(profile, &options, cases[i].expected);
        for (size_t r = 0; r < HF_COUNT(patterns); r++)
            hf_regex_free(*regexes[r]);
    }
    hf_profile_free(profile);
}

/* jeprof's rule: from the outermost allocator frame to the leaf, everything goes. */
static void cuts_the_allocator(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"main;operator new;malloc;helper", 1, 0},
        {"main;malloc_wrapper;malloc", 2, 0},
        {"main;calloc;callback;malloc", 4, 0},
        {"malloc;imalloc_body", 8, 0},
        {"main;alloc::alloc::alloc;__rust_alloc", 16, 0},
        {"main;_rjem_malloc", 32, 0},
        {"main;mallocate", 64, 0},
    };
    struct hf_profile *profile = stacks_profile("bytes", rows);
    struct hf_fold_options options = {.granularity = HF_BY_FUNCTION};
    check_fold(profile, &options, "main 53\nmain;malloc_wrapper 2\nmain;mallocate 64\nmalloc 8\n");
    hf_profile_free(profile);
    assert_true(hf_allocator_is_function(HF_TEXT("operator new[]")));
    assert_true(hf_allocator_is_function(HF_TEXT("je_malloc_default")));
    assert_true(hf_allocator_is_function(HF_TEXT("operator new[](unsigned long)")));
    assert_true(hf_allocator_is_function(HF_TEXT("__interceptor_malloc")));
    assert_true(hf_allocator_is_function(HF_TEXT("___interceptor_calloc")));
    assert_false(hf_allocator_is_function(HF_TEXT("__interceptor_qsort_r")));
    assert_false(hf_allocator_is_function(HF_TEXT("operator newer")));
    assert_false(hf_allocator_is_function(HF_TEXT("malloc(int)")));
    assert_false(hf_allocator_is_function(HF_TEXT("my_malloc")));
    assert_false(hf_allocator_is_function(HF_TEXT("")));
    assert_true(hf_allocator_is_module(HF_TEXT("/usr/lib/libjemalloc.so.2")));
    assert_false(hf_allocator_is_module(HF_TEXT("/opt/libjemalloc/libapp.so")));
}

/* Cut before folding, or by folding: what is shown is the same. */
static void cuts_whole_profiles(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile = captured();
    struct hf_fold_options all = {.granularity = HF_BY_FUNCTION, .keep_allocator = true};
    struct hf_fold_options thread = all;
    thread.thread = "9";
    uint32_t inlined_malloc[2] = {
        named_frame(profile, 0, "malloc", "", 0), named_frame(profile, 0, "caller", "", 0)};
    uint32_t caller = address_frame(profile, "/bin/app", 0x300);
    uint32_t leaf = address_frame(profile, "/bin/app", 0x400);
    check_ok(hf_profile_expand(profile, caller, inlined_malloc, 2, &err), &err);
    add(profile, (uint32_t[]){leaf, caller}, 2, HF_THREAD_ALL, 7);
    check_ok(hf_allocator_cut(profile, &err), &err);
    check_case = "all";
    check_fold(profile, &all,
        "0x7f00 1000\ncaller 7\nmain;libx.so+0xabc 100\nmain;work;step 11\nmalloc 10000\n");
    check_case = "a thread";
    check_fold(profile, &thread, "main;work;step 4\n");
    hf_profile_free(profile);
}

/* Two frames that would read the same are one, so no reader sees a name twice in one place. */
static void equal_labels_are_one_frame(void **state)
{
    (void)state;
    struct hf_profile *profile = stacks_new("bytes", false);
    uint32_t first = address_frame(profile, "/lib/a/libx.so", 0xabc);
    uint32_t second = address_frame(profile, "/lib/b/libx.so", 0xabc);
    add(profile, &first, 1, HF_THREAD_ALL, 1);
    add(profile, &second, 1, HF_THREAD_ALL, 2);
    struct hf_fold_options options = {.granularity = HF_BY_FUNCTION};
    check_fold(profile, &options, "libx.so+0xabc 3\n");
    hf_profile_free(profile);
}

/* Values of threads are part of the process's: beside them, instead of them, or left out. */
static void keeps_threads_if_asked(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile = stacks_new("bytes", false), *folded;
    uint32_t frame = address_frame(profile, "/lib/a/libx.so", 0xabc), threads[2];
    for (uint64_t i = 0; i < 2; i++) {
        check_ok(hf_profile_thread(profile, 70 + i, HF_TEXT("worker"), &threads[i], &err), &err);
        add(profile, &frame, 1, threads[i], 1 + i);
    }
    add(profile, &frame, 1, HF_THREAD_ALL, 4);
    static const struct {
        const char *thread;
        bool keeps;
        size_t samples;
        uint64_t value; /* of the process */
    } cases[] = {
        {NULL, false, 1, 4}, {NULL, true, 3, 4}, {"worker", false, 1, 3}, {"worker", true, 1, 3}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        const struct hf_fold_options options = {.granularity = HF_BY_FUNCTION,
            .keeps_threads = cases[i].keeps,
            .thread = cases[i].thread};
        check_ok(hf_profile_fold(profile, &options, &folded, &err), &err);
        assert_int_equal(folded->sample_count, cases[i].samples);
        assert_int_equal(hf_profile_total(folded, 0, HF_THREAD_ALL).value, cases[i].value);
        hf_profile_free(folded);
    }
    hf_profile_free(profile);
}

/* A stack of address frames, which show what filters leave of their names; mappings come with them.
 */
static void keeps_addresses_if_asked(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile, *folded;
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_profile_add_type(profile, "bytes", "bytes", &err), &err);
    uint32_t inner = address_frame(profile, "/app", 0x10),
             outer = address_frame(profile, "/app", 0x30);
    uint32_t named[] = {named_frame(profile, inner, "push", "v.h", 7),
        named_frame(profile, inner, "load", "a.c", 3),
        named_frame(profile, outer, "main", "a.c", 9)};
    uint32_t module = hf_profile_frame_at(profile, inner)->module;
    const struct hf_segment segment = {0x1000, 0x2000, 0, true};
    check_ok(hf_profile_add_segment(profile, module, &segment, &err), &err);
    check_ok(hf_profile_expand(profile, inner, named, 2, &err), &err);
    check_ok(hf_profile_expand(profile, outer, named + 2, 1, &err), &err);
    add(profile, (uint32_t[]){inner, outer}, 2, HF_THREAD_ALL, 5);
    const struct hf_fold_options options = {.granularity = HF_BY_LINE, .keeps_addresses = true};
    check_ok(hf_profile_fold(profile, &options, &folded, &err), &err);
    assert_int_equal(folded->stacks.count, 3);
    const uint32_t leaf = folded->stacks.nodes[folded->samples[0].node].frame;
    const struct hf_frame *frame = hf_profile_frame_at(folded, leaf);
    assert_int_equal(frame->offset, 0x10);
    assert_int_equal(folded->modules[frame->module].segment_count, 1);
    size_t count;
    const uint32_t *shown = hf_profile_expansion(folded, &leaf, &count);
    assert_int_equal(count, 2);
    struct hf_out label = {0};
    for (size_t i = 0; i < count; i++) {
        hf_frame_label(folded, hf_profile_frame_at(folded, shown[i]), &label);
        hf_out_char(&label, ';');
    }
    check_out(&label, "push v.h:7;load a.c:3;");
    hf_out_done(&label);
    hf_profile_free(folded);
    hf_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_each_granularity),
        cmocka_unit_test(filters_stacks_and_frames),
        cmocka_unit_test(cuts_the_allocator),
        cmocka_unit_test(cuts_whole_profiles),
        cmocka_unit_test(equal_labels_are_one_frame),
        cmocka_unit_test(keeps_threads_if_asked),
        cmocka_unit_test(keeps_addresses_if_asked),
    };
    return cmocka_run_group_tests_name("fold", tests, NULL, NULL);
}
