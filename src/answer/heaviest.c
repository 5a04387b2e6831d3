#include "answer/heaviest.h"

#include "answer/view.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "render/table/rows.h"

#include <stdio.h>

/* What the first row did with which amounts: "%s holds %s of %s objects in use". */
struct heaviest_words {
    const char *type, *verb, *end;
};

static const struct heaviest_words *words_of(struct hf_text type)
{
    static const struct heaviest_words words[] = {
        {"alloc_space", "allocated", ", freed or not"},
        {"alloc_objects", "allocated", ", freed or not"},
        {"", "holds", " in use"},
    };
    size_t i = 0;
    while (words[i].type[0] != '\0' && !hf_text_is(type, words[i].type))
        i++;
    return &words[i];
}

static const char *heaviest_put_amount(uint64_t value, bool is_bytes, char out_text[HF_UNITS_MAX])
{
    return is_bytes ? hf_units_bytes(value, out_text) : hf_units_grouped(value, out_text);
}

static void heaviest_put_row(const struct hf_rows *rows, struct hf_text type,
    struct hf_owners *owners, char out_text[HF_HEAVIEST_MAX])
{
    const struct hf_row *row = &rows->items[0];
    char held[HF_UNITS_MAX], all[HF_UNITS_MAX];
    struct hf_out name = {0};
    hf_escape_terminal(&name, row->name);
    if (row->file.size != 0) {
        hf_out_string(&name, " (");
        hf_escape_terminal(&name, hf_text_basename(row->file));
        hf_out_printf(&name, ":%u)", row->line);
    }
    struct hf_text via = hf_owners_via(owners, row->name);
    if (via.size != 0) {
        hf_out_string(&name, " via ");
        hf_escape_terminal(&name, via);
    }
    const struct heaviest_words *words = words_of(type);
    bool is_bytes = !hf_text_ends(type, "_objects");
    (void)snprintf(out_text, HF_HEAVIEST_MAX, "%.*s %s %s of %s%s%s", (int)name.size, name.data,
        words->verb, heaviest_put_amount(row->flat.value, is_bytes, held),
        heaviest_put_amount(rows->total.value, is_bytes, all),
        is_bytes ? "" : hf_plural(rows->total.value, " object", " objects"), words->end);
    hf_out_done(&name);
}

void hf_heaviest_describe(const struct hf_profile *profile, const struct hf_request_fold *wanted,
    char out_text[HF_HEAVIEST_MAX])
{
    struct hf_view view;
    struct hf_rows rows = {0};
    const struct hf_request request = {.given = profile,
        .fold = {.granularity = HF_BY_LINE,
            .value = wanted->value,
            .owners = HF_OWNERS_END,
            .own = wanted->own,
            .wrapper = wanted->wrapper}};
    out_text[0] = '\0';
    if (hf_view_make(&view, &request, NULL, 0, NULL) == HF_OK) {
        const struct hf_rows_options first = {
            .type = view.type, .only_ranked = true, .max_rows = 1};
        if (hf_rows_init(&rows, view.folded, &first, NULL) == HF_OK && rows.shown != 0)
            heaviest_put_row(&rows,
                hf_profile_text(view.folded, view.folded->types[view.type].name), &view.owners,
                out_text);
        hf_rows_done(&rows);
    }
    hf_view_done(&view);
}
