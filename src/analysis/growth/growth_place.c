#include "analysis/growth/growth_place.h"

#include "base/containers/hash.h"
#include "base/plural.h"
#include "base/strings/units.h"

#include <inttypes.h>
#include <math.h>

#define GROWN 20 /* one part in so many of a growth is its beginning, or its end */

void hf_growth_place_label(const struct hf_growth_place *place, struct hf_out *out)
{
    hf_out_text(out, place->name);
    if (place->via.size == 0)
        return;
    hf_out_string(out, " via ");
    hf_out_text(out, place->via);
}

uint64_t hf_growth_place_hash(const struct hf_growth_place *place)
{
    struct hf_out label = {0};
    hf_growth_place_label(place, &label);
    uint64_t hash = hf_hash_bytes(label.data, label.size);
    hf_out_done(&label);
    return hash;
}

bool hf_growth_when(const struct hf_growth *growth, const struct hf_growth_place *place,
    size_t *out_from, size_t *out_to)
{
    enum hf_trend_shape shape = place->trend.shape;
    const double *values = place->values;
    size_t n = growth->point_count, from = 0, to = 0;
    if (shape != HF_TREND_GROWING && shape != HF_TREND_SATURATING && shape != HF_TREND_LEVELLED &&
        shape != HF_TREND_BURST)
        return false;
    double low = values[0], high = values[0];
    for (size_t i = 1; i < n; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    double edge = (high - low) / GROWN;
    while (values[to] < high - edge)
        to++;
    for (size_t i = 0; i < to; i++)
        from = values[i] <= low + edge ? i : from;
    *out_from = from;
    *out_to = shape == HF_TREND_GROWING || shape == HF_TREND_SATURATING ? n - 1 : to;
    return true;
}

double hf_growth_began_s(const struct hf_growth *growth)
{
    return (double)(growth->history->began_ms - growth->history->first_ms) / 1000;
}

double hf_growth_thousand_s(const struct hf_growth *growth)
{
    const struct hf_load_window *load = &growth->load;
    bool has_come = load->clock != NULL && load->total > 0 && load->end_s > 0;
    return has_come ? 1000 * load->end_s / load->total : 0;
}

bool hf_growth_onset(
    const struct hf_growth *growth, const struct hf_growth_place *place, double *out_s)
{
    const struct hf_survival *survival = &place->survival;
    if (place->verdict.kind != HF_VERDICT_LEAK || survival->kind != HF_SURVIVAL_LEAK ||
        !survival->has_onset)
        return false;
    *out_s = survival->onset_s + hf_growth_began_s(growth);
    return true;
}

const struct hf_verdict_event *hf_growth_event_before(
    const struct hf_growth *growth, const struct hf_growth_place *place)
{
    double onset_s;
    const struct hf_verdict_event *found = NULL;
    if (!growth->has_clock || !hf_growth_onset(growth, place, &onset_s))
        return NULL;
    double latest_s = place->survival.onset_high_s + hf_growth_began_s(growth);
    for (size_t i = 0; i < growth->event_count; i++) {
        const struct hf_verdict_event *event = &growth->events[i];
        if (event->time_s <= latest_s && (found == NULL || event->time_s > found->time_s))
            found = event;
    }
    return found;
}

const struct hf_growth_place *hf_growth_first_leak(const struct hf_growth *growth)
{
    for (size_t i = 0; i < growth->count; i++) {
        if (growth->places[i].verdict.kind == HF_VERDICT_LEAK)
            return &growth->places[i];
    }
    return NULL;
}

/* What was recorded of a place all of whose blocks were. */
static void add_fate(const struct hf_growth *growth, const struct hf_growth_place *place,
    struct hf_verdict_facts *facts)
{
    const struct hf_growth_ages *ages = &place->ages;
    facts->freed_in = ages->site;
    if (!growth->is_exact || isnan(ages->allocated) || growth->point_count == 0)
        return;
    facts->freed = (double)ages->freed;
    facts->blocks = place->objects[growth->point_count - 1] + facts->freed;
}

struct hf_verdict_facts hf_growth_facts(
    const struct hf_growth *growth, const struct hf_growth_place *place)
{
    struct hf_verdict_facts facts = {
        .trend = &place->trend,
        .times_s = growth->times_s,
        .values = place->values,
        .objects = place->objects,
        .count = growth->point_count,
        .share = place->share,
        .old_freed = place->ages.old_freed,
        .lost_samples = growth->lost_samples,
        .is_bytes = growth->is_bytes,
        .survival = &place->survival,
        .began_s = hf_growth_began_s(growth),
        .thousand_s = hf_growth_thousand_s(growth),
        .counted = growth->load.clock != NULL ? growth->load.clock->name : NULL,
        .has_clock = growth->has_clock,
        .first_ms = growth->history->first_ms,
        .event = hf_growth_event_before(growth, place),
        .left = place == hf_growth_first_leak(growth) ? growth->left : NULL,
        .is_brief = growth->is_brief,
    };
    add_fate(growth, place, &facts);
    return facts;
}

static int urgency_of(enum hf_verdict_kind kind)
{
    return kind == HF_VERDICT_LEAK ? 0 : kind == HF_VERDICT_UNDECIDED ? 1 : 2;
}

int hf_growth_urgency(const struct hf_growth_place *a, const struct hf_growth_place *b)
{
    int first = urgency_of(a->verdict.kind), second = urgency_of(b->verdict.kind);
    bool is_since = first == 0 && a->survival.has_onset, is_other_since = b->survival.has_onset;
    double rate = is_since ? a->survival.rate : a->trend.slope;
    double other = second == 0 && is_other_since ? b->survival.rate : b->trend.slope;
    if (first != second)
        return first < second ? -1 : 1;
    return rate > other ? -1 : rate < other ? 1 : 0;
}

/* "412 recorded blocks of f were freed, 99 % of them in g; of those allocated on this path, none."
 */
static void growth_put_frees(const struct hf_growth_place *place, struct hf_out *out)
{
    const struct hf_growth_ages *ages = &place->ages;
    uint64_t count = ages->freed + ages->freed_elsewhere;
    hf_out_printf(
        out, " %" PRIu64 " %s of ", count, hf_plural(count, "recorded block", "recorded blocks"));
    hf_out_text(out, place->name);
    hf_out_printf(out, " %s freed, %.0f %% of them in ", hf_plural(count, "was", "were"),
        ages->site_share * 100);
    hf_out_text(out, ages->site);
    if (ages->freed == 0)
        hf_out_string(out, "; of those allocated on this path, none was");
    else if (ages->freed_elsewhere != 0)
        hf_out_printf(out, "; %" PRIu64 " of those allocated on this path were", ages->freed);
    hf_out_char(out, '.');
}

/* What is known of its lifetimes, as sentences with a blank before each. */
static void growth_put_ages(
    const struct hf_growth *growth, const struct hf_growth_place *place, struct hf_out *out)
{
    const struct hf_growth_ages *ages = &place->ages;
    char old[HF_UNITS_MAX];
    if (!isnan(ages->allocated)) {
        hf_out_string(out, " It allocates ");
        hf_verdict_flow(ages->allocated, growth->is_bytes, out);
        hf_out_string(out, " and frees ");
        hf_verdict_flow(ages->gone, growth->is_bytes, out);
        hf_out_char(out, '.');
    }
    if (ages->site.size != 0)
        growth_put_frees(place, out);
    if (!isnan(ages->median_s)) {
        hf_out_string(out, " Half of what is in use is older than ");
        hf_verdict_duration(ages->median_s, out);
        hf_out_char(out, '.');
    }
    if (!isnan(ages->old_bytes) && growth->old_s > 0) {
        hf_out_printf(out, " %s are older than ", hf_units_bytes((uint64_t)ages->old_bytes, old));
        hf_verdict_duration(growth->old_s, out);
        hf_out_char(out, '.');
    }
}

void hf_growth_evidence(
    const struct hf_growth *growth, const struct hf_growth_place *place, struct hf_out *out)
{
    struct hf_verdict_facts facts = hf_growth_facts(growth, place);
    hf_verdict_evidence(&place->verdict, &facts, out);
    if (!growth->is_brief)
        growth_put_ages(growth, place, out);
}
