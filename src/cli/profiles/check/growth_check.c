#include "cli/profiles/check/growth_check.h"

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

static struct hf_gain gain_of(const struct hf_growth_check *c, const struct hf_growth_place *place)
{
    const struct hf_growth *growth = &c->process->growth;
    struct hf_trend_points points = {
        growth->times_s, place->values, growth->point_count, place->noise};
    return hf_gain_of(&points, &place->trend);
}

/* How fast a place grows: as a rule, or by what it gained if that is surely more. */
static struct hf_check_number rate_of(
    const struct hf_growth_check *c, const struct hf_growth_place *place)
{
    struct hf_gain gain = gain_of(c, place);
    if (gain.rate_low > place->trend.low)
        return (struct hf_check_number){
            HF_CHECK_RATE, gain.rate, gain.rate_low, gain.rate_high, c->limits.budget};
    const struct hf_trend *trend = &place->trend;
    return (struct hf_check_number){
        HF_CHECK_RATE, trend->slope, trend->low, trend->high, c->limits.budget};
}

static void put_rate(
    const struct hf_growth_check *c, const struct hf_check_number *rate, struct hf_out *out)
{
    bool is_bytes = c->process->growth.is_bytes;
    hf_verdict_rate(rate->value, is_bytes, out);
    hf_out_string(out, " (");
    hf_verdict_rate(rate->low, is_bytes, out);
    hf_out_string(out, " to ");
    hf_verdict_rate(rate->high, is_bytes, out);
    hf_out_string(out, ") of ");
    hf_verdict_rate(c->limits.budget, is_bytes, out);
}

/* What the check that was added last is about. */
static void check_tell(
    struct hf_growth_check *c, struct hf_check_number number, const struct hf_growth_place *place)
{
    c->checks[c->count - 1].number = number;
    c->checks[c->count - 1].place = place;
}

static enum hf_status check_budget(
    struct hf_growth_check *c, struct hf_out *out, struct hf_error *err)
{
    const struct hf_growth *growth = &c->process->growth;
    struct hf_check_number whole = rate_of(c, &growth->whole);
    hf_out_string(out, "all memory: ");
    put_rate(c, &whole, out);
    enum hf_status status = add_check(c, "budget", whole.low <= c->limits.budget, out, err);
    if (status == HF_OK)
        check_tell(c, whole, NULL);
    for (size_t i = 0; status == HF_OK && i < growth->count; i++) {
        struct hf_check_number rate = rate_of(c, &growth->places[i]);
        if (rate.low <= c->limits.budget)
            continue;
        hf_growth_place_label(&growth->places[i], out);
        hf_out_string(out, ": ");
        put_rate(c, &rate, out);
        status = add_check(c, "budget", false, out, err);
        if (status == HF_OK)
            check_tell(c, rate, &growth->places[i]);
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
    hf_out_string(out, "all memory: ");
    if (isfinite(gain.part))
        hf_out_printf(out, "%+.1f %%", gain.part * 100);
    if (isfinite(gain.part_high) && gain.part_high > gain.part)
        hf_out_printf(out, " (%+.1f %% to %+.1f %%)", gain.part_low * 100, gain.part_high * 100);
    if (isfinite(gain.part))
        hf_out_printf(out, " of %.1f %%, ", c->limits.max_growth * 100);
    put_ends(c, &gain, out);
    if (!isfinite(gain.part))
        hf_out_printf(out, ", of %.1f %%", c->limits.max_growth * 100);
    struct hf_check_number number = {
        HF_CHECK_PART, gain.part, gain.part_low, gain.part_high, c->limits.max_growth};
    enum hf_status status = add_check(c, "growth", gain.part_low <= c->limits.max_growth, out, err);
    if (status == HF_OK)
        check_tell(c, number, NULL);
    return status;
}

/* Fails if all memory surely reaches the limit in time; of an end that is not known, it may not. */
static enum hf_status check_limit(
    struct hf_growth_check *c, struct hf_out *out, struct hf_error *err)
{
    const struct hf_growth_report report = {
        .growth = &c->process->growth, .limit_bytes = c->limits.bytes};
    const struct hf_growth_left left = hf_growth_left(&report);
    char limit[HF_UNITS_MAX];
    bool is_passed = left.bytes > 0 && !(left.high_s <= c->limits.within_s);
    hf_out_printf(out, "all memory: the limit of %s ", hf_units_bytes(c->limits.bytes, limit));
    hf_growth_put_left(&left, out);
    hf_out_string(out, ", of at least ");
    hf_verdict_duration(c->limits.within_s, out);
    struct hf_check_number number = {HF_CHECK_SECONDS, left.bytes > 0 ? left.s : 0,
        left.bytes > 0 ? left.low_s : 0, left.bytes > 0 ? left.high_s : 0, c->limits.within_s};
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
            (struct hf_check_number){
                HF_CHECK_RATE, trend->slope, trend->low, trend->high, INFINITY},
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
        check_tell(c,
            (struct hf_check_number){HF_CHECK_RATE, rate->rate, rate->low, rate->high, INFINITY},
            leak->place);
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

static enum hf_status check_all(struct hf_growth_check *c, struct hf_error *err)
{
    struct hf_out out = {0};
    enum hf_status status = HF_OK;
    if (!isinf(c->limits.budget))
        status = check_budget(c, &out, err);
    if (status == HF_OK && !isinf(c->limits.max_growth))
        status = check_growth(c, &out, err);
    if (status == HF_OK && c->limits.bytes != 0)
        status = check_limit(c, &out, err);
    if (status == HF_OK)
        status = check_verdicts(c, &out, err);
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
