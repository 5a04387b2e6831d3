/* The colours of frames: the same as flamegraph.pl's for the same name. */
#include "render/palette.h"

#include "check.h"

#include <math.h>

static struct hf_palette make(const char *name, enum hf_palette_mode mode)
{
    struct hf_palette palette;
    struct hf_error err;
    check_ok(hf_palette_init(&palette, name, mode, &err), &err);
    return palette;
}

static void check_color(struct hf_color color, struct hf_color expected)
{
    if (color.red != expected.red || color.green != expected.green || color.blue != expected.blue)
        fail_msg("%s: got rgb(%u,%u,%u), expected rgb(%u,%u,%u)", check_case, color.red,
            color.green, color.blue, expected.red, expected.green, expected.blue);
}

/* Worked out from the rule by hand (drand48 of the sum of the code points), not by this code. */
static void colors_by_sum(void **state)
{
    (void)state;
    static const struct {
        const char *palette, *name;
        struct hf_color color;
    } table[] = {
        {"hot", "malloc", {230, 119, 28}},
        {"mem", "malloc", {0, 215, 108}},
        {"io", "malloc", {111, 111, 218}},
        {"red", "malloc", {228, 91, 91}},
        {"green", "malloc", {81, 228, 81}},
        {"blue", "malloc", {111, 111, 230}},
        {"yellow", "malloc", {203, 203, 60}},
        {"purple", "malloc", {223, 111, 223}},
        {"aqua", "malloc", {81, 193, 193}},
        {"orange", "malloc", {223, 123, 0}},
        {"hot", "c", {224, 87, 20}},
        {"hot", "process_leak", {227, 102, 24}},
        {"hot", "operator new(unsigned long)", {233, 131, 31}},
        {"hot", "é", {208, 15, 3}},
        {"hot", "日本", {238, 156, 37}},
        {"hot", "", {213, 39, 9}},
        {"java", "java/lang/String.<init>", {77, 225, 77}},
        {"java", "Lorg/x/Y.z", {57, 206, 57}},
        {"java", "javax/a.b", {77, 224, 77}},
        {"java", "jdk/a.b", {81, 228, 81}},
        {"java", "net/a.b", {92, 239, 92}},
        {"java", "com/a.b", {94, 241, 94}},
        {"java", "io/a.b", {53, 203, 53}},
        {"java", "sun/a.b", {96, 242, 96}},
        {"java", "Ljdk/a.b", {92, 238, 92}},
        {"java", "std::vector", {190, 190, 55}},
        {"java", "a:::b", {79, 227, 79}},
        {"java", "do_syscall_64_[k]", {204, 104, 0}},
        {"java", "inlined_[i]", {54, 169, 169}},
        {"java", "jitted_[j]", {63, 212, 63}},
        {"java", "libc", {210, 65, 65}},
        {"perl", "Foo::bar", {204, 204, 60}},
        {"perl", "Perl_pp_add", {64, 213, 64}},
        {"perl", "run.pl", {94, 241, 94}},
        {"perl", "sys_read_[k]", {219, 119, 0}},
        {"perl", "main", {242, 112, 112}},
        {"js", "~run /srv/app.js:12_[j]", {93, 240, 93}},
        {"js", "LazyCompile_[j]", {83, 196, 196}},
        {"js", "v8::internal", {200, 200, 59}},
        {"js", "/srv/app.js", {63, 212, 63}},
        {"js", "Builtin:x", {64, 178, 178}},
        {"js", " ", {52, 202, 52}},
        {"js", "x_[k]", {241, 141, 0}},
        {"js", "uv_run", {226, 88, 88}},
        {"wakeup", "futex", {70, 183, 183}},
        {"chain", "futex_[w]", {104, 215, 215}},
        {"chain", "futex", {100, 100, 221}},
        {"mem", "--", {160, 160, 160}},
        {"mem", "-", {200, 200, 200}},
    };
    for (size_t i = 0; i < HF_COUNT(table); i++) {
        struct hf_palette palette = make(table[i].palette, HF_PALETTE_BY_SUM);
        check_case = table[i].name;
        check_color(hf_palette_color(&palette, hf_text_of(table[i].name)), table[i].color);
    }
}

/* What flamegraph.pl --hash draws. */
static void colors_by_hash(void **state)
{
    (void)state;
    static const struct {
        const char *palette, *name;
        struct hf_color color;
    } table[] = {
        {"hot", "a", {235, 140, 33}},
        {"hot", "malloc", {238, 112, 36}},
        {"hot", "process_leak", {229, 184, 26}},
        {"hot", "libc.so`read", {240, 184, 39}},
        {"hot", "", {255, 230, 55}},
        {"io", "malloc", {109, 109, 226}},
        {"io", "process_leak", {128, 128, 216}},
        {"io", "libc.so`read", {128, 128, 229}},
    };
    for (size_t i = 0; i < HF_COUNT(table); i++) {
        struct hf_palette palette = make(table[i].palette, HF_PALETTE_BY_HASH);
        check_case = table[i].name;
        check_color(hf_palette_color(&palette, hf_text_of(table[i].name)), table[i].color);
    }
}

static void random_colors_repeat(void **state)
{
    (void)state;
    struct hf_palette a = make("hot", HF_PALETTE_RANDOM);
    struct hf_palette b = make("hot", HF_PALETTE_RANDOM);
    struct hf_color first = hf_palette_color(&a, HF_TEXT("x"));
    struct hf_color second = hf_palette_color(&a, HF_TEXT("x"));
    check_case = "the sequence starts anew";
    check_color(hf_palette_color(&b, HF_TEXT("y")), first);
    assert_true(memcmp(&first, &second, sizeof first) != 0);
}

static void broken_names_have_a_color(void **state)
{
    (void)state;
    struct hf_palette palette = make("hot", HF_PALETTE_BY_SUM);
    check_case = "bytes count as themselves: 'c' is 0x63, and 0x20 + 0xc3 is 0xe3";
    check_color(
        hf_palette_color(&palette, HF_TEXT("\xe3")), hf_palette_color(&palette, HF_TEXT(" \xc3")));
}

static void refuses_unknown_names(void **state)
{
    (void)state;
    struct hf_palette palette;
    struct hf_background background;
    struct hf_error err = {0};
    assert_int_equal(hf_palette_init(&palette, "cold", HF_PALETTE_BY_SUM, &err), HF_ERR_USAGE);
    check_error(&err, "there is no palette 'cold'; there are: " HF_PALETTE_NAMES);
    palette = make("hot", HF_PALETTE_BY_SUM);
    static const char *const bad[] = {
        "pink", "#12345", "#1234567", "#12345g", "\"/><script>", "red;}"};
    for (size_t i = 0; i < HF_COUNT(bad); i++) {
        check_case = bad[i];
        assert_int_equal(hf_palette_background(&palette, bad[i], &background, &err), HF_ERR_USAGE);
    }
    check_error(
        &err, "there is no background 'red;}'; there are: yellow, blue, green, grey, #rrggbb");
}

/* Every name of the list is a palette, in a word of its own. */
static void knows_what_it_lists(void **state)
{
    (void)state;
    char names[] = HF_PALETTE_NAMES;
    size_t count = 0;
    for (char *name = names; name != NULL; count++) {
        char *end = strstr(name, ", ");
        if (end != NULL)
            *end = '\0';
        (void)make(name, HF_PALETTE_BY_SUM);
        name = end != NULL ? end + 2 : NULL;
    }
    assert_int_equal(count, 15);
}

static void chooses_backgrounds(void **state)
{
    (void)state;
    static const struct {
        const char *palette, *bgcolors;
        struct hf_color top, bottom;
    } table[] = {
        {"hot", NULL, {0xee, 0xee, 0xee}, {0xee, 0xee, 0xb0}},
        {"java", NULL, {0xee, 0xee, 0xee}, {0xee, 0xee, 0xb0}},
        {"mem", NULL, {0xee, 0xf2, 0xee}, {0xe0, 0xff, 0xe0}},
        {"io", NULL, {0xee, 0xee, 0xee}, {0xe0, 0xe0, 0xff}},
        {"chain", NULL, {0xee, 0xee, 0xee}, {0xe0, 0xe0, 0xff}},
        {"wakeup", NULL, {0xee, 0xee, 0xee}, {0xe0, 0xe0, 0xff}},
        {"perl", NULL, {0xee, 0xee, 0xee}, {0xee, 0xee, 0xb0}},
        {"js", NULL, {0xee, 0xee, 0xee}, {0xee, 0xee, 0xb0}},
        {"red", NULL, {0xf8, 0xf8, 0xf8}, {0xe8, 0xe8, 0xe8}},
        {"red", "green", {0xee, 0xf2, 0xee}, {0xe0, 0xff, 0xe0}},
        {"hot", "#01AbfF", {0x01, 0xab, 0xff}, {0x01, 0xab, 0xff}},
    };
    for (size_t i = 0; i < HF_COUNT(table); i++) {
        struct hf_palette palette = make(table[i].palette, HF_PALETTE_BY_SUM);
        struct hf_background background;
        struct hf_error err;
        check_case = table[i].palette;
        check_ok(hf_palette_background(&palette, table[i].bgcolors, &background, &err), &err);
        check_color(background.top, table[i].top);
        check_color(background.bottom, table[i].bottom);
    }
}

static double luminance(struct hf_color color)
{
    const uint8_t channels[] = {color.red, color.green, color.blue};
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        double c = channels[i] / 255.0;
        sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* WCAG 2: contrast of text is at least 4.5 to 1. */
static void text_can_be_read(void **state)
{
    (void)state;
    for (unsigned rgb = 0; rgb < 1u << 15; rgb++) {
        struct hf_color color = {(uint8_t)((rgb & 31) * 8), (uint8_t)(((rgb >> 5) & 31) * 8),
            (uint8_t)((rgb >> 10) * 8)};
        double ground = luminance(color) + 0.05;
        double contrast = hf_color_wants_white_text(color) ? 1.05 / ground : ground / 0.05;
        if (contrast < 4.5)
            fail_msg("rgb(%u,%u,%u): contrast %.2f", color.red, color.green, color.blue, contrast);
    }
}

/* Orange has more red than blue, the other way round for blue; both take black text. */
static void differences_have_two_colors(void **state)
{
    (void)state;
    static const char *const names[] = {"", "main", "process_leak", "cache_fill", "x", "\xff"};
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        struct hf_color grew = hf_palette_difference(true, hf_text_of(names[i]));
        struct hf_color released = hf_palette_difference(false, hf_text_of(names[i]));
        check_case = names[i];
        assert_true(grew.red > grew.blue + 150 && released.blue > released.red + 100);
        assert_false(hf_color_wants_white_text(grew));
        assert_false(hf_color_wants_white_text(released));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colors_by_sum),
        cmocka_unit_test(colors_by_hash),
        cmocka_unit_test(random_colors_repeat),
        cmocka_unit_test(broken_names_have_a_color),
        cmocka_unit_test(refuses_unknown_names),
        cmocka_unit_test(knows_what_it_lists),
        cmocka_unit_test(chooses_backgrounds),
        cmocka_unit_test(text_can_be_read),
        cmocka_unit_test(differences_have_two_colors),
    };
    return cmocka_run_group_tests_name("palette", tests, NULL, NULL);
}
