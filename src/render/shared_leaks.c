#include "render/shared_leaks.h"

#include "analysis/growth/growth_place.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/json.h"

#include <math.h>
#include <stdlib.h>

static void shared_put_program(const struct hf_shared_leak *leak, struct hf_out *out)
{
    hf_out_text(out, leak->program.size != 0 ? leak->program : HF_TEXT("the program"));
}

static void shared_put_amount(const struct hf_shared_leak *leak, double rate, struct hf_out *out)
{
    if (leak->counted == NULL) {
        hf_verdict_rate(rate, leak->is_bytes, out);
        return;
    }
    hf_out_char(out, rate < 0 ? '-' : '+');
    hf_verdict_amount(fabs(rate), leak->is_bytes, out);
}

/* "+2.1 MiB/min (+1.9 MiB to +2.3 MiB)", or what lies between the least and the most. */
static void shared_put_rate(
    const struct hf_shared_leak *leak, const struct hf_pooled_rate *rate, struct hf_out *out)
{
    bool is_same = rate->is_same;
    if (is_same && leak->counted == NULL) {
        hf_verdict_rate_between(rate->rate, rate->low, rate->high, leak->is_bytes, out);
        return;
    }
    if (is_same) {
        shared_put_amount(leak, rate->rate, out);
        hf_out_string(out, " (");
    }
    shared_put_amount(leak, is_same ? rate->low : rate->least, out);
    hf_out_string(out, " to ");
    shared_put_amount(leak, is_same ? rate->high : rate->most, out);
    hf_out_string(out, is_same ? ")" : "");
    if (leak->counted != NULL)
        hf_out_printf(out, " per 1,000 %s", leak->counted);
}

static void put_processes(size_t count, struct hf_out *out)
{
    hf_out_printf(out, "%zu %s", count, hf_plural(count, "process", "processes"));
}

/* The processes of the builds before that in which it changed; at the rate of their last leak. */
static struct hf_shared_rate before_of(const struct hf_shared_leak *leak)
{
    struct hf_shared_rate before = {.judged = 0};
    for (size_t i = 0; i < leak->since; i++) {
        before.judged += leak->builds[i].judged;
        before.leaks += leak->builds[i].leaks;
        if (leak->builds[i].rate.count != 0)
            before.rate = leak->builds[i].rate;
    }
    return before;
}

static void shared_put_since(const struct hf_shared_leak *leak, struct hf_out *out)
{
    const struct hf_shared_rate *build = &leak->builds[leak->since];
    struct hf_shared_rate before = before_of(leak);
    if (leak->since == 0)
        return;
    hf_out_string(out, leak->has_ended ? " Until build " : " Since build ");
    hf_out_text(out, build->build);
    if (leak->has_ended) {
        hf_out_string(out, ", with which it leaks no more, in ");
        put_processes(build->judged, out);
    } else {
        hf_out_char(out, ' ');
        shared_put_rate(leak, &build->rate, out);
        hf_out_string(out, "; before that ");
        if (before.leaks == 0)
            hf_out_string(out, "no leak");
        else
            shared_put_rate(leak, &before.rate, out);
        hf_out_string(out, ", in ");
        put_processes(before.judged, out);
    }
    hf_out_char(out, '.');
}

/* What runs now need not leak: who reads the line at night asks that first. */
static void shared_put_gone(const struct hf_shared_leak *leak, struct hf_out *out)
{
    hf_out_string(out, " The latest process does not leak: at that rate it would have kept ");
    hf_verdict_amount(leak->gone_due, leak->is_bytes, out);
    hf_out_string(out, " in ");
    hf_verdict_duration(leak->gone_s, out);
    hf_out_string(out, ", and has ");
    hf_verdict_amount(leak->gone_has, leak->is_bytes, out);
    hf_out_char(out, '.');
}

void hf_shared_leak_sentence(const struct hf_shared_leak *leak, struct hf_out *out)
{
    bool is_each = leak->all.rate.is_same && leak->all.rate.count > 1;
    hf_growth_place_label(leak->place, out);
    if (leak->is_only_together)
        hf_out_printf(out, " leaks: the %zu processes of ", /* never 1 */ leak->all.judged);
    else
        hf_out_printf(out, " leaks in %zu of %zu processes of ", leak->all.leaks,
            /* never 1 */ leak->all.judged);
    shared_put_program(leak, out);
    hf_out_string(out, leak->is_only_together ? " show it together, " : ", ");
    shared_put_rate(leak, &leak->all.rate, out);
    if (is_each)
        hf_out_string(out, leak->are_restarts ? " in each, again after each restart" : " in each");
    hf_out_char(out, '.');
    shared_put_since(leak, out);
    if (leak->is_gone && leak->since == 0)
        shared_put_gone(leak, out);
}

void hf_shared_leaks_text(const struct hf_shared_leaks *leaks, struct hf_out *out)
{
    struct hf_out line = {0};
    for (size_t i = 0; i < leaks->count; i++) {
        line.size = 0;
        hf_shared_leak_sentence(&leaks->items[i], &line);
        hf_escape_terminal(out, hf_out_view(&line));
        hf_out_char(out, '\n');
    }
    if (line.error.status != HF_OK)
        out->error = line.error;
    hf_out_done(&line);
    if (leaks->count != 0)
        hf_out_char(out, '\n');
}

static void shared_json_put_rate(
    const struct hf_shared_leak *leak, const struct hf_shared_rate *rate, struct hf_out *out)
{
    const char *by = leak->counted != NULL ? "per_1000" : "per_second";
    hf_out_printf(out, "\"processes\": %zu, \"leaks\": %zu", rate->judged, rate->leaks);
    if (rate->rate.count == 0)
        return;
    hf_out_printf(out, ", \"%s\": ", by);
    hf_json_number(out, "", rate->rate.rate);
    if (rate->rate.is_same) { /* else it would be that of no process */
        hf_out_printf(out, ", \"%s_95\": [", by);
        hf_json_number(out, "", rate->rate.low);
        hf_json_number(out, ", ", rate->rate.high);
        hf_out_char(out, ']');
    }
    hf_json_number(out, ", \"least\": ", rate->rate.least);
    hf_json_number(out, ", \"most\": ", rate->rate.most);
    hf_out_printf(out, ", \"same\": %s", rate->rate.is_same ? "true" : "false");
}

static void shared_json_put(const struct hf_shared_leak *leak, struct hf_out *out)
{
    struct hf_out text = {0};
    hf_json_member(out, "{", "program", leak->program);
    hf_growth_place_label(leak->place, &text);
    hf_json_member(out, ", ", "name", hf_out_view(&text));
    text.size = 0;
    hf_shared_leak_sentence(leak, &text);
    hf_json_member(out, ", ", "sentence", hf_out_view(&text));
    if (text.error.status != HF_OK)
        out->error = text.error;
    hf_out_done(&text);
    hf_out_printf(out, ", \"restarts\": %s, \"only_together\": %s, ",
        leak->are_restarts ? "true" : "false", leak->is_only_together ? "true" : "false");
    shared_json_put_rate(leak, &leak->all, out);
    hf_out_string(out, leak->is_gone ? ", \"gone\": true" : ", \"gone\": false");
    if (leak->since != 0)
        hf_json_member(out, ", ", leak->has_ended ? "until_build" : "since_build",
            leak->builds[leak->since].build);
    hf_out_string(out, ", \"builds\": [");
    for (size_t i = 0; i < leak->build_count; i++) {
        hf_json_member(out, i == 0 ? "{" : ", {", "build", leak->builds[i].build);
        hf_out_string(out, ", ");
        shared_json_put_rate(leak, &leak->builds[i], out);
        hf_out_char(out, '}');
    }
    hf_out_string(out, "]}");
}

void hf_shared_leaks_json(const struct hf_shared_leaks *leaks, struct hf_out *out)
{
    hf_out_string(out, ", \"together\": [");
    for (size_t i = 0; i < leaks->count; i++) {
        hf_out_string(out, i == 0 ? "\n" : ",\n");
        shared_json_put(&leaks->items[i], out);
    }
    hf_out_char(out, ']');
}

void hf_shared_leaks_done(struct hf_shared_leaks *leaks)
{
    free(leaks->items);
    hf_arena_done(&leaks->arena);
    *leaks = (struct hf_shared_leaks){0};
}
