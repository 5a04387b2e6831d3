#include "render/table/top.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "base/strings/utf8.h"
#include "profile/interval.h"
#include "profile/samples.h"
#include "render/amount.h"
#include "render/table/growth_columns.h"
#include "render/table/row_trends.h"
#include "render/table/rows.h"
#include "render/table/shortpath.h"
#include "render/value_words.h"

#include <stdio.h>
#include <stdlib.h>

#define LED_ROWS 500 /* among them are looked for those that leak */
#define HELD_INDENT "    "
#define NAME_WIDTH_MAX 40 /* a longer name moves only its own row's place to the right */

struct table {
    const struct hf_profile *profile;
    const struct hf_top_options *options;
    struct hf_out *out;
    struct hf_amount_style style;
    struct hf_rows rows;
    struct hf_row_trends trends;
    struct hf_row_blocks blocks;
    struct hf_text *places; /* by row: its file, shortened */
    struct hf_out scratch;
};

/* Any of so many rows may be the first. */
static bool is_led(const struct hf_top_options *options)
{
    return options->is_leak_first && options->growth != NULL && options->max_rows != 0;
}

struct hf_rows_options hf_top_ranking(
    const struct hf_profile *folded, const struct hf_top_options *options)
{
    return (struct hf_rows_options){
        .type = options->type,
        .granularity = options->granularity,
        .order = options->is_jeprof ? HF_ROWS_BY_VALUE : HF_ROWS_BY_SIZE,
        .is_cumulative = options->is_cumulative,
        /* Callers that only pass a change on, or what others own, would be rows of "0 B". */
        .only_ranked = (folded->is_difference || options->owners != NULL ||
                           options->blocks != HF_BLOCKS_NOT_SHOWN) &&
                       !options->is_jeprof,
        .is_growth_first = folded->is_difference && options->is_growth_first,
        .max_rows = is_led(options) && options->max_rows < LED_ROWS ? LED_ROWS : options->max_rows,
    };
}

static struct hf_total top_value_of(const struct table *t, const struct hf_row *row)
{
    return t->options->is_cumulative ? row->cum : row->flat;
}

/* The name of a row, with the mark of one whose bytes other functions have, too. */
static struct hf_text escaped_name(struct table *t, const struct hf_row *row)
{
    t->scratch.size = 0;
    hf_escape_terminal(&t->scratch, row->name);
    hf_frame_put_twins(row->twins, " [", "]", &t->scratch);
    return hf_out_view(&t->scratch);
}

static size_t name_width(struct table *t)
{
    size_t width = 0;
    for (size_t i = 0; i < t->rows.shown; i++) {
        size_t columns = hf_utf8_columns(escaped_name(t, &t->rows.items[i]));
        if (columns > width && columns <= NAME_WIDTH_MAX)
            width = columns;
    }
    return width;
}

static bool has_places(const struct table *t)
{
    for (size_t i = 0; i < t->rows.shown; i++) {
        if (t->rows.items[i].file.size != 0)
            return true;
    }
    return false;
}

/* "  via std::string" */
static void top_put_via(struct table *t, const struct hf_row *row)
{
    struct hf_text via = {NULL, 0};
    if (t->options->owners != NULL)
        via = hf_owners_via(t->options->owners, row->name);
    if (via.size == 0)
        return;
    hf_out_string(t->out, "  via ");
    hf_escape_terminal(t->out, via);
}

/* "name", or "name<padding>  file:line". */
static void top_put_place(struct table *t, size_t index, size_t width)
{
    const struct hf_row *row = &t->rows.items[index];
    struct hf_text name = escaped_name(t, row);
    hf_out_text(t->out, name);
    if (row->file.size == 0)
        return;
    for (size_t i = hf_utf8_columns(name); i < width; i++)
        hf_out_char(t->out, ' ');
    hf_out_string(t->out, "  ");
    hf_escape_terminal(t->out, t->places[index]);
    if (row->line != 0)
        hf_out_printf(t->out, row->is_near ? ":~%u" : ":%u", row->line);
}

static void top_put_name(struct table *t, size_t index, size_t width)
{
    top_put_place(t, index, width);
    top_put_via(t, &t->rows.items[index]);
}

static const char *noun(const struct table *t, size_t count)
{
    static const char *const nouns[][2] = {
        [HF_BY_FUNCTION] = {"function", "functions"},
        [HF_BY_LINE] = {"line", "lines"},
        [HF_BY_FILE] = {"file", "files"},
        [HF_BY_MODULE] = {"module", "modules"},
        [HF_BY_ADDRESS] = {"address", "addresses"},
        [HF_BY_THREAD] = {"name", "names"},
    };
    if (t->options->owners != NULL)
        return hf_plural(count, "owner", "owners");
    return hf_plural(count, nouns[t->options->granularity][0], nouns[t->options->granularity][1]);
}

/* What the values are: "in use", "objects allocated" ... */
static const char *subject(const struct table *t)
{
    struct hf_text type = hf_profile_text(t->profile, t->profile->types[t->options->type].name);
    const char *words = hf_value_words(type);
    return words != NULL ? words : t->style.is_bytes ? "" : " samples";
}

/* The total less the rows that are shown; a saturated total may be less than its parts. */
static struct hf_total sum_of_hidden(const struct table *t)
{
    struct hf_total sum = t->rows.total;
    for (size_t i = 0; i < t->rows.shown; i++) {
        struct hf_total flat = t->rows.items[i].flat;
        sum.value = sum.value > flat.value ? sum.value - flat.value : 0;
        sum.released = sum.released > flat.released ? sum.released - flat.released : 0;
    }
    return sum;
}

#define INTERVAL_MAX (2 * HF_AMOUNT_MAX)

/* "45.1 to 52.8 MiB": what the ranked column is with 95 %; "" where it is exact, or not known. */
static const char *top_interval_of(const struct table *t, const struct hf_row *row, char *out)
{
    uint64_t samples = t->options->is_cumulative ? row->cum_samples : row->flat_samples;
    struct hf_interval interval =
        hf_interval_of_peak(top_value_of(t, row).value, samples, t->rows.peak, t->rows.peak_most);
    char low[HF_AMOUNT_MAX], high[HF_AMOUNT_MAX];
    hf_amount_like(t->style, interval.low, interval.high, low);
    (void)snprintf(out, INTERVAL_MAX, "%s to %s", low, hf_amount(t->style, interval.high, high));
    if (samples == 0)
        out[0] = '\0';
    return out;
}

/* Columns of a plain table; of the interval 0 if no row has one. */
struct widths {
    int flat, cum, interval; /* 0: not shown */
    size_t name;
    enum hf_growth_extent extent;
};

#define NAME_WIDTH_MIN 24 /* in a window: rather than shorten it, columns are left out */

static size_t columns_before_name(const struct table *t, const struct widths *widths)
{
    size_t columns = (size_t)widths->flat + 2 + 7 + 2;
    if (widths->cum != 0)
        columns += (size_t)widths->cum + 2 + 7 + 2;
    if (widths->interval != 0)
        columns += (size_t)widths->interval + 2;
    if (t->options->growth != NULL)
        columns += hf_growth_columns_width(t->trends.slope_width, widths->extent);
    return columns;
}

/* Leaves out what matters least until the name has room: it says what to look at. */
static void fit_window(const struct table *t, struct widths *widths)
{
    size_t name = widths->name < NAME_WIDTH_MIN ? widths->name : NAME_WIDTH_MIN;
    size_t room = t->options->columns > name ? t->options->columns - name : 0;
    if (t->options->columns == 0)
        return;
    if (columns_before_name(t, widths) > room)
        widths->interval = 0;
    if (columns_before_name(t, widths) > room && !t->options->is_cumulative)
        widths->cum = 0;
    if (columns_before_name(t, widths) > room)
        widths->extent = HF_GROWTH_NO_SHARE;
    if (columns_before_name(t, widths) > room)
        widths->extent = HF_GROWTH_BRIEF;
}

static void top_widen(int *width, const char *text)
{
    int columns = (int)strlen(text);
    *width = columns > *width ? columns : *width;
}

static struct widths plain_widths(struct table *t)
{
    char text[INTERVAL_MAX];
    struct widths widths = {.flat = 4, .cum = 3, .name = name_width(t)};
    for (size_t i = 0; i < t->rows.shown; i++) {
        const struct hf_row *row = &t->rows.items[i];
        top_widen(&widths.flat, hf_amount(t->style, row->flat.value, text));
        top_widen(&widths.cum, hf_amount(t->style, row->cum.value, text));
        if (t->options->growth == NULL) /* the interval of the slope stands there then */
            top_widen(&widths.interval, top_interval_of(t, row, text));
    }
    size_t name = strlen(noun(t, 1));
    widths.name = widths.name > name ? widths.name : name;
    if (t->options->blocks != HF_BLOCKS_NOT_SHOWN && !t->options->is_cumulative)
        widths.cum = 0; /* there are enough of them */
    fit_window(t, &widths);
    return widths;
}

static void put_plain_title(struct table *t, struct widths widths)
{
    const char *name = noun(t, 1);
    hf_out_printf(t->out, "%*s   flat %%  ", widths.flat, "flat");
    if (widths.cum != 0)
        hf_out_printf(t->out, "%*s    cum %%  ", widths.cum, "cum");
    if (widths.interval != 0)
        hf_out_printf(t->out, "%*s  ", widths.interval,
            t->options->is_cumulative ? "cum, 95 %" : "flat, 95 %");
    hf_row_blocks_titles(&t->blocks, &t->rows, t->out);
    if (t->options->growth != NULL)
        hf_growth_titles(t->trends.slope_width, widths.extent, t->out);
    hf_out_string(t->out, name);
    if (has_places(t))
        hf_out_printf(t->out, "%*s  where", (int)(widths.name - strlen(name)), "");
    hf_out_char(t->out, '\n');
}

static void put_plain_row(struct table *t, size_t index, struct widths widths)
{
    const struct hf_row *row = &t->rows.items[index];
    uint64_t total = t->rows.total.value;
    char flat[HF_AMOUNT_MAX], cum[HF_AMOUNT_MAX], interval[INTERVAL_MAX];
    hf_out_printf(t->out, "%*s  %5.1f %%  ", widths.flat,
        hf_amount(t->style, row->flat.value, flat), hf_units_percent(row->flat.value, total));
    if (widths.cum != 0)
        hf_out_printf(t->out, "%*s  %5.1f %%  ", widths.cum,
            hf_amount(t->style, row->cum.value, cum), hf_units_percent(row->cum.value, total));
    if (widths.interval != 0)
        hf_out_printf(t->out, "%*s  ", widths.interval, top_interval_of(t, row, interval));
    hf_row_blocks_columns(&t->blocks, &t->rows, index, t->options->is_exact, t->out);
    if (t->options->growth != NULL)
        hf_growth_columns(t->options->growth, &t->trends.items[index], t->trends.slope_width,
            widths.extent, t->out);
    top_put_name(t, index, widths.name);
    hf_out_char(t->out, '\n');
}

/* Of a row that leaks; NULL: nothing is said. */
static const struct hf_growth_held *find_held(const struct table *t, size_t index)
{
    const struct hf_top_options *options = t->options;
    if (options->find_held == NULL || options->growth == NULL ||
        t->trends.items[index].verdict.kind != HF_VERDICT_LEAK)
        return NULL;
    const struct hf_growth_held *held =
        options->find_held(options->holder, t->rows.items[index].name);
    return held != NULL && held->count != 0 ? held : NULL;
}

/* Rows that have room with the lines below them; the first has it always. */
static void fit_lines(struct table *t)
{
    size_t fitting = 0, lines = 0;
    while (fitting < t->rows.shown) {
        lines += find_held(t, fitting) != NULL ? 2 : 1;
        if (fitting != 0 && lines > t->options->max_lines)
            break;
        fitting++;
    }
    t->rows.shown = fitting;
}

static void top_put_held(struct table *t, size_t index)
{
    size_t columns = t->options->columns, indent = strlen(HELD_INDENT);
    const struct hf_growth_held *held = find_held(t, index);
    if (held == NULL)
        return;
    hf_out_string(t->out, HELD_INDENT);
    hf_growth_put_held(held, columns > indent ? columns - indent : 0, t->out);
    hf_out_char(t->out, '\n');
}

/* "; +10.8 MiB/min ± 1.3 MiB in 60 profiles over 59 min; as a whole: leak" */
static void top_put_way(struct table *t)
{
    const struct hf_growth *growth = t->options->growth;
    hf_out_string(t->out, "; ");
    hf_growth_slope(growth, &growth->whole.trend, t->out);
    hf_out_printf(t->out, " in %zu profiles over ", /* never 1 */ growth->history->profile_count);
    hf_verdict_duration(growth->times_s[growth->point_count - 1], t->out);
    hf_out_printf(t->out, "; as a whole: %s", hf_verdict_name(growth->whole.verdict.kind));
}

static void top_put_plain(struct table *t)
{
    char amount[HF_AMOUNT_MAX], whole[HF_AMOUNT_MAX];
    hf_out_string(t->out, hf_amount(t->style, t->rows.total.value, amount));
    if (!hf_total_is_zero(t->options->whole))
        hf_out_printf(t->out, " of the %s", hf_amount(t->style, t->options->whole.value, whole));
    hf_out_printf(t->out, "%s%s; %zu %s", subject(t),
        hf_total_is_zero(t->options->whole) ? "" : " pass the filters", t->rows.count,
        noun(t, t->rows.count));
    if (t->options->growth != NULL)
        top_put_way(t);
    hf_out_char(t->out, '\n');
    struct widths widths = plain_widths(t);
    if (t->rows.shown != 0)
        put_plain_title(t, widths);
    for (size_t i = 0; i < t->rows.shown; i++) {
        put_plain_row(t, i, widths);
        top_put_held(t, i);
    }
    size_t hidden = t->rows.count - t->rows.shown;
    if (hidden != 0)
        hf_out_printf(t->out, "and %zu more %s: flat %s\n", hidden, noun(t, hidden),
            hf_amount(t->style, sum_of_hidden(t).value, amount));
}

/* "grew 3.0 MiB, released 1.8 MiB": what a net hides. */
static void put_both(struct table *t, struct hf_total total)
{
    char grew[HF_AMOUNT_MAX], released[HF_AMOUNT_MAX];
    hf_out_printf(t->out, "grew %s, released %s", hf_amount(t->style, total.value, grew),
        hf_amount(t->style, total.released, released));
}

/* A → B: the balance, all in the unit of the change, so that a reader can check the sum. */
static void put_balance(struct table *t)
{
    struct hf_total total = t->rows.total;
    uint64_t base = t->options->base_total, current = t->options->current_total;
    uint64_t largest = total.value > total.released ? total.value : total.released;
    uint64_t unit = largest != 0 ? largest : current;
    bool is_balanced = base + total.value - total.released == current;
    char a[HF_AMOUNT_MAX], b[HF_AMOUNT_MAX];
    if (base != 0 || current != 0)
        hf_out_printf(t->out, "A %s → B %s%s: ", hf_amount_like(t->style, base, unit, a),
            hf_amount_like(t->style, current, unit, b), t->style.is_bytes ? "" : subject(t));
    hf_out_printf(t->out, "grew %s, ", hf_amount_like(t->style, total.value, unit, a));
    hf_out_printf(t->out, "released %s, ", hf_amount_like(t->style, total.released, unit, a));
    const char *sign = total.value > total.released ? "+" : "";
    if (total.value < total.released)
        sign = "-";
    hf_out_printf(
        t->out, "net %s%s\n", sign, hf_amount_like(t->style, hf_total_distance(total), unit, a));
    if ((base != 0 || current != 0) && !is_balanced)
        hf_out_printf(t->out, "Not shown: %s of the change from A to B.\n",
            hf_amount_net(
                t->style, (struct hf_total){current + total.released, base + total.value}, a));
}

static double top_share_of(const struct table *t, struct hf_total value)
{
    return value.value >= value.released
               ? hf_units_percent(hf_total_distance(value), t->rows.total.value)
               : hf_units_percent(hf_total_distance(value), t->rows.total.released);
}

static void put_difference(struct table *t)
{
    char amount[HF_AMOUNT_MAX];
    int width = 0;
    for (size_t i = 0; i < t->rows.shown; i++) {
        struct hf_total value = top_value_of(t, &t->rows.items[i]);
        int size = (int)strlen(hf_amount_net(t->style, value, amount));
        width = size > width ? size : width;
    }
    size_t names = name_width(t);
    for (size_t i = 0; i < t->rows.shown; i++) {
        struct hf_total value = top_value_of(t, &t->rows.items[i]);
        double share = top_share_of(t, value);
        hf_out_printf(
            t->out, "%*s  %5.1f %%  ", width, hf_amount_net(t->style, value, amount), share);
        if (t->options->growth != NULL)
            hf_growth_columns(t->options->growth, &t->trends.items[i], t->trends.slope_width,
                HF_GROWTH_NO_SHARE, t->out);
        top_put_name(t, i, names);
        if (value.value != 0 && value.released != 0) {
            hf_out_string(t->out, "  (");
            put_both(t, value);
            hf_out_char(t->out, ')');
        }
        hf_out_char(t->out, '\n');
    }
    size_t hidden = t->rows.count - t->rows.shown;
    if (t->rows.count == 0)
        hf_out_string(t->out, "Nothing changed.\n");
    if (hidden != 0) {
        hf_out_printf(t->out, "and %zu more %s", hidden, noun(t, hidden));
        /* Sums of cum would count the same bytes once for each caller. */
        if (!t->options->is_cumulative) {
            hf_out_string(t->out, ": ");
            put_both(t, sum_of_hidden(t));
        }
        hf_out_char(t->out, '\n');
    }
    hf_out_char(t->out, '\n');
    put_balance(t);
    if (t->rows.count != 0)
        hf_out_string(t->out, "Percentages are of all growth (+) or of all released memory (-).\n");
}

static void put_jeprof_row(
    struct table *t, const struct hf_row *row, struct hf_total running, uint64_t whole)
{
    char flat[HF_AMOUNT_MAX], cum[HF_AMOUNT_MAX], percents[3][16];
    struct hf_total values[3] = {row->flat, running, row->cum};
    for (size_t i = 0; i < HF_COUNT(values); i++) {
        double percent = hf_units_percent(hf_total_distance(values[i]), whole);
        const char *sign = values[i].value < values[i].released ? "-" : "";
        (void)snprintf(percents[i], sizeof percents[i], "%s%.1f%%", sign, percent);
    }
    hf_out_printf(t->out, "%8s %6s %6s %8s %6s ", hf_amount_net(t->style, row->flat, flat),
        percents[0], percents[1], hf_amount_net(t->style, row->cum, cum), percents[2]);
    hf_out_text(t->out, escaped_name(t, row));
    hf_out_char(t->out, '\n');
}

/*
 * Of a difference, percentages are of all that grew or was released, so that they stay within
 * +-100 and add up; where nothing was released, that is what jeprof prints.
 */
static void put_jeprof(struct table *t)
{
    char amount[HF_AMOUNT_MAX];
    bool is_filtered = !hf_total_is_zero(t->options->whole);
    struct hf_total title = is_filtered ? t->options->whole : t->rows.total;
    bool saturated = false;
    uint64_t whole = hf_add_saturating(t->rows.total.value, t->rows.total.released, &saturated);
    hf_out_string(t->out, "Total");
    if (t->options->thread != NULL)
        hf_out_printf(t->out, " (t%s)", t->options->thread);
    hf_out_printf(
        t->out, ": %s %s\n", hf_amount_net(t->style, title, amount), hf_amount_unit(t->style));
    struct hf_total running = {0};
    for (size_t i = 0; i < t->rows.shown; i++) {
        const struct hf_row *row = &t->rows.items[i];
        running.value = hf_add_saturating(running.value, row->flat.value, &saturated);
        running.released = hf_add_saturating(running.released, row->flat.released, &saturated);
        if (hf_total_distance(row->flat) != 0 || hf_total_distance(row->cum) != 0)
            put_jeprof_row(t, row, running, whole);
    }
}

static bool shorten_places(struct table *t)
{
    struct hf_text *files = hf_budget_calloc(t->rows.shown + 1, sizeof *files);
    t->places = hf_budget_calloc(t->rows.shown + 1, sizeof *t->places);
    for (size_t i = 0; files != NULL && i < t->rows.shown; i++)
        files[i] = t->rows.items[i].file;
    bool done =
        files != NULL && t->places != NULL && hf_short_paths(files, t->rows.shown, t->places);
    hf_budget_free(files);
    return done;
}

enum hf_status hf_top_text(const struct hf_profile *folded, const struct hf_top_options *options,
    struct hf_out *out, struct hf_error *err)
{
    struct table t = {.profile = folded,
        .options = options,
        .out = out,
        .style = hf_amount_style(folded, options->type, options->is_exact, options->is_jeprof)};
    struct hf_rows_options ranking = hf_top_ranking(folded, options);
    enum hf_status status = hf_rows_init(&t.rows, folded, &ranking, err);
    if (status == HF_OK && options->growth != NULL)
        status =
            hf_row_trends_init(&t.trends, &t.rows, options->growth, options->is_cumulative, err);
    if (status == HF_OK && options->growth != NULL && options->is_leak_first)
        status = hf_row_trends_lead_with_leaks(
            &t.trends, &t.rows, options->growth, options->max_rows, err);
    if (status == HF_OK && options->max_lines != 0)
        fit_lines(&t);
    if (status == HF_OK && !shorten_places(&t))
        status = hf_error_memory(err);
    if (status == HF_OK)
        status = hf_row_blocks_init(&t.blocks, options->blocks, &t.rows, folded, &ranking, err);
    if (status == HF_OK) {
        if (options->is_jeprof)
            put_jeprof(&t);
        else if (folded->is_difference)
            put_difference(&t);
        else
            top_put_plain(&t);
    }
    if (status == HF_OK && t.scratch.error.status != HF_OK)
        status = hf_error_memory(err);
    hf_out_done(&t.scratch);
    hf_budget_free(t.places);
    hf_row_trends_done(&t.trends);
    hf_row_blocks_done(&t.blocks);
    hf_rows_done(&t.rows);
    return status;
}
