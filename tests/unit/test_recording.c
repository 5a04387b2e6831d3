/* What a session recorded goes through shared memory, and becomes a profile with its notes: of
 * sessions that are made up, on a tracker that was told of a few blocks. */
#include "attach/session/recording.h"

#include "check.h"

#define SECOND UINT64_C(1000000000)
#define NOTE_BYTES 1023 /* a longer one is cut */
#define FULL (HF_RECORDING_NOTES_BYTES / (NOTE_BYTES + 2))

struct scene {
    struct hf_recording *recording;
    struct hf_session session;
};

static void begin(struct scene *s)
{
    struct hf_error err;
    memset(s, 0, sizeof *s);
    check_ok(hf_recording_new(&s->recording, false, &err), &err);
    struct hf_tracker_options options = {.pid = 7,
        .period_bytes = 1,
        .table_bytes = HF_RECORDING_TABLE_BYTES,
        .table = s->recording->table,
        .command = HF_TEXT("program")};
    s->session = (struct hf_session){.options = {.pid = 77, .recording = s->recording},
        .backend = &hf_backend_perf,
        .begin_ns = 100 * SECOND,
        .end_ns = 104 * SECOND,
        .period_bytes = 1};
    check_ok(hf_tracker_new(&options, &s->session.tracker, &err), &err);
}

static void end(struct scene *s)
{
    hf_tracker_free(s->session.tracker);
    hf_notes_done(&s->session.notes);
    hf_recording_free(s->recording);
}

static void put_block(struct scene *s, uint64_t address, uint64_t size, uint64_t birth_ns)
{
    struct hf_traced_call call = {.role = HF_ROLE_ALLOC,
        .address = address,
        .size = size,
        .time_ns = birth_ns,
        .stack = HF_TRACKER_NO_STACK};
    uint64_t frame = 0x1000;
    assert_true(hf_tracker_stack(s->session.tracker, &frame, 1, 0, &call.stack));
    hf_tracker_put(s->session.tracker, &call);
}

/* Through the recording, as another process has it. */
static void take(const struct scene *s, struct hf_session *taken)
{
    struct hf_error err;
    check_ok(hf_recording_take(s->recording, &s->session.options, taken, &err), &err);
}

static struct hf_profile *profile_of(struct hf_session *session)
{
    struct hf_error err;
    struct hf_profile *profile = NULL;
    struct hf_live_ages ages = {0};
    check_ok(hf_session_profile(session, &profile, &ages, &err), &err);
    free(ages.items);
    return profile;
}

static void check_notes_of(const struct hf_profile *profile, const char *expected)
{
    struct hf_out out = {0};
    for (size_t i = 0; i < profile->notes.count; i++)
        hf_out_printf(&out, "%s%s\n", profile->notes.items[i].kind == HF_NOTE_LOSS ? "LOSS " : "",
            profile->notes.items[i].text);
    check_out(&out, expected);
    hf_out_done(&out);
}

static void test_all_of_it(void **state)
{
    (void)state;
    static struct scene s;
    static struct hf_session taken;
    begin(&s);
    put_block(&s, 0x5000, 300, 101 * SECOND);
    put_block(&s, 0x6000, 40, 103 * SECOND + 1);
    hf_notes_add(&s.session.notes, HF_NOTE_INFO, "worth knowing");
    hf_notes_add(&s.session.notes, HF_NOTE_LOSS, "lost");
    s.session.added_per_mille = 11;
    s.session.thin_ns = 5;
    s.session.has_contexts = true;
    s.session.chunk_head_bytes = 16;
    s.session.end = HF_SESSION_PROCESS_ENDED;
    s.session.period_bytes = 4096;
    s.session.progress = (struct hf_backend_progress){.calls = 9, .stacks = {.all = 3}};
    hf_recording_put(s.recording, &s.session);
    assert_true(s.recording->is_complete);
    assert_false(s.recording->is_in_kernel);
    assert_true(hf_recording_cut(s.recording, "it died")); /* it was at its end: nothing is said */
    take(&s, &taken);
    assert_ptr_equal(taken.backend, &hf_backend_perf);
    assert_true(taken.has_contexts);
    assert_int_equal(taken.chunk_head_bytes, 16);
    assert_int_equal(taken.end, HF_SESSION_PROCESS_ENDED);
    assert_int_equal(taken.begin_ns, 100 * SECOND);
    assert_int_equal(taken.end_ns, 104 * SECOND);
    assert_int_equal(taken.added_per_mille, 11);
    assert_int_equal(taken.thin_ns, 5);
    assert_int_equal(taken.period_bytes, 4096);
    assert_int_equal(taken.progress.calls, 9);
    assert_int_equal(taken.progress.stacks.all, 3);
    taken.has_contexts = false; /* all blocks, whatever their age */
    struct hf_profile *profile = profile_of(&taken);
    size_t type;
    assert_true(hf_profile_find_type(profile, HF_TEXT("inuse_space"), &type));
    assert_int_equal(hf_profile_total(profile, type, HF_THREAD_ALL).value, 340);
    assert_int_equal(profile->capture.process_id, 77);
    assert_true(profile->capture.has_just_ended);
    check_notes_of(profile, "worth knowing\nLOSS lost\nthe process ended after 4.0 s\nwhile "
                            "attached, the process ran at about 98 % of its speed\n");
    hf_profile_free(profile);
    hf_notes_done(&taken.notes);
    end(&s);
}

static void test_cut_short(void **state)
{
    (void)state;
    static struct scene s;
    static struct hf_session taken;
    struct hf_error err;
    begin(&s);
    assert_false(hf_recording_cut(s.recording, "it died")); /* nothing was put */
    assert_int_equal(
        hf_recording_take(s.recording, &s.session.options, &taken, &err), HF_ERR_INPUT);
    check_error(&err, "the recording is not complete");
    s.session.end = HF_SESSION_CUT_SHORT;
    hf_recording_put(s.recording, &s.session);
    assert_false(s.recording->is_in_kernel); /* perf has no gathering */
    assert_true(hf_recording_cut(s.recording, "the reader died"));
    take(&s, &taken);
    assert_int_equal(taken.notes.count, 1);
    assert_true(taken.notes.has_loss);
    assert_string_equal(taken.notes.items[0].text,
        "everything after 4.0 s, because the reader died: nothing was recorded from then on");
    hf_notes_done(&taken.notes);
    s.session.backend = &hf_backend_bpf;
    hf_recording_put(s.recording, &s.session);
    assert_true(s.recording->is_by_bpf);
    assert_true(s.recording->is_in_kernel);
    assert_true(hf_recording_cut(s.recording, "the reader died"));
    assert_int_not_equal(s.recording->end_ns, 104 * SECOND); /* until now */
    s.session.is_gathered = true;
    hf_recording_put(s.recording, &s.session);
    assert_false(s.recording->is_in_kernel);
    s.recording->notes_bytes = HF_RECORDING_NOTES_BYTES; /* as many as there may be */
    take(&s, &taken);
    hf_notes_done(&taken.notes);
    s.recording->notes_bytes++;
    assert_false(hf_recording_cut(s.recording, "it died"));
    assert_int_equal(
        hf_recording_take(s.recording, &s.session.options, &taken, &err), HF_ERR_INPUT);
    hf_notes_done(&taken.notes);
    end(&s);
}

/* The last note fits to the byte, or is a byte too long. */
static void test_room_for_notes(void **state)
{
    (void)state;
    for (size_t extra = 0; extra < 2; extra++) {
        static struct scene s;
        static struct hf_session taken;
        char text[NOTE_BYTES];
        begin(&s);
        memset(text, 'a', sizeof text);
        for (size_t i = 0; i < FULL; i++)
            hf_notes_add(&s.session.notes, HF_NOTE_INFO, "%03zu%.*s", i, NOTE_BYTES - 3, text);
        size_t left = HF_RECORDING_NOTES_BYTES - FULL * (NOTE_BYTES + 2);
        hf_notes_add(&s.session.notes, HF_NOTE_INFO, "%.*s", (int)(left - 2 + extra), text);
        hf_recording_put(s.recording, &s.session);
        assert_int_equal(
            s.recording->notes_bytes, HF_RECORDING_NOTES_BYTES - (extra == 0 ? 0 : left));
        take(&s, &taken);
        assert_int_equal(taken.notes.count, FULL + 1 - extra);
        for (size_t i = 0; i < taken.notes.count; i++)
            assert_string_equal(taken.notes.items[i].text, s.session.notes.items[i].text);
        hf_notes_done(&taken.notes);
        end(&s);
    }
}

static void test_cost_and_failure(void **state)
{
    (void)state;
    static struct scene s;
    struct hf_error err;
    begin(&s);
    s.session.cost = (struct hf_cost){.births = {.emulated = 500}, .wall_ns = SECOND};
    s.session.is_counted = true;
    s.session.births_per_mille = 900;
    s.session.added_per_mille = 5;
    hf_recording_put_cost(s.recording, &s.session);
    assert_int_equal(s.recording->stage, HF_RECORDING_COUNTED);
    assert_int_equal(s.recording->cost.calls, 500);
    assert_int_equal(s.recording->cost.births_per_mille, 900);
    assert_int_equal(s.recording->cost.added_per_mille, 5);
    assert_int_equal(s.recording->cost.period_bytes, 1);
    assert_true(s.recording->cost.is_counted);
    assert_false(s.recording->is_by_bpf);
    s.session.backend = &hf_backend_bpf;
    hf_recording_put_cost(s.recording, &s.session);
    assert_true(s.recording->is_by_bpf);
    hf_recording_put_failure(s.recording, hf_error_set(&err, HF_ERR_SYSTEM, "not allowed"), &err);
    assert_int_equal(s.recording->failed, HF_ERR_SYSTEM);
    assert_string_equal(s.recording->reason, "not allowed");
    end(&s);
}

/* Blocks in contexts that are young are left out, and it is said. */
static void test_age(void **state)
{
    static const struct {
        uint64_t seconds, older_ns;
        bool has_contexts, has_older;
        uint64_t bytes; /* of a block born at 1 s, 300, and of one born at 3.5 s, 40 */
        const char *notes;
    } cases[] = {
        {4, 0, false, false, 340, ""},
        {4, 0, true, false, 300,
            "1 block in use (40 B) is younger than 1.2 s and left out; --older 0s shows it, a "
            "longer --duration leaves out a smaller part\n"},
        {20, 0, true, false, 340, ""},
        {8, 0, true, false, 340, ""},
        {6, 0, true, false, 340, ""},
        {40, 0, true, false, 340, ""},
        {20, 19 * SECOND + 1, true, true, 0,
            "2 blocks in use (340 B) are younger than 19.0 s and left out; --older 0s shows them, "
            "a longer --duration leaves out a smaller part\n"},
        {20, 17 * SECOND, false, true, 300,
            "1 block in use (40 B) is younger than 17.0 s and left out; --older 0s shows it, a "
            "longer --duration leaves out a smaller part\n"},
        {4, SECOND, false, true, 300,
            "1 block in use (40 B) is younger than 1.0 s and left out; --older 0s shows it\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        static struct scene s;
        begin(&s);
        put_block(&s, 0x5000, 300, 101 * SECOND);
        put_block(&s, 0x6000, 40, 103 * SECOND + SECOND / 2);
        s.session.end_ns = s.session.begin_ns + cases[i].seconds * SECOND;
        s.session.has_contexts = cases[i].has_contexts;
        s.session.options.has_older = cases[i].has_older;
        s.session.options.older_ns = cases[i].older_ns;
        hf_recording_put(s.recording, &s.session);
        struct hf_profile *profile = profile_of(&s.session);
        size_t type;
        assert_true(hf_profile_find_type(profile, HF_TEXT("inuse_space"), &type));
        assert_int_equal(hf_profile_total(profile, type, HF_THREAD_ALL).value, cases[i].bytes);
        check_notes_of(profile, cases[i].notes);
        hf_profile_free(profile);
        end(&s);
    }
}

static void test_notes(void **state)
{
    static const struct {
        struct hf_session session;
        const char *notes;
    } cases[] = {
        {{.end = HF_SESSION_TIME_OVER, .added_per_mille = 10}, ""},
        {{.end = HF_SESSION_STOPPED, .added_per_mille = 250},
            "while attached, the process ran at about 80 % of its speed\n"},
        {{.end = HF_SESSION_STOPPED, .added_per_mille = 250, .options.is_one_of_many = true}, ""},
        {{.end = HF_SESSION_PROCESS_ENDED, .options.is_one_of_many = true}, ""},
        {{.end = HF_SESSION_BECAME_ANOTHER},
            "the process became another program (exec) after 4.0 s: the profile ends there\n"},
        {{.end = HF_SESSION_TOO_EXPENSIVE, .added_per_mille = 3000, .options.most_per_mille = 300},
            "LOSS detached after 4.0 s: the process ran at about 1/4 of its speed, but "
            "--max-overhead lets the probes add only 30 % to its processor time\n"},
        {{.thin_ns = 80000000}, ""},
        {{.thin_ns = 80000001},
            "allocations were followed for 3.9 of 4.0 s, to stay within --max-overhead: the "
            "process made about 1.0 times as many in all\n"},
        {{.thin_ns = 3 * SECOND},
            "allocations were followed for 1.0 of 4.0 s, to stay within --max-overhead: the "
            "process made about 4.0 times as many in all\n"},
        {{.progress = {.stacks = {.all = 9, .too_short = 1, .cut = 1}, .stack_bytes = 2048}},
            "LOSS 1 of 9 stacks was deeper than the 2048 bytes copied of each: outer frames are "
            "missing; --stack copies more\n"},
        {{.progress = {.stacks = {.all = 1, .cut = 1, .searched = 1}}},
            "LOSS 1 of 1 stack ends early, in code without call frame information: outer frames "
            "are missing\n1 of 1 stack passes through code without call frame information, e.g. "
            "from a JIT: its callers were found by searching the stack\n"},
        {{.progress = {.stacks = {.all = 9, .too_short = 2, .cut = 4, .searched = 3},
              .stack_bytes = 2048},
             .backend = &hf_backend_bpf},
            "LOSS 2 of 9 stacks were deeper than the 2048 bytes copied of each: outer frames are "
            "missing\nLOSS 2 of 9 stacks end early, in code without call frame information: outer "
            "frames are missing\n3 of 9 stacks pass through code without call frame information, "
            "e.g. from a JIT: its callers were found by searching the stack\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        static struct scene s;
        begin(&s);
        struct hf_session session = cases[i].session;
        session.options.recording = s.recording;
        session.tracker = s.session.tracker;
        session.begin_ns = s.session.begin_ns;
        session.end_ns = s.session.end_ns;
        session.backend = session.backend != NULL ? session.backend : &hf_backend_perf;
        hf_recording_put(s.recording, &session);
        struct hf_profile *profile = profile_of(&session);
        check_notes_of(profile, cases[i].notes);
        assert_int_equal(profile->capture.has_just_ended, session.end == HF_SESSION_PROCESS_ENDED);
        hf_profile_free(profile);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_of_it),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_room_for_notes),
        cmocka_unit_test(test_cost_and_failure),
        cmocka_unit_test(test_age),
        cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
