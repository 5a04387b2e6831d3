/* Bundles put together by hand: one thing after the other is damaged, lost or refused. */
#include "formats/pprof/bundle.h"
#include "formats/pprof/protobuf.h"
#include "reading.h"

enum { NO_STRING, TYPE_NAME, UNIT_NAME, FRAME_NAME, PATH, STRINGS };

/* What differs from a sound bundle of one sample; numbers are added to those there. */
struct bundle_case {
    const char *name;
    int64_t version, default_type, frame_name, frame_line, module, stack_frame, thread, announced,
        values;
    uint64_t segment_more;
    bool has_late_type, has_late_difference, has_no_end, has_no_type;
    const char *value; /* of the whole process; NULL: "main 10" */
    bool is_refused, has_loss;
};

static const struct bundle_case bundle_cases[] = {
    {.name = "sound"},
    {.name = "version 0", .version = -1, .is_refused = true},
    {.name = "version 2", .version = 1, .is_refused = true},
    {.name = "no type", .has_no_type = true, .is_refused = true},
    {.name = "default type", .default_type = 1, .has_loss = true},
    {.name = "no such string",
        .frame_name = STRINGS - FRAME_NAME,
        .value = " 10\n",
        .has_loss = true},
    {.name = "the last string", .frame_name = PATH - FRAME_NAME, .value = "/bin/a 10\n"},
    {.name = "largest line", .frame_line = UINT32_MAX - 7},
    {.name = "line too large", .frame_line = UINT32_MAX - 6, .has_loss = true},
    {.name = "no such module", .module = 1, .has_loss = true},
    {.name = "no module", .module = -1},
    {.name = "no such frame", .stack_frame = 1, .value = " 10\n", .has_loss = true},
    {.name = "thread 1", .thread = 1, .value = ""},
    {.name = "no such thread", .thread = 2, .value = "", .has_loss = true},
    {.name = "a value too much", .values = 1, .value = "", .has_loss = true},
    {.name = "no value", .values = -1, .value = "", .has_loss = true},
    {.name = "a type behind samples", .has_late_type = true, .has_loss = true},
    {.name = "a difference behind samples", .has_late_difference = true, .has_loss = true},
    {.name = "segment to the end", .segment_more = UINT64_MAX - 0x2000},
    {.name = "segment too large", .segment_more = UINT64_MAX - 0x1fff, .has_loss = true},
    {.name = "fewer samples", .announced = 1, .has_loss = true},
    {.name = "more samples", .announced = -1, .has_loss = true},
};

/* One note, of a loss, with this number in it; or none. */
static void check_loss(const struct hf_profile *profile, const char *number)
{
    if (profile->notes.count != (number != NULL) || profile->notes.has_loss != (number != NULL) ||
        (number != NULL && strstr(profile->notes.items[0].text, number) == NULL))
        fail_msg("%s: %s", check_case,
            profile->notes.count != 0 ? profile->notes.items[0].text : "no loss is told");
}

static void bundle_put(struct hf_out *out, unsigned field, struct hf_out *record)
{
    hf_protobuf_put_bytes(out, field, hf_out_view(record));
    record->size = 0;
}

static void put_bundle_module(const struct bundle_case *c, struct hf_out *out)
{
    struct hf_out record = {0}, segment = {0};
    hf_protobuf_put_u64(&segment, HF_BUNDLE_SEGMENT_START, 0x1000);
    hf_protobuf_put_u64(&segment, HF_BUNDLE_SEGMENT_SIZE, 0x1000 + c->segment_more);
    hf_protobuf_put_u64(&record, HF_BUNDLE_MODULE_PATH, PATH);
    bundle_put(&record, HF_BUNDLE_MODULE_SEGMENT, &segment);
    bundle_put(out, HF_BUNDLE_MODULE, &record);
    hf_out_done(&segment);
    hf_out_done(&record);
}

static void put_bundle_type(struct hf_out *out)
{
    struct hf_out record = {0};
    hf_protobuf_put_u64(&record, HF_BUNDLE_TYPE_NAME, TYPE_NAME);
    hf_protobuf_put_u64(&record, HF_BUNDLE_TYPE_UNIT, UNIT_NAME);
    bundle_put(out, HF_BUNDLE_TYPE, &record);
    hf_out_done(&record);
}

static void put_bundle_sample(const struct bundle_case *c, struct hf_out *out)
{
    struct hf_out record = {0}, packed = {0};
    hf_protobuf_put_varint(&packed, (uint64_t)c->stack_frame);
    bundle_put(&record, HF_BUNDLE_SAMPLE_STACK, &packed);
    hf_protobuf_put_u64(&record, HF_BUNDLE_SAMPLE_THREAD, (uint64_t)c->thread);
    packed.size = 0;
    for (int64_t i = 0; i < 1 + c->values; i++)
        hf_protobuf_put_varint(&packed, 10);
    bundle_put(&record, HF_BUNDLE_SAMPLE_VALUES, &packed);
    bundle_put(out, HF_BUNDLE_SAMPLE, &record);
    hf_out_done(&packed);
    hf_out_done(&record);
}

static struct hf_out make_bundle(const struct bundle_case *c)
{
    static const char *const strings[] = {"", "inuse_space", "bytes", "main", "/bin/a"};
    struct hf_out out = {0}, record = {0};
    hf_protobuf_put_bytes(&out, HF_BUNDLE_FIELD_MAGIC, HF_TEXT(HF_BUNDLE_MAGIC));
    hf_protobuf_put_u64(&out, HF_BUNDLE_FIELD_VERSION, (uint64_t)(1 + c->version));
    for (size_t i = 1; i < HF_COUNT(strings); i++)
        hf_protobuf_put_bytes(&out, HF_BUNDLE_STRING, hf_text_of(strings[i]));
    hf_protobuf_put_u64(&out, HF_BUNDLE_DEFAULT_TYPE, (uint64_t)c->default_type);
    if (!c->has_no_type)
        put_bundle_type(&out);
    put_bundle_module(c, &out);
    hf_protobuf_put_u64(&record, HF_BUNDLE_THREAD_UID, 5);
    bundle_put(&out, HF_BUNDLE_THREAD, &record);
    hf_protobuf_put_u64(&record, HF_BUNDLE_FRAME_FLAGS, HF_FRAME_NAMED);
    hf_protobuf_put_u64(&record, HF_BUNDLE_FRAME_NAME, (uint64_t)(FRAME_NAME + c->frame_name));
    hf_protobuf_put_u64(&record, HF_BUNDLE_FRAME_LINE, (uint64_t)(7 + c->frame_line));
    hf_protobuf_put_u64(&record, HF_BUNDLE_FRAME_MODULE, (uint64_t)(1 + c->module));
    bundle_put(&out, HF_BUNDLE_FRAME, &record);
    put_bundle_sample(c, &out);
    if (c->has_late_type)
        put_bundle_type(&out);
    if (c->has_late_difference)
        hf_protobuf_put_u64(&out, HF_BUNDLE_IS_DIFFERENCE, 1);
    if (!c->has_no_end) { /* also 0, which put_u64 leaves out */
        hf_protobuf_put_varint(&out, HF_BUNDLE_SAMPLE_COUNT << 3);
        hf_protobuf_put_varint(&out, (uint64_t)(1 + c->announced));
    }
    hf_out_done(&record);
    return out;
}

static void check_stacks(const struct hf_profile *profile, const char *expected)
{
    struct hf_out out = {0};
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct hf_sample *sample = &profile->samples[i];
        if (sample->thread != HF_THREAD_ALL)
            continue;
        for (uint32_t node = sample->node; node != HF_STACK_ROOT;
             node = profile->stacks.nodes[node].parent)
            hf_out_text(
                &out, hf_profile_text(profile,
                          hf_profile_frame_at(profile, profile->stacks.nodes[node].frame)->name));
        hf_out_printf(&out, " %llu\n", (unsigned long long)hf_profile_value(profile, i, 0));
    }
    check_out(&out, expected);
    hf_out_done(&out);
}

static void says_what_is_damaged(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(bundle_cases); i++) {
        const struct bundle_case *c = &bundle_cases[i];
        struct hf_out bundle = make_bundle(c);
        check_case = c->name;
        struct hf_error err;
        struct hf_profile *profile = NULL;
        if (c->is_refused) {
            assert_int_equal(read_bytes(hf_out_view(&bundle), &profile, &err), HF_ERR_INPUT);
        } else {
            check_ok(read_bytes(hf_out_view(&bundle), &profile, &err), &err);
            check_stacks(profile, c->value != NULL ? c->value : "main 10\n");
            check_loss(profile, c->has_loss ? "1" : NULL);
            assert_false(profile->is_difference);
            assert_int_equal(profile->type_count, 1);
            assert_int_equal(profile->default_type, 0);
            hf_profile_free(profile);
        }
        hf_out_done(&bundle);
    }
}

/* Cut behind the sample, and in each of its bytes. */
static void says_where_it_is_cut(void **state)
{
    (void)state;
    const struct bundle_case c = {.has_no_end = true};
    struct hf_out bundle = make_bundle(&c), expected = {0}, sample = {0};
    put_bundle_sample(&c, &sample);
    for (size_t cut = 0; cut < sample.size; cut++) {
        struct hf_error err;
        struct hf_profile *profile;
        struct hf_text bytes = hf_text_first(hf_out_view(&bundle), bundle.size - cut);
        check_ok(read_bytes(bytes, &profile, &err), &err);
        check_stacks(profile, cut == 0 ? "main 10\n" : "");
        expected.size = 0;
        hf_out_printf(&expected, " %zu", cut == 0 ? bundle.size : bundle.size - sample.size);
        hf_out_char(&expected, '\0');
        check_loss(profile, expected.data);
        hf_profile_free(profile);
    }
    hf_out_done(&sample);
    hf_out_done(&expected);
    hf_out_done(&bundle);
}

/* A profile in which nothing is zero that a bundle can tell. */
static struct hf_profile *make_full(void)
{
    struct hf_error err;
    struct hf_profile *p;
    uint32_t strings[6], module, threads[2], frames[3], node;
    static const char *const texts[] = {"/src/a.c", "main", "inner", "sym", "command", "no file"};
    static const struct hf_segment segments[] = {
        {.start = 0x1000, .end = 0x3000, .file_offset = 0x400, .is_executable = true},
        {.start = 0x3000, .end = 0x4000, .file_offset = 0x2400}};
    check_ok(hf_profile_new(&p, &err), &err);
    p->is_difference = true;
    check_ok(hf_profile_add_type(p, "inuse_objects", "count", &err), &err);
    check_ok(hf_profile_add_type(p, "inuse_space", "bytes", &err), &err);
    for (size_t i = 0; i < HF_COUNT(texts); i++)
        check_ok(hf_profile_string(p, hf_text_of(texts[i]), &strings[i], &err), &err);
    check_ok(hf_profile_module(p, HF_TEXT("/bin/a"), HF_TEXT("\1\2\3"), &module, &err), &err);
    p->modules[module].why_unnamed = strings[5];
    p->modules[module].is_deleted = true;
    for (size_t i = 0; i < HF_COUNT(segments); i++)
        check_ok(hf_profile_add_segment(p, module, &segments[i], &err), &err);
    check_ok(hf_profile_thread(p, 7, HF_TEXT("seven"), &threads[0], &err), &err);
    check_ok(hf_profile_thread(p, 8, HF_TEXT("eight"), &threads[1], &err), &err);
    struct hf_frame address = {.offset = 0x1234,
        .module = module,
        .flags = HF_FRAME_HAS_OFFSET | HF_FRAME_RETURN,
        .variant = UINT32_MAX,
        .symbol = strings[3],
        .past_start = UINT32_MAX - 1};
    struct hf_frame named = {.offset = 0x1234,
        .module = module,
        .name = strings[2],
        .file = strings[0],
        .line = UINT32_MAX,
        .flags = HF_FRAME_NAMED | HF_FRAME_INLINED | HF_FRAME_HAS_OFFSET};
    check_ok(hf_profile_frame(p, &address, &frames[0], &err), &err);
    check_ok(hf_profile_frame(p, &named, &frames[1], &err), &err);
    named.name = strings[1];
    named.line = 3;
    named.flags = HF_FRAME_NAMED | HF_FRAME_IS_NEAR;
    check_ok(hf_profile_frame(p, &named, &frames[2], &err), &err);
    check_ok(hf_profile_expand(p, frames[0], &frames[1], 2, &err), &err);
    check_ok(hf_stacktree_add(&p->stacks, frames, 1, &node, &err), &err);
    check_ok(hf_profile_add_sample(
                 p, node, HF_THREAD_ALL, (const uint64_t[]){3, 300, 1, UINT64_MAX}, &err),
        &err);
    check_ok(
        hf_profile_add_sample(p, node, threads[1], (const uint64_t[]){2, 200, 1, 9}, &err), &err);
    p->capture = (struct hf_capture_facts){.period_bytes = 524288,
        .sampled_objects = 77,
        .is_no_heap = true,
        .command = strings[4],
        .process_id = INT32_MAX,
        .process_start = 99,
        .peak_bytes = 800,
        .peak_most_bytes = 900};
    p->has_addresses = p->is_saturated = true;
    for (int i = 0; i < 3; i++)
        hf_notes_add(&p->notes, HF_NOTE_INFO, "thrice");
    hf_notes_add(&p->notes, HF_NOTE_LOSS, "lost");
    p->notes.dropped = 5;
    return p;
}

static void check_full(const struct hf_profile *p)
{
    const struct hf_module *module = &p->modules[1];
    assert_int_equal(p->module_count, 2);
    check_text(hf_profile_text(p, module->path), "/bin/a");
    check_text(hf_profile_text(p, module->build_id), "\1\2\3");
    check_text(hf_profile_text(p, module->why_unnamed), "no file");
    assert_true(module->is_deleted && module->segment_count == 2);
    assert_true(module->segments[0].is_executable && !module->segments[1].is_executable);
    assert_int_equal(module->segments[0].file_offset, 0x400);
    assert_int_equal(module->segments[1].end, 0x4000);
    assert_int_equal(p->thread_count, 2);
    assert_int_equal(p->threads[1].uid, 8);
    check_text(hf_profile_text(p, p->threads[1].name), "eight");
    assert_true(p->is_difference && p->has_addresses && p->is_saturated && p->capture.is_no_heap);
    assert_int_equal(p->default_type, 1);
    assert_int_equal(p->capture.period_bytes, 524288);
    assert_int_equal(p->capture.sampled_objects, 77);
    assert_int_equal(p->capture.process_id, INT32_MAX);
    assert_int_equal(p->capture.process_start, 99);
    assert_int_equal(p->capture.peak_bytes, 800);
    assert_int_equal(p->capture.peak_most_bytes, 900);
    check_text(hf_profile_text(p, p->capture.command), "command");
    check_notes(p, "thrice\nLOSS lost\n");
    assert_int_equal(p->notes.items[0].times, 3);
    assert_int_equal(p->notes.dropped, 5);
    const struct hf_frame *frame =
        hf_profile_frame_at(p, p->stacks.nodes[p->samples[0].node].frame);
    assert_int_equal(frame->offset, 0x1234);
    assert_int_equal(frame->variant, UINT32_MAX);
    assert_int_equal(frame->past_start, UINT32_MAX - 1);
    check_text(hf_profile_text(p, frame->symbol), "sym");
    assert_int_equal(p->names.span_count, 1);
    assert_int_equal(p->names.frame_count, 2);
    frame = hf_profile_frame_at(p, p->names.frames[0]);
    assert_int_equal(frame->line, UINT32_MAX);
    check_text(hf_profile_text(p, frame->file), "/src/a.c");
    assert_int_equal(hf_profile_value(p, 0, 3), UINT64_MAX);
    assert_int_equal(p->samples[0].thread, HF_THREAD_ALL);
    assert_int_equal(p->samples[1].thread, 1);
}

static void keeps_all_of_a_profile(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_out first = {0}, second = {0};
    struct hf_profile *made = make_full(), *read;
    check_ok(hf_bundle_write(made, 1, &first, &err), &err);
    check_ok(read_bytes(hf_out_view(&first), &read, &err), &err);
    check_full(read);
    check_ok(hf_bundle_write(read, 1, &second, &err), &err);
    assert_true(hf_text_equal(hf_out_view(&first), hf_out_view(&second)));
    hf_profile_free(made);
    hf_profile_free(read);
    hf_out_done(&first);
    hf_out_done(&second);
}

/* A process' number that no process has; numbers that do not fit; a version's sentence. */
static void tells_what_does_not_fit(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *profile;
    struct hf_out bundle = make_bundle(&bundle_cases[0]);
    hf_protobuf_put_u64(&bundle, HF_BUNDLE_PROCESS_ID, (uint64_t)INT32_MAX + 1);
    hf_protobuf_put_u64(&bundle, HF_BUNDLE_COMMAND, STRINGS);
    check_ok(read_bytes(hf_out_view(&bundle), &profile, &err), &err);
    assert_int_equal(profile->capture.process_id, 0);
    check_notes(
        profile, "LOSS in: 1 record is damaged or refers to something that is not in the file\n");
    hf_profile_free(profile);
    bundle.size = 0;
    hf_protobuf_put_bytes(&bundle, HF_BUNDLE_FIELD_MAGIC, HF_TEXT(HF_BUNDLE_MAGIC));
    check_refused(hf_out_view(&bundle), HF_ERR_INPUT,
        "in: is a bundle without a version: it is cut or damaged");
    hf_protobuf_put_u64(&bundle, HF_BUNDLE_FIELD_VERSION, HF_BUNDLE_VERSION + 1);
    check_refused(hf_out_view(&bundle), HF_ERR_INPUT,
        "in: is a bundle of version 2, but this heapflame reads version 1: use a newer heapflame");
    hf_out_done(&bundle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_damaged),
        cmocka_unit_test(says_where_it_is_cut),
        cmocka_unit_test(keeps_all_of_a_profile),
        cmocka_unit_test(tells_what_does_not_fit),
    };
    return cmocka_run_group_tests_name("bundle", tests, NULL, NULL);
}
