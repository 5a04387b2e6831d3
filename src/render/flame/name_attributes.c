#include "render/flame/name_attributes.h"

#include "base/containers/vec.h"
#include "base/strings/escape.h"

#include <stdlib.h>

static const char *const keys[] = {
    [HF_ATTRIBUTE_ID] = "id",
    [HF_ATTRIBUTE_CLASS] = "class",
    [HF_ATTRIBUTE_TITLE] = "title",
    [HF_ATTRIBUTE_HREF] = "href",
    [HF_ATTRIBUTE_TARGET] = "target",
    [HF_ATTRIBUTE_G_EXTRA] = "g_extra",
    [HF_ATTRIBUTE_A_EXTRA] = "a_extra",
};

void hf_name_attributes_done(struct hf_name_attributes *attributes)
{
    free(attributes->lines);
    *attributes = (struct hf_name_attributes){0};
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A link without a scheme, or of one that runs nothing. */
static bool is_harmless(struct hf_text link)
{
    static const char *const schemes[] = {"http:", "https:", "file:"};
    for (size_t i = 0; i < HF_COUNT(schemes); i++) {
        if (hf_text_starts(link, schemes[i]))
            return true;
    }
    /* Without a colon there is no scheme, and a path that begins so has none. */
    return hf_text_find(link, ':') == link.size || hf_text_starts(link, "/") ||
           hf_text_starts(link, "./") || hf_text_starts(link, "#") || hf_text_starts(link, "?");
}

/* Takes `name="value"` off the front of `rest`, and the blanks before it. */
static bool name_attributes_take_pair(
    struct hf_text *rest, struct hf_text *out_name, struct hf_text *out_value)
{
    while (rest->size != 0 && rest->data[0] == ' ')
        *rest = hf_text_from(*rest, 1);
    size_t equals = hf_text_find(*rest, '=');
    *out_name = hf_text_first(*rest, equals);
    struct hf_text value = hf_text_from(*rest, equals + 1);
    if (value.size < 2 || (value.data[0] != '"' && value.data[0] != '\''))
        return false;
    size_t end = hf_text_find(hf_text_from(value, 1), value.data[0]);
    if (end + 1 >= value.size)
        return false;
    *out_value = hf_text_first(hf_text_from(value, 1), end);
    *rest = hf_text_from(value, end + 2);
    return true;
}

static bool is_kept(struct hf_text name)
{
    if (hf_text_is(name, "rel") || hf_text_is(name, "role"))
        return true;
    if (!hf_text_starts(name, "data-") && !hf_text_starts(name, "aria-"))
        return false;
    for (size_t i = 0; i < name.size; i++) {
        if (!is_letter(name.data[i]) && name.data[i] != '-')
            return false;
    }
    return !hf_text_is(name, "data-v"); /* our own (flame.h) */
}

static uint64_t name_attributes_count_dropped(struct hf_text extra)
{
    struct hf_text name, value;
    uint64_t dropped = 0;
    while (name_attributes_take_pair(&extra, &name, &value))
        dropped += !is_kept(name);
    return dropped + (extra.size != 0);
}

static void read_pairs(
    struct hf_name_attributes *attributes, struct hf_text rest, struct hf_name_line *line)
{
    while (rest.size != 0) {
        struct hf_text pair = hf_text_first(rest, hf_text_find(rest, '\t'));
        struct hf_text key = hf_text_first(pair, hf_text_find(pair, '='));
        rest = hf_text_from(rest, pair.size + 1);
        size_t i = 0;
        while (i < HF_COUNT(keys) && !hf_text_is(key, keys[i]))
            i++;
        struct hf_text value = hf_text_from(pair, key.size + 1);
        if (i == HF_COUNT(keys) || (i == HF_ATTRIBUTE_HREF && !is_harmless(value)))
            attributes->left_out++;
        else
            line->values[i] = value;
    }
    attributes->left_out += name_attributes_count_dropped(line->values[HF_ATTRIBUTE_G_EXTRA]);
    attributes->left_out += name_attributes_count_dropped(line->values[HF_ATTRIBUTE_A_EXTRA]);
}

/* By name, and of one name by place: the later ones after the earlier ones. */
static int name_attributes_compare_lines(const void *a, const void *b)
{
    const struct hf_name_line *x = a, *y = b;
    int order = hf_text_compare(x->name, y->name);
    return order != 0 ? order : (x->name.data > y->name.data) - (x->name.data < y->name.data);
}

enum hf_status hf_name_attributes_read(
    struct hf_name_attributes *attributes, struct hf_text bytes, struct hf_error *err)
{
    while (bytes.size != 0) {
        struct hf_text text = hf_text_first(bytes, hf_text_find(bytes, '\n'));
        bytes = hf_text_from(bytes, text.size + 1);
        struct hf_name_line line = {.name = hf_text_first(text, hf_text_find(text, '\t'))};
        if (line.name.size == text.size) {
            attributes->left_out += text.size != 0;
            continue;
        }
        read_pairs(attributes, hf_text_from(text, line.name.size + 1), &line);
        if (!hf_vec_reserve(&attributes->lines, &attributes->capacity, attributes->count + 1,
                sizeof *attributes->lines))
            return hf_error_memory(err);
        attributes->lines[attributes->count++] = line;
    }
    if (attributes->count != 0)
        qsort(attributes->lines, attributes->count, sizeof *attributes->lines,
            name_attributes_compare_lines);
    return HF_OK;
}

const struct hf_name_line *hf_name_attributes_find(
    const struct hf_name_attributes *attributes, struct hf_text name)
{
    size_t low = 0, high = attributes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (hf_text_compare(attributes->lines[middle].name, name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct hf_name_line *line = low != 0 ? &attributes->lines[low - 1] : NULL;
    return line != NULL && hf_text_equal(line->name, name) ? line : NULL;
}

static void name_attributes_put_attribute(
    const char *name, struct hf_text value, struct hf_out *out)
{
    if (value.size == 0)
        return;
    hf_out_printf(out, " %s=\"", name);
    hf_escape_xml(out, value);
    hf_out_char(out, '"');
}

/* The attributes that are kept, each name once: twice is no XML. */
static void put_extra(struct hf_text extra, struct hf_out *out)
{
    struct hf_text rest = extra, name, value;
    while (name_attributes_take_pair(&rest, &name, &value)) {
        struct hf_text earlier = extra, other, ignored;
        while (name_attributes_take_pair(&earlier, &other, &ignored) && !hf_text_equal(other, name))
            continue;
        if (!is_kept(name) || other.data != name.data)
            continue;
        hf_out_char(out, ' ');
        hf_out_text(out, name);
        hf_out_string(out, "=\"");
        hf_escape_xml(out, value);
        hf_out_char(out, '"');
    }
}

void hf_name_attributes_put(const struct hf_name_line *line, struct hf_out *out)
{
    name_attributes_put_attribute("id", line->values[HF_ATTRIBUTE_ID], out);
    name_attributes_put_attribute("class", line->values[HF_ATTRIBUTE_CLASS], out);
    put_extra(line->values[HF_ATTRIBUTE_G_EXTRA], out);
}

bool hf_name_attributes_put_link(const struct hf_name_line *line, struct hf_out *out)
{
    if (line->values[HF_ATTRIBUTE_HREF].size == 0)
        return false;
    struct hf_text target = line->values[HF_ATTRIBUTE_TARGET];
    hf_out_string(out, "<a");
    name_attributes_put_attribute("xlink:href", line->values[HF_ATTRIBUTE_HREF], out);
    name_attributes_put_attribute("target", target.size != 0 ? target : HF_TEXT("_top"), out);
    put_extra(line->values[HF_ATTRIBUTE_A_EXTRA], out);
    hf_out_char(out, '>');
    return true;
}
