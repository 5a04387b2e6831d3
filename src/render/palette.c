#include "render/palette.h"

#include "base/attr.h"
#include "base/strings/utf8.h"

#include <string.h>

/* One channel is base + spread * v, truncated; `v` says which of the three numbers (0, 1, 2). */
struct channel {
    uint8_t base, spread, v;
};

enum hue { HOT, MEM, IO, RED, GREEN, BLUE, YELLOW, PURPLE, AQUA, ORANGE };

static const struct channel hues[][3] = {
    [HOT] = {{205, 50, 2}, {0, 230, 0}, {0, 55, 1}},
    [MEM] = {{0, 0, 0}, {190, 50, 1}, {0, 210, 0}},
    [IO] = {{80, 60, 0}, {80, 60, 0}, {190, 55, 1}},
    [RED] = {{200, 55, 0}, {50, 80, 0}, {50, 80, 0}},
    [GREEN] = {{50, 60, 0}, {200, 55, 0}, {50, 60, 0}},
    [BLUE] = {{80, 60, 0}, {80, 60, 0}, {205, 50, 0}},
    [YELLOW] = {{175, 55, 0}, {175, 55, 0}, {50, 20, 0}},
    [PURPLE] = {{190, 65, 0}, {80, 60, 0}, {190, 65, 0}},
    [AQUA] = {{50, 60, 0}, {165, 55, 0}, {165, 55, 0}},
    [ORANGE] = {{190, 65, 0}, {90, 65, 0}, {0, 0, 0}},
};

static const struct {
    const char *name;
    struct hf_background colors;
} backgrounds[] = {
    {"yellow", {{0xee, 0xee, 0xee}, {0xee, 0xee, 0xb0}}},
    {"blue", {{0xee, 0xee, 0xee}, {0xe0, 0xe0, 0xff}}},
    {"green", {{0xee, 0xf2, 0xee}, {0xe0, 0xff, 0xe0}}},
    {"grey", {{0xf8, 0xf8, 0xf8}, {0xe8, 0xe8, 0xe8}}},
};

struct hf_palette_kind {
    const char *name;
    enum hue hue;                          /* unless `pick` is set */
    enum hue (*pick)(struct hf_text name); /* chooses by the name */
    const char *background;
};

static bool contains(struct hf_text text, const char *part)
{
    return memmem(text.data, text.size, part, strlen(part)) != NULL;
}

static enum hue pick_java(struct hf_text name)
{
    static const char *const roots[] = {
        "java/", "javax/", "jdk/", "net/", "org/", "com/", "io/", "sun/"};
    if (hf_text_ends(name, "_[j]"))
        return GREEN;
    if (hf_text_ends(name, "_[i]"))
        return AQUA;
    struct hf_text path = hf_text_starts(name, "L") ? hf_text_from(name, 1) : name;
    for (size_t i = 0; i < HF_COUNT(roots); i++) {
        if (hf_text_starts(path, roots[i]))
            return GREEN;
    }
    if (contains(name, ":::"))
        return GREEN;
    if (contains(name, "::"))
        return YELLOW;
    return hf_text_ends(name, "_[k]") ? ORANGE : RED;
}

static enum hue pick_perl(struct hf_text name)
{
    if (contains(name, "::"))
        return YELLOW;
    if (contains(name, "Perl") || contains(name, ".pl"))
        return GREEN;
    return hf_text_ends(name, "_[k]") ? ORANGE : RED;
}

static enum hue pick_js(struct hf_text name)
{
    size_t slash = hf_text_find(name, '/');
    if (hf_text_ends(name, "_[j]"))
        return slash < name.size ? GREEN : AQUA;
    if (contains(name, "::"))
        return YELLOW;
    if (contains(hf_text_from(name, slash), ".js"))
        return GREEN;
    if (contains(name, ":"))
        return AQUA;
    if (hf_text_is(name, " "))
        return GREEN;
    return hf_text_ends(name, "_[k]") ? ORANGE : RED;
}

static enum hue pick_chain(struct hf_text name)
{
    return hf_text_ends(name, "_[w]") ? AQUA : BLUE;
}

/* In the order of HF_PALETTE_NAMES; a unit test compares them. */
static const struct hf_palette_kind kinds[] = {
    {"hot", HOT, NULL, "yellow"},
    {"mem", MEM, NULL, "green"},
    {"io", IO, NULL, "blue"},
    {"wakeup", AQUA, NULL, "blue"},
    {"chain", BLUE, pick_chain, "blue"},
    {"java", RED, pick_java, "yellow"},
    {"js", RED, pick_js, "yellow"},
    {"perl", RED, pick_perl, "yellow"},
    {"red", RED, NULL, "grey"},
    {"green", GREEN, NULL, "grey"},
    {"blue", BLUE, NULL, "grey"},
    {"aqua", AQUA, NULL, "grey"},
    {"yellow", YELLOW, NULL, "grey"},
    {"purple", PURPLE, NULL, "grey"},
    {"orange", ORANGE, NULL, "grey"},
};

enum hf_status hf_palette_init(
    struct hf_palette *palette, const char *name, enum hf_palette_mode mode, struct hf_error *err)
{
    for (size_t i = 0; i < HF_COUNT(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *palette = (struct hf_palette){.kind = &kinds[i], .mode = mode, .random_state = 0x330e};
            return HF_OK;
        }
    }
    return hf_error_set(
        err, HF_ERR_USAGE, "there is no palette '%.64s'; there are: %s", name, HF_PALETTE_NAMES);
}

bool hf_palette_is_chain(const struct hf_palette *palette)
{
    return palette->kind->pick == pick_chain;
}

/* POSIX drand48: 48 bits, X = X * a + c. The next state; state / 2^48 is the value. */
static uint64_t drand48_next(uint64_t state)
{
    return (state * UINT64_C(0x5deece66d) + 0xb) & ((UINT64_C(1) << 48) - 1);
}

static double drand48_value(uint64_t state)
{
    return (double)state / (double)(UINT64_C(1) << 48);
}

/* Decodes the first code point of non-empty `*text` and steps over it; a broken byte is itself. */
static uint32_t take_point(struct hf_text *text)
{
    uint32_t point;
    size_t size = hf_utf8_next(*text, &point);
    if (point == HF_UTF8_INVALID)
        point = (unsigned char)text->data[0];
    *text = hf_text_from(*text, size);
    return point;
}

static double value_by_sum(struct hf_text name)
{
    uint32_t sum = 0;
    while (name.size != 0)
        sum += take_point(&name);
    return drand48_value(drand48_next((uint64_t)sum << 16 | 0x330e));
}

/*
 * --hash: three code points, taken modulo 10, 11 and 12, each scaled to [0, 1] and weighted 1, 0.7
 * and 0.49. Names that begin alike get values that lie close together.
 */
static double value_by_hash(const uint32_t points[3], size_t count)
{
    double weight = 1, sum = 0, most = 1;
    for (size_t i = 0; i < count; i++) {
        unsigned modulus = 10 + (unsigned)i;
        sum += (double)(points[i] % modulus) / (modulus - 1) * weight;
        most += weight;
        weight *= 0.7;
    }
    return 1 - sum / most;
}

/* The value of a name of the form module`function, read forwards: of what follows the first `. */
static double value_of_head(struct hf_text name)
{
    uint32_t points[3] = {0};
    size_t count = 0;
    size_t mark = hf_text_find(hf_text_from(name, 1), '`') + 1;
    if (mark < name.size)
        name = hf_text_from(name, mark + 1);
    while (name.size != 0 && count < 3)
        points[count++] = take_point(&name);
    return value_by_hash(points, count);
}

/* The same of the name read backwards. */
static double value_of_tail(struct hf_text name)
{
    uint32_t points[3] = {0}; /* points[0] is the last code point */
    size_t count = 0;
    size_t mark = name.size != 0 ? hf_text_find_last(hf_text_first(name, name.size - 1), '`') : 0;
    if (name.size != 0 && mark < name.size - 1)
        name = hf_text_first(name, mark);
    for (; name.size != 0; count++) {
        points[2] = points[1];
        points[1] = points[0];
        points[0] = take_point(&name);
    }
    return value_by_hash(points, count < 3 ? count : 3);
}

struct hf_color hf_palette_color(struct hf_palette *palette, struct hf_text name)
{
    if (hf_text_is(name, "--"))
        return (struct hf_color){160, 160, 160};
    if (hf_text_is(name, "-"))
        return (struct hf_color){200, 200, 200};
    double v[3];
    switch (palette->mode) {
    case HF_PALETTE_BY_HASH:
        v[0] = value_of_head(name);
        v[1] = v[2] = value_of_tail(name);
        break;
    case HF_PALETTE_RANDOM:
        for (size_t i = 0; i < 3; i++) {
            palette->random_state = drand48_next(palette->random_state);
            v[i] = drand48_value(palette->random_state);
        }
        break;
    case HF_PALETTE_BY_SUM:
    default: v[0] = v[1] = v[2] = value_by_sum(name); break;
    }
    const struct hf_palette_kind *kind = palette->kind;
    const struct channel *mix = hues[kind->pick != NULL ? kind->pick(name) : kind->hue];
    uint8_t made[3];
    for (size_t i = 0; i < 3; i++)
        made[i] = (uint8_t)(mix[i].base + (unsigned)(mix[i].spread * v[mix[i].v]));
    return (struct hf_color){made[0], made[1], made[2]};
}

static bool parse_hex_digit(char c, uint8_t *value)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    if (at == NULL)
        return false;
    size_t index = (size_t)(at - digits);
    unsigned digit = (unsigned)(index < 16 ? index : index - 6);
    *value = (uint8_t)(*value * 16u + digit);
    return true;
}

static bool parse_rgb(const char *text, struct hf_color *out_color)
{
    uint8_t channels[3] = {0};
    if (text[0] != '#' || strlen(text) != 7)
        return false;
    for (size_t i = 0; i < 6; i++) {
        if (!parse_hex_digit(text[i + 1], &channels[i / 2]))
            return false;
    }
    *out_color = (struct hf_color){channels[0], channels[1], channels[2]};
    return true;
}

enum hf_status hf_palette_background(const struct hf_palette *palette, const char *bgcolors,
    struct hf_background *out_background, struct hf_error *err)
{
    const char *name = bgcolors != NULL ? bgcolors : palette->kind->background;
    struct hf_color flat;
    if (parse_rgb(name, &flat)) {
        *out_background = (struct hf_background){flat, flat};
        return HF_OK;
    }
    for (size_t i = 0; i < HF_COUNT(backgrounds); i++) {
        if (strcmp(backgrounds[i].name, name) == 0) {
            *out_background = backgrounds[i].colors;
            return HF_OK;
        }
    }
    return hf_error_set(err, HF_ERR_USAGE,
        "there is no background '%.64s'; there are: yellow, blue, green, grey, #rrggbb", name);
}

/* The two are Okabe and Ito's orange (230,159,0) and sky blue (86,180,233), give or take. */
struct hf_color hf_palette_difference(bool is_growth, struct hf_text name)
{
    int shade = (int)(value_by_sum(name) * 40) - 20;
    if (is_growth)
        return (struct hf_color){
            (uint8_t)(232 + shade / 2), (uint8_t)(156 + shade), (uint8_t)(30 + shade)};
    return (struct hf_color){
        (uint8_t)(92 + shade), (uint8_t)(178 + shade), (uint8_t)(233 + shade / 2)};
}

struct hf_color hf_palette_change(bool is_growth, uint64_t size, uint64_t largest)
{
    struct hf_color color = {255, 255, 255};
    if (size == 0)
        return color;
    double share = (double)(largest - size) / (double)largest;
    uint8_t rest = (uint8_t)(210 * share);
    return is_growth ? (struct hf_color){255, rest, rest} : (struct hf_color){rest, rest, 255};
}

/* WCAG 2 relative luminance of one channel, the power 2.4 by a table of its 16ths: exact enough. */
static double linear(uint8_t channel)
{
    static const double at_16th[] = {0.0, 0.00518, 0.01444, 0.02956, 0.05127, 0.08022, 0.11697,
        0.16203, 0.21586, 0.27889, 0.35153, 0.43415, 0.52712, 0.63076, 0.7454, 0.87137, 1.00894};
    unsigned low = channel / 16;
    return at_16th[low] + (at_16th[low + 1] - at_16th[low]) * (channel % 16) / 16;
}

bool hf_color_wants_white_text(struct hf_color color)
{
    double luminance =
        0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
    /* Here black and white contrast alike: sqrt(1.05 * 0.05) - 0.05. */
    return luminance < 0.179;
}
