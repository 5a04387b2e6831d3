#include "analysis/growth/growth_ages.h"

#include "analysis/suspects.h"

#include <stdlib.h>

#define OBJECTS_MIN 10 /* a single buffer that is moved as it grows is always young */

/* Of one place. */
struct growth_ages_tally {
    double births[HF_LIFETIMES_BINS + 1], old;
    double allocated[2]; /* at the first point and at the last */
    uint64_t freed[HF_HISTORY_FREES_MAX], elsewhere[HF_HISTORY_FREES_MAX];
};

struct measurer {
    struct hf_growth *growth;
    const struct hf_history *history;
    const struct hf_profile *folded;
    const uint32_t *owners, *counted;
    struct growth_ages_tally *tallies;
    uint32_t sites[HF_HISTORY_FREES_MAX]; /* by free site: a frame, plus one */
};

static void growth_ages_add_to(struct measurer *m, struct growth_ages_tally *tally, size_t sample)
{
    const struct hf_sample *at = &m->folded->samples[sample];
    double space = (double)hf_profile_value(m->folded, sample, HF_HISTORY_SPACE);
    size_t last = m->history->count - 1;
    if (at->thread == 0 || at->thread == last)
        tally->allocated[at->thread != 0] +=
            (double)hf_profile_value(m->folded, sample, HF_HISTORY_ALLOCATED) /
            (double)m->history->points[at->thread].profiles;
    else if (at->thread == HF_HISTORY_OLD)
        tally->old += space;
    else if (at->thread >= HF_HISTORY_BIRTHS && at->thread < HF_HISTORY_OLD)
        tally->births[at->thread - HF_HISTORY_BIRTHS] += space;
    else if (at->thread >= HF_HISTORY_FREES && at->thread < HF_HISTORY_COHORTS)
        tally->freed[at->thread - HF_HISTORY_FREES] +=
            hf_profile_value(m->folded, sample, HF_HISTORY_OBJECTS);
}

/* A site's stack is marked; and frees of blocks of the same function on other paths count for it,
 * too. */
static void see_free(struct measurer *m, size_t sample)
{
    const struct hf_sample *at = &m->folded->samples[sample];
    if (at->thread < HF_HISTORY_FREES || at->thread >= HF_HISTORY_COHORTS)
        return;
    size_t site = at->thread - HF_HISTORY_FREES;
    uint32_t frame = m->folded->stacks.nodes[m->counted[at->node]].frame;
    if (hf_profile_value(m->folded, sample, HF_HISTORY_SPACE) != 0 && at->node != HF_STACK_ROOT)
        m->sites[site] = frame + 1;
    for (size_t i = 0; i < m->growth->count; i++) {
        const struct hf_growth_place *place = &m->growth->places[i];
        if (place->frames[0] == frame && m->owners[at->node] != i)
            m->tallies[i].elsewhere[site] +=
                hf_profile_value(m->folded, sample, HF_HISTORY_OBJECTS);
    }
}

/* Bytes in use at the end that were born before a time, seconds from the first profile. */
static double born_before(
    const struct hf_history *history, const double births[HF_LIFETIMES_BINS + 1], double time_s)
{
    double span_s = (double)(history->last_ms - history->first_ms) / 1000;
    double bins = time_s / span_s * HF_LIFETIMES_BINS, sum = births[0];
    for (size_t bin = 0; bin < HF_LIFETIMES_BINS; bin++)
        sum += births[bin + 1] * fmin(fmax(bins - (double)bin, 0), 1);
    return sum;
}

double hf_growth_old_freed(const struct hf_growth *growth, const struct hf_growth_place *place,
    const double births[HF_LIFETIMES_BINS + 1])
{
    size_t n = growth->point_count, late = n - 1 - (n >= 8 ? n / 8 : 1);
    double middle = 0, end = 0, held = 0;
    if (!growth->history->has_lifetimes || !growth->is_bytes || n < HF_TREND_POINTS_MIN ||
        place->objects[n - 1] < OBJECTS_MIN)
        return NAN;
    for (size_t i = n / 4; i < n - n / 4; i++) {
        held += place->values[i];
        middle += place->values[i] - born_before(growth->history, births, growth->times_s[i]);
    }
    for (size_t i = late; i < n - 1; i++)
        end += place->values[i] - born_before(growth->history, births, growth->times_s[i]);
    double middles = (double)(n - n / 4 - n / 4), ends = (double)(n - 1 - late);
    return held > 0 ? fmax((middle / middles - end / ends) / (held / middles), 0) : NAN;
}

/* Half of the bytes were born before. */
static double median_age(
    const struct hf_history *history, const double births[HF_LIFETIMES_BINS + 1])
{
    double span_s = (double)(history->last_ms - history->first_ms) / 1000, all = 0, sum = births[0];
    for (size_t i = 0; i <= HF_LIFETIMES_BINS; i++)
        all += births[i];
    if (all <= 0 || sum > all / 2)
        return NAN;
    size_t bin = 0;
    while (sum + births[bin + 1] < all / 2)
        sum += births[++bin];
    double part = births[bin + 1] > 0 ? (all / 2 - sum) / births[bin + 1] : 0;
    return span_s * (1 - ((double)bin + part) / HF_LIFETIMES_BINS);
}

static enum hf_status describe_frees(struct measurer *m, struct hf_growth_ages *ages,
    const struct growth_ages_tally *tally, struct hf_error *err)
{
    size_t most = 0;
    struct hf_out name = {0};
    for (size_t i = 0; i < HF_HISTORY_FREES_MAX; i++) {
        ages->freed += tally->freed[i];
        ages->freed_elsewhere += tally->elsewhere[i];
        if (tally->freed[i] + tally->elsewhere[i] > tally->freed[most] + tally->elsewhere[most])
            most = i;
    }
    if (ages->freed + ages->freed_elsewhere == 0 || m->sites[most] == 0)
        return HF_OK;
    ages->site_share = (double)(tally->freed[most] + tally->elsewhere[most]) /
                       (double)(ages->freed + ages->freed_elsewhere);
    hf_suspect_frame_name(m->folded, m->sites[most] - 1, false, &name);
    struct hf_text text = hf_out_view(&name);
    const char *copy = hf_arena_copy(&m->growth->arena, text.data, text.size);
    ages->site = (struct hf_text){copy, copy != NULL ? text.size : 0};
    hf_out_done(&name);
    return copy != NULL ? HF_OK : hf_error_memory(err);
}

static enum hf_status growth_ages_fill(struct measurer *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    bool is_bytes = m->growth->is_bytes;
    for (size_t i = 0; i < m->folded->sample_count; i++) {
        uint32_t owner = m->owners[m->folded->samples[i].node];
        if (owner < m->growth->count)
            growth_ages_add_to(m, &m->tallies[owner], i);
        see_free(m, i);
    }
    for (size_t i = 0; status == HF_OK && i < m->growth->count; i++) {
        struct hf_growth_place *place = &m->growth->places[i];
        const struct growth_ages_tally *tally = &m->tallies[i];
        double span_s = m->growth->times_s[m->history->count - 1];
        double grew = place->values[m->history->count - 1] - place->values[0];
        if (tally->allocated[1] > 0 && is_bytes && span_s > 0) {
            place->ages.allocated = (tally->allocated[1] - tally->allocated[0]) / span_s;
            place->ages.gone = fmax(place->ages.allocated - grew / span_s, 0);
        }
        if (!m->history->has_lifetimes)
            continue;
        place->ages.old_freed = hf_growth_old_freed(m->growth, place, tally->births);
        place->ages.old_bytes = tally->old;
        place->ages.median_s = median_age(m->history, tally->births);
        status = describe_frees(m, &place->ages, tally, err);
    }
    return status;
}

enum hf_status hf_growth_measure_ages(struct hf_growth *growth, const struct hf_history *history,
    const struct hf_profile *folded, const uint32_t *owners, const uint32_t *counted,
    struct hf_error *err)
{
    struct measurer m = {
        .growth = growth,
        .history = history,
        .folded = folded,
        .owners = owners,
        .counted = counted,
        .tallies = calloc(growth->count + 1, sizeof *m.tallies),
    };
    for (size_t i = 0; i <= growth->count; i++) {
        struct hf_growth_place *place = i < growth->count ? &growth->places[i] : &growth->whole;
        place->ages = HF_GROWTH_AGES_UNKNOWN;
    }
    enum hf_status status = m.tallies != NULL ? growth_ages_fill(&m, err) : hf_error_memory(err);
    free(m.tallies);
    return status;
}
