#include "render/flame/flame_groups.h"

#include "base/budget.h"
#include "render/flame/flame_layout.h"

#include <stdlib.h>
#include <string.h>

#define OTHER HF_FLAME_GROUPS

/* OKLCH: lightness .85 and .82, chroma .08; dark .40 and .43, .07. The hues are far apart. */
static const struct shades {
    struct hf_color light[2], dark[2];
} shades[HF_FLAME_GROUPS + 1] = {
    {{{169, 210, 254}, {157, 201, 247}}, {{40, 74, 108}, {48, 82, 117}}}, /* 250 degrees */
    {{{235, 199, 151}, {227, 189, 138}}, {{94, 66, 22}, {102, 74, 31}}},  /* 75 */
    {{{171, 220, 180}, {159, 211, 169}}, {{41, 82, 51}, {50, 91, 59}}},   /* 150 */
    {{{221, 193, 243}, {212, 182, 235}}, {{83, 61, 100}, {92, 69, 109}}}, /* 310 */
    {{{251, 187, 186}, {244, 176, 175}}, {{104, 55, 56}, {113, 63, 64}}}, /* 20 */
    {{{146, 222, 221}, {131, 213, 212}}, {{0, 83, 83}, {11, 92, 92}}},    /* 195 */
    {{{204, 212, 156}, {194, 203, 143}}, {{71, 76, 28}, {79, 84, 36}}},   /* 115 */
    {{{243, 187, 217}, {235, 176, 208}}, {{98, 56, 80}, {107, 64, 89}}},  /* 345 */
    {{{213, 216, 219}, {207, 209, 213}}, {{59, 61, 65}, {66, 69, 73}}},   /* grey: other */
};

/* From blue to orange; the further from "the same", the deeper. */
static const struct {
    struct hf_color light, dark;
} changes[HF_FLAME_CHANGES] = {
    [HF_FLAME_GONE] = {{88, 165, 228}, {15, 104, 162}},
    [HF_FLAME_HALF] = {{139, 198, 239}, {22, 88, 127}},
    [HF_FLAME_LESS] = {{194, 224, 242}, {41, 73, 92}},
    [HF_FLAME_SAME] = {{227, 229, 231}, {59, 61, 66}},
    [HF_FLAME_MORE] = {{242, 218, 186}, {92, 66, 33}},
    [HF_FLAME_TWICE] = {{245, 186, 129}, {122, 76, 24}},
    [HF_FLAME_NEW] = {{247, 144, 75}, {165, 81, 21}},
};

static bool flame_groups_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static struct hf_text first_word(struct hf_text text)
{
    size_t size = 0;
    while (size < text.size && flame_groups_is_word(text.data[size]))
        size++;
    return hf_text_first(text, size);
}

/* The word before the first "::" that no bracket encloses, but those a Rust path begins with. */
static struct hf_text namespace_of(struct hf_text label)
{
    size_t start = 0;
    while (start < label.size && (label.data[start] == '<' || label.data[start] == '&'))
        start++;
    for (size_t at = start, depth = 0; at + 1 < label.size; at++) {
        char c = label.data[at];
        if (depth == 0 && c == ':' && label.data[at + 1] == ':') {
            struct hf_text word = first_word(hf_text_from(label, start));
            return word.size == at - start ? word : HF_TEXT("");
        }
        if (c == '<' || c == '(' || c == '[')
            depth++;
        else if ((c == '>' || c == ')' || c == ']') && depth != 0)
            depth--;
        else if (c == ' ' && depth == 0)
            start = at + 1; /* what stood there is a type */
    }
    return HF_TEXT("");
}

/* Of Go: what stands before the first dot behind the last slash. */
static struct hf_text go_package_of(struct hf_text label)
{
    struct hf_text path = hf_text_first(label, hf_text_find(label, '('));
    size_t slash = hf_text_find_last(path, '/');
    size_t from = slash < path.size ? slash + 1 : 0;
    size_t dot = from + hf_text_find(hf_text_from(path, from), '.');
    return dot < path.size ? hf_text_first(path, dot) : HF_TEXT("");
}

/* "json" of "json.decoder.decode": words and dots alone. */
static struct hf_text python_package_of(struct hf_text label)
{
    struct hf_text first = first_word(label);
    if (first.size == 0 || first.size + 1 >= label.size || label.data[first.size] != '.' ||
        (first.data[0] >= '0' && first.data[0] <= '9'))
        return HF_TEXT("");
    for (size_t i = first.size; i < label.size; i++) {
        if (!flame_groups_is_word(label.data[i]) && memchr(".<>", label.data[i], 3) == NULL)
            return HF_TEXT("");
    }
    return first;
}

struct hf_text hf_flame_group_of(struct hf_text label, const struct hf_probe_site *place)
{
    if (hf_text_ends(label, "_[k]"))
        return HF_TEXT("kernel");
    if (hf_text_ends(label, "_[j]"))
        return HF_TEXT("made at run time");
    if (label.size > 2 && label.data[0] == '[' && label.data[label.size - 1] == ']')
        return hf_text_first(hf_text_from(label, 1), label.size - 2);
    bool is_go = hf_text_ends(place->file, ".go");
    struct hf_text found = is_go ? go_package_of(label) : namespace_of(label);
    if (found.size == 0)
        found = python_package_of(label);
    return found.size != 0 ? found : hf_text_basename(place->module);
}

static struct hf_text flame_groups_find(struct hf_flame_groups *groups, struct hf_text label)
{
    struct hf_probe_site place = {0};
    struct hf_error ignored;
    if (groups->places != NULL && hf_places_find(groups->places, label, &place, &ignored) != HF_OK)
        groups->has_failed = true;
    return hf_flame_group_of(label, &place);
}

struct flame_group {
    double area;
    uint32_t id;
};

static int compare_groups(const void *a, const void *b)
{
    const struct flame_group *x = a, *y = b;
    return x->area != y->area ? (x->area < y->area) - (x->area > y->area)
                              : (x->id > y->id) - (x->id < y->id);
}

/* The area that each group's boxes have; ids in the order of labels, so that it is always the same.
 */
static bool add_areas(struct hf_flame_groups *groups, const struct hf_flame_tree *tree,
    const struct hf_flame_layout *layout, const struct hf_profile *folded, uint32_t *of_frame,
    struct flame_group *areas)
{
    for (size_t i = 0; i < folded->frames.count; i++) {
        uint32_t frame = tree->order.frames[i];
        struct hf_text name = flame_groups_find(groups, hf_order_label(&tree->order, frame));
        if (!hf_intern_put(&groups->names, name.data, name.size, &of_frame[frame]))
            return false;
        areas[of_frame[frame]].id = of_frame[frame];
    }
    for (size_t i = 1; i < tree->count; i++) {
        if (layout->drawn[i] == HF_FLAME_NOT_DRAWN ||
            !hf_flame_rows_has(&layout->rows, tree->depth[i]))
            continue;
        areas[of_frame[tree->nodes[i].frame]].area += (double)hf_flame_tree_width(tree, i);
    }
    return !groups->has_failed;
}

enum hf_status hf_flame_groups_init(struct hf_flame_groups *out_groups,
    const struct hf_flame_tree *tree, const struct hf_flame_layout *layout,
    const struct hf_profile *folded, struct hf_places *places, struct hf_error *err)
{
    struct hf_flame_groups *groups = out_groups;
    *groups = (struct hf_flame_groups){.places = places};
    uint32_t none;
    uint32_t *of_frame = hf_budget_calloc(folded->frames.count + 1, sizeof *of_frame);
    struct flame_group *areas = hf_budget_calloc(folded->frames.count + 1, sizeof *areas);
    bool is_done = of_frame != NULL && areas != NULL &&
                   hf_intern_put(&groups->names, "", 0, &none) &&
                   add_areas(groups, tree, layout, folded, of_frame, areas);
    if (is_done) {
        areas[0].id = 0;
        groups->has_other = areas[0].area > 0;
        qsort(areas, groups->names.count, sizeof *areas, compare_groups);
        for (uint32_t i = 0; i < groups->names.count && areas[i].area > 0; i++) {
            if (areas[i].id == 0)
                continue;
            if (groups->count < HF_FLAME_GROUPS)
                groups->shown[groups->count++] = areas[i].id;
            else
                groups->has_other = true;
        }
    }
    hf_budget_free(of_frame);
    hf_budget_free(areas);
    return is_done ? HF_OK : hf_error_memory(err);
}

void hf_flame_groups_done(struct hf_flame_groups *groups)
{
    hf_intern_done(&groups->names);
    *groups = (struct hf_flame_groups){0};
}

/* The same in every run, unlike hf_hash_bytes: colours are output. */
static unsigned spread_of(struct hf_text label)
{
    unsigned sum = 0;
    for (size_t i = 0; i < label.size; i++)
        sum = sum * 31 + (unsigned char)label.data[i];
    return sum ^ sum >> 15;
}

struct hf_color hf_flame_groups_color(struct hf_flame_groups *groups, struct hf_text label)
{
    unsigned spread = spread_of(label);
    unsigned shade = spread & 1;
    if (label.size == 0) /* the root */
        return shades[OTHER].light[0];
    if (groups->count == 0)
        return shades[spread >> 1 & (HF_FLAME_GROUPS - 1)].light[shade];
    struct hf_text name = flame_groups_find(groups, label);
    for (size_t i = 0; i < groups->count; i++) {
        if (hf_text_equal(hf_intern_at(&groups->names, groups->shown[i]), name))
            return shades[i].light[shade];
    }
    return shades[OTHER].light[shade];
}

struct hf_color hf_flame_groups_swatch(size_t place)
{
    return shades[place].light[0];
}

enum hf_flame_change hf_flame_change_of(uint64_t before, uint64_t after)
{
    double was = (double)before, is = (double)after;
    if (before == 0)
        return after == 0 ? HF_FLAME_SAME : HF_FLAME_NEW;
    if (after == 0)
        return HF_FLAME_GONE;
    if (is >= 2 * was)
        return HF_FLAME_TWICE;
    if (is > 1.02 * was)
        return HF_FLAME_MORE;
    if (is >= 0.98 * was)
        return HF_FLAME_SAME;
    return 2 * is > was ? HF_FLAME_LESS : HF_FLAME_HALF;
}

struct hf_color hf_flame_change_color(enum hf_flame_change change)
{
    return changes[change].light;
}

static void put_dark(struct hf_out *out, struct hf_color light, struct hf_color dark)
{
    hf_out_printf(out,
        "[fill=\"rgb(%u,%u,%u)\"]{fill:#%02x%02x%02x}[stroke=\"rgb(%u,%u,%u)\"]{stroke:#%02x%02x%"
        "02x}\n",
        light.red, light.green, light.blue, dark.red, dark.green, dark.blue, light.red, light.green,
        light.blue, dark.red, dark.green, dark.blue);
}

void hf_flame_put_dark_colors(struct hf_out *out)
{
    for (size_t i = 0; i < HF_COUNT(shades); i++) {
        put_dark(out, shades[i].light[0], shades[i].dark[0]);
        put_dark(out, shades[i].light[1], shades[i].dark[1]);
    }
    for (size_t i = 0; i < HF_COUNT(changes); i++)
        put_dark(out, changes[i].light, changes[i].dark);
}
