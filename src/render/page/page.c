#include "render/page/page.h"

#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "render/embedded.h"
#include "render/page/page_code.h"
#include "render/page/page_data.h"
#include "render/page/page_sources.h"
#include "render/page/page_trend.h"
#include "render/table/suspects_json.h"

#include <inttypes.h>

/* What the browser shows while the page is not read yet; then the page says what it is of. */
static struct hf_text title_of(const struct hf_page_options *o)
{
    return o->title != NULL ? hf_text_of(o->title) : HF_TEXT("heapflame");
}

static void page_put_string(struct hf_out *out, const char *name, struct hf_text text)
{
    hf_out_printf(out, "\"%s\":\"", name);
    hf_escape_json(out, text);
    hf_out_char(out, '"');
}

/* What values of a type are shown as. */
static struct hf_text page_unit(
    const struct hf_profile *folded, const struct hf_page_options *o, size_t type)
{
    return type == o->type && o->count_name != NULL
               ? hf_text_of(o->count_name)
               : hf_profile_text(folded, folded->types[type].unit);
}

static void put_amount(const struct hf_profile *folded, const struct hf_page_options *o,
    uint64_t value, struct hf_out *out)
{
    struct hf_text unit = page_unit(folded, o, o->type);
    char shown[HF_UNITS_MAX];
    hf_out_string(out,
        hf_text_is(unit, "bytes") ? hf_units_bytes(value, shown) : hf_units_grouped(value, shown));
}

static void page_put_subtitle(
    const struct hf_profile *folded, const struct hf_page_options *o, struct hf_out *out)
{
    struct hf_out text = {0};
    if (o->subtitle != NULL) {
        hf_out_string(&text, o->subtitle);
    } else if (o->has_totals && (o->series == NULL || o->series->count == 2)) {
        struct hf_total sums = hf_profile_total(folded, o->type, HF_THREAD_ALL);
        const struct {
            const char *before;
            uint64_t value;
        } parts[] = {
            {"A ", o->base_total},
            {" \xe2\x86\x92 B ", o->current_total},
            {": grew ", sums.value},
            {", released ", sums.released},
        };
        for (size_t i = 0; i < HF_COUNT(parts); i++) {
            hf_out_string(&text, parts[i].before);
            put_amount(folded, o, parts[i].value, &text);
        }
    }
    page_put_string(out, "subtitle", hf_out_view(&text));
    hf_out_done(&text);
}

static size_t index_of(const struct hf_page_data *data, uint32_t node)
{
    size_t index = 0;
    while (index + 1 < data->trie.node_count && data->trie.preorder[index] != node)
        index++;
    return index;
}

/* What to look at first; the page shows the stack that ends at `node`. */
static enum hf_status page_put_suspects(const struct hf_page_data *data,
    const struct hf_page_options *o, size_t type, struct hf_out *out, struct hf_error *err)
{
    struct hf_suspects suspects;
    size_t points = data->series != NULL ? data->series->count : 0;
    const struct hf_suspects_options how = {
        .type = type, .series = data->series, .owners = o->owners};
    enum hf_status status = hf_suspects_find(&suspects, data->folded, &how, err);
    hf_out_string(out, "\"suspects\":[");
    for (size_t i = 0; status == HF_OK && i < suspects.count; i++) {
        hf_out_string(out, i == 0 ? "" : ",");
        hf_suspect_json(&suspects.items[i], points, out);
        hf_out_printf(out, ",\"node\":%zu}", index_of(data, suspects.items[i].node));
    }
    hf_out_char(out, ']');
    hf_suspects_done(&suspects);
    return status;
}

static void page_put_points(const struct hf_series *series, struct hf_out *out)
{
    hf_out_string(out, "\"points\":[");
    for (size_t i = 0; series != NULL && i < series->count; i++) {
        hf_out_string(out, i == 0 ? "{" : ",{");
        page_put_string(out, "name", hf_text_basename(hf_text_of(series->points[i].name)));
        hf_out_printf(out, ",\"time\":%" PRId64 "}", series->points[i].time_s);
    }
    hf_out_string(out, "],");
}

/* Without the first, which is none. */
static void put_texts(struct hf_out *out, const char *name, const struct hf_intern *texts)
{
    hf_out_printf(out, "\"%s\":[", name);
    for (uint32_t i = 1; i < texts->count; i++) {
        hf_out_string(out, i == 1 ? "\"" : ",\"");
        hf_escape_json(out, hf_intern_at(texts, i));
        hf_out_char(out, '"');
    }
    hf_out_string(out, "],");
}

static void page_put_threads(const struct hf_page_data *data, struct hf_out *out)
{
    hf_out_string(out, "\"threads\":[");
    for (size_t i = 0; i < data->threads.count; i++) {
        const struct hf_thread *thread = &data->folded->threads[data->threads.items[i].thread];
        hf_out_printf(out, "%s{\"uid\":\"%" PRIu64 "\",", i == 0 ? "" : ",", thread->uid);
        page_put_string(out, "name", hf_profile_text(data->folded, thread->name));
        hf_out_char(out, '}');
    }
    hf_out_printf(out, "],\"threadsLeftOut\":%zu,", data->threads.left_out);
}

/* struct Head of web/src/profile.ts */
static enum hf_status page_put_head(const struct hf_page_data *data,
    const struct hf_page_options *o, struct hf_out *out, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_profile *folded = data->folded;
    hf_out_string(out, "{\"version\":1,\"isPacked\":true,");
    page_put_string(out, "title", o->title != NULL ? hf_text_of(o->title) : HF_TEXT(""));
    hf_out_char(out, ',');
    page_put_subtitle(folded, o, out);
    hf_out_char(out, ',');
    hf_out_printf(out, "\"process\":%u,", folded->capture.process_id);
    page_put_string(out, "command", hf_profile_text(folded, folded->capture.command));
    hf_out_char(out, ',');
    page_put_string(out, "program", hf_profile_text(folded, folded->capture.program));
    hf_out_printf(out, ",\"began\":%" PRIu64 ",", folded->capture.began_ms);
    page_put_string(out, "view", hf_text_of(o->view));
    hf_out_char(out, ',');
    page_put_points(data->series, out);
    if (o->growth != NULL) {
        hf_out_string(out, "\"trend\":");
        status = hf_page_trend(o->growth, data, out, err);
        hf_out_char(out, ',');
    }
    put_texts(out, "modules", &data->modules);
    put_texts(out, "files", &data->files);
    page_put_threads(data, out);
    hf_out_string(out, data->owners != NULL ? "\"hasOwners\":true," : "");
    hf_out_printf(out, "\"dropsReleased\":%s,\"types\":[", o->drops_released ? "true" : "false");
    for (size_t i = 0; status == HF_OK && i < folded->type_count; i++) {
        hf_out_string(out, i == 0 ? "{" : ",{");
        page_put_string(out, "name", hf_profile_text(folded, folded->types[i].name));
        hf_out_char(out, ',');
        page_put_string(out, "unit", page_unit(folded, o, i));
        hf_out_char(out, ',');
        status = page_put_suspects(data, o, i, out, err);
        hf_out_char(out, '}');
    }
    hf_out_printf(out, "],\"period\":%" PRIu64 ",\"sources\":[", folded->capture.period_bytes);
    for (size_t i = 0; i < o->source_count; i++) {
        hf_out_string(out, i == 0 ? "\"" : ",\"");
        hf_escape_json(out, hf_text_basename(hf_text_of(o->sources[i])));
        hf_out_char(out, '"');
    }
    hf_out_printf(out, "],\"type\":%zu,\"isDifference\":%s,\"names\":%u,\"nodes\":%zu,\"notes\":[",
        o->type, folded->is_difference ? "true" : "false", data->trie.name_count,
        data->trie.node_count);
    for (size_t i = 0; i < folded->notes.count; i++) {
        hf_out_string(out, i == 0 ? "\"" : ",\"");
        hf_escape_json(out, hf_text_of(folded->notes.items[i].text));
        hf_out_char(out, '"');
    }
    hf_out_string(out, "]}");
    return status;
}

struct page_columns {
    const struct hf_page_data *data;
    struct hf_palette *palette;
};

static void page_put_columns(void *context, struct hf_out *out)
{
    const struct page_columns *columns = context;
    hf_page_data_write(columns->data, columns->palette, out);
}

/* Writes the viewer up to `mark`, and takes both off the front of `rest`. */
static void put_until(struct hf_text *rest, const char *mark, struct hf_out *out)
{
    const char *at = memmem(rest->data, rest->size, mark, strlen(mark));
    size_t size = at != NULL ? (size_t)(at - rest->data) : rest->size;
    hf_out_text(out, hf_text_first(*rest, size));
    *rest = hf_text_from(*rest, size + (at != NULL ? strlen(mark) : 0));
}

static void page_put_source(void *context, struct hf_out *out)
{
    hf_out_text(out, *(const struct hf_text *)context);
}

/* All of the page behind its first mark. */
static enum hf_status page_put_all(const struct hf_page_data *data,
    const struct hf_page_options *options, struct hf_palette *palette, struct hf_text source,
    struct hf_text *rest, struct hf_out *out, struct hf_error *err)
{
    hf_escape_xml(out, title_of(options));
    put_until(rest, "@HEAD@", out);
    enum hf_status status = page_put_head(data, options, out, err);
    put_until(rest, "@DATA@", out);
    if (status == HF_OK)
        status =
            hf_trie_data_pack(page_put_columns, &(struct page_columns){data, palette}, out, err);
    put_until(rest, "@SOURCE@", out);
    if (status == HF_OK && source.size != 0)
        status = hf_trie_data_pack(page_put_source, &source, out, err);
    hf_out_text(out, *rest);
    return status;
}

/* As web/src/source.ts reads it; nothing if there is neither. */
static void page_put_both(struct hf_out *source, struct hf_text files, struct hf_text functions)
{
    if (files.size == 0 && functions.size == 0)
        return;
    hf_out_string(source, "{\"files\":");
    hf_out_text(source, files.size != 0 ? files : HF_TEXT("[]"));
    hf_out_string(source, ",\"functions\":");
    hf_out_text(source, functions.size != 0 ? functions : HF_TEXT("[]"));
    hf_out_char(source, '}');
}

static enum hf_status page_find_source(const struct hf_page_data *data,
    const struct hf_page_options *o, struct hf_out *source, struct hf_error *err)
{
    struct hf_notes ignored = {0};
    struct hf_notes *notes = o->notes != NULL ? o->notes : &ignored;
    struct hf_out files = {0}, functions = {0};
    const struct hf_page_code_options code = {
        .by_address = o->by_address,
        .places =
            o->source_places != HF_PAGE_SOURCES_UNASKED ? o->source_places : HF_PAGE_SOURCE_PLACES,
        .symbols = o->symbols,
        .shown = data->folded,
        .type = o->type,
        .trie = &data->trie,
        .owners = data->owners,
    };
    const struct hf_page_sources_options how = {
        .by_line = o->by_line,
        .places = o->source_places,
        .folders = o->source_folders,
        .folder_count = o->source_folder_count,
        .shown = data->folded,
        .type = o->type,
        .trie = &data->trie,
        .owners = data->owners,
    };
    enum hf_status status = hf_page_sources(&how, notes, &files, err);
    if (status == HF_OK)
        status = hf_page_code(&code, notes, &functions, err);
    if (status == HF_OK)
        status = hf_out_finish(&files, err);
    if (status == HF_OK)
        status = hf_out_finish(&functions, err);
    page_put_both(source, hf_out_view(&files), hf_out_view(&functions));
    hf_out_done(&files);
    hf_out_done(&functions);
    hf_notes_done(&ignored);
    return status == HF_OK ? hf_out_finish(source, err) : status;
}

struct hf_text hf_page_policy(void)
{
    struct hf_text viewer = {hf_viewer, hf_viewer_size};
    struct hf_text rest =
        hf_text_from(viewer, hf_text_find_string(viewer, "\"Content-Security-Policy\""));
    rest = hf_text_from(rest, hf_text_find_string(rest, "default-src"));
    return hf_text_first(rest, hf_text_find(rest, '"'));
}

enum hf_status hf_page_html(const struct hf_profile *folded, const struct hf_page_options *options,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_palette palette;
    struct hf_page_data data;
    struct hf_out source = {0};
    struct hf_text rest = {hf_viewer, hf_viewer_size};
    enum hf_status status = hf_palette_init(&palette, options->colors, options->color_mode, err);
    if (status != HF_OK)
        return status;
    status = hf_page_data_init(&data, folded, options->series, options->places, err);
    if (status == HF_OK)
        status = hf_page_owners_find(
            options->owners, folded, &data.trie, options->type, &data.owners, err);
    if (status == HF_OK)
        status = page_find_source(&data, options, &source, err);
    if (status == HF_OK) {
        put_until(&rest, "@TITLE@", out);
        status = page_put_all(&data, options, &palette, hf_out_view(&source), &rest, out, err);
    }
    hf_out_done(&source);
    hf_page_data_done(&data);
    return status;
}
