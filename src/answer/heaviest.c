#include "answer/heaviest.h"

#include "answer/view.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "live/reader.h"
#include "profile/modules.h"
#include "profile/samples.h"
#include "render/table/rows.h"

#include <stdio.h>
#include <string.h>

#define ROWS_READ 4    /* no more runtimes of one program keep a reserve */
#define OWNERS_SHOWN 3 /* of who mapped what is resident */
#define MALLOC_SHARE 3 /* malloc has three quarters */
#define PEAK_SLACK 4   /* a quarter more than was in use: heads of blocks, holes between them */
#define BESIDE_MALLOC 20
#define BESIDE_MAPPED 4
#define ONLY_RESERVE "only what the C++ runtime keeps for exceptions is in use"

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

/* "gdb+0x1c8f20 (gdb has no debug information)" */
static void heaviest_put_name(
    struct hf_out *name, const struct hf_profile *folded, const struct hf_row *row)
{
    hf_escape_terminal(name, row->name);
    if (row->file.size != 0) {
        hf_out_string(name, " (");
        hf_escape_terminal(name, hf_text_basename(row->file));
        if (row->line != 0)
            hf_out_printf(name, ":%u", row->line);
        hf_out_char(name, ')');
        return;
    }
    if (row->frame >= folded->frames.count)
        return;
    const struct hf_frame *frame = hf_profile_frame_at(folded, row->frame);
    const struct hf_module *module = &folded->modules[frame->module];
    if (frame->name != HF_NO_STRING || frame->module == HF_NO_MODULE ||
        !hf_text_starts(hf_profile_text(folded, module->why_unnamed), HF_WHY_NO_DEBUG))
        return;
    hf_out_string(name, " (");
    hf_escape_terminal(name, hf_text_basename(hf_profile_text(folded, module->path)));
    hf_out_string(name, " has no debug information)");
}

/* "Registry::record (thr.cc:16) via std::string" */
static void heaviest_put_owner(struct hf_out *out, const struct hf_profile *folded,
    const struct hf_row *row, struct hf_owners *owners)
{
    heaviest_put_name(out, folded, row);
    struct hf_text via = hf_owners_via(owners, row->name);
    if (via.size != 0) {
        hf_out_string(out, " via ");
        hf_escape_terminal(out, via);
    }
}

static void heaviest_put_row(const struct hf_rows *rows, const struct hf_row *row,
    const struct hf_profile *folded, struct hf_text type, struct hf_owners *owners,
    char out_text[HF_HEAVIEST_MAX])
{
    char held[HF_UNITS_MAX], all[HF_UNITS_MAX];
    struct hf_out name = {0};
    heaviest_put_owner(&name, folded, row, owners);
    const struct heaviest_words *words = words_of(type);
    bool is_bytes = !hf_text_ends(type, "_objects");
    (void)snprintf(out_text, HF_HEAVIEST_MAX, "%.*s %s %s of %s%s%s", (int)name.size, name.data,
        words->verb, heaviest_put_amount(row->flat.value, is_bytes, held),
        heaviest_put_amount(rows->total.value, is_bytes, all),
        is_bytes ? "" : hf_plural(rows->total.value, " object", " objects"), words->end);
    hf_out_done(&name);
}

/* The first row that a program can do something about; NULL: there is none. */
static const struct hf_row *first_of(
    const struct hf_rows *rows, const struct hf_profile *folded, struct hf_owners *owners)
{
    for (size_t i = 0; i < rows->shown; i++) {
        const struct hf_row *row = &rows->items[i];
        if (row->frame >= folded->frames.count || !hf_owners_is_reserve(owners, folded, row->frame))
            return row;
    }
    return NULL;
}

/* True if there is something, but nothing that a program can do something about. */
static bool heaviest_describe(const struct hf_profile *profile,
    const struct hf_request_fold *wanted, char out_text[HF_HEAVIEST_MAX])
{
    bool is_reserve = false;
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
            .type = view.type, .only_ranked = true, .max_rows = ROWS_READ};
        if (hf_rows_init(&rows, view.folded, &first, NULL) == HF_OK) {
            const struct hf_row *row = first_of(&rows, view.folded, &view.owners);
            is_reserve = row == NULL && rows.shown != 0;
            if (row != NULL)
                heaviest_put_row(&rows, row, view.folded,
                    hf_profile_text(view.folded, view.folded->types[view.type].name), &view.owners,
                    out_text);
        }
        hf_rows_done(&rows);
    }
    hf_view_done(&view);
    return is_reserve;
}

void hf_heaviest_describe(const struct hf_profile *profile, const struct hf_request_fold *wanted,
    char out_text[HF_HEAVIEST_MAX])
{
    (void)heaviest_describe(profile, wanted, out_text);
}

static void heaviest_put_time(struct hf_out *line, uint64_t ms)
{
    if (ms < 100)
        hf_out_printf(line, "%u ms", (unsigned)ms);
    else
        hf_out_printf(line, "%.1f s", (double)ms / 1000);
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
    if (heaviest_describe(profile, wanted, now))
        (void)snprintf(now, sizeof now, ONLY_RESERVE);
    memcpy(out_text, now, sizeof now);
    if (!peak_matters(profile, wanted))
        return;
    hf_heaviest_describe(profile, &at_peak, then);
    struct hf_out line = {0};
    hf_out_printf(&line, "peaked at %s after ", hf_units_bytes(profile->capture.peak_bytes, peak));
    heaviest_put_time(&line, profile->capture.peak_after_ms);
    hf_out_printf(&line, ": %s; at the end ", then);
    hf_out_string(&line, now[0] != '\0' ? now : "0 B are in use");
    if (then[0] != '\0' && line.size < HF_HEAVIEST_MAX)
        (void)snprintf(out_text, HF_HEAVIEST_MAX, "%.*s", (int)line.size, line.data);
    hf_out_done(&line);
}

/* The part that a row is, HF_LIVE_PART_MAPPED: an owner. */
static enum hf_live_part heaviest_part_of(const struct hf_row *row)
{
    for (enum hf_live_part part = 0; part < HF_LIVE_PARTS; part++) {
        const char *name = hf_live_part_name(part);
        if (name != NULL && hf_text_is(row->name, name))
            return part;
    }
    return HF_LIVE_PART_MAPPED;
}

static void heaviest_put_part(struct hf_out *line, const char *what, uint64_t bytes)
{
    char text[HF_UNITS_MAX];
    hf_out_printf(line, "%s%s %s", line->size != 0 ? ", " : "", what, hf_units_bytes(bytes, text));
}

/* "[heap of V8]": the memory of a runtime (spec/owner_rules.h). */
static bool is_of_no_function(const struct hf_row *row)
{
    return row->name.size > 2 && row->name.data[0] == '[' &&
           heaviest_part_of(row) == HF_LIVE_PART_MAPPED;
}

static void heaviest_put_owners(struct hf_out *line, const struct hf_rows *rows,
    const struct hf_profile *folded, struct hf_owners *owners)
{
    uint64_t others = 0;
    size_t count = 0;
    for (size_t i = 0; i < rows->shown; i++) {
        const struct hf_row *row = &rows->items[i];
        struct hf_out name = {0};
        if (heaviest_part_of(row) != HF_LIVE_PART_MAPPED || is_of_no_function(row))
            continue;
        if (++count > OWNERS_SHOWN) {
            others += row->flat.value;
            continue;
        }
        hf_out_string(&name, "mapped by ");
        heaviest_put_owner(&name, folded, row, owners);
        hf_out_char(&name, '\0');
        heaviest_put_part(line, name.data, row->flat.value);
        hf_out_done(&name);
    }
    char what[64];
    (void)snprintf(what, sizeof what, "by %zu %s", count - OWNERS_SHOWN,
        hf_plural(count - OWNERS_SHOWN, "other", "others"));
    if (count > OWNERS_SHOWN)
        heaviest_put_part(line, what, others);
}

/* Without the brackets that it has among functions. */
static void heaviest_put_parts(struct hf_out *line, const struct hf_rows *rows)
{
    for (size_t i = 0; i < rows->shown; i++) {
        const struct hf_row *row = &rows->items[i];
        const char *name = hf_live_part_name(heaviest_part_of(row));
        struct hf_text part = name != NULL ? hf_text_of(name) : row->name;
        struct hf_out what = {0};
        if (name == NULL && !is_of_no_function(row))
            continue;
        hf_escape_terminal(&what, hf_text_from(hf_text_first(part, part.size - 1), 1));
        hf_out_char(&what, '\0');
        heaviest_put_part(line, what.data, row->flat.value);
        hf_out_done(&what);
    }
}

/*
 * True if the peak says why so much is resident: nearly all of what is of no file lies with malloc,
 * which keeps about as much as was once in use.
 */
static bool is_left_of_peak(const struct hf_profile *profile, const struct hf_rows *rows)
{
    uint64_t malloc_bytes = 0, other_bytes = 0;
    for (size_t i = 0; i < rows->shown; i++) {
        uint64_t bytes = rows->items[i].flat.value;
        switch (heaviest_part_of(&rows->items[i])) {
        case HF_LIVE_PART_IN_USE:
        case HF_LIVE_PART_FREE: malloc_bytes += bytes; break;
        case HF_LIVE_PART_FILES:
        case HF_LIVE_PART_SHARED: break;
        default: other_bytes += bytes; break;
        }
    }
    return malloc_bytes / MALLOC_SHARE >= other_bytes &&
           malloc_bytes <= profile->capture.peak_bytes + profile->capture.peak_bytes / PEAK_SLACK;
}

/*
 * True if malloc is no answer to what is resident: it never had a twentieth of that in use, or
 * half of what is of no file was mapped by owners, of which malloc never had a quarter.
 */
static bool is_beside_malloc(const struct hf_profile *profile, const struct hf_rows *rows)
{
    uint64_t resident = rows->total.value, peak = profile->capture.peak_bytes;
    uint64_t mapped = 0, files = 0;
    for (size_t i = 0; i < rows->shown; i++) {
        enum hf_live_part part = heaviest_part_of(&rows->items[i]);
        if (part == HF_LIVE_PART_MAPPED)
            mapped += rows->items[i].flat.value;
        else if (part == HF_LIVE_PART_FILES)
            files += rows->items[i].flat.value;
    }
    return resident / BESIDE_MALLOC > peak ||
           (mapped >= (resident - files) / 2 && mapped / BESIDE_MAPPED >= peak);
}

void hf_heaviest_describe_resident(const struct hf_profile *profile,
    const struct hf_request_fold *wanted, char out_text[HF_HEAVIEST_MAX], bool *out_is_all)
{
    struct hf_view view;
    struct hf_rows rows = {0};
    char total[HF_UNITS_MAX];
    size_t type;
    const struct hf_request request = {.given = profile,
        .fold = {.granularity = HF_BY_LINE,
            .value = HF_RESIDENT_SPACE,
            .owners = HF_OWNERS_END,
            .own = wanted->own,
            .wrapper = wanted->wrapper}};
    out_text[0] = '\0';
    *out_is_all = false;
    if (!hf_profile_find_type(profile, HF_TEXT(HF_RESIDENT_SPACE), &type))
        return;
    if (hf_view_make(&view, &request, NULL, 0, NULL) == HF_OK) {
        const struct hf_rows_options all = {.type = view.type, .only_ranked = true};
        struct hf_out line = {0};
        if (hf_rows_init(&rows, view.folded, &all, NULL) == HF_OK && rows.shown != 0 &&
            !is_left_of_peak(profile, &rows)) {
            heaviest_put_owners(&line, &rows, view.folded, &view.owners);
            heaviest_put_parts(&line, &rows);
            (void)snprintf(out_text, HF_HEAVIEST_MAX, "resident %s: %.*s",
                hf_units_bytes(rows.total.value, total), (int)line.size, line.data);
            *out_is_all = is_beside_malloc(profile, &rows);
        }
        hf_out_done(&line);
        hf_rows_done(&rows);
    }
    hf_view_done(&view);
}
