/* What a stack is called in a store: by what its frames are, wherever they were loaded. */
#include "store/stack_fingerprint.h"

#include "check.h"

struct made_frame {
    const char *path, *build_id, *symbol, *name, *file;
    uint64_t offset;
    uint32_t line, flags;
};

static uint32_t made_string(struct hf_profile *profile, const char *text)
{
    struct hf_error err;
    uint32_t string = HF_NO_STRING;
    if (text != NULL)
        check_ok(hf_profile_string(profile, hf_text_of(text), &string, &err), &err);
    return string;
}

/* The fingerprint of a stack, leaf first, in a profile with `others` before it. */
static struct hf_fingerprint print_of(
    const struct made_frame *frames, size_t count, uint32_t others)
{
    struct hf_error err;
    struct hf_profile *profile;
    struct hf_stack_printer printer;
    struct hf_fingerprint print;
    uint32_t ids[4], node;
    check_ok(hf_profile_new(&profile, &err), &err);
    for (uint32_t i = 0; i < others; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "/lib/%u.so", i);
        uint32_t unused = made_string(profile, text);
        check_ok(hf_profile_module(profile, hf_text_of(text), hf_text_of(""), &unused, &err), &err);
    }
    for (size_t i = 0; i < count; i++) {
        const struct made_frame *made = &frames[i];
        struct hf_frame frame = {.offset = made->offset, .line = made->line, .flags = made->flags};
        if (made->path != NULL)
            check_ok(
                hf_profile_module(profile, hf_text_of(made->path),
                    hf_text_of(made->build_id != NULL ? made->build_id : ""), &frame.module, &err),
                &err);
        frame.symbol = made_string(profile, made->symbol);
        frame.name = made_string(profile, made->name);
        frame.file = made_string(profile, made->file);
        check_ok(hf_profile_frame(profile, &frame, &ids[i], &err), &err);
    }
    check_ok(hf_stacktree_add(&profile->stacks, ids, count, &node, &err), &err);
    hf_stack_printer_init(&printer);
    check_ok(hf_stack_fingerprint_of(&printer, profile, node, &print, &err), &err);
    hf_stack_printer_done(&printer);
    hf_profile_free(profile);
    return print;
}

#define PLACE HF_FRAME_HAS_OFFSET

static bool same(struct made_frame a, struct made_frame b)
{
    return hf_fingerprint_equal(print_of(&a, 1, 0), print_of(&b, 1, 3));
}

static void frames_are_what_they_are(void **state)
{
    struct made_frame by_id = {.path = "/a", .build_id = "id", .offset = 5, .flags = PLACE};
    struct made_frame moved = {.path = "/b", .build_id = "id", .offset = 5, .flags = PLACE};
    struct made_frame newer = {.path = "/a", .build_id = "ie", .offset = 5, .flags = PLACE};
    struct made_frame further = {.path = "/a", .build_id = "id", .offset = 6, .flags = PLACE};
    struct made_frame no_id = {.path = "/a", .offset = 5, .flags = PLACE};
    struct made_frame no_id_moved = {.path = "/b", .offset = 5, .flags = PLACE};
    struct made_frame linked = {.path = "/a", .offset = 5, .flags = PLACE | HF_FRAME_LINKED};
    struct made_frame symbol = {.symbol = "/a", .offset = 5, .flags = PLACE};
    struct made_frame named = {.name = "f", .file = "f.c", .line = 3, .flags = HF_FRAME_NAMED};
    struct made_frame other_line = {.name = "f", .file = "f.c", .line = 4, .flags = HF_FRAME_NAMED};
    struct made_frame address = {.offset = 5, .flags = PLACE};
    const struct made_frame all[] = {
        by_id, newer, further, no_id, no_id_moved, linked, symbol, named, other_line, address};
    (void)state;
    assert_true(same(by_id, moved));
    for (size_t i = 0; i < HF_COUNT(all); i++) {
        for (size_t j = 0; j < HF_COUNT(all); j++)
            assert_int_equal(same(all[i], all[j]), i == j);
    }
    /* A name that came later is not asked. */
    struct made_frame later = by_id;
    later.name = "f";
    later.flags |= HF_FRAME_NAMED;
    assert_true(same(by_id, later));
}

static void order_and_borders_count(void **state)
{
    const struct made_frame ab[] = {
        {.name = "a", .flags = HF_FRAME_NAMED}, {.name = "b", .flags = HF_FRAME_NAMED}};
    const struct made_frame ba[] = {
        {.name = "b", .flags = HF_FRAME_NAMED}, {.name = "a", .flags = HF_FRAME_NAMED}};
    const struct made_frame one[] = {
        {.name = "ab", .flags = HF_FRAME_NAMED}, {.name = "", .flags = HF_FRAME_NAMED}};
    (void)state;
    assert_true(hf_fingerprint_equal(print_of(ab, 2, 0), print_of(ab, 2, 2)));
    assert_false(hf_fingerprint_equal(print_of(ab, 2, 0), print_of(ba, 2, 0)));
    assert_false(hf_fingerprint_equal(print_of(ab, 2, 0), print_of(one, 2, 0)));
    assert_false(hf_fingerprint_equal(print_of(ab, 2, 0), print_of(ab, 1, 0)));
}

/* They are kept in stores: another value is another version of those. */
static void value_stays(void **state)
{
    const struct made_frame frames[] = {
        {.path = "/usr/bin/shop", .build_id = "\1\2\3", .offset = 0x1234, .flags = PLACE},
        {.path = "/usr/lib/libc.so.6", .offset = 0x99, .flags = PLACE}};
    struct hf_fingerprint print = print_of(frames, 2, 0);
    struct hf_out out = {0};
    (void)state;
    hf_out_printf(&out, "%016llx %016llx", (unsigned long long)print.halves[0],
        (unsigned long long)print.halves[1]);
    check_out(&out, "1dc9a67abbbdb5a2 0976f990977532c5");
    hf_out_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_what_they_are),
        cmocka_unit_test(order_and_borders_count),
        cmocka_unit_test(value_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
