#include "cli/report.h"

#include "answer/history/process_history.h"
#include "answer/names.h"
#include "answer/operand.h"
#include "base/strings/escape.h"
#include "base/strings/num.h"
#include "formats/folded/folded.h"
#include "formats/writers.h"
#include "os/process/process.h"
#include "profile/samples.h"
#include "render/graph/graph.h"
#include "render/page/page.h"
#include "render/table/listing.h"
#include "render/table/top.h"

#include <stdlib.h>
#include <unistd.h>

bool hf_report_ends(const char *path, const char *ending)
{
    return path != NULL && hf_text_ends(hf_text_of(path), ending);
}

void hf_report_defaults(void *options)
{
    struct hf_graph_limits *limits = &((struct hf_report_options *)options)->limits;
    struct hf_graph_options graph = hf_graph_defaults();
    limits->node_count = graph.node_count;
    limits->max_degree = graph.max_degree;
    limits->node_fraction = graph.node_fraction;
    limits->edge_fraction = graph.edge_fraction;
}

/* Writes a view; what differs between the reports. */
typedef enum hf_status (*write_fn)(struct hf_view *view, const struct hf_report_options *options,
    struct hf_out *out, struct hf_error *err);

static enum hf_status report_write_folded(struct hf_view *view,
    const struct hf_report_options *options, struct hf_out *out, struct hf_error *err);

/* The report, and what weighs most of what there is to say of it, as one line. */
static enum hf_status write_screen(struct hf_view *view, const struct hf_report_options *options,
    write_fn write, struct hf_error *err)
{
    struct hf_budget_scope before = hf_budget_enter(&view->budget);
    enum hf_status status = write(view, options, options->screen, err);
    const struct hf_notes *notes = hf_view_notes(view);
    const struct hf_note *first = NULL;
    for (size_t i = 0; notes != NULL && i < notes->count; i++) {
        if (first == NULL || (first->kind != HF_NOTE_LOSS && notes->items[i].kind == HF_NOTE_LOSS))
            first = &notes->items[i];
    }
    if (status == HF_OK && first != NULL) {
        hf_out_string(options->screen, first->kind == HF_NOTE_LOSS ? "lost: " : "note: ");
        hf_escape_terminal(options->screen, hf_text_of(first->text));
        hf_out_char(options->screen, '\n');
    }
    hf_budget_leave(before);
    return status;
}

static enum hf_status write_view(struct hf_view *view, const struct hf_report_options *options,
    write_fn write, struct hf_error *err)
{
    struct hf_output output;
    if (write != report_write_folded) /* shows no sum of all */
        hf_samples_check_total(view->folded, view->type);
    if (options->screen != NULL)
        return write_screen(view, options, write, err);
    enum hf_status status =
        hf_output_open_data(&output, options->view.output, options->view.is_private, err);
    if (status != HF_OK)
        return status;
    struct hf_budget_scope before = hf_budget_enter(&view->budget);
    status = write(view, options, &output.out, err);
    status = hf_output_close(&output, status, err);
    hf_budget_leave(before);
    return status;
}

static enum hf_status report(struct hf_report_options *options, const char *const *profiles,
    size_t count, write_fn write, struct hf_error *err)
{
    struct hf_view view;
    const struct hf_request *request = hf_view_options_request(&options->view);
    enum hf_status status = hf_view_make(&view, request, profiles, count, err);
    if (status == HF_OK)
        status = write_view(&view, options, write, err);
    hf_view_options_finish(&options->view, &view);
    return status;
}

/*
 * The same; of a series with verdicts on what `verdicts_on` shows as frames, if it has points
 * enough for them, times that rise, and tells of the whole process.
 */
static enum hf_status report_judged(struct hf_report_options *options, const char *const *profiles,
    size_t count, enum hf_granularity verdicts_on, write_fn write, struct hf_error *err)
{
    struct hf_view view;
    struct hf_process_history process = {0};
    struct hf_request *request = &options->view.request, history = *request;
    if (!request->comparison.is_series || request->fold.thread != NULL)
        return report(options, profiles, count, write, err);
    history.fold.granularity = (int)verdicts_on;
    request->comparison.read_point = hf_process_history_add;
    request->comparison.reader = &process;
    enum hf_status status =
        hf_view_make(&view, hf_view_options_request(&options->view), profiles, count, err);
    bool has_verdicts = !process.is_unordered && process.history.count >= HF_TREND_POINTS_MIN;
    if (status == HF_OK && has_verdicts)
        status = hf_process_history_judge(&process, &history, err);
    options->growth = has_verdicts ? &process.growth : NULL;
    if (status == HF_OK)
        status = write_view(&view, options, write, err);
    hf_view_options_finish(&options->view, &view);
    hf_process_history_done(&process); /* whose notes are those of the view */
    return status;
}

static enum hf_status report_write_folded(struct hf_view *view,
    const struct hf_report_options *options, struct hf_out *out, struct hf_error *err)
{
    (void)options;
    return hf_folded_write(view->folded, view->type, out, err);
}

enum hf_status hf_report_folded(struct hf_report_options *options, const char *const *profiles,
    size_t count, struct hf_error *err)
{
    return report(options, profiles, count, report_write_folded, err);
}

/* By default only where they are others than the functions that allocate. */
static bool shows_owners(const struct hf_view *view, const struct hf_request *request)
{
    return view->owners.is_made && (view->owners.differ || request->fold.owners == HF_OWNERS_END);
}

static enum hf_status report_write_table(struct hf_view *view,
    const struct hf_report_options *options, struct hf_out *out, struct hf_error *err)
{
    struct hf_top_options top = {
        .type = view->type,
        .granularity = options->table.rows_are,
        .max_rows = (size_t)options->table.rows,
        .columns = (size_t)options->table.columns,
        .is_cumulative = options->table.is_cumulative,
        .is_exact = options->view.show_bytes,
        .is_jeprof = options->table.is_jeprof,
        /* What leaks is what was asked for: it leads even where more was released. */
        .is_growth_first = true,
        .base_total = view->base_total,
        .current_total = view->current_total,
        .whole = view->whole,
        .blocks = (enum hf_row_blocks_kind)options->table.blocks,
        .thread = options->table.thread,
        .growth = options->growth,
        .is_leak_first = options->table.is_leak_first,
        .find_held = options->table.find_held,
        .holder = options->table.holder,
        .max_lines = options->table.max_lines,
        .owners = shows_owners(view, &options->view.request) ? &view->owners : NULL,
        .series = view->series.count != 0 ? &view->series : NULL,
    };
    return options->table.is_json ? hf_top_json(view->folded, &top, out, err)
                                  : hf_top_text(view->folded, &top, out, err);
}

enum hf_status hf_report_table(struct hf_report_options *options, const char *const *profiles,
    size_t count, struct hf_error *err)
{
    struct hf_request *request = &options->view.request;
    options->table.rows_are = (enum hf_granularity)request->fold.granularity;
    if (request->fold.granularity == HF_BY_FUNCTION)
        request->fold.granularity = HF_BY_LINE;
    request->comparison.keeps_points = options->table.is_json;
    return report_judged(
        options, profiles, count, options->table.rows_are, report_write_table, err);
}

enum hf_status hf_report_last_table(struct hf_report_options *options,
    struct hf_process_history *process, size_t points_min, struct hf_error *err)
{
    struct hf_notes *notes = &process->last->notes;
    enum hf_status status = hf_names_add(&options->view.request.names, process->last, err);
    if (status != HF_OK)
        return status;
    hf_notes_done(notes);
    hf_notes_merge(notes, &process->view.folded->notes);
    options->view.request.given = process->last;
    options->view.request.comparison.since = NULL; /* what was taken before was left out */
    options->growth = process->history.count >= points_min ? &process->growth : NULL;
    return hf_report_table(options, NULL, 0, err);
}

/* "0.1" pixels or "0.5%" of the total. */
static enum hf_status parse_min_width(
    const char *text, struct hf_flame_options *flame, struct hf_error *err)
{
    struct hf_text number = hf_text_of(text);
    flame->min_width_is_percent = hf_text_ends(number, "%");
    if (flame->min_width_is_percent)
        number.size--;
    if (!hf_num_real(number, &flame->min_width))
        return hf_error_set(err, HF_ERR_USAGE,
            "--minwidth: expected pixels ('0.1') or a share ('0.5%%'), found '%s'", text);
    return HF_OK;
}

enum hf_status hf_report_flame_options(
    const struct hf_picture_options *p, struct hf_flame_options *flame, struct hf_error *err)
{
    hf_flame_options_init(flame);
    flame->title = p->title;
    flame->subtitle = p->subtitle;
    flame->notes = p->notes;
    flame->bgcolors = p->bgcolors;
    flame->count_name = p->count_name;
    flame->is_inverted = p->is_inverted;
    flame->is_reversed = p->is_reversed;
    flame->colors_by_hash = p->by_hash;
    flame->colors_at_random = p->at_random;
    flame->is_negated = p->is_negated;
    flame->total = p->total;
    if (p->colors != NULL)
        flame->colors = p->colors;
    if (p->font_type != NULL)
        flame->font_type = p->font_type;
    if (p->name_type != NULL)
        flame->name_type = p->name_type;
    /* Out of range in either type is refused by the renderer, by the option's name. */
    if (p->width != 0)
        flame->width_px = p->width <= UINT32_MAX ? (unsigned)p->width : UINT32_MAX;
    if (p->height != 0)
        flame->frame_height_px = p->height <= UINT32_MAX ? (unsigned)p->height : UINT32_MAX;
    if (p->font_size > 0)
        flame->font_size_px = p->font_size;
    if (p->font_width > 0)
        flame->font_width = p->font_width;
    if (p->factor > 0)
        flame->factor = p->factor;
    return p->min_width != NULL ? parse_min_width(p->min_width, flame, err) : HF_OK;
}

/* What only flamegraph.pl's pictures are without. */
static void set_answer_first(struct hf_flame_options *flame, const struct hf_view *view,
    const struct hf_report_options *options)
{
    const struct hf_picture_options *p = &options->picture;
    flame->is_inverted = true;
    flame->folds_rows = true;
    flame->shows_numbers = true;
    flame->places = options->view.request.fold.places;
    flame->colors_by_group = p->colors == NULL && !p->by_hash && !p->at_random;
    /* Readable where there are 800 pixels: 13 become 10.4. */
    if (p->width == 0)
        flame->width_px = 1000;
    if (p->height == 0)
        flame->frame_height_px = 18;
    if (p->font_size <= 0)
        flame->font_size_px = 13;
    if (p->font_width <= 0)
        flame->font_width = 0.62; /* names must not reach into the next box without the script */
    if (p->colors == NULL)
        flame->base_by_node = view->base_by_node;
}

static enum hf_status write_picture(struct hf_view *view, const struct hf_report_options *options,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_flame_options flame;
    enum hf_status status = hf_report_flame_options(&options->picture, &flame, err);
    flame.type = view->type;
    flame.has_totals = view->has_totals;
    flame.base_total = view->base_total;
    flame.current_total = view->current_total;
    if (view->owners.is_made && !options->picture.is_reversed)
        flame.owners = &view->owners;
    if (!options->picture.is_classic)
        set_answer_first(&flame, view, options);
    return status == HF_OK ? hf_flame_svg(view->folded, &flame, out, err) : status;
}

static enum hf_status write_page(struct hf_view *view, const struct hf_report_options *options,
    struct hf_out *out, struct hf_error *err)
{
    const struct hf_picture_options *p = &options->picture;
    char cache_folder[PATH_MAX];
    struct hf_symbol_options symbols;
    hf_names_options(&options->view.request.names, cache_folder, &symbols);
    struct hf_page_options page = {
        .title = p->title,
        .subtitle = p->subtitle,
        .colors = p->colors != NULL ? p->colors : "hot",
        .color_mode = p->at_random ? HF_PALETTE_RANDOM
                      : p->by_hash ? HF_PALETTE_BY_HASH
                                   : HF_PALETTE_BY_SUM,
        .count_name = p->count_name,
        .type = view->type,
        .view = p->is_reversed ? "reverse" : "icicle",
        .has_totals = view->has_totals,
        .base_total = view->base_total,
        .current_total = view->current_total,
        .series = view->series.count != 0 ? &view->series : NULL,
        .growth = options->growth,
        .sources = options->sources,
        .source_count = options->source_count,
        .places = options->view.request.fold.places,
        .owners = view->owners.is_made ? &view->owners : NULL,
        .drops_released = options->view.request.comparison.drops_released,
        .by_line = view->by_line,
        .by_address = view->by_address,
        .symbols = &symbols,
        .source_places = p->source_places,
        .source_folders = p->source_folders.items,
        .source_folder_count = p->source_folders.count,
        .notes = &view->folded->notes,
    };
    return hf_page_html(view->folded, &page, out, err);
}

enum hf_status hf_report_picture(struct hf_report_options *options, const char *const *profiles,
    size_t count, struct hf_error *err)
{
    struct hf_request *request = &options->view.request;
    const char *format = options->picture_format;
    if (format != NULL && strcmp(format, "svg") != 0 && strcmp(format, "html") != 0)
        return hf_error_set(err, HF_ERR_USAGE, "--to: expected svg or html; found '%s'", format);
    bool is_page = format != NULL ? strcmp(format, "html") == 0
                                  : hf_report_ends(options->view.output, ".html");
    if (options->view.output == NULL && isatty(STDOUT_FILENO))
        return hf_error_set(err, HF_ERR_USAGE,
            "standard output is a terminal: say where to write the picture, e.g. -o leak.svg");
    if (!request->fold.keep_allocator)
        request->fold.owners = HF_OWNERS_KNOWN;
    struct hf_places places = {0};
    if (!options->picture.is_classic || is_page)
        request->fold.places = &places;
    if (!is_page) {
        request->comparison.keeps_base =
            !options->picture.is_classic && !request->comparison.drops_released;
        enum hf_status status = report(options, profiles, count, write_picture, err);
        hf_places_done(&places);
        return status;
    }
    request->comparison.keeps_points = true;
    request->fold.wants_lines = options->picture.source_places != 0;
    request->fold.wants_addresses = request->fold.wants_lines && options->picture.disassembles;
    options->sources = calloc(count + 1, sizeof *options->sources);
    if (options->sources == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count && !request->comparison.is_series; i++)
        options->sources[options->source_count++] =
            strcmp(profiles[i], "-") == 0 ? "standard input" : hf_operand_shown(profiles[i]);
    enum hf_status status = report_judged(
        options, profiles, count, (enum hf_granularity)request->fold.granularity, write_page, err);
    hf_places_done(&places);
    free(options->sources);
    return status;
}

static enum hf_status write_graph(struct hf_view *view, const struct hf_report_options *options,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_graph_options graph = hf_graph_defaults();
    graph.type = view->type;
    graph.granularity = (enum hf_granularity)options->view.request.fold.granularity;
    graph.title = hf_text_basename(hf_text_of(hf_operand_shown(options->limits.title)));
    graph.is_exact = options->view.show_bytes;
    graph.is_jeprof = options->limits.is_jeprof;
    graph.is_heapcheck = options->limits.is_heapcheck;
    graph.node_count = (size_t)options->limits.node_count;
    graph.node_fraction = options->limits.node_fraction;
    graph.edge_fraction = options->limits.edge_fraction;
    graph.max_degree = (size_t)options->limits.max_degree;
    graph.whole = view->whole;
    return hf_graph_dot(view->folded, &graph, out, err);
}

/* Hands the DOT to Graphviz and the SVG on to the output. */
static enum hf_status write_drawn_graph(struct hf_view *view,
    const struct hf_report_options *options, struct hf_out *out, struct hf_error *err)
{
    static const char *const dot[] = {"dot", "-Tsvg", NULL};
    struct hf_out dot_text = {0};
    enum hf_status status = write_graph(view, options, &dot_text, err);
    if (status == HF_OK)
        status = hf_out_finish(&dot_text, err);
    if (status == HF_OK)
        status = hf_process_run(dot, hf_out_view(&dot_text), out, err);
    if (status == HF_ERR_SYSTEM)
        hf_error_context(err, "drawing the graph needs Graphviz (package graphviz); without it, "
                              "write DOT, e.g. -o graph.dot");
    hf_out_done(&dot_text);
    return status;
}

enum hf_status hf_report_graph(struct hf_report_options *options, const char *const *profiles,
    size_t count, const char *title, bool is_svg, struct hf_error *err)
{
    options->limits.title = title;
    return report(options, profiles, count, is_svg ? write_drawn_graph : write_graph, err);
}

static enum hf_status write_listing(struct hf_view *view, const struct hf_report_options *options,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_listing_options listing = {
        .type = view->type,
        .is_exact = options->view.show_bytes,
        .pattern = options->list_pattern,
    };
    return hf_listing(view->folded, &listing, &view->folded->notes, out, err);
}

enum hf_status hf_report_listing(struct hf_report_options *options, const char *const *profiles,
    size_t count, const char *pattern, struct hf_error *err)
{
    enum hf_status status = hf_regex_new(pattern, &options->list_pattern, err);
    if (status != HF_OK) {
        hf_error_context(err, "--list");
        return status;
    }
    options->view.request.fold.granularity = HF_BY_LINE;
    status = report(options, profiles, count, write_listing, err);
    hf_regex_free(options->list_pattern);
    options->list_pattern = NULL;
    return status;
}

enum hf_status hf_report_raw(
    struct hf_report_options *options, struct hf_profile *profile, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open_data(&output, options->view.output, false, err);
    if (status == HF_OK) {
        status = hf_writer_heap_v2.write(
            profile, profile->default_type, &profile->notes, &output.out, err);
        status = hf_output_close(&output, status, err);
    }
    if (status == HF_OK)
        hf_report_notes(&options->view.common, &profile->notes);
    hf_profile_free(profile);
    return status;
}
