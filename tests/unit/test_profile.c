/* The profile model: the stack tree, samples, merging, mapping frames, notes. */
#include "profile/fold.h"
#include "profile/interval.h"
#include "profile/merge.h"
#include "profile/profile.h"
#include "profile/samples.h"
#include "symbol/lookup/signal_frames.h"

#include "base/limits.h"
#include "stacks.h"

static void tree_shares_common_roots(void **state)
{
    (void)state;
    struct hf_stacktree tree;
    struct hf_error err;
    uint32_t node;
    check_ok(hf_stacktree_init(&tree, &err), &err);
    check_ok(hf_stacktree_add(&tree, (const uint32_t[]){3, 2, 1}, 3, &node, &err), &err);
    assert_int_equal(node, 3);
    assert_int_equal(hf_stacktree_depth(&tree, node), 3);
    check_ok(hf_stacktree_add(&tree, (const uint32_t[]){4, 2, 1}, 3, &node, &err), &err);
    assert_int_equal(node, 4);
    assert_int_equal(tree.nodes[4].parent, 2);
    check_ok(hf_stacktree_add(&tree, (const uint32_t[]){3, 2, 1}, 3, &node, &err), &err);
    assert_int_equal(node, 3);
    check_ok(hf_stacktree_add(&tree, NULL, 0, &node, &err), &err);
    assert_int_equal(node, HF_STACK_ROOT);
    assert_int_equal(hf_stacktree_depth(&tree, HF_STACK_ROOT), 0);
    assert_int_equal(tree.count, 5);
    hf_stacktree_done(&tree);
    hf_stacktree_done(&tree);
}

static void children_come_after_parents(void **state)
{
    (void)state;
    struct hf_stacktree tree;
    struct hf_error err;
    uint64_t random = 5;
    check_ok(hf_stacktree_init(&tree, &err), &err);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t node, stack[16];
        size_t depth = check_random(&random) % HF_COUNT(stack);
        for (size_t d = 0; d < depth; d++)
            stack[d] = check_random(&random) % 5;
        check_ok(hf_stacktree_add(&tree, stack, depth, &node, &err), &err);
        for (size_t d = 0; d < depth; d++, node = tree.nodes[node].parent)
            assert_int_equal(tree.nodes[node].frame, stack[d]);
        assert_int_equal(node, HF_STACK_ROOT);
    }
    for (uint32_t node = 1; node < tree.count; node++)
        assert_true(tree.nodes[node].parent < node);
    hf_stacktree_done(&tree);
}

static void equal_stacks_are_one_sample(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"a;b", 1, 0}, {"a", 2, 0}, {"a;b", 40, 0}};
    struct hf_profile *profile = stacks_profile("bytes", rows);
    assert_int_equal(profile->sample_count, 2);
    assert_int_equal(stacks_value(profile, "a;b", 0).value, 41);
    assert_int_equal(hf_profile_total(profile, 0, HF_THREAD_ALL).value, 43);
    assert_int_equal(hf_profile_total(profile, 0, 0).value, 0);
    hf_profile_free(profile);
    hf_profile_free(NULL);
}

static void the_first_release_makes_a_difference(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile = stacks_new("bytes", false);
    check_ok(hf_profile_add_type(profile, "inuse_objects", "objects", &err), &err);
    const uint64_t grew[4] = {10, 1, 0, 0}, released[4] = {0, 2, 30, 0};
    uint32_t a = stacks_node(profile, "a"), b = stacks_node(profile, "b");
    check_ok(hf_profile_add_change(profile, a, HF_THREAD_ALL, grew, &err), &err);
    check_ok(hf_profile_add_change(profile, b, HF_THREAD_ALL, grew, &err), &err);
    check_ok(hf_profile_add_change(profile, a, HF_THREAD_ALL, grew, &err), &err);
    assert_false(profile->is_difference);
    assert_int_equal(stacks_value(profile, "a", 0).value, 20);
    check_ok(hf_profile_add_change(profile, b, HF_THREAD_ALL, released, &err), &err);
    check_ok(hf_profile_add_change(profile, a, HF_THREAD_ALL, grew, &err), &err);
    assert_true(profile->is_difference);
    assert_int_equal(stacks_value(profile, "a", 0).value, 30);
    assert_int_equal(stacks_value(profile, "a", 0).released, 0);
    assert_int_equal(stacks_value(profile, "a", 1).value, 3);
    assert_int_equal(stacks_value(profile, "b", 0).value, 10);
    assert_int_equal(stacks_value(profile, "b", 0).released, 30);
    assert_int_equal(stacks_value(profile, "b", 1).value, 3);
    assert_int_equal(stacks_value(profile, "b", 1).released, 0);
    hf_profile_free(profile);
}

static void knows_threads_by_uid(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile = stacks_new("bytes", false);
    uint32_t first, second, again;
    check_ok(hf_profile_thread(profile, 100, HF_TEXT(""), &first, &err), &err);
    check_ok(hf_profile_thread(profile, 7, HF_TEXT("worker"), &second, &err), &err);
    check_ok(hf_profile_thread(profile, 100, HF_TEXT("main"), &again, &err), &err);
    assert_int_equal(first, again);
    assert_int_not_equal(first, second);
    check_text(hf_profile_text(profile, profile->threads[first].name), "main");
    check_ok(hf_profile_thread(profile, 100, HF_TEXT("other"), &again, &err), &err);
    check_text(hf_profile_text(profile, profile->threads[first].name), "main");
    uint64_t value = 5;
    uint32_t node = stacks_node(profile, "a;b");
    check_ok(hf_profile_add_sample(profile, node, second, &value, &err), &err);
    check_ok(hf_profile_add_sample(profile, node, HF_THREAD_ALL, &value, &err), &err);
    assert_int_equal(profile->sample_count, 2);
    assert_int_equal(hf_profile_total(profile, 0, second).value, 5);
    assert_int_equal(hf_profile_total(profile, 0, HF_THREAD_ALL).value, 5);
    hf_profile_free(profile);
}

static void modules_are_told_apart_by_build_id(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile = stacks_new("bytes", false);
    uint32_t plain, one, two, again;
    check_ok(hf_profile_module(profile, HF_TEXT("/lib/x.so"), HF_TEXT(""), &plain, &err), &err);
    check_ok(hf_profile_module(profile, HF_TEXT("/lib/x.so"), HF_TEXT("\x01"), &one, &err), &err);
    check_ok(hf_profile_module(profile, HF_TEXT("/lib/x.so"), HF_TEXT("\x02"), &two, &err), &err);
    check_ok(hf_profile_module(profile, HF_TEXT("/lib/x.so"), HF_TEXT("\x01"), &again, &err), &err);
    assert_int_not_equal(plain, HF_NO_MODULE);
    assert_int_not_equal(one, two);
    assert_int_not_equal(one, plain);
    assert_int_equal(one, again);
    /* The same part of the file, mapped elsewhere by another process, is known already. */
    struct hf_segment segment = {0x1000, 0x3000, 0x1000, true};
    struct hf_segment moved = {0x7000, 0x9000, 0x1000, true};
    struct hf_segment other = {0x9000, 0xa000, 0x3000, false};
    check_ok(hf_profile_add_segment(profile, one, &segment, &err), &err);
    check_ok(hf_profile_add_segment(profile, one, &moved, &err), &err);
    check_ok(hf_profile_add_segment(profile, one, &other, &err), &err);
    assert_int_equal(profile->modules[one].segment_count, 2);
    hf_profile_free(profile);
}

static void sums_saturate_and_say_so(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"a", UINT64_MAX - 5, 0}, {"a", 6, 0}, {"a", 1, 0}};
    struct hf_profile *profile = stacks_profile("bytes", rows);
    assert_true(stacks_value(profile, "a", 0).value == UINT64_MAX);
    assert_true(profile->is_saturated);
    assert_int_equal(profile->notes.count, 1);
    assert_true(profile->notes.has_loss);
    hf_profile_free(profile);
}

static void merging_adds_everything(void **state)
{
    (void)state;
    struct hf_error err;
    const struct stacks_row left[] = {{"main;a", 10, 0}, {"main", 1, 0}};
    /* Other ids for the same names. */
    const struct stacks_row right[] = {{"x;y", 7, 0}, {"main;b", 5, 0}, {"main;a", 100, 0}};
    struct hf_profile *into = stacks_profile("bytes", left);
    struct hf_profile *from = stacks_profile("bytes", right);
    uint32_t ignored, thread;
    check_ok(hf_profile_thread(into, 1, HF_TEXT("one"), &ignored, &err), &err);
    check_ok(hf_profile_thread(from, 2, HF_TEXT("two"), &ignored, &err), &err);
    check_ok(hf_profile_thread(from, 1, HF_TEXT(""), &ignored, &err), &err);
    uint64_t value = 100;
    check_ok(hf_profile_add_sample(from, stacks_node(from, "main;a"), ignored, &value, &err), &err);
    hf_notes_add(&from->notes, HF_NOTE_LOSS, "cut");
    check_ok(hf_profile_merge(into, from, &err), &err);
    assert_int_equal(stacks_value(into, "main;a", 0).value, 110);
    assert_int_equal(stacks_value(into, "main;b", 0).value, 5);
    assert_int_equal(stacks_value(into, "x;y", 0).value, 7);
    assert_int_equal(hf_profile_total(into, 0, HF_THREAD_ALL).value, 123);
    assert_int_equal(into->thread_count, 2);
    check_ok(hf_profile_thread(into, 1, HF_TEXT(""), &thread, &err), &err);
    assert_int_equal(hf_profile_total(into, 0, thread).value, 100);
    assert_true(into->notes.has_loss);
    hf_profile_free(from);
    hf_profile_free(into);
}

/* A module of `profile` with its mappings, of 0x1000 bytes each. */
static struct hf_module *mapped_module(struct hf_profile *profile, const char *path,
    const char *build_id, const uint64_t *starts, size_t count)
{
    struct hf_error err;
    uint32_t module;
    check_ok(
        hf_profile_module(profile, hf_text_of(path), hf_text_of(build_id), &module, &err), &err);
    for (size_t i = 0; i < count; i++) {
        const struct hf_segment segment = {
            .start = starts[i], .end = starts[i] + 0x1000, .file_offset = i * 0x1000};
        check_ok(hf_profile_add_segment(profile, module, &segment, &err), &err);
    }
    return &profile->modules[module];
}

/* What one side alone knows of a file, both know then; two build-ids are two files. */
static void merging_knows_modules(void **state)
{
    (void)state;
    struct hf_error err;
    const uint64_t starts[] = {0x1000, 0x5000};
    struct hf_profile *into = stacks_new("bytes", false), *from = stacks_new("bytes", false);
    mapped_module(into, "/bin/a", "", starts, 1);
    mapped_module(into, "/bin/b", "id1", NULL, 0)->is_deleted = true;
    mapped_module(into, "/bin/c", "id2", NULL, 0);
    mapped_module(from, "/bin/c", "id3", starts, 2)->is_deleted = true;
    mapped_module(from, "/bin/b", "", NULL, 0);
    mapped_module(from, "/bin/a", "id4", starts, 2)->is_deleted = true;
    check_ok(hf_profile_string(from, HF_TEXT("no such file"), &from->modules[2].why_unnamed, &err),
        &err);
    check_ok(hf_profile_merge(into, from, &err), &err);
    assert_int_equal(into->module_count, 5);
    const struct hf_module *a = &into->modules[1], *b = &into->modules[2], *c = &into->modules[3],
                           *other = &into->modules[4];
    check_text(hf_profile_text(into, a->build_id), "id4");
    check_text(hf_profile_text(into, b->build_id), "id1");
    check_text(hf_profile_text(into, c->build_id), "id2");
    check_text(hf_profile_text(into, other->build_id), "id3");
    assert_true(a->is_deleted && b->is_deleted && !c->is_deleted && other->is_deleted);
    check_text(hf_profile_text(into, b->why_unnamed), "no such file");
    assert_int_equal(a->why_unnamed, HF_NO_STRING);
    assert_int_equal(a->segment_count, 2); /* the first was known */
    assert_int_equal(c->segment_count, 0);
    assert_int_equal(other->segment_count, 2);
    assert_int_equal(other->segments[0].start, 0x1000);
    assert_int_equal(other->segments[1].start, 0x5000);
    hf_profile_free(from);
    hf_profile_free(into);
}

/* Each below a frame of its own, in a profile that had nothing. */
static void merging_below_a_root(void **state)
{
    (void)state;
    struct hf_error err;
    const struct stacks_row left[] = {{"main;a", 10, 0}, {"main", 1, 0}};
    const struct stacks_row right[] = {{"main;b", 5, 0}, {"main;a", 100, 0}};
    struct hf_profile *from[] = {stacks_profile("bytes", left), stacks_profile("bytes", right)};
    static const char *const roots[] = {"[one 1]", "[two 2]"};
    struct hf_profile *into;
    check_ok(hf_profile_new(&into, &err), &err);
    hf_notes_add(&into->notes, HF_NOTE_LOSS, "of whoever merges");
    hf_notes_add(&from[0]->notes, HF_NOTE_INFO, "said once");
    for (size_t i = 0; i < 2; i++) {
        uint32_t *nodes;
        uint32_t a = stacks_node(from[i], "main;a");
        check_ok(hf_profile_merge_below(into, from[i], hf_text_of(roots[i]), &nodes, &err), &err);
        const char *const expected[] = {"[one 1];main;a", "[two 2];main;a"};
        assert_int_equal(nodes[a], stacks_node(into, expected[i]));
        free(nodes);
        hf_profile_free(from[i]);
    }
    assert_int_equal(stacks_value(into, "[one 1];main;a", 0).value, 10);
    assert_int_equal(stacks_value(into, "[one 1];main", 0).value, 1);
    assert_int_equal(stacks_value(into, "[two 2];main;b", 0).value, 5);
    assert_int_equal(stacks_value(into, "[two 2];main;a", 0).value, 100);
    assert_int_equal(hf_profile_total(into, 0, HF_THREAD_ALL).value, 116);
    assert_int_equal(into->notes.count, 2);
    assert_string_equal(into->notes.items[0].text, "of whoever merges");
    assert_true(into->notes.has_loss);
    assert_int_equal(into->notes.items[1].times, 1);
    hf_profile_free(into);
}

/* An address frame at `offset`, called `name` by the input, with one sample of 1. */
static uint32_t named_address(struct hf_profile *profile, uint64_t offset, const char *name)
{
    struct hf_error err;
    struct hf_frame address = {.offset = offset, .flags = HF_FRAME_HAS_OFFSET};
    struct hf_frame named = {.flags = HF_FRAME_NAMED};
    uint32_t frame, name_frame, node;
    const uint64_t one = 1;
    check_ok(hf_profile_module(profile, HF_TEXT("/bin/server"), HF_TEXT(""), &address.module, &err),
        &err);
    check_ok(hf_profile_frame(profile, &address, &frame, &err), &err);
    check_ok(hf_profile_string(profile, hf_text_of(name), &named.name, &err), &err);
    check_ok(hf_profile_frame(profile, &named, &name_frame, &err), &err);
    check_ok(hf_profile_expand(profile, frame, &name_frame, 1, &err), &err);
    check_ok(hf_stacktree_child(&profile->stacks, HF_STACK_ROOT, frame, &node, &err), &err);
    check_ok(hf_profile_add_sample(profile, node, HF_THREAD_ALL, &one, &err), &err);
    profile->has_addresses = true;
    return frame;
}

/* Names that came with the input stay, also where one address has two: other builds of one path. */
static void merging_keeps_the_names_of_both(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *into = stacks_new("bytes", false);
    struct hf_profile *from = stacks_new("bytes", false);
    named_address(into, 0x10, "old");
    named_address(from, 0x20, "other");
    named_address(from, 0x10, "new");
    check_ok(hf_profile_merge(into, from, &err), &err);
    check_ok(hf_profile_merge(into, from, &err), &err);
    const struct hf_fold_options by_function = {.granularity = HF_BY_FUNCTION};
    struct hf_profile *folded;
    check_ok(hf_profile_fold(into, &by_function, &folded, &err), &err);
    assert_int_equal(folded->sample_count, 3);
    assert_int_equal(stacks_value(folded, "old", 0).value, 1);
    assert_int_equal(stacks_value(folded, "new", 0).value, 2);
    assert_int_equal(stacks_value(folded, "other", 0).value, 2);
    hf_profile_free(folded);
    hf_profile_free(from);
    hf_profile_free(into);
}

/* pprof has its values in another order than jemalloc. */
static void merging_finds_values_by_name(void **state)
{
    (void)state;
    struct hf_error err;
    const uint64_t forth[] = {1, 100}, back[] = {200, 2};
    struct hf_profile *into, *from;
    check_ok(hf_profile_new(&into, &err), &err);
    check_ok(hf_profile_new(&from, &err), &err);
    check_ok(hf_profile_add_type(into, "objects", "objects", &err), &err);
    check_ok(hf_profile_add_type(into, "space", "bytes", &err), &err);
    check_ok(hf_profile_add_type(from, "space", "bytes", &err), &err);
    check_ok(hf_profile_add_type(from, "objects", "objects", &err), &err);
    check_ok(hf_profile_add_sample(into, HF_STACK_ROOT, HF_THREAD_ALL, forth, &err), &err);
    check_ok(hf_profile_add_sample(from, HF_STACK_ROOT, HF_THREAD_ALL, back, &err), &err);
    check_ok(hf_profile_merge(into, from, &err), &err);
    assert_int_equal(hf_profile_total(into, 0, HF_THREAD_ALL).value, 3);
    assert_int_equal(hf_profile_total(into, 1, HF_THREAD_ALL).value, 300);
    hf_profile_free(from);
    hf_profile_free(into);
}

/* An address of /bin/server with this build-id, with one sample of 1. */
static struct hf_profile *one_address(const char *build_id)
{
    struct hf_error err;
    struct hf_profile *profile = stacks_new("bytes", false);
    struct hf_frame address = {.offset = 0x10, .flags = HF_FRAME_HAS_OFFSET};
    uint32_t frame, node;
    const uint64_t one = 1;
    check_ok(hf_profile_module(
                 profile, HF_TEXT("/bin/server"), hf_text_of(build_id), &address.module, &err),
        &err);
    check_ok(hf_profile_frame(profile, &address, &frame, &err), &err);
    check_ok(hf_stacktree_child(&profile->stacks, HF_STACK_ROOT, frame, &node, &err), &err);
    check_ok(hf_profile_add_sample(profile, node, HF_THREAD_ALL, &one, &err), &err);
    return profile;
}

/* A heap dump knows no build-ids, and is still of the same program. */
static void merging_takes_a_path_for_the_file(void **state)
{
    (void)state;
    const struct {
        const char *into, *from, *then;
        size_t samples;
    } rows[] = {
        {"abc", "", "abc", 1}, {"", "abc", "abc", 1}, {"", "", "", 1}, {"abc", "def", "abc", 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hf_error err;
        struct hf_profile *into = one_address(rows[i].into), *from = one_address(rows[i].from);
        check_ok(hf_profile_merge(into, from, &err), &err);
        check_ok(hf_profile_merge(into, from, &err), &err);
        assert_int_equal(into->sample_count, rows[i].samples);
        assert_int_equal(into->module_count, 1 + rows[i].samples);
        assert_string_equal(hf_profile_text(into, into->modules[1].build_id).data, rows[i].then);
        hf_profile_free(from);
        hf_profile_free(into);
    }
}

static struct hf_profile *captured(const struct hf_capture_facts *capture, const char *command)
{
    struct hf_error err;
    struct hf_profile *profile = stacks_new("bytes", false);
    profile->capture = *capture;
    check_ok(
        hf_profile_string(profile, hf_text_of(command), &profile->capture.command, &err), &err);
    return profile;
}

/* What two captures have in common is kept; a peak, a start and a curve are of each of them. */
static void merging_keeps_what_captures_share(void **state)
{
    const struct hf_capture_facts one = {.period_bytes = 512,
        .peak_bytes = 9,
        .peak_most_bytes = 10,
        .peak_after_ms = 8,
        .start_after_ms = 7,
        .began_ms = 6,
        .process_id = 5,
        .process_start = 4,
        .curve = {.count = 1}};
    struct hf_capture_facts other = one;
    other.is_no_heap = true;
    (void)state;
    struct hf_error err;
    struct hf_profile *into = captured(&one, "server"), *from = captured(&other, "server");
    check_ok(hf_profile_merge(into, from, &err), &err);
    const struct hf_capture_facts *both = &into->capture;
    assert_int_equal(both->period_bytes, 512);
    assert_int_equal(both->began_ms, 6);
    assert_int_equal(both->process_id, 5);
    assert_int_equal(both->process_start, 4);
    assert_true(both->is_no_heap);
    check_text(hf_profile_text(into, both->command), "server");
    assert_int_equal(both->peak_bytes, 0);
    assert_int_equal(both->peak_most_bytes, 0);
    assert_int_equal(both->peak_after_ms, 0);
    assert_int_equal(both->start_after_ms, 0);
    assert_int_equal(both->curve.count, 0);
    hf_profile_free(from);
    other = (struct hf_capture_facts){
        .period_bytes = 513, .began_ms = 7, .process_id = 6, .process_start = 5};
    from = captured(&other, "client");
    check_ok(hf_profile_merge(into, from, &err), &err);
    assert_int_equal(both->period_bytes, 0);
    assert_int_equal(both->began_ms, 0);
    assert_int_equal(both->process_id, 0);
    assert_int_equal(both->process_start, 0);
    assert_int_equal(both->command, HF_NO_STRING);
    assert_true(both->is_no_heap); /* one of them is none */
    hf_profile_free(from);
    hf_profile_free(into);
}

static void merging_refuses_other_values(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *bytes = stacks_new("bytes", false);
    struct hf_profile *objects = stacks_new("objects", false);
    assert_int_equal(hf_profile_merge(bytes, objects, &err), HF_ERR_INPUT);
    check_error(&err, "cannot be added to or compared with the other profile: it has other kinds "
                      "of values (e.g. folded stacks and a heap dump)");
    struct hf_profile *difference = stacks_new("bytes", true);
    assert_int_equal(hf_profile_merge(bytes, difference, &err), HF_ERR_INPUT);
    check_ok(hf_profile_merge(difference, bytes, &err), &err);
    /* What is released is a plain profile, of a difference. */
    struct hf_profile *other = stacks_new("bytes", true);
    const char *released = "expected a plain profile as the released part, found a difference";
    assert_int_equal(hf_profile_merge_released(difference, other, &err), HF_ERR_USAGE);
    check_error(&err, released);
    assert_int_equal(hf_profile_merge_released(bytes, other, &err), HF_ERR_USAGE);
    check_error(&err, released);
    assert_int_equal(hf_profile_merge_released(bytes, bytes, &err), HF_ERR_USAGE);
    check_ok(hf_profile_merge_released(difference, bytes, &err), &err);
    hf_profile_free(other);
    hf_profile_free(difference);
    hf_profile_free(objects);
    hf_profile_free(bytes);
}

/* What not all have is left out by name, but for the number of samples, which nobody asks for. */
static void shares_what_all_have(void **state)
{
    static const char *const names[] = {"inuse_objects", "inuse_space", HF_INUSE_SAMPLES,
        "peak_space", "alloc_space", HF_PEAK_SAMPLES};
    static const char *const others[] = {"alloc_space", "inuse_space"};
    static const uint64_t row[] = {1, 22, 3, 44, 5, 6};
    (void)state;
    struct hf_error err;
    struct hf_profile *into, *from;
    check_ok(hf_profile_new(&into, &err), &err);
    check_ok(hf_profile_new(&from, &err), &err);
    for (size_t i = 0; i < HF_COUNT(names); i++)
        check_ok(hf_profile_add_type(into, names[i], "bytes", &err), &err);
    for (size_t i = 0; i < HF_COUNT(others); i++)
        check_ok(hf_profile_add_type(from, others[i], "bytes", &err), &err);
    check_ok(hf_profile_add_sample(into, HF_STACK_ROOT, HF_THREAD_ALL, row, &err), &err);
    assert_int_equal(hf_profile_share_types(into, from, &err), HF_ERR_INPUT);
    into->default_type = 1;
    check_ok(hf_profile_share_types(into, from, &err), &err);
    assert_int_equal(into->type_count, 2);
    assert_string_equal(hf_profile_text(into, into->types[0].name).data, "inuse_space");
    assert_string_equal(hf_profile_text(into, into->types[1].name).data, "alloc_space");
    assert_int_equal(into->default_type, 0);
    assert_int_equal(hf_profile_value(into, 0, 0), 22);
    assert_int_equal(hf_profile_value(into, 0, 1), 5);
    assert_int_equal(into->notes.count, 2);
    assert_string_equal(
        into->notes.items[0].text, "'inuse_objects' is left out: not all of the profiles have it");
    assert_string_equal(
        into->notes.items[1].text, "'peak_space' is left out: not all of the profiles have it");
    hf_profile_free(into);
    hf_profile_free(from);
}

static void mapping_frames_adds_up_what_becomes_equal(void **state)
{
    (void)state;
    struct hf_error err;
    const struct stacks_row rows[] = {
        {"main;a1;leaf", 1, 10}, {"main;a2;leaf", 2, 20}, {"a2", 4, 0}};
    struct hf_profile *profile = stacks_difference("bytes", rows);
    uint32_t count = profile->frames.count;
    uint32_t target = stacks_frame(profile, HF_TEXT("a"));
    uint32_t *new_frames = calloc(count, sizeof *new_frames);
    assert_non_null(new_frames);
    for (uint32_t i = 0; i < count; i++) {
        struct hf_text name = hf_profile_text(profile, hf_profile_frame_at(profile, i)->name);
        new_frames[i] = hf_text_is(name, "a1") || hf_text_is(name, "a2") ? target : i;
    }
    check_ok(hf_samples_map_frames(profile, new_frames, &err), &err);
    free(new_frames);
    assert_int_equal(profile->sample_count, 2);
    assert_int_equal(stacks_value(profile, "main;a;leaf", 0).value, 3);
    assert_int_equal(stacks_value(profile, "main;a;leaf", 0).released, 30);
    assert_int_equal(stacks_value(profile, "a", 0).value, 4);
    hf_profile_free(profile);
}

static void mapping_frames_one_to_one_keeps_stacks(void **state)
{
    (void)state;
    struct hf_error err;
    const struct stacks_row rows[] = {{"main;a;leaf", 1, 0}, {"main;b", 2, 0}, {"b;a", 4, 0}};
    struct hf_profile *profile = stacks_profile("bytes", rows);
    uint32_t count = profile->frames.count;
    uint32_t a = stacks_frame(profile, HF_TEXT("a")), b = stacks_frame(profile, HF_TEXT("b"));
    uint32_t *new_frames = calloc(count, sizeof *new_frames);
    assert_non_null(new_frames);
    for (uint32_t i = 0; i < count; i++)
        new_frames[i] = i == a ? b : i == b ? a : i;
    check_ok(hf_samples_map_frames(profile, new_frames, &err), &err);
    free(new_frames);
    assert_int_equal(profile->sample_count, 3);
    assert_int_equal(profile->stacks.count, 7);
    assert_int_equal(stacks_value(profile, "main;b;leaf", 0).value, 1);
    assert_int_equal(stacks_value(profile, "main;a", 0).value, 2);
    assert_int_equal(stacks_value(profile, "a;b", 0).value, 4);
    assert_int_equal(profile->stacks.count, 7);
    hf_profile_free(profile);
}

/* restorer is called by select in one stack; select calls something itself in another. */
static void the_interrupted_frame_is_told_apart(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"main;select;restorer;handler", 1, 0},
        {"main;select;read", 2, 0}, {"main;select", 4, 0}, {"main;select;restorer", 8, 0}};
    struct hf_error err;
    struct hf_profile *profile = stacks_profile("bytes", rows);
    uint32_t restorer = stacks_frame(profile, HF_TEXT("restorer"));
    bool is_restorer[16] = {0};
    is_restorer[restorer] = true;
    check_ok(hf_signal_frames_mark(profile, is_restorer, &err), &err);
    assert_int_equal(profile->sample_count, HF_COUNT(rows));
    for (size_t i = 0; i < HF_COUNT(rows); i++)
        assert_int_equal(stacks_value(profile, rows[i].stack, 0).value, rows[i].grew);
    for (size_t node = 1; node < profile->stacks.count; node++) {
        uint32_t parent = profile->stacks.nodes[node].parent;
        bool is_interrupted =
            parent != HF_STACK_ROOT &&
            (hf_profile_frame_at(profile, profile->stacks.nodes[parent].frame)->flags &
                HF_FRAME_INTERRUPTED) != 0;
        assert_int_equal(is_interrupted, profile->stacks.nodes[node].frame == restorer);
    }
    assert_int_equal(profile->stacks.count, 7);
    hf_profile_free(profile);
}

static void a_settled_profile_can_be_added_to(void **state)
{
    (void)state;
    struct hf_error err;
    const struct stacks_row rows[] = {{"main;a;leaf", 1, 0}, {"main;b", 2, 0}};
    struct hf_profile *profile = stacks_profile("bytes", rows);
    struct hf_profile *other = stacks_profile("bytes", rows);
    hf_profile_trim(profile);
    hf_profile_trim(other);
    check_ok(hf_profile_merge(profile, other, &err), &err);
    assert_int_equal(profile->sample_count, 2);
    assert_int_equal(profile->stacks.count, 5);
    assert_int_equal(stacks_value(profile, "main;a;leaf", 0).value, 2);
    assert_int_equal(stacks_value(profile, "main;b", 0).value, 4);
    hf_profile_free(other);
    hf_profile_free(profile);
}

static void expansion_is_the_frame_itself_until_named(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile = stacks_new("bytes", false);
    uint32_t address = stacks_frame(profile, HF_TEXT("address"));
    uint32_t named[2] = {
        stacks_frame(profile, HF_TEXT("inlined")), stacks_frame(profile, HF_TEXT("outer"))};
    size_t count;
    assert_int_equal(*hf_profile_expansion(profile, &address, &count), address);
    assert_int_equal(count, 1);
    check_ok(hf_profile_expand(profile, address, named, 2, &err), &err);
    const uint32_t *frames = hf_profile_expansion(profile, &address, &count);
    assert_int_equal(count, 2);
    assert_int_equal(frames[0], named[0]);
    assert_int_equal(frames[1], named[1]);
    hf_profile_free(profile);
}

static void notes_count_what_repeats(void **state)
{
    (void)state;
    struct hf_notes notes = {0}, other = {0};
    hf_notes_add(&notes, HF_NOTE_INFO, "file %s is stripped", "a");
    assert_false(notes.has_loss);
    hf_notes_add(&notes, HF_NOTE_LOSS, "line %d is cut", 7);
    hf_notes_add(&notes, HF_NOTE_INFO, "file %s is stripped", "a");
    assert_true(notes.has_loss);
    assert_int_equal(notes.count, 2);
    assert_int_equal(notes.items[0].times, 2);
    hf_notes_add(&other, HF_NOTE_INFO, "file a is stripped");
    hf_notes_merge(&other, &notes);
    assert_int_equal(other.items[0].times, 3);
    assert_true(other.has_loss);
    for (unsigned i = 0; i < 2 * HF_LIMIT_NOTES; i++)
        hf_notes_add(&notes, HF_NOTE_INFO, "note %u", i);
    assert_int_equal(notes.count, HF_LIMIT_NOTES);
    assert_int_equal(notes.dropped, HF_LIMIT_NOTES + 2);
    hf_notes_done(&notes);
    hf_notes_done(&other);
}

/* One that was appended is found like any other, whatever was found before. */
static void appended_samples_are_found(void **state)
{
    (void)state;
    struct hf_error err;
    const struct stacks_row rows[] = {{"main;a", 10, 0}};
    struct hf_profile *profile = stacks_profile("bytes", rows);
    uint32_t node = stacks_node(profile, "main;b"), appended, found;
    check_ok(
        hf_sample_find(profile, stacks_node(profile, "main;a"), HF_THREAD_ALL, &found, &err), &err);
    assert_int_equal(found, 0);
    check_ok(hf_sample_append(profile, node, HF_THREAD_ALL, &appended, &err), &err);
    check_ok(hf_sample_find(profile, node, HF_THREAD_ALL, &found, &err), &err);
    assert_int_equal(found, appended);
    assert_int_equal(profile->sample_count, 2);
    hf_profile_free(profile);
}

/* A peak and a curve are of one capture. */
static void merging_leaves_out_what_is_of_one(void **state)
{
    (void)state;
    struct hf_error err;
    const struct stacks_row rows[] = {{"main;a", 10, 0}};
    struct hf_profile *into = stacks_profile("bytes", rows), *from = stacks_profile("bytes", rows);
    into->capture.peak_bytes = 10;
    into->capture.peak_most_bytes = 11;
    into->capture.peak_after_ms = 12;
    into->capture.start_after_ms = 13;
    into->capture.curve = (struct hf_usage_curve){.shift = 20, .count = 1};
    into->capture.curve.in_use_bytes[0] = 10;
    check_ok(hf_profile_merge(into, from, &err), &err);
    static const struct hf_usage_curve none;
    const struct hf_capture_facts *facts = &into->capture;
    assert_int_equal(facts->peak_bytes, 0);
    assert_int_equal(facts->peak_most_bytes, 0);
    assert_int_equal(facts->peak_after_ms, 0);
    assert_int_equal(facts->start_after_ms, 0);
    assert_memory_equal(&facts->curve, &none, sizeof none);
    hf_profile_free(into);
    hf_profile_free(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_shares_common_roots),
        cmocka_unit_test(children_come_after_parents),
        cmocka_unit_test(equal_stacks_are_one_sample),
        cmocka_unit_test(the_first_release_makes_a_difference),
        cmocka_unit_test(knows_threads_by_uid),
        cmocka_unit_test(modules_are_told_apart_by_build_id),
        cmocka_unit_test(sums_saturate_and_say_so),
        cmocka_unit_test(merging_adds_everything),
        cmocka_unit_test(merging_knows_modules),
        cmocka_unit_test(merging_below_a_root),
        cmocka_unit_test(merging_keeps_the_names_of_both),
        cmocka_unit_test(merging_finds_values_by_name),
        cmocka_unit_test(merging_takes_a_path_for_the_file),
        cmocka_unit_test(merging_keeps_what_captures_share),
        cmocka_unit_test(merging_refuses_other_values),
        cmocka_unit_test(merging_leaves_out_what_is_of_one),
        cmocka_unit_test(appended_samples_are_found),
        cmocka_unit_test(shares_what_all_have),
        cmocka_unit_test(mapping_frames_adds_up_what_becomes_equal),
        cmocka_unit_test(mapping_frames_one_to_one_keeps_stacks),
        cmocka_unit_test(the_interrupted_frame_is_told_apart),
        cmocka_unit_test(a_settled_profile_can_be_added_to),
        cmocka_unit_test(expansion_is_the_frame_itself_until_named),
        cmocka_unit_test(notes_count_what_repeats),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
