#include "answer/heaviest.h"

#include "answer/view.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "profile/samples.h"
#include "render/table/rows.h"

#include <stdio.h>
#include <string.h>

/* What the first row did with which amounts: "%s holds %s of %s objects in use". */
struct heaviest_words {
    const char *type, *verb, *end;
};

static const struct heaviest_words *words_of(struct hf_text type)
{
    static const struct heaviest_words words[] = {
        {"alloc_space", "allocated", ", freed or not"},
        {"alloc_objects", "allocated", ", freed or not"},
        {HF_PEAK_SPACE, "held", ""},
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

/* True if less than half of the peak is in use at the end. */
static bool peak_matters(const struct hf_profile *profile, const struct hf_request_fold *wanted)
{
    size_t type, peak;
    if (!hf_profile_find_type(profile, HF_TEXT("inuse_space"), &type) ||
        !hf_profile_find_type(profile, HF_TEXT(HF_PEAK_SPACE), &peak) ||
        (wanted->value != NULL && strcmp(wanted->value, "inuse_space") != 0))
        return false;
    uint64_t in_use = hf_profile_total(profile, type, HF_THREAD_ALL).value;
    return in_use < profile->capture.peak_bytes / 2;
}

void hf_heaviest_describe_ended(const struct hf_profile *profile,
    const struct hf_request_fold *wanted, char out_text[HF_HEAVIEST_MAX])
{
    char then[HF_HEAVIEST_MAX], now[HF_HEAVIEST_MAX], peak[HF_UNITS_MAX];
    struct hf_request_fold at_peak = *wanted;
    at_peak.value = HF_PEAK_SPACE;
    hf_heaviest_describe(profile, wanted, now);
    memcpy(out_text, now, sizeof now);
    if (!peak_matters(profile, wanted))
        return;
    hf_heaviest_describe(profile, &at_peak, then);
    struct hf_out line = {0};
    hf_out_printf(&line, "peaked at %s after %.1f s: %s; at the end ",
        hf_units_bytes(profile->capture.peak_bytes, peak),
        (double)profile->capture.peak_after_ms / 1000, then);
    hf_out_string(&line, now[0] != '\0' ? now : "0 B are in use");
    if (then[0] != '\0' && line.size < HF_HEAVIEST_MAX)
        (void)snprintf(out_text, HF_HEAVIEST_MAX, "%.*s", (int)line.size, line.data);
    hf_out_done(&line);
}
