/*
 * Every allocation fails once while the addresses of small programs get their names: out of memory
 * is told, as an error, by a note or with the module, or the names are what they should be.
 */
#include "failing_malloc.h"
#include "profile/profile.h"
#include "symbol/lookup/symbolize.h"

#include <limits.h>

#if HF_SANITIZED

SKIPPED_FOR_SANITIZER(each_failure_is_told)

#else

/* Of the corpus of fuzz_elf; in C, since a name that cannot be demangled stays as the file has it.
 */
static const char *const programs[] = {"seed-gcc5", "seed-clang5-sections", "seed-packed-zlib"};

static const uint64_t offsets[] = {0x151, 0x15c, 0x175, 0x190, 0x1e1, 0x200, 0x215, 0x231, 0x9000};

static struct hf_profile *profile_of(const char *path)
{
    struct hf_error err;
    struct hf_profile *profile;
    uint32_t module;
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_profile_add_inuse_types(profile, &err), &err);
    check_ok(hf_profile_module(profile, hf_text_of(path), HF_TEXT(""), &module, &err), &err);
    for (size_t i = 0; i < HF_COUNT(offsets); i++) {
        const struct hf_frame frame = {
            .module = module, .offset = offsets[i], .flags = HF_FRAME_HAS_OFFSET};
        const uint64_t values[] = {1, 100};
        uint32_t id, node;
        check_ok(hf_profile_frame(profile, &frame, &id, &err), &err);
        check_ok(hf_stacktree_child(&profile->stacks, HF_STACK_ROOT, id, &node, &err), &err);
        check_ok(hf_profile_add_sample(profile, node, HF_THREAD_ALL, values, &err), &err);
    }
    profile->has_addresses = true;
    return profile;
}

static void tell_names(const struct hf_profile *profile, struct hf_out *names, struct hf_out *notes)
{
    for (uint32_t i = 0; i < HF_COUNT(offsets); i++) {
        size_t count;
        const uint32_t *named = hf_profile_expansion(profile, &i, &count);
        for (size_t n = 0; n < count; n++) {
            const struct hf_frame *frame = hf_profile_frame_at(profile, named[n]);
            hf_out_text(names, hf_profile_text(profile, frame->name));
            hf_out_printf(
                names, "@%s:%u ", hf_profile_text(profile, frame->file).data, frame->line);
        }
        hf_out_char(names, '\n');
    }
    for (size_t i = 0; i < profile->notes.count; i++)
        hf_out_printf(notes, "%s\n", profile->notes.items[i].text);
    hf_out_printf(notes, "%s\n", hf_profile_text(profile, profile->modules[1].why_unnamed).data);
}

/* One run; the profile is made and told of before and after what is counted. */
static enum hf_status name_all(const char *path, const struct hf_symbol_options *options,
    size_t nth, struct hf_out *names, struct hf_out *notes)
{
    struct hf_error err = {0};
    struct hf_profile *profile = profile_of(path);
    failing_begin(nth);
    enum hf_status status = hf_symbolize(profile, options, &err);
    is_counting = false;
    if (status == HF_OK)
        tell_names(profile, names, notes);
    hf_profile_free(profile);
    return status;
}

static void each_fails(const char *path)
{
    const struct hf_symbol_options options = {0};
    struct hf_out whole = {0}, whole_notes = {0};
    check_case = path;
    assert_int_equal(name_all(path, &options, SIZE_MAX, &whole, &whole_notes), HF_OK);
    assert_true(strstr((hf_out_char(&whole, '\0'), whole.data), "_start@") != NULL);
    whole.size--;
    for (size_t n = 0;; n++) {
        struct hf_out names = {0}, notes = {0};
        enum hf_status status = name_all(path, &options, n, &names, &notes);
        bool is_same = hf_text_equal(hf_out_view(&names), hf_out_view(&whole));
        bool is_told = !hf_text_equal(hf_out_view(&notes), hf_out_view(&whole_notes));
        if (status == HF_OK ? !is_same && !is_told : status != HF_ERR_MEMORY)
            fail_msg("%s: failing allocation %zu gives status %d and\n%.*s%.*sinstead of\n%.*s",
                path, n, status, (int)names.size, names.data, (int)notes.size, notes.data,
                (int)whole.size, whole.data);
        hf_out_done(&names);
        hf_out_done(&notes);
        if (!has_failed)
            break;
    }
    hf_out_done(&whole);
    hf_out_done(&whole_notes);
}

static void each_failure_is_told(void **state)
{
    (void)state;
    const char *source = getenv("HEAPFLAME_SRC");
    if (source == NULL) {
        print_message("skipped: HEAPFLAME_SRC is not set (tests/run sets it)\n");
        skip();
    }
    for (size_t i = 0; i < HF_COUNT(programs); i++) {
        char path[PATH_MAX];
        (void)snprintf(path, sizeof path, "%s/fuzz/corpus/elf/%s", source, programs[i]);
        each_fails(path);
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_failure_is_told)};
    return cmocka_run_group_tests_name("allocation_symbols", tests, NULL, NULL);
}
