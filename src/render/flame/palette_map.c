#include "render/flame/palette_map.h"

#include "base/containers/vec.h"
#include "base/strings/num.h"

#include <stdlib.h>

void hf_palette_map_done(struct hf_palette_map *map)
{
    hf_intern_done(&map->names);
    free(map->colors);
    *map = (struct hf_palette_map){0};
}

static enum hf_status id_of(struct hf_palette_map *map, struct hf_text name, uint32_t *out_id,
    bool *out_is_new, struct hf_error *err)
{
    uint32_t count = map->names.count;
    if (!hf_intern_put(&map->names, name.data, name.size, out_id) ||
        !hf_vec_reserve(
            &map->colors, &map->capacity, (size_t)map->names.count + 1, sizeof *map->colors))
        return hf_error_memory(err);
    *out_is_new = map->names.count != count;
    return HF_OK;
}

/* "rgb(1,2,3)" */
static bool parse_color(struct hf_text text, struct hf_color *out_color)
{
    uint8_t *const channels[] = {&out_color->red, &out_color->green, &out_color->blue};
    if (!hf_text_starts(text, "rgb(") || !hf_text_ends(text, ")"))
        return false;
    text = hf_text_from(hf_text_first(text, text.size - 1), 4);
    for (size_t i = 0; i < 3; i++) {
        struct hf_text word = hf_text_first(text, hf_text_find(text, ','));
        uint64_t value;
        if (!hf_num_u64(word, &value) || value > 255 || (i == 2) != (word.size == text.size))
            return false;
        *channels[i] = (uint8_t)value;
        text = hf_text_from(text, word.size + 1);
    }
    return true;
}

/* The last "->" of a line. */
static size_t find_arrow(struct hf_text line)
{
    for (size_t at = line.size; at-- > 1;) {
        if (line.data[at] == '>' && line.data[at - 1] == '-')
            return at - 1;
    }
    return line.size;
}

enum hf_status hf_palette_map_read(
    struct hf_palette_map *map, struct hf_text bytes, struct hf_error *err)
{
    while (bytes.size != 0) {
        struct hf_text line = hf_text_first(bytes, hf_text_find(bytes, '\n'));
        bytes = hf_text_from(bytes, line.size + 1);
        struct hf_color color;
        size_t arrow = find_arrow(line);
        if (arrow == line.size || !parse_color(hf_text_from(line, arrow + 2), &color)) {
            map->left_out++;
            continue;
        }
        uint32_t id;
        bool is_new;
        enum hf_status status = id_of(map, hf_text_first(line, arrow), &id, &is_new, err);
        if (status != HF_OK)
            return status;
        map->colors[id] = color;
    }
    return HF_OK;
}

enum hf_status hf_palette_map_color(struct hf_palette_map *map, struct hf_text name,
    struct hf_color fresh, struct hf_color *out_color, struct hf_error *err)
{
    uint32_t id;
    bool is_new = false;
    enum hf_status status = id_of(map, name, &id, &is_new, err);
    if (status != HF_OK)
        return status;
    if (is_new)
        map->colors[id] = fresh;
    *out_color = map->colors[id];
    return HF_OK;
}

static int compare_names(const void *a, const void *b, void *context)
{
    const struct hf_intern *names = context;
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return hf_text_compare(hf_intern_at(names, x), hf_intern_at(names, y));
}

enum hf_status hf_palette_map_write(
    const struct hf_palette_map *map, struct hf_out *out, struct hf_error *err)
{
    struct hf_intern names = map->names;
    uint32_t *sorted = calloc((size_t)names.count + 1, sizeof *sorted);
    if (sorted == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 0; i < names.count; i++)
        sorted[i] = i;
    qsort_r(sorted, names.count, sizeof *sorted, compare_names, &names);
    for (uint32_t i = 0; i < names.count; i++) {
        const struct hf_color *color = &map->colors[sorted[i]];
        hf_out_text(out, hf_intern_at(&names, sorted[i]));
        hf_out_printf(out, "->rgb(%u,%u,%u)\n", color->red, color->green, color->blue);
    }
    free(sorted);
    return HF_OK;
}
