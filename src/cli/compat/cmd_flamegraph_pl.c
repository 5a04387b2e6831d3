/*
 * cmd_flamegraph_pl.c: flamegraph.pl's command line, and what its pictures have that `flame` has
 * not: two columns in red and blue, charts, colours that are kept, attributes by name.
 */
#include "base/plural.h"
#include "cli/compat/encoding.h"
#include "cli/report.h"
#include "formats/folded/folded_input.h"
#include "formats/format.h"
#include "os/file.h"
#include "os/path.h"
#include "render/flame/name_attributes.h"
#include "render/flame/palette_map.h"

#define PALETTE_MAP "palette.map"

struct flamegraph_pl_options {
    struct hf_report_options report;
    bool is_chart, keeps_colors;
    const char *attributes, *encoding;
    iconv_t converter; /* of `encoding` */
};

#define AT(field) struct flamegraph_pl_options, field

static const struct hf_option more_options[] = {
    {"flamechart", 0, HF_OPT_FLAG(AT(is_chart)),
        "keep the order of the input: time runs from left to right"},
    {"cp", 0, HF_OPT_FLAG(AT(keeps_colors)),
        "take colours from the file " PALETTE_MAP ", and add new ones to it"},
    {"nameattr", 0, HF_OPT_TEXT(AT(attributes), "FILE"),
        "read attributes of frames by name: link, hover text, class"},
    {"encoding", 0, HF_OPT_TEXT(AT(encoding), "NAME"),
        "set the encoding of the input (default: UTF-8)"},
    {"input-budget", 0, HF_OPT_REAL(AT(report.view.request.input.input_budget), "N"),
        "multiply the limits on memory and work for an input by N (default: 1)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Picture", hf_picture_options},
    {"", hf_classic_size_options},
    {"Names and colours", more_options},
    {"Output", hf_output_options},
    {"Help", hf_common_options},
    {0},
};

/* Everything that is read for one picture. */
struct work {
    const struct flamegraph_pl_options *options;
    struct hf_profile *profile;
    struct hf_file_map palette_file, attribute_file;
    struct hf_palette_map palette;
    struct hf_name_attributes attributes;
};

static void work_done(struct work *w)
{
    hf_palette_map_done(&w->palette);
    hf_name_attributes_done(&w->attributes);
    hf_file_map_close(&w->palette_file);
    hf_file_map_close(&w->attribute_file);
    hf_profile_free(w->profile);
}

static struct hf_text flamegraph_pl_bytes_of(const struct hf_file_map *map)
{
    return (struct hf_text){(const char *)map->data, map->size};
}

static enum hf_status read_input(struct work *w, const char *path, struct hf_error *err)
{
    const char *colors = w->options->report.picture.colors;
    const struct hf_folded_how how = {
        .is_chart = w->options->is_chart,
        .is_reversed = w->options->report.picture.is_reversed,
        .ends_in_separator = colors != NULL && hf_text_is(hf_text_of(colors), "chain"),
    };
    struct hf_input input;
    enum hf_status status = hf_input_open(&input, path, err);
    if (status != HF_OK)
        return status;
    status = hf_folded_input_read(&input, &how, w->profile, err);
    hf_input_close(&input);
    return status;
}

static void flamegraph_pl_note_left_out(struct work *w, const char *path, uint64_t count)
{
    if (count != 0)
        hf_notes_add(&w->profile->notes, HF_NOTE_INFO,
            "%s: skipped %llu %s another form or would run a script", path,
            (unsigned long long)count,
            hf_plural(count, "line or attribute that has", "lines or attributes that have"));
}

static enum hf_status flamegraph_pl_read_tables(struct work *w, struct hf_error *err)
{
    const char *attributes = w->options->attributes;
    enum hf_status status = HF_OK;
    if (attributes != NULL) {
        status = hf_file_map_open(&w->attribute_file, attributes, err);
        hf_error_context(status != HF_OK ? err : NULL, "--nameattr");
        if (status == HF_OK)
            status = hf_name_attributes_read(
                &w->attributes, flamegraph_pl_bytes_of(&w->attribute_file), err);
        hf_budget_give(w->attribute_file.size);
        status = hf_file_map_check(&w->attribute_file, attributes, status, err);
        flamegraph_pl_note_left_out(w, attributes, w->attributes.left_out);
    }
    if (status == HF_OK && w->options->keeps_colors && hf_path_exists(PALETTE_MAP)) {
        status = hf_file_map_open(&w->palette_file, PALETTE_MAP, err);
        if (status == HF_OK)
            status =
                hf_palette_map_read(&w->palette, flamegraph_pl_bytes_of(&w->palette_file), err);
        hf_budget_give(w->palette_file.size);
        status = hf_file_map_check(&w->palette_file, PALETTE_MAP, status, err);
        flamegraph_pl_note_left_out(w, PALETTE_MAP, w->palette.left_out);
    }
    return status;
}

/* Each input has a budget of its own. */
static enum hf_status flamegraph_pl_read_inputs(
    struct work *w, const struct hf_operands *operands, struct hf_error *err)
{
    struct hf_budget_scope before = hf_budget_enter(NULL);
    enum hf_status status = hf_profile_new(&w->profile, err);
    for (size_t i = 0; i < operands->count && status == HF_OK; i++)
        status = read_input(w, operands->items[i], err);
    if (status == HF_OK && operands->count == 0)
        status = read_input(w, "-", err);
    hf_budget_leave(before);
    if (status == HF_OK)
        hf_budget_give(w->profile->given_bytes);
    return status;
}

static enum hf_status flamegraph_pl_read_all(
    struct work *w, const struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = flamegraph_pl_read_inputs(w, operands, err);
    if (status == HF_OK && w->options->encoding != NULL)
        status = hf_encoding_apply(w->profile, w->options->converter, err);
    return status == HF_OK ? flamegraph_pl_read_tables(w, err) : status;
}

static enum hf_status write_palette(const struct work *w, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open_data(&output, PALETTE_MAP, false, err);
    if (status != HF_OK)
        return status;
    status = hf_palette_map_write(&w->palette, &output.out, err);
    return hf_output_close(&output, status, err);
}

static enum hf_status flamegraph_pl_draw(struct work *w, struct hf_error *err)
{
    const struct flamegraph_pl_options *o = w->options;
    const struct hf_profile *profile = w->profile;
    struct hf_flame_options flame;
    struct hf_output output;
    enum hf_status status = hf_report_flame_options(&o->report.picture, &flame, err);
    if (status == HF_OK)
        status = hf_output_open_data(&output, o->report.view.output, false, err);
    if (status != HF_OK)
        return status;
    flame.box_width_px = 0;
    flame.root_is_bare = true;
    flame.is_chart = o->is_chart;
    flame.is_reversed = flame.is_reversed && !o->is_chart; /* it was read so */
    flame.palette_map = o->keeps_colors ? &w->palette : NULL;
    flame.attributes = o->attributes != NULL ? &w->attributes : NULL;
    if (profile->type_count == 2)
        flame.base_type = 0;
    if (flame.count_name == NULL)
        flame.count_name = "samples";
    struct hf_total total = hf_profile_total(profile, profile->default_type, HF_THREAD_ALL);
    if (total.value == 0 && total.released == 0) {
        hf_flame_put_error(&flame, &output.out);
        status = hf_output_close(&output, HF_OK, err);
        return status != HF_OK
                   ? status
                   : hf_error_set(err, HF_ERR_USAGE,
                         "found no stacks with counts; the picture shows an error instead");
    }
    status = hf_flame_svg(profile, &flame, &output.out, err);
    status = hf_output_close(&output, status, err);
    return status == HF_OK && o->keeps_colors ? write_palette(w, err) : status;
}

static enum hf_status before(void *options, struct hf_error *err)
{
    struct flamegraph_pl_options *o = options;
    return o->encoding != NULL ? hf_encoding_open(&o->converter, o->encoding, err) : HF_OK;
}

static enum hf_status flamegraph_pl_run(
    void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct flamegraph_pl_options *o = options;
    struct work work = {.options = o};
    struct hf_budget budget = {0};
    if (o->report.view.request.input.input_budget != 0)
        hf_budget_set_factor(o->report.view.request.input.input_budget);
    struct hf_budget_scope before_it = hf_budget_enter(&budget);
    enum hf_status status = flamegraph_pl_read_all(&work, operands, err);
    if (status == HF_OK) {
        status = flamegraph_pl_draw(&work, err);
        hf_report_notes(&o->report.view.common, &work.profile->notes);
    }
    work_done(&work);
    hf_budget_leave(before_it);
    return status;
}

static void release(void *options)
{
    struct flamegraph_pl_options *o = options;
    if (o->converter != NULL && o->converter != (iconv_t)-1)
        iconv_close(o->converter);
}

static const char *const written_beside[] = {PALETTE_MAP, NULL};

const struct hf_command hf_cmd_flamegraph_pl = {
    .name = "flamegraph.pl",
    .summary = "Replace flamegraph.pl: draw folded stacks as SVG.",
    .operands = "[FOLDED...]",
    .details =
        "Reads standard input if no file is given. If lines have two counts, the second is the\n"
        "width, and a frame is red if it grew itself and blue if it shrank. Negative counts,\n"
        "e.g. from jeprof --base, are drawn as released memory.",
    .groups = groups,
    .options_size = sizeof(struct flamegraph_pl_options),
    .is_reader = hf_command_is_reader,
    .outputs = written_beside,
    .before = before,
    .release = release,
    .run = flamegraph_pl_run,
};
