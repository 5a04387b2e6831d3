/* The SVG of a flame graph: geometry, titles, what is said, what is escaped. */
#include "render/flame/flame.h"

#include "base/strings/escape.h"
#include "render/flame/flame_names.h"
#include "render/flame/flame_text.h"
#include "render/palette.h"
#include "stacks.h"

#define MINUS "\xe2\x88\x92"

static struct hf_out draw(struct hf_profile *profile, const struct hf_flame_options *options)
{
    struct hf_out out = {0};
    struct hf_error err;
    check_ok(hf_flame_svg(profile, options, &out, &err), &err);
    check_ok(hf_out_finish(&out, &err), &err);
    hf_out_char(&out, '\0');
    hf_profile_free(profile);
    return out;
}

static void check_has(const struct hf_out *svg, const char *part)
{
    if (strstr(svg->data, part) == NULL) {
        char *frames = strstr(svg->data, "<g id=\"frames\"");
        fail_msg("%s: no %s in\n%.3000s", check_case, part, frames != NULL ? frames : svg->data);
    }
}

static void check_has_not(const struct hf_out *svg, const char *part)
{
    if (strstr(svg->data, part) != NULL)
        fail_msg("%s: there is %s", check_case, part);
}

static size_t count_of(const struct hf_out *svg, const char *part)
{
    size_t count = 0;
    for (const char *at = svg->data; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

static struct hf_flame_options defaults(void)
{
    struct hf_flame_options options;
    hf_flame_options_init(&options);
    return options;
}

static const struct stacks_row three[] = {
    {"m;new", 50, 0}, {"m;new(ul)", 30, 0}, {"m;new;x", 20, 0}};

static void places_frames(void **state)
{
    (void)state;
    struct hf_flame_options options = defaults();
    struct hf_out svg = draw(stacks_profile("objects", three), &options);
    check_has(&svg, "<svg version=\"1.1\" width=\"1200\" height=\"134\" viewBox=\"0 0 1200 134\"");
    check_has(&svg, "<g data-v=\"0 100\"><title>all (100 objects, 100%)</title>"
                    "<rect x=\"10\" y=\"85\" width=\"1180\" height=\"15\" rx=\"2\"");
    check_has(&svg, "<g data-v=\"0 70\"><title>new (70 objects, 70.00%)</title>"
                    "<rect x=\"10\" y=\"53\" width=\"826\" height=\"15\" rx=\"2\"");
    check_has(&svg, "<g data-v=\"50 20\"><title>x (20 objects, 20.00%)</title>"
                    "<rect x=\"600\" y=\"37\" width=\"236\" height=\"15\" rx=\"2\"");
    check_has(&svg, "<text x=\"839\" y=\"63.5\" fill=\"#fff\">new(ul)</text>");
    assert_int_equal(count_of(&svg, "<g data-v="), 5);
    static const char *const ids[] = {
        "background", "title", "details", "unzoom", "search", "ignorecase", "matched", "frames"};
    for (size_t i = 0; i < HF_COUNT(ids); i++) {
        char id[64];
        snprintf(id, sizeof id, " id=\"%s\"", ids[i]);
        check_has(&svg, id);
    }
    hf_out_done(&svg);
}

/* Root on top, and below the subtitle. */
static void hangs_icicles(void **state)
{
    (void)state;
    struct hf_flame_options options = defaults();
    options.is_inverted = true;
    options.subtitle = "pid 4711";
    struct hf_out svg = draw(stacks_profile("objects", three), &options);
    check_has(&svg, ">Icicle Graph</text>");
    check_has(&svg, "height=\"158\"");
    check_has(
        &svg, "<text id=\"subtitle\" x=\"600.0\" y=\"48.0\" text-anchor=\"middle\">pid 4711<");
    check_has(&svg, "<title>all (100 objects, 100%)</title><rect x=\"10\" y=\"60\"");
    check_has(&svg, "<title>x (20 objects, 20.00%)</title><rect x=\"600\" y=\"108\"");
    hf_out_done(&svg);
}

static void tells_numbers(void **state)
{
    (void)state;
    const struct stacks_row bytes[] = {
        {"process_leak", 52428800, 0}, {"rest", 3885664, 0}, {"tiny", 512, 0}};
    static const struct {
        const char *unit, *count_name;
        double factor;
        const char *expected;
    } table[] = {
        {"bytes", NULL, 1, ">process_leak (52,428,800 bytes, 50.0 MiB, 93.10%)<"},
        {"bytes", NULL, 1, ">tiny (512 bytes, 0.00%)<"},
        {"bytes", NULL, 1, ">all (56,314,976 bytes, 53.7 MiB, 100%)<"},
        {"bytes", NULL, 0.5, ">process_leak (26,214,400 bytes, 25.0 MiB, 93.10%)<"},
        {"bytes", "samples", 1, ">process_leak (52,428,800 samples, 93.10%)<"},
        {"bytes", "<b>", 1, ">process_leak (52,428,800 &lt;b&gt;, 93.10%)<"},
        {"objects", NULL, 1, ">process_leak (52,428,800 objects, 93.10%)<"},
        {"objects", "", 1e12, ">process_leak (18,446,744,073,709,551,615 , 93.10%)<"},
    };
    for (size_t i = 0; i < HF_COUNT(table); i++) {
        struct hf_flame_options options = defaults();
        options.min_width = 0;
        options.count_name = table[i].count_name;
        options.factor = table[i].factor;
        struct hf_out svg = draw(stacks_profile(table[i].unit, bytes), &options);
        check_has(&svg, table[i].expected);
        hf_out_done(&svg);
    }
}

static void draws_differences(void **state)
{
    (void)state;
    const uint64_t mib = 1 << 20;
    const struct stacks_row rows[] = {
        {"main;process_leak", 100 * mib, 0}, {"main;cache_fill", 0, 150 * mib}};
    struct hf_flame_options options = defaults();
    options.has_totals = true;
    options.base_total = 200 * mib;
    options.current_total = 150 * mib;
    struct hf_out svg = draw(stacks_difference("bytes", rows), &options);
    check_has(&svg, ">Differential Flame Graph</text>");
    check_has(&svg, ">A 200.0 MiB \xe2\x86\x92 B 150.0 MiB: grew 100.0 MiB, released 150.0 MiB, "
                    "net " MINUS "50.0 MiB</text>");
    check_has(&svg, "<g data-v=\"0 262144000 157286400\"><title>main (+100.0 MiB grew, " MINUS
                    "150.0 MiB released, net " MINUS "50.0 MiB, 100.00%; +104,857,600 " MINUS
                    "157,286,400 = " MINUS "52,428,800 bytes)</title>");
    check_has(&svg, "<title>process_leak (+100.0 MiB grew, 40.00%; +104,857,600 bytes)</title>");
    check_has(&svg, "<title>cache_fill (" MINUS "150.0 MiB released, 60.00%; " MINUS
                    "157,286,400 bytes)</title>");
    check_has(&svg, ">+ process_leak</text>");
    check_has(&svg, ">" MINUS " cache_fill</text>");
    check_has(&svg, ">\xc2\xb1 main</text>");
    /* main: orange over all of it, then the released 60 % of it in blue at its right */
    check_has(&svg, "<rect x=\"482\" y=\"101\" width=\"708\" height=\"15\" fill=");
    check_has(&svg, "id=\"legend\"");
    hf_out_done(&svg);
}

static void exchanges_colors(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"f", 1, 0}};
    struct hf_flame_options options = defaults();
    struct hf_out plain = draw(stacks_difference("objects", rows), &options);
    options.is_negated = true;
    struct hf_out negated = draw(stacks_difference("objects", rows), &options);
    char orange[64], blue[64];
    struct hf_color grew = hf_palette_difference(true, HF_TEXT("f"));
    struct hf_color released = hf_palette_difference(false, HF_TEXT("f"));
    snprintf(orange, sizeof orange, "rgb(%u,%u,%u)", grew.red, grew.green, grew.blue);
    snprintf(blue, sizeof blue, "rgb(%u,%u,%u)", released.red, released.green, released.blue);
    check_has(&plain, orange);
    check_has_not(&plain, blue);
    check_has(&negated, blue);
    check_has_not(&negated, orange);
    check_has(&plain, "f (+1 objects grew, 100.00%)");
    check_has(&negated, "f (+1 objects grew, 100.00%)");
    hf_out_done(&plain);
    hf_out_done(&negated);
}

static void says_what_is_not_drawn(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"wide", 1000000, 0}, {"narrow;a", 40, 0}, {"narrow;b", 40, 0}, {"zero", 0, 0}};
    static const struct {
        double min_width;
        bool is_percent;
        size_t drawn;
        const char *said;
    } table[] = {
        {0.1, false, 2, "; 3 small frames not drawn (narrower than 0.1 px)<"},
        {0.05, false, 3, "; 2 small frames not drawn (narrower than 0.05 px)<"},
        {0.001, false, 5, ">Width: inuse_objects, 1,000,080 in all<"},
        {0.005, true, 3, "; 2 small frames not drawn (narrower than 0.005%)<"},
        {0, false, 5, ">Width: inuse_objects, 1,000,080 in all<"},
    };
    for (size_t i = 0; i < HF_COUNT(table); i++) {
        struct hf_flame_options options = defaults();
        options.min_width = table[i].min_width;
        options.min_width_is_percent = table[i].is_percent;
        struct hf_out svg = draw(stacks_profile("objects", rows), &options);
        check_case = table[i].said;
        check_has(&svg, table[i].said);
        assert_int_equal(count_of(&svg, "<g data-v="), table[i].drawn);
        hf_out_done(&svg);
    }
}

static void says_what_was_lost(void **state)
{
    (void)state;
    struct hf_flame_options options = defaults();
    struct hf_profile *profile = stacks_profile("objects", three);
    hf_notes_add(&profile->notes, HF_NOTE_INFO, "all is <well>");
    hf_notes_add(&profile->notes, HF_NOTE_LOSS, "line %d & more was cut", 7);
    options.notes = "by -- hand ]]>";
    struct hf_out svg = draw(profile, &options);
    check_has(&svg, ">Data is missing: line 7 &amp; more was cut</text>");
    check_has(
        &svg, "\nall is &lt;well&gt;\nline 7 &amp; more was cut\nNOTES: by -- hand ]]&gt;</desc>");
    hf_out_done(&svg);
}

static void shows_values_without_a_stack(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"", 25, 0}, {"f", 75, 0}};
    struct hf_flame_options options = defaults();
    struct hf_out svg = draw(stacks_profile("objects", rows), &options);
    check_has(&svg, "<g data-v=\"0 25\"><title>[no stack] (25 objects, 25.00%)</title>"
                    "<rect x=\"10\" y=\"37\" width=\"295\"");
    check_has(&svg, "<g data-v=\"25 75\"><title>f (75 objects, 75.00%)</title>");
    hf_out_done(&svg);
    options.count_name = "samples";
    svg = draw(stacks_profile("objects", rows), &options);
    check_has_not(&svg, "[no stack]");
    check_has(&svg, "<title>all (100 samples, 100%)</title>");
    hf_out_done(&svg);
}

static void widens_the_root(void **state)
{
    (void)state;
    static const struct {
        uint64_t total;
        const char *all, *m;
    } table[] = {
        {200, "all (200 objects, 100%)", "m (100 objects, 50.00%)"},
        {99, "all (100 objects, 100%)", "m (100 objects, 100.00%)"},
    };
    for (size_t i = 0; i < HF_COUNT(table); i++) {
        struct hf_flame_options options = defaults();
        options.total = table[i].total;
        struct hf_out svg = draw(stacks_profile("objects", three), &options);
        check_has(&svg, table[i].all);
        check_has(&svg, table[i].m);
        hf_out_done(&svg);
    }
}

static void escapes_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *expected; /* in the title, and in the box unless it is cut */
    } table[] = {
        {"</title><script>alert(1)</script>",
            "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;"},
        {"a]]>b", "a]]&gt;b"},
        {"\" onclick='x' &amp", "&quot; onclick=&#39;x&#39; &amp;amp"},
        {"bad\xff\xc3utf", "bad\\xff\\xc3utf"},
        {"\x01\x1b[31m\x7f", "\\x01\\x1b[31m\\x7f"},
        {"left\xe2\x80\xaethgir", "left\\u{202e}thgir"},
        {"zero\xe2\x80\x8bwidth", "zero\\u{200b}width"},
        {"\xef\xbf\xbe\xed\xa0\x80", "\\u{fffe}\\xed\\xa0\\x80"},
        {"\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac"},
        {"kernel_fn_[k]", "kernel_fn"},
        {"not_an_[x]", "not_an_[x]"},
        {"_[k]", ""},
    };
    for (size_t i = 0; i < HF_COUNT(table); i++) {
        const struct stacks_row rows[] = {{table[i].name, 7, 0}};
        struct hf_flame_options options = defaults();
        char title[200], box[200];
        struct hf_out svg = draw(stacks_profile("objects", rows), &options);
        check_case = table[i].name;
        snprintf(title, sizeof title, "<title>%s (7 objects, 100.00%%)</title>", table[i].expected);
        snprintf(box, sizeof box, ">%s</text></g>", table[i].expected);
        check_has(&svg, title);
        check_has(&svg, box);
        assert_int_equal(count_of(&svg, "<script"), 1);
        hf_out_done(&svg);
    }
}

static void escapes_options(void **state)
{
    (void)state;
    const char evil[] = "\"'><script>alert(1)</script>]]>&\x01\xff";
    const char safe[] = "&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;]]&gt;&amp;\\x01\\xff";
    struct hf_flame_options options = defaults();
    options.title = options.subtitle = options.notes = options.count_name = options.name_type =
        evil;
    struct hf_out svg = draw(stacks_profile("objects", three), &options);
    assert_int_equal(count_of(&svg, "<script"), 1);
    /* <title>, #title, subtitle, notes, details, <desc>, and once per frame */
    assert_int_equal(count_of(&svg, safe), 6 + 5);
    /* for the script, as JSON */
    assert_int_equal(count_of(&svg, "\\\"'\\u003e\\u003cscript\\u003ealert(1)"), 2);
    assert_int_equal(count_of(&svg, "alert(1)"), 6 + 5 + 2);
    hf_out_done(&svg);
}

static void refuses_options(void **state)
{
    (void)state;
    const struct {
        const char *expected;
        struct hf_flame_options options;
    } table[] = {
#define WITH(text, field, value)                                                                   \
    {                                                                                              \
        text,                                                                                      \
        {                                                                                          \
            .field = value                                                                         \
        }                                                                                          \
    }
        WITH("the width of a flame graph is 100 to 30000, not 20", width_px, 20),
        WITH("the frame height of a flame graph is 4 to 500, not 3", frame_height_px, 3),
        WITH("the font size of a flame graph is 1 to 100, not 0.5", font_size_px, 0.5),
        WITH("the minimum width of a flame graph is 0 to 30000, not -1", min_width, -1),
        WITH("'a\"b' is not a font name: expected letters, digits, blanks, and , . - _", font_type,
            "a\"b"),
        WITH("the profile has 1 kind of values, not number 3", type, 3),
#undef WITH
    };
    for (size_t i = 0; i < HF_COUNT(table); i++) {
        struct hf_flame_options options = defaults();
        const struct hf_flame_options *given = &table[i].options;
        options.width_px = given->width_px != 0 ? given->width_px : options.width_px;
        options.type = given->type != 0 ? given->type : options.type;
        options.min_width = given->min_width < 0 ? given->min_width : options.min_width;
        if (given->frame_height_px != 0)
            options.frame_height_px = given->frame_height_px;
        if (given->font_size_px > 0)
            options.font_size_px = given->font_size_px;
        if (given->font_type != NULL)
            options.font_type = given->font_type;
        struct hf_profile *profile = stacks_profile("objects", three);
        struct hf_out out = {0};
        struct hf_error err = {0};
        assert_int_equal(hf_flame_svg(profile, &options, &out, &err), HF_ERR_USAGE);
        check_error(&err, table[i].expected);
        assert_int_equal(out.size, 0);
        hf_profile_free(profile);
    }
}

static void caps_long_names(void **state)
{
    (void)state;
    enum { SIZE = 5 << 20 };
    char *name = malloc(SIZE + 1);
    assert_non_null(name);
    /* Two bytes each from an odd place on: the cap falls into the middle of a character. */
    for (size_t i = 1; i + 1 < SIZE; i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    name[0] = 'x';
    name[SIZE - 1] = 'y';
    name[SIZE] = '\0';
    const struct stacks_row rows[] = {{name, 7, 0}};
    struct hf_flame_options options = defaults();
    struct hf_out svg = draw(stacks_profile("objects", rows), &options);
    assert_true(svg.size < 50000);
    check_has(&svg, "\xc3\xa9\xe2\x80\xa6[name of 5,242,880 bytes] (7 objects, 100.00%)</title>");
    check_has_not(&svg, "\\xc3");
    check_has(&svg, "\xc3\xa9..</text>");
    hf_out_done(&svg);
    free(name);
}

/* More names than are kept: those that come later are escaped each time, and read the same. */
static void escapes_each_name_once(void **state)
{
    (void)state;
    enum { COUNT = 2000, SIZE = 500 };
    static char label[SIZE];
    struct hf_flame_names names;
    struct hf_error err;
    check_ok(hf_flame_names_init(&names, COUNT, &err), &err);
    for (int times = 0; times < 2; times++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            struct hf_out expected = {0};
            memset(label, '&', sizeof label);
            memcpy(label, &i, sizeof i);
            struct hf_text text = {label, sizeof label};
            hf_flame_put_name(text, hf_escape_xml, &expected);
            struct hf_text name = hf_flame_names_at(&names, i, text);
            assert_int_equal(name.size, expected.size);
            assert_memory_equal(name.data, expected.data, name.size);
            hf_out_done(&expected);
        }
        assert_in_range(names.kept, HF_FLAME_NAMES_KEPT - 5 * SIZE, HF_FLAME_NAMES_KEPT);
        assert_in_range(names.texts.size, names.kept, HF_FLAME_NAMES_KEPT + 5 * SIZE);
    }
    hf_flame_names_done(&names);
}

static void caps_deep_stacks(void **state)
{
    (void)state;
    enum { DEPTH = 50000 };
    char *stack = calloc(DEPTH, 2);
    assert_non_null(stack);
    for (size_t i = 0; i < DEPTH; i++)
        memcpy(stack + i * 2, i + 1 < DEPTH ? "f;" : "f", 2);
    const struct stacks_row rows[] = {{stack, 3, 0}};
    for (unsigned height = 4; height <= 500; height += 124) {
        struct hf_flame_options options = defaults();
        options.frame_height_px = height;
        struct hf_out svg = draw(stacks_profile("objects", rows), &options);
        check_has(&svg, "frames deeper than");
        check_has(&svg, " levels are not drawn</text>");
        unsigned drawn_height = 0;
        const char *at = strstr(svg.data, " height=\"");
        assert_non_null(at);
        for (at += 9; *at >= '0' && *at <= '9'; at++)
            drawn_height = drawn_height * 10 + (unsigned)(*at - '0');
        assert_in_range(drawn_height, 31000, 32000);
        hf_out_done(&svg);
    }
    free(stack);
}

static void draws_nothing(void **state)
{
    (void)state;
    struct hf_flame_options options = defaults();
    struct hf_out svg = draw(stacks_new("bytes", false), &options);
    check_has(&svg, ">The profile holds no values of this kind.</text>");
    hf_out_done(&svg);
    svg = draw(stacks_new("bytes", true), &options);
    check_has(&svg, ">Nothing grew and nothing was released.</text>");
    hf_out_done(&svg);
}

static void survives_sums_that_are_too_large(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"a;b", UINT64_MAX - 1, 0}, {"a;c", UINT64_MAX - 1, 0}, {"e", UINT64_MAX / 2, 0}};
    struct hf_flame_options options = defaults();
    struct hf_out svg = draw(stacks_profile("objects", rows), &options);
    check_has(&svg, "all (18,446,744,073,709,551,615 objects, 100%)");
    check_has_not(&svg, "width=\"-");
    check_has_not(&svg, "x=\"-");
    hf_out_done(&svg);
}

static void colors_wakers(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"futex;--;futex", 1, 0}};
    struct hf_flame_options options = defaults();
    options.colors = "chain";
    struct hf_out svg = draw(stacks_profile("objects", rows), &options);
    check_has(&svg, "rgb(100,100,221)");
    check_has(&svg, "rgb(160,160,160)");
    check_has(&svg, "rgb(104,215,215)");
    assert_int_equal(count_of(&svg, "<title>futex (1 objects, 100.00%)</title>"), 2);
    hf_out_done(&svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_frames),
        cmocka_unit_test(hangs_icicles),
        cmocka_unit_test(tells_numbers),
        cmocka_unit_test(draws_differences),
        cmocka_unit_test(exchanges_colors),
        cmocka_unit_test(says_what_is_not_drawn),
        cmocka_unit_test(says_what_was_lost),
        cmocka_unit_test(shows_values_without_a_stack),
        cmocka_unit_test(widens_the_root),
        cmocka_unit_test(escapes_names),
        cmocka_unit_test(escapes_options),
        cmocka_unit_test(refuses_options),
        cmocka_unit_test(caps_long_names),
        cmocka_unit_test(escapes_each_name_once),
        cmocka_unit_test(caps_deep_stacks),
        cmocka_unit_test(draws_nothing),
        cmocka_unit_test(survives_sums_that_are_too_large),
        cmocka_unit_test(colors_wakers),
    };
    return cmocka_run_group_tests_name("flame", tests, NULL, NULL);
}
