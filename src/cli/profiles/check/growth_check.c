#include "cli/profiles/check/growth_check.h"

#include "analysis/growth/growth_place.h"
#include "base/plural.h"
#include "base/strings/units.h"
#include "render/table/growth_report.h"
#include "statistics/gain.h"

#include <assert.h>
#include <math.h>

/* Adds a check whose message is what `out` holds, without a number or a place; empties it. */
static enum hf_status add_check(struct hf_growth_check *c, const char *name, bool is_passed,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_text text = hf_out_view(out);
    const char *copy = hf_arena_copy(&c->texts, text.data, text.size);
    out->size = 0;
    if (copy == NULL)
        return hf_error_memory(err);
    assert(c->count < HF_CHECKS_MAX);
    c->checks[c->count++] =
        (struct hf_check){.name = name, .is_passed = is_passed, .message = {copy, text.size}};
    return HF_OK;
}

static bool is_exact(const struct hf_growth_check *c)
{
    return c->process->growth.is_exact;
}

/* A rate, which is by the second, becomes that of a thousand of what is counted. */
static struct hf_check_number number_between(const struct hf_growth_check *c,
    enum hf_check_kind kind, struct hf_retained value, double limit)
{
    struct hf_check_number number = {
        .kind = kind, .value = value.value, .low = value.low, .high = value.high, .limit = limit};
    double by = hf_growth_thousand_s(&c->process->growth);
    if (kind == HF_CHECK_RATE && by > 0) {
        number.kind = HF_CHECK_RATE_BY_LOAD;
        number.value *= by;
        number.low *= by;
        number.high *= by;
        number.limit *= by;
    }
    return number;
}

/* The same to be compared with the limit: exactly, if nothing was sampled. */
static struct hf_check_number number_of(const struct hf_growth_check *c, enum hf_check_kind kind,
    struct hf_retained value, double limit)
{
    struct hf_check_number number = number_between(c, kind, value, limit);
    number.is_exact = is_exact(c);
    if (number.is_exact)
        number.low = number.high = number.value;
    return number;
}

static struct hf_gain gain_of(const struct hf_growth_check *c, const struct hf_growth_place *place)
{
    const struct hf_growth *growth = &c->process->growth;
    struct hf_trend_points points = {
        growth->clock_s, place->values, growth->point_count, place->noise};
    return hf_gain_of(&points, &place->trend);
}

/* A limit by the second, which requests are at their mean load. */
static double pace_of(const struct hf_growth_check *c, struct hf_growth_pace pace)
{
    double thousand_s = hf_growth_thousand_s(&c->process->growth);
    return isinf(pace.a_request) ? pace.a_second
                                 : pace.a_request * (thousand_s > 0 ? 1000 / thousand_s : 0);
}

/* How fast a place grows: as a rule, or by what it gained if that is surely more. */
static struct hf_check_number rate_of(
    const struct hf_growth_check *c, const struct hf_growth_place *place, double limit)
{
    struct hf_gain gain = gain_of(c, place);
    const struct hf_trend *trend = &place->trend;
    bool is_gain = is_exact(c) ? gain.rate > trend->slope : gain.rate_low > trend->low;
    return number_of(c, HF_CHECK_RATE,
        is_gain ? (struct hf_retained){gain.rate, gain.rate_low, gain.rate_high}
                : (struct hf_retained){trend->slope, trend->low, trend->high},
        limit);
}

/* "+6.0 MiB/min", or of a thousand requests. */
static void put_pace(const struct hf_growth_check *c, const struct hf_check_number *number,
    double value, struct hf_out *out)
{
    bool is_bytes = c->process->growth.is_bytes;
    if (number->kind == HF_CHECK_RATE) {
        hf_verdict_rate(value, is_bytes, out);
        return;
    }
    hf_out_char(out, value < 0 ? '-' : '+');
    hf_verdict_amount(fabs(value), is_bytes, out);
}

/* ", limit +1.0 MiB/min" */
static void put_limit(
    const struct hf_growth_check *c, const struct hf_check_number *number, struct hf_out *out)
{
    hf_out_string(out, ", limit ");
    if (number->kind == HF_CHECK_PART || number->kind == HF_CHECK_KEPT)
        hf_out_printf(out, "%.1f %%", number->limit * 100);
    else
        put_pace(c, number, number->limit, out);
    if (number->kind == HF_CHECK_RATE_BY_LOAD)
        hf_out_printf(out, " per 1,000 %s", c->process->growth.load.clock->name);
}

/* "+3.1 MiB/min (+2.8 MiB/min to +3.5 MiB/min)" */
static void put_rate(
    const struct hf_growth_check *c, const struct hf_check_number *rate, struct hf_out *out)
{
    put_pace(c, rate, rate->value, out);
    if (rate->is_exact) {
        hf_out_string(out, " (exact)");
    } else {
        hf_out_string(out, " (");
        put_pace(c, rate, rate->low, out);
        hf_out_string(out, " to ");
        put_pace(c, rate, rate->high, out);
        hf_out_char(out, ')');
    }
}

/* What the check that was added last is about. */
static void check_tell(
    struct hf_growth_check *c, struct hf_check_number number, const struct hf_growth_place *place)
{
    c->checks[c->count - 1].number = number;
    c->checks[c->count - 1].place = place;
}

/* Adds a check that compares a number, of a place or (NULL) of all memory. */
static enum hf_status add_number_check(struct hf_growth_check *c, const char *name,
    struct hf_check_number number, const struct hf_growth_place *place, struct hf_out *out,
    struct hf_error *err)
{
    enum hf_status status = add_check(c, name, number.low <= number.limit, out, err);
    if (status == HF_OK)
        check_tell(c, number, place);
    return status;
}

static void check_put_place(const struct hf_growth_place *place, struct hf_out *out)
{
    if (place != NULL)
        hf_growth_place_label(place, out);
    else
        hf_out_string(out, "all memory");
    hf_out_string(out, ": ");
}

static enum hf_status check_budget(
    struct hf_growth_check *c, struct hf_out *out, struct hf_error *err)
{
    const struct hf_growth *growth = &c->process->growth;
    double limit = pace_of(c, c->limits.budget);
    struct hf_check_number whole = rate_of(c, &growth->whole, limit);
    check_put_place(NULL, out);
    put_rate(c, &whole, out);
    put_limit(c, &whole, out);
    enum hf_status status = add_number_check(c, "budget", whole, NULL, out, err);
    for (size_t i = 0; status == HF_OK && i < growth->count; i++) {
        struct hf_check_number rate = rate_of(c, &growth->places[i], limit);
        if (rate.low <= rate.limit)
            continue;
        check_put_place(&growth->places[i], out);
        put_rate(c, &rate, out);
        put_limit(c, &rate, out);
        status = add_number_check(c, "budget", rate, &growth->places[i], out, err);
    }
    return status;
}

/* "5.2 % (4.0 % to 6.7 %)" */
static void check_put_share(const struct hf_check_number *share, struct hf_out *out)
{
    hf_out_printf(out, "%.1f %%", share->value * 100);
    if (share->is_exact)
        hf_out_string(out, " (exact)");
    else
        hf_out_printf(out, " (%.1f %% to %.1f %%)", share->low * 100, share->high * 100);
}

/* What is kept of each cohort, by the one that keeps least; false: not known. */
static bool check_find_kept(const struct hf_growth_check *c, const struct hf_growth_place *place,
    struct hf_check_number *out_number, struct hf_out *out)
{
    const struct hf_retention *kept = &place->kept;
    bool is_share = !isinf(c->limits.kept_share);
    if (!kept->is_known || (is_share && !kept->has_shares))
        return false;
    *out_number = is_share ? number_of(c, HF_CHECK_KEPT, kept->share, c->limits.kept_share)
                           : number_of(c, HF_CHECK_RATE, kept->rate, pace_of(c, c->limits.kept));
    check_put_place(place != &c->process->growth.whole ? place : NULL, out);
    hf_out_string(out, "keeps ");
    if (is_share)
        check_put_share(out_number, out);
    else
        put_rate(c, out_number, out);
    hf_out_string(out, " of what it allocated in ");
    hf_verdict_duration(kept->to_s - kept->from_s, out);
    hf_out_string(out, " and had ");
    hf_verdict_duration(kept->to_s - kept->from_s, out);
    hf_out_string(out, " to free");
    put_limit(c, out_number, out);
    return true;
}

static enum hf_status check_survivors(
    struct hf_growth_check *c, struct hf_out *out, struct hf_error *err)
{
    const struct hf_growth *growth = &c->process->growth;
    struct hf_check_number number;
    enum hf_status status = HF_OK;
    if (check_find_kept(c, &growth->whole, &number, out)) {
        status = add_number_check(c, "survivors", number, NULL, out, err);
    } else {
        hf_out_string(out,
            "not known: that takes 16 or more profiles with births, as heapflame run "
            "and watch write them");
        status = add_check(c, "survivors", true, out, err);
        if (status == HF_OK)
            c->checks[c->count - 1].is_open = true;
    }
    for (size_t i = 0; status == HF_OK && i < growth->count; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        bool is_above = check_find_kept(c, place, &number, out) && !(number.low <= number.limit);
        if (is_above)
            status = add_number_check(c, "survivors", number, place, out, err);
        out->size = 0;
    }
    return status;
}

/* "from 20.0 MiB to 216.0 MiB" */
static void put_ends(
    const struct hf_growth_check *c, const struct hf_gain *gain, struct hf_out *out)
{
    bool is_bytes = c->process->growth.is_bytes;
    hf_out_string(out, "from ");
    if (gain->first > 0)
        hf_verdict_amount(gain->first, is_bytes, out);
    else
        hf_out_string(out, "nothing");
    hf_out_string(out, " to ");
    hf_verdict_amount(gain->last, is_bytes, out);
}

static enum hf_status check_growth(
    struct hf_growth_check *c, struct hf_out *out, struct hf_error *err)
{
    struct hf_gain gain = gain_of(c, &c->process->growth.whole);
    struct hf_check_number number = number_of(c, HF_CHECK_PART,
        (struct hf_retained){gain.part, gain.part_low, gain.part_high}, c->limits.max_growth);
    hf_out_string(out, "all memory: ");
    if (isfinite(gain.part))
        hf_out_printf(out, "%+.1f %%", gain.part * 100);
    if (number.is_exact)
        hf_out_string(out, " (exact)");
    else if (isfinite(gain.part_high) && gain.part_high > gain.part)
        hf_out_printf(out, " (%+.1f %% to %+.1f %%)", gain.part_low * 100, gain.part_high * 100);
    if (isfinite(gain.part))
        hf_out_string(out, ", ");
    put_ends(c, &gain, out);
    put_limit(c, &number, out);
    return add_number_check(c, "growth", number, NULL, out, err);
}

/* Fails if all memory surely reaches the limit in time; of an end that is not known, it may not. */
static enum hf_status check_limit(
    struct hf_growth_check *c, struct hf_out *out, struct hf_error *err)
{
    const struct hf_growth_report report = {
        .growth = &c->process->growth, .limit_bytes = c->limits.bytes};
    const struct hf_growth_left left = hf_growth_left(&report);
    char limit[HF_UNITS_MAX];
    double within_s = c->limits.within_s;
    struct hf_check_number number = number_of(c, HF_CHECK_SECONDS,
        left.bytes > 0 ? (struct hf_retained){left.s, left.low_s, left.high_s}
                       : (struct hf_retained){0, 0, 0},
        within_s);
    bool is_passed = left.bytes > 0 && !(number.high <= within_s);
    hf_out_printf(out, "all memory: the limit of %s ", hf_units_bytes(c->limits.bytes, limit));
    if (number.is_exact && left.bytes > 0 && isfinite(left.s)) {
        hf_out_string(out, "would be reached in ");
        hf_verdict_duration(left.s, out);
        hf_out_string(out, " (exact)");
    } else {
        hf_growth_put_left(&left, out);
    }
    hf_out_string(out, ", required: ");
    hf_verdict_duration(within_s, out);
    hf_out_string(out, " or more");
    enum hf_status status = add_check(c, "limit", is_passed, out, err);
    if (status == HF_OK)
        check_tell(c, number, NULL);
    return status;
}

/* A check for each place with that verdict, which is not passed, or is open. */
static enum hf_status check_places(struct hf_growth_check *c, enum hf_verdict_kind kind,
    bool is_open, size_t *out_found, struct hf_out *out, struct hf_error *err)
{
    const struct hf_growth *growth = &c->process->growth;
    enum hf_status status = HF_OK;
    *out_found = 0;
    for (size_t i = 0; status == HF_OK && i < growth->count; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        struct hf_verdict_facts facts = hf_growth_facts(growth, place);
        if (place->verdict.kind != kind)
            continue;
        (*out_found)++;
        struct hf_out label = {0};
        hf_growth_place_label(place, &label);
        hf_verdict_sentence(&place->verdict, &facts, hf_out_view(&label), out);
        hf_out_done(&label);
        status = add_check(c, hf_verdict_name(kind), is_open, out, err);
        if (status != HF_OK)
            return status;
        const struct hf_trend *trend = &place->trend;
        check_tell(c,
            number_between(c, HF_CHECK_RATE,
                (struct hf_retained){trend->slope, trend->low, trend->high}, INFINITY),
            place);
        c->checks[c->count - 1].is_open = is_open;
    }
    return status;
}

/* A leak that no process shows alone counts for the last that has the place. */
static enum hf_status check_together(
    struct hf_growth_check *c, size_t *out_found, struct hf_out *out, struct hf_error *err)
{
    const struct hf_growth *growth = &c->process->growth;
    enum hf_status status = HF_OK;
    *out_found = 0;
    for (size_t i = 0; status == HF_OK && i < c->together->count; i++) {
        const struct hf_shared_leak *leak = &c->together->items[i];
        if (!leak->is_only_together || leak->place < growth->places ||
            leak->place >= growth->places + growth->count)
            continue;
        (*out_found)++;
        hf_shared_leak_sentence(leak, out);
        status = add_check(c, hf_verdict_name(HF_VERDICT_LEAK), false, out, err);
        if (status != HF_OK)
            return status;
        const struct hf_pooled_rate *rate = &leak->all.rate;
        struct hf_check_number number = {.kind = HF_CHECK_RATE,
            .value = rate->rate,
            .low = rate->low,
            .high = rate->high,
            .limit = INFINITY};
        if (leak->counted != NULL)
            number.kind = HF_CHECK_RATE_BY_LOAD;
        check_tell(c, number, leak->place);
    }
    return status;
}

static enum hf_status check_verdicts(
    struct hf_growth_check *c, struct hf_out *out, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    size_t found, together = 0;
    for (enum hf_verdict_kind kind = 0; status == HF_OK && kind <= HF_VERDICT_TOO_LITTLE; kind++) {
        if (!c->limits.fails_on[kind])
            continue;
        status = check_places(c, kind, false, &found, out, err);
        if (status == HF_OK && kind == HF_VERDICT_LEAK)
            status = check_together(c, &together, out, err);
        if (status == HF_OK && found + (kind == HF_VERDICT_LEAK ? together : 0) == 0) {
            hf_out_string(out, "none");
            status = add_check(c, hf_verdict_name(kind), true, out, err);
        }
    }
    /* Who asks for leaks shall know of what may be one. */
    if (status == HF_OK && c->limits.fails_on[HF_VERDICT_LEAK] &&
        !c->limits.fails_on[HF_VERDICT_UNDECIDED])
        status = check_places(c, HF_VERDICT_UNDECIDED, true, &found, out, err);
    return status;
}

/* When a leak began, in seconds since the first profile; false: that is not known. */
static bool check_find_onset(const struct hf_growth_check *c, const struct hf_growth_place *place,
    double limit_s, struct hf_check_number *out_number)
{
    const struct hf_survival *survival = &place->survival;
    double began_s = hf_growth_began_s(&c->process->growth);
    if (survival->kind != HF_SURVIVAL_LEAK)
        return false;
    struct hf_retained onset = {survival->onset_s + began_s, survival->onset_low_s + began_s,
        survival->onset_high_s + began_s};
    *out_number = number_of(c, HF_CHECK_ONSET, onset, limit_s);
    if (!survival->has_onset) { /* since the start of the recording, or later: it is not exact */
        out_number->is_exact = false;
        out_number->value = out_number->low = began_s;
        out_number->high = fmax(onset.high, began_s);
    }
    return true;
}

/* "began 28 min to 30 min after the first profile" */
static void put_began(const struct hf_check_number *onset, struct hf_out *out)
{
    if (onset->high <= 0) {
        hf_out_string(out, "began before the first profile");
        return;
    }
    hf_out_string(out, "began ");
    if (!onset->is_exact) {
        hf_verdict_duration(fmax(onset->low, 0), out);
        hf_out_string(out, " to ");
    }
    hf_verdict_duration(onset->high, out);
    hf_out_string(out, onset->is_exact ? " (exact)" : "");
    hf_out_string(out, " after the first profile");
    if (onset->low < 0)
        hf_out_string(out, ", or before it");
}

/* One leak; it fails if it surely began later, and is told as open if it may have. */
static enum hf_status check_onset_of(struct hf_growth_check *c, const struct hf_growth_place *place,
    double limit_s, struct hf_out *out, struct hf_error *err)
{
    struct hf_check_number onset = {.kind = HF_CHECK_NO_NUMBER};
    bool is_known = check_find_onset(c, place, limit_s, &onset);
    check_put_place(place, out);
    if (is_known)
        put_began(&onset, out);
    else
        hf_out_string(out,
            "leaks, but only profiles with births say when it began, as heapflame run "
            "and watch write them");
    hf_out_string(out, ", limit ");
    hf_verdict_duration(limit_s, out);
    enum hf_status status = add_number_check(c, "onset", onset, place, out, err);
    if (status == HF_OK)
        c->checks[c->count - 1].is_open =
            !is_known || (onset.low <= onset.limit && onset.high > onset.limit);
    return status;
}

static enum hf_status check_onsets(
    struct hf_growth_check *c, struct hf_out *out, struct hf_error *err)
{
    const struct hf_growth *growth = &c->process->growth;
    double limit_s = c->limits.has_onset_time
                         ? c->limits.onset_s
                         : (double)(c->limits.onset_ms - c->process->history.first_ms) / 1000;
    enum hf_status status = HF_OK;
    size_t leaks = 0;
    for (size_t i = 0; status == HF_OK && i < growth->count; i++) {
        if (growth->places[i].verdict.kind != HF_VERDICT_LEAK)
            continue;
        leaks++;
        status = check_onset_of(c, &growth->places[i], limit_s, out, err);
    }
    if (status != HF_OK || leaks != 0)
        return status;
    hf_out_string(out, "none");
    return add_check(c, "onset", true, out, err);
}

static enum hf_status check_all(struct hf_growth_check *c, struct hf_error *err)
{
    struct hf_out out = {0};
    enum hf_status status = HF_OK;
    struct hf_verdict_left left;
    const struct hf_growth_report report = {
        .growth = &c->process->growth, .limit_bytes = c->limits.bytes};
    c->process->growth.left = hf_growth_limit_left(&report, &left) ? &left : NULL;
    if (hf_growth_pace_is_given(c->limits.budget))
        status = check_budget(c, &out, err);
    if (status == HF_OK && !isinf(c->limits.max_growth))
        status = check_growth(c, &out, err);
    if (status == HF_OK && c->limits.bytes != 0)
        status = check_limit(c, &out, err);
    if (status == HF_OK &&
        (!isinf(c->limits.kept_share) || hf_growth_pace_is_given(c->limits.kept)))
        status = check_survivors(c, &out, err);
    if (status == HF_OK && c->limits.onset_after != NULL)
        status = check_onsets(c, &out, err);
    if (status == HF_OK)
        status = check_verdicts(c, &out, err);
    c->process->growth.left = NULL;
    hf_out_done(&out);
    return status;
}

/* One of several that says too little does not stop the judgement of the others. */
enum hf_status hf_growth_check_run(struct hf_growth_check *c, bool is_one_of, struct hf_error *err)
{
    size_t profiles = c->process->history.profile_count;
    struct hf_out out = {0};
    if (c->process->growth.point_count >= HF_TREND_POINTS_MIN)
        return check_all(c, err);
    if (!is_one_of)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected at least %d profiles, because fewer cannot show growth; found %zu",
            HF_TREND_POINTS_MIN, c->process->growth.point_count);
    hf_out_printf(&out, "%zu %s too little data to judge", profiles,
        hf_plural(profiles, "profile is", "profiles are"));
    enum hf_status status = add_check(c, "process", true, &out, err);
    if (status == HF_OK)
        c->checks[c->count - 1].is_open = true;
    hf_out_done(&out);
    return status;
}

void hf_growth_check_done(struct hf_growth_check *c)
{
    hf_arena_done(&c->texts);
}
