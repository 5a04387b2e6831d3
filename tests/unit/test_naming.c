/* Which of the names that an image has for a function is taken. */
#include "check.h"

#include "base/limits.h"
#include "symbol/names/naming.h"
#include "symbol/names/printed_texts.h"

#include <stdlib.h>

static const struct {
    const char *linkage, *plain, *symbol; /* of debug information, and of the symbol table */
    const char *expected;
} cases[] = {
    {"_ZN4shop4openEv", "open", "_ZN4shop4openEv.cold", "shop::open()"},
    {"_ZN4shop4openEv", "open", "", "shop::open()"},
    {"", "open", "_ZN12_GLOBAL__N_14openEv", "(anonymous namespace)::open()"},
    {"", "walk", "walk.isra.0", "walk"},
    {"", "", "memcpy", "memcpy"},
    /* GCC 12 so describes the destructor of a class with several bases, inlined into its thunk. */
    {"_ZN5ErrorD2Ev", "~Error", "_ZThn24_N5ErrorD1Ev", "non-virtual thunk to Error::~Error()"},
    {"_ZN5ErrorD2Ev", "~Error", "_ZTv0_n24_N5ErrorD1Ev", "virtual thunk to Error::~Error()"},
    {"", "get", "_ZTchn8_h8_N3Box3getEv", "covariant return thunk to Box::get()"},
    {"", "", "", ""},
};

static void test_the_best_name_is_taken(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_naming naming = {.is_full = true};
    check_ok(hf_profile_new(&naming.profile, &err), &err);
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_dwarf_frame function = {
            .name = hf_text_of(cases[i].plain), .linkage = hf_text_of(cases[i].linkage)};
        struct hf_finding finding = {
            .place = {.frames = &function, .count = 1}, .symbol = hf_text_of(cases[i].symbol)};
        struct hf_frame address = {.offset = i, .flags = HF_FRAME_HAS_OFFSET};
        uint32_t frame;
        bool is_named;
        size_t count;
        check_case = cases[i].expected;
        check_ok(hf_profile_frame(naming.profile, &address, &frame, &err), &err);
        check_ok(hf_naming_expand(&naming, frame, i, &finding, &is_named, &err), &err);
        const uint32_t *named = hf_profile_expansion(naming.profile, &frame, &count);
        assert_int_equal(count, 1);
        assert_int_equal(is_named, cases[i].expected[0] != '\0');
        check_text(
            hf_profile_text(naming.profile, hf_profile_frame_at(naming.profile, named[0])->name),
            cases[i].expected);
    }
    hf_profile_free(naming.profile);
    hf_naming_done(&naming);
}

/* "^" of an inlined call, name, file:line ("~" if it is near), "@offset" and "r" of a return, and
 * "start+" what is known of a function without a name, and its twins. */
static void naming_put_frame(const struct hf_profile *p, uint32_t id, struct hf_out *out)
{
    const struct hf_frame *frame = hf_profile_frame_at(p, id);
    hf_out_string(out, (frame->flags & HF_FRAME_INLINED) != 0 ? "^" : "");
    hf_out_string(out, (frame->flags & HF_FRAME_NAMED) != 0 ? "" : "unnamed");
    hf_out_text(out, hf_profile_text(p, frame->name));
    if (frame->file != HF_NO_STRING || frame->line != 0) {
        hf_out_char(out, ' ');
        hf_out_text(out, hf_profile_text(p, frame->file));
        hf_out_printf(out, ":%s%u", (frame->flags & HF_FRAME_IS_NEAR) != 0 ? "~" : "", frame->line);
    }
    if ((frame->flags & HF_FRAME_HAS_OFFSET) != 0)
        hf_out_printf(out, " @%llx", (unsigned long long)frame->offset);
    hf_out_string(out, (frame->flags & HF_FRAME_RETURN) != 0 ? "r" : "");
    hf_out_string(out, (frame->flags & HF_FRAME_IS_LINKAGE) != 0 ? " linkage" : "");
    if ((frame->flags & HF_FRAME_TWINS) != 0)
        hf_out_printf(out, " twins %u", frame->flags >> HF_FRAME_TWINS_SHIFT);
    if (frame->past_start != 0)
        hf_out_printf(out, " start+%x", frame->past_start);
    hf_out_char(out, '\n');
}

#define AT UINT64_C(0x200000000)

/* What each frame is given that an address expands to, innermost first. */
static void test_calls_become_frames(void **state)
{
    static struct hf_dwarf_frame calls[] = {
        {.name = HF_TEXT("inner"), .file = HF_TEXT("a.h"), .line = 3, .detail = {.is_near = 1}},
        {.name = HF_TEXT("middle"), .line = 5}, {.file = HF_TEXT("a.c"), .line = 7},
        {.name = HF_TEXT("outer"),
            .linkage = HF_TEXT("_Z5outerv"),
            .file = HF_TEXT("a.c"),
            .line = 9}};
    static const struct {
        const char *name;
        struct hf_finding finding;
        uint32_t flags;
        bool is_linkage, is_named;
        const char *expected;
    } rows[] = {
        {"inlined calls", {{calls, 4, {0}, 0, {0}}, {0}, 0, 0}, HF_FRAME_RETURN, false, true,
            "^inner a.h:~3 @200000000r\n^middle :5\nouter() a.c:9\n"},
        {"as they are linked", {{calls, 4, {0}, 0, {0}}, {0}, 0, 0}, 0, true, true,
            "^inner a.h:~3 @200000000 linkage\n^middle :5 linkage\n_Z5outerv a.c:9 linkage\n"},
        {"the outer one has a symbol alone", {{calls, 3, {0}, 0, {0}}, HF_TEXT("sym"), 0, 0}, 0,
            false, true, "^inner a.h:~3 @200000000\n^middle :5\nsym a.c:7\n"},
        {"a symbol with a line",
            {{NULL, 0, HF_TEXT("b.s"), 4, {.is_near = 1}}, HF_TEXT("sym"), 0, 0}, HF_FRAME_RETURN,
            false, true, "sym b.s:~4 @200000000r\n"},
        {"a symbol without one", {{NULL, 0, {0}, 0, {0}}, HF_TEXT("sym"), AT - 1, 0}, 0, false,
            true, "sym @200000000\n"},
        {"twins: of the function alone", {{calls, 4, {0}, 0, {0}}, {0}, 0, 3}, 0, false, true,
            "^inner a.h:~3 @200000000\n^middle :5\nouter() a.c:9 twins 3\n"},
        {"twins of a symbol", {{NULL, 0, {0}, 0, {0}}, HF_TEXT("sym"), 0, 1000000}, 0, false, true,
            "sym @200000000 twins 100\n"},
        {"nothing", {{NULL, 0, {0}, 0, {0}}, {0}, 0, 0}, HF_FRAME_RETURN, false, false,
            "unnamed @200000000r\n"},
        {"a call without a name", {{&calls[2], 1, {0}, 0, {0}}, {0}, 0, 0}, 0, false, false,
            "unnamed @200000000\n"},
        {"a start", {{NULL, 0, {0}, 0, {0}}, {0}, AT - 0x10, 0}, 0, false, false,
            "unnamed @200000000 start+10\n"},
        {"the farthest start", {{NULL, 0, {0}, 0, {0}}, {0}, AT - UINT32_MAX, 0}, 0, false, false,
            "unnamed @200000000 start+ffffffff\n"},
        {"a start too far", {{NULL, 0, {0}, 0, {0}}, {0}, AT - UINT32_MAX - 1, 0}, 0, false, false,
            "unnamed @200000000\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_error err;
        struct hf_naming naming = {.is_full = true, .is_linkage = rows[i].is_linkage};
        struct hf_frame address = {.offset = 7, .flags = HF_FRAME_HAS_OFFSET | rows[i].flags};
        struct hf_out out = {0};
        uint32_t frame;
        bool is_named;
        size_t count;
        check_case = rows[i].name;
        check_ok(hf_profile_new(&naming.profile, &err), &err);
        check_ok(
            hf_profile_module(naming.profile, HF_TEXT("/a"), HF_TEXT(""), &address.module, &err),
            &err);
        check_ok(hf_profile_frame(naming.profile, &address, &frame, &err), &err);
        check_ok(hf_naming_expand(&naming, frame, AT, &rows[i].finding, &is_named, &err), &err);
        assert_int_equal(is_named, rows[i].is_named);
        const uint32_t *named = hf_profile_expansion(naming.profile, &frame, &count);
        for (size_t n = 0; n < count; n++) {
            assert_int_equal(hf_profile_frame_at(naming.profile, named[n])->module, address.module);
            naming_put_frame(naming.profile, named[n], &out);
        }
        check_out(&out, rows[i].expected);
        hf_out_done(&out);
        hf_profile_free(naming.profile);
        hf_naming_done(&naming);
    }
}

/* Each language once, in the order in which they came. */
static void test_foreign_names_are_told(void **state)
{
    static const char *const names[] = {"caml_main", "camlStdlib__List__map_123", "main",
        "__module_MOD_work", "camlStdlib__List__iter_4"};
    (void)state;
    struct hf_error err;
    struct hf_naming naming = {.is_full = true};
    check_ok(hf_profile_new(&naming.profile, &err), &err);
    hf_naming_tell(&naming);
    assert_int_equal(naming.profile->notes.count, 0);
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        struct hf_finding finding = {.symbol = hf_text_of(names[i])};
        struct hf_frame address = {.offset = i, .flags = HF_FRAME_HAS_OFFSET};
        uint32_t frame;
        bool is_named;
        check_ok(hf_profile_frame(naming.profile, &address, &frame, &err), &err);
        check_ok(hf_naming_expand(&naming, frame, i, &finding, &is_named, &err), &err);
    }
    hf_naming_tell(&naming);
    assert_int_equal(naming.profile->notes.count, 2);
    assert_string_equal(naming.profile->notes.items[0].text,
        "names of OCaml are shown mangled: heapflame demangles only names of C++, Rust and D");
    assert_string_equal(naming.profile->notes.items[1].text,
        "names of Fortran are shown mangled: heapflame demangles only names of C++, Rust and D");
    hf_profile_free(naming.profile);
    hf_naming_done(&naming);
}

/* As the commands do; counts what is made. */
static void ask_printed(struct hf_printed_texts *texts, struct hf_text text, size_t *made)
{
    struct hf_out out = {0};
    if (hf_printed_texts_find(texts, text).data != NULL)
        return;
    hf_out_text(&out, text);
    assert_non_null(hf_printed_texts_add(texts, text, &out).data);
    hf_out_done(&out);
    ++*made;
}

static void test_what_is_printed_often_is_made_once(void **state)
{
    (void)state;
    enum { RARE_BYTES = 1 << 16, RARE_PER_LOOK_UP = 16 };
    struct hf_printed_texts texts = {0};
    size_t often = 0, rare = 0, most_bytes = 0;
    size_t size = HF_LIMIT_RESIDENT_BYTES / 2;
    char *bytes = calloc(1, size);
    assert_non_null(bytes);
    for (size_t at = 16; at + RARE_BYTES * RARE_PER_LOOK_UP < size;) {
        hf_printed_texts_begin(&texts, 1);
        for (size_t i = 0; i < 8; i++)
            ask_printed(&texts, (struct hf_text){bytes + i, 8}, &often);
        for (size_t i = 0; i < RARE_PER_LOOK_UP; i++, at += RARE_BYTES)
            ask_printed(&texts, (struct hf_text){bytes + at, RARE_BYTES}, &rare);
        if (hf_printed_texts_bytes(&texts) > most_bytes)
            most_bytes = hf_printed_texts_bytes(&texts);
    }
    assert_int_equal(often, 8);
    assert_true(rare * RARE_BYTES > HF_LIMIT_RESIDENT_BYTES / 3);
    assert_true(most_bytes < HF_LIMIT_RESIDENT_BYTES / 4 + 4 * RARE_PER_LOOK_UP * RARE_BYTES);
    hf_printed_texts_begin(&texts, 2);
    ask_printed(&texts, (struct hf_text){bytes, 8}, &often);
    assert_int_equal(often, 9); /* of another generation: the bytes may be another text */
    hf_printed_texts_done(&texts);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_best_name_is_taken),
        cmocka_unit_test(test_calls_become_frames),
        cmocka_unit_test(test_foreign_names_are_told),
        cmocka_unit_test(test_what_is_printed_often_is_made_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
