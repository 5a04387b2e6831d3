#include "analysis/suppressions.h"

#include "base/containers/vec.h"

#include <stdlib.h>

#define BLANKS " \t\r"

static enum hf_status suppressions_add(
    struct hf_suppressions *suppressions, struct hf_text pattern, struct hf_error *err)
{
    char *copy = strndup(pattern.data, pattern.size);
    if (copy == NULL || !hf_vec_reserve(&suppressions->items, &suppressions->capacity,
                            suppressions->count + 1, sizeof *suppressions->items)) {
        free(copy);
        return hf_error_memory(err);
    }
    suppressions->items[suppressions->count++] = (struct hf_suppression){.pattern = copy};
    return HF_OK;
}

enum hf_status hf_suppressions_read(
    struct hf_suppressions *suppressions, struct hf_input *input, struct hf_error *err)
{
    struct hf_text line;
    bool has_line;
    for (;;) {
        enum hf_status status = hf_input_line(input, &line, &has_line, err);
        if (status != HF_OK || !has_line)
            return status;
        line = hf_text_trim_end(hf_text_trim_start(line, BLANKS), BLANKS);
        if (line.size == 0 || line.data[0] == '#')
            continue;
        if (!hf_text_take(&line, "leak:") || line.size == 0) {
            hf_error_set(
                err, HF_ERR_INPUT, "expected 'leak:' and a pattern, or a remark after '#'");
            hf_error_at_line(err, input->name, input->line);
            return HF_ERR_INPUT;
        }
        status = suppressions_add(suppressions, line, err);
        if (status != HF_OK)
            return status;
    }
}

void hf_suppressions_done(struct hf_suppressions *suppressions)
{
    for (size_t i = 0; i < suppressions->count; i++)
        free(suppressions->items[i].pattern);
    free(suppressions->items);
    *suppressions = (struct hf_suppressions){0};
}

/* Each piece between two `*` is taken where it is found first: then there is most left for others.
 */
bool hf_suppression_fits(struct hf_text pattern, struct hf_text text)
{
    bool is_bound = hf_text_take(&pattern, "^");
    while (pattern.size != 0 && !hf_text_is(pattern, "$")) {
        size_t star = hf_text_find(pattern, '*');
        struct hf_text piece = hf_text_first(pattern, star);
        bool is_last = star == pattern.size;
        if (is_last && hf_text_ends(piece, "$")) {
            piece.size--;
            return is_bound ? hf_text_equal(text, piece)
                            : text.size >= piece.size &&
                                  hf_text_equal(hf_text_from(text, text.size - piece.size), piece);
        }
        size_t at = 0;
        while (at + piece.size <= text.size &&
               !hf_text_equal(hf_text_first(hf_text_from(text, at), piece.size), piece))
            at++;
        if (at + piece.size > text.size || (is_bound && at != 0))
            return false;
        text = hf_text_from(text, at + piece.size);
        pattern = hf_text_from(pattern, star + 1);
        is_bound = false;
    }
    return pattern.size == 0 || !is_bound || text.size == 0;
}

static bool fits_frame(
    struct hf_text pattern, const struct hf_profile *profile, const struct hf_frame *frame)
{
    struct hf_text module = hf_profile_text(profile, profile->modules[frame->module].path);
    return (frame->name != HF_NO_STRING &&
               hf_suppression_fits(pattern, hf_profile_text(profile, frame->name))) ||
           (frame->file != HF_NO_STRING &&
               hf_suppression_fits(pattern, hf_profile_text(profile, frame->file))) ||
           (frame->module != HF_NO_MODULE && hf_suppression_fits(pattern, module));
}

const struct hf_suppression *hf_suppressions_find(struct hf_suppressions *suppressions,
    const struct hf_profile *profile, const uint32_t *frames, size_t count)
{
    for (size_t i = 0; i < suppressions->count; i++) {
        struct hf_suppression *suppression = &suppressions->items[i];
        struct hf_text pattern = hf_text_of(suppression->pattern);
        for (size_t f = 0; f < count; f++) {
            if (!fits_frame(pattern, profile, hf_profile_frame_at(profile, frames[f])))
                continue;
            suppression->hits++;
            return suppression;
        }
    }
    return NULL;
}
