/* What a fold by function forgets: known where all frames of a name agree. */
#include "profile/places.h"

#include "stacks.h"

static void add_frame(
    struct hf_profile *profile, const char *name, const char *path, const char *file, uint32_t line)
{
    struct hf_error err;
    struct hf_frame frame = {.flags = HF_FRAME_NAMED, .line = line};
    uint32_t ignored;
    check_ok(hf_profile_string(profile, hf_text_of(name), &frame.name, &err), &err);
    check_ok(hf_profile_string(profile, hf_text_of(file), &frame.file, &err), &err);
    if (path[0] != '\0')
        check_ok(
            hf_profile_module(profile, hf_text_of(path), HF_TEXT(""), &frame.module, &err), &err);
    check_ok(hf_profile_frame(profile, &frame, &ignored, &err), &err);
}

static void expect_place(struct hf_places *places, const char *label, const char *module,
    const char *file, uint32_t line)
{
    struct hf_error err;
    struct hf_probe_site place;
    check_ok(hf_places_find(places, hf_text_of(label), &place, &err), &err);
    assert_true(hf_text_is(place.module, module));
    assert_true(hf_text_is(place.file, file));
    assert_int_equal(place.line, line);
}

static void knows_what_all_frames_agree_on(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_places places = {0};
    struct hf_profile *first = stacks_new("bytes", false), *second = stacks_new("bytes", false);
    add_frame(first, "fill", "/bin/a", "cache.c", 90);
    add_frame(first, "fill", "/bin/a", "cache.c", 41);
    add_frame(first, "fill", "", "", 0);
    add_frame(first, "init", "/bin/a", "a.c", 1);
    add_frame(first, "bare", "", "", 0);
    add_frame(second, "init", "/lib/b.so", "b.c", 2);
    add_frame(second, "init", "/bin/a", "a.c", 1);
    check_ok(hf_places_add(&places, first, HF_BY_FUNCTION, &err), &err);
    expect_place(&places, "init", "/bin/a", "a.c", 1);
    check_ok(hf_places_add(&places, second, HF_BY_FUNCTION, &err), &err);
    expect_place(&places, "fill", "/bin/a", "cache.c", 41);
    expect_place(&places, "init", "", "", 0); /* also after one that was there before */
    expect_place(&places, "bare", "", "", 0);
    expect_place(&places, "never seen", "", "", 0);
    hf_places_done(&places);
    check_ok(hf_places_add(&places, first, HF_BY_LINE, &err), &err);
    expect_place(&places, "fill cache.c:90", "/bin/a", "cache.c", 90);
    hf_places_done(&places);
    hf_profile_free(first);
    hf_profile_free(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(knows_what_all_frames_agree_on)};
    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
