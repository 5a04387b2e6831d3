#include "analysis/verdict.h"

#include "base/plural.h"
#include "base/strings/units.h"
#include "profile/unbias.h"

#include <math.h>
#include <time.h>

#define Z_5 1.645 /* one side, 5 % */
#define SIGMAS_MAX 6
#define SAMPLES_ALL 1e6 /* behind a growth: as good as every block */
#define BEND_MAX 100    /* more, and what grew is no scale for it */
#define ONSET_LATE 0.1  /* of the time: before, a leak is from the start on to a reader */
#define EVENT_AT_S 60   /* an onset so soon after an event is at it */
#define LOSS_PART 2     /* lost samples count if they are more than one in so many of what grew */

/* The probability of a normal variable below z. */
static double below(double z)
{
    return 0.5 * erfc(-(z < SIGMAS_MAX ? z : SIGMAS_MAX) / M_SQRT2);
}

static struct hf_verdict of(enum hf_verdict_kind kind, double z)
{
    return (struct hf_verdict){.kind = kind, .confidence = below(fmax(z, 0))};
}

static double error_of(const struct hf_trend *trend)
{
    return (trend->high - trend->low) / 2 / 1.96;
}

static bool could_be_loss(const struct hf_verdict_facts *facts)
{
    return facts->lost_samples * LOSS_PART > facts->trend->samples ||
           (isinf(facts->lost_samples) && isinf(facts->trend->samples));
}

static struct hf_verdict of_growth(const struct hf_verdict_facts *facts)
{
    const struct hf_trend *trend = facts->trend;
    double straight = (HF_VERDICT_CACHE_BEND - trend->bend) / trend->bend_error;
    double rises = trend->slope / error_of(trend);
    bool moves = facts->survival != NULL && facts->survival->moves;
    bool stays = moves || isnan(facts->old_freed) || facts->old_freed < HF_VERDICT_OLD_FREED;
    if (straight > Z_5 && !trend->has_stopped && stays && !could_be_loss(facts))
        return of(HF_VERDICT_LEAK, fmin(straight, rises));
    return of(HF_VERDICT_UNDECIDED, rises);
}

static struct hf_verdict of_saturation(const struct hf_trend *trend)
{
    double slows = (HF_VERDICT_CACHE_HALVES - trend->halves) / trend->halves_error;
    return slows > Z_5 ? of(HF_VERDICT_FILLING_CACHE, slows)
                       : of(HF_VERDICT_UNDECIDED, trend->bend / trend->bend_error);
}

/* By the shape of the total alone. */
static struct hf_verdict of_shape(const struct hf_verdict_facts *facts)
{
    const struct hf_trend *trend = facts->trend;
    switch (trend->shape) {
    case HF_TREND_TOO_LITTLE: return of(HF_VERDICT_TOO_LITTLE, 0);
    case HF_TREND_STEADY:
    case HF_TREND_SAWTOOTH: return of(HF_VERDICT_STEADY, 1.96);
    case HF_TREND_FALLING: return of(HF_VERDICT_STEADY, -trend->slope / error_of(trend));
    case HF_TREND_BURST: return of(HF_VERDICT_BURST, 1.96);
    case HF_TREND_GROWING: return of_growth(facts);
    case HF_TREND_SATURATING: return of_saturation(trend);
    case HF_TREND_LEVELLED: return of(HF_VERDICT_FULL_CACHE, trend->bend / trend->bend_error);
    }
    return of(HF_VERDICT_TOO_LITTLE, 0);
}

static struct hf_verdict full_since(double full_s)
{
    struct hf_verdict verdict = of(HF_VERDICT_FULL_CACHE, 1.96);
    verdict.full_s = full_s;
    return verdict;
}

/*
 * Births know since when there is no more, where the shape of the total must guess: a cache that
 * fills frees nothing, whatever its speed was before, so what is renewed is full since its blocks
 * die; and what has ended grows no more since its last survivor came.
 */
static bool is_level_since(const struct hf_verdict_facts *facts, double *out_s)
{
    const struct hf_trend *trend = facts->trend;
    double noise =
        trend->samples > 0 && !isinf(trend->samples) ? fabs(trend->growth) / trend->samples : 0;
    struct hf_trend_points points = {facts->times_s, facts->values, facts->count, noise};
    bool has_ended = facts->survival->kind == HF_SURVIVAL_ENDED;
    bool grows =
        trend->shape == HF_TREND_SATURATING || (has_ended && trend->shape == HF_TREND_GROWING);
    *out_s = facts->survival->level_s + facts->began_s;
    return grows && !isnan(*out_s) && hf_trend_levels_since(&points, *out_s);
}

/* Each block dies, but ever later, and the total grows on: what takes the blocks falls behind. That
 * is no cache, and has no bound that can be seen. */
static bool is_outrun(const struct hf_verdict_facts *facts)
{
    return facts->survival->lengthens && facts->trend->shape == HF_TREND_GROWING;
}

/* No survivors keep coming: which of the other verdicts? */
static struct hf_verdict of_no_leak(
    const struct hf_verdict_facts *facts, struct hf_verdict shape, bool is_open)
{
    double full_s;
    if (is_level_since(facts, &full_s))
        return full_since(full_s);
    if (is_outrun(facts) && is_open)
        return of(HF_VERDICT_UNDECIDED, 1.96);
    return is_open ? of(HF_VERDICT_STEADY, 1.96) : shape;
}

/*
 * By who survives; the shape decides between those that are no leak. Old blocks that die, or that
 * none come to, are no leak whatever the total does.
 */
struct hf_verdict hf_verdict_of(const struct hf_verdict_facts *facts)
{
    struct hf_verdict shape = of_shape(facts);
    enum hf_survival_kind survival =
        facts->survival != NULL ? facts->survival->kind : HF_SURVIVAL_UNKNOWN;
    bool is_open = shape.kind == HF_VERDICT_LEAK || shape.kind == HF_VERDICT_UNDECIDED ||
                   shape.kind == HF_VERDICT_TOO_LITTLE;
    switch (survival) {
    case HF_SURVIVAL_UNKNOWN: return shape;
    case HF_SURVIVAL_LEAK:
        return of(
            could_be_loss(facts) ? HF_VERDICT_UNDECIDED : HF_VERDICT_LEAK, facts->survival->sigmas);
    case HF_SURVIVAL_RENEWED:
    case HF_SURVIVAL_ENDED: return of_no_leak(facts, shape, is_open);
    case HF_SURVIVAL_UNDECIDED:
        return shape.kind == HF_VERDICT_LEAK ? of(HF_VERDICT_UNDECIDED, 1.96) : shape;
    }
    return shape;
}

const char *hf_verdict_name(enum hf_verdict_kind kind)
{
    static const char *const names[] = {
        [HF_VERDICT_LEAK] = "leak",
        [HF_VERDICT_FILLING_CACHE] = "filling cache",
        [HF_VERDICT_FULL_CACHE] = "full cache",
        [HF_VERDICT_STEADY] = "steady",
        [HF_VERDICT_BURST] = "burst",
        [HF_VERDICT_UNDECIDED] = "undecided",
        [HF_VERDICT_TOO_LITTLE] = "too little data",
    };
    return names[kind];
}

void hf_verdict_amount(double value, bool is_bytes, struct hf_out *out)
{
    char text[HF_UNITS_MAX];
    uint64_t whole = hf_unbias_round(fmax(value, 0));
    if (whole == UINT64_MAX)
        hf_out_string(out, "over ");
    hf_out_string(out, is_bytes ? hf_units_bytes(whole, text) : hf_units_grouped(whole, text));
}

static void put_minute(double minute, bool is_bytes, struct hf_out *out)
{
    if (!is_bytes && minute < 100)
        hf_out_printf(out, "%.1f", minute);
    else
        hf_verdict_amount(minute, is_bytes, out);
}

static void put_by_minute(double slope, bool is_bytes, struct hf_out *out)
{
    hf_out_string(out, slope < 0 ? "-" : "+");
    put_minute(fabs(slope) * 60, is_bytes, out);
}

void hf_verdict_flow(double flow, bool is_bytes, struct hf_out *out)
{
    put_minute(flow * 60, is_bytes, out);
    hf_out_string(out, "/min");
}

void hf_verdict_rate(double slope, bool is_bytes, struct hf_out *out)
{
    put_by_minute(slope, is_bytes, out);
    hf_out_string(out, "/min");
}

void hf_verdict_duration(double seconds, struct hf_out *out)
{
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}};
    for (size_t i = 0; i < HF_COUNT(units); i++) {
        double number = seconds / units[i].seconds;
        if (number >= 1.95) {
            hf_out_printf(out, number < 9.95 ? "%.1f %s" : "%.0f %s", number, units[i].unit);
            return;
        }
    }
    hf_out_printf(out, "%.0f s", seconds);
}

static double span_of(const struct hf_verdict_facts *facts)
{
    return facts->times_s[facts->count - 1] - facts->times_s[0];
}

/* " from 1.0 MiB to 5.0 MiB in 59 min" */
static void verdict_put_way(const struct hf_verdict_facts *facts, struct hf_out *out)
{
    hf_out_string(out, " from ");
    hf_verdict_amount(facts->values[0], facts->is_bytes, out);
    hf_out_string(out, " to ");
    hf_verdict_amount(facts->values[facts->count - 1], facts->is_bytes, out);
    hf_out_string(out, " in ");
    hf_verdict_duration(span_of(facts), out);
}

void hf_verdict_rate_between(
    double rate, double low, double high, bool is_bytes, struct hf_out *out)
{
    hf_verdict_rate(rate, is_bytes, out);
    hf_out_string(out, " (");
    put_by_minute(low, is_bytes, out);
    hf_out_string(out, " to ");
    put_by_minute(high, is_bytes, out);
    hf_out_char(out, ')');
}

/* "+3.1 KiB (+2.7 KiB to +3.5 KiB) per 1,000 requests", if that is asked for. */
static void verdict_put_rate(
    const struct hf_verdict_facts *facts, double rate, double low, double high, struct hf_out *out)
{
    double by = facts->thousand_s / 60; /* a minute of it is a thousand */
    if (facts->thousand_s <= 0) {
        hf_verdict_rate_between(rate, low, high, facts->is_bytes, out);
        return;
    }
    put_by_minute(rate * by, facts->is_bytes, out);
    hf_out_string(out, " (");
    put_by_minute(low * by, facts->is_bytes, out);
    hf_out_string(out, " to ");
    put_by_minute(high * by, facts->is_bytes, out);
    hf_out_printf(out, ") per 1,000 %s", facts->counted);
}

static void verdict_put_slope(const struct hf_verdict_facts *facts, struct hf_out *out)
{
    const struct hf_trend *trend = facts->trend;
    verdict_put_rate(facts, trend->slope, trend->low, trend->high, out);
}

/* Whether it is known since when a leak's blocks stay. */
static bool has_onset(const struct hf_verdict_facts *facts)
{
    return facts->survival != NULL && facts->survival->kind == HF_SURVIVAL_LEAK &&
           facts->survival->has_onset;
}

static double last_time(const struct hf_verdict_facts *facts)
{
    return facts->times_s[facts->count - 1];
}

/* "03:12 UTC"; with the date, unless it is that of the last profile. */
static void put_clock(const struct hf_verdict_facts *facts, double time_s, struct hf_out *out)
{
    char text[32];
    struct tm then, last;
    time_t when = (time_t)(facts->first_ms / 1000 + (int64_t)floor(time_s));
    time_t end = (time_t)(facts->first_ms / 1000 + (int64_t)floor(last_time(facts)));
    if (gmtime_r(&when, &then) == NULL || gmtime_r(&end, &last) == NULL)
        return;
    bool is_same_day = then.tm_year == last.tm_year && then.tm_yday == last.tm_yday;
    if (strftime(text, sizeof text, is_same_day ? "%H:%M UTC" : "%F %H:%M UTC", &then) != 0)
        hf_out_string(out, text);
}

/* ", 4 min after mark deploy-17" */
static void put_event(const struct hf_verdict_facts *facts, double onset_s, struct hf_out *out)
{
    double after_s = onset_s - facts->event->time_s;
    hf_out_string(out, ", ");
    if (after_s >= EVENT_AT_S) {
        hf_verdict_duration(after_s, out);
        hf_out_string(out, " after ");
    } else {
        hf_out_string(out, "about at ");
    }
    hf_out_printf(out, "%s ", facts->event->kind);
    hf_out_text(out, facts->event->name);
}

/* "LEAK since 03:12 UTC, 4 min after mark deploy-17: " */
static void put_since(const struct hf_verdict_facts *facts, struct hf_out *out)
{
    hf_out_string(out, "LEAK");
    if (has_onset(facts)) {
        double onset_s = facts->survival->onset_s + facts->began_s;
        hf_out_string(out, " since ");
        if (facts->has_clock) {
            put_clock(facts, onset_s, out);
        } else {
            hf_verdict_duration(last_time(facts) - onset_s, out);
            hf_out_string(out, " before the last profile");
        }
        if (facts->event != NULL)
            put_event(facts, onset_s, out);
    }
    hf_out_string(out, ": ");
}

/* "3.1 KiB (2.7 KiB to 3.5 KiB) per 1,000 requests", or by the minute. */
static void verdict_put_kept(
    const struct hf_verdict_facts *facts, double rate, double low, double high, struct hf_out *out)
{
    bool is_by_load = facts->thousand_s > 0;
    double by = is_by_load ? facts->thousand_s / 60 : 1; /* a minute of it is a thousand */
    put_minute(rate * by * 60, facts->is_bytes, out);
    hf_out_string(out, is_by_load ? " (" : "/min (");
    put_minute(low * by * 60, facts->is_bytes, out);
    hf_out_string(out, " to ");
    put_minute(high * by * 60, facts->is_bytes, out);
    hf_out_char(out, ')');
    if (is_by_load)
        hf_out_printf(out, " per 1,000 %s", facts->counted);
}

/* "; at this rate the limit of 1.0 GiB is reached at 07:40 UTC ± 12 min" */
static void verdict_put_left(const struct hf_verdict_facts *facts, struct hf_out *out)
{
    const struct hf_verdict_left *left = facts->left;
    hf_out_string(out, "; at this rate the limit of ");
    hf_verdict_amount(left->limit_bytes, true, out);
    hf_out_string(out, " is reached ");
    if (facts->has_clock) {
        hf_out_string(out, "at ");
        put_clock(facts, last_time(facts) + left->s, out);
    } else {
        hf_out_string(out, "in ");
        hf_verdict_duration(left->s, out);
    }
    if (!isfinite(left->high_s))
        return;
    hf_out_string(out, " ± ");
    hf_verdict_duration((left->high_s - left->low_s) / 2, out);
}

/* "; of 604 blocks 0 were freed"; or, of samples, the bound. */
static void put_fate(const struct hf_verdict_facts *facts, struct hf_out *out)
{
    const struct hf_survival *survival = facts->survival;
    bool is_known = survival != NULL && survival->kind == HF_SURVIVAL_LEAK;
    uint64_t blocks = hf_unbias_round(facts->blocks), freed = hf_unbias_round(facts->freed);
    if (facts->blocks > 0) {
        char all[HF_UNITS_MAX], gone[HF_UNITS_MAX];
        hf_out_printf(out, "; of %s %s %s %s freed", hf_units_grouped(blocks, all),
            hf_plural(blocks, "block", "blocks"), hf_units_grouped(freed, gone),
            hf_plural(freed, "was", "were"));
    } else if (is_known) {
        hf_out_printf(out, "; of %.0f sampled blocks that stayed, at most %.0f %% were freed",
            survival->survivors, survival->lost * 100);
    }
    if (facts->freed_in.size == 0)
        return;
    hf_out_string(out, "; siblings are freed in ");
    hf_out_text(out, facts->freed_in);
}

void hf_verdict_leak(const struct hf_verdict_facts *facts, struct hf_text name, struct hf_out *out)
{
    const struct hf_survival *survival = facts->survival;
    const struct hf_trend *trend = facts->trend;
    bool is_known = survival != NULL && survival->kind == HF_SURVIVAL_LEAK;
    hf_out_text(out, name);
    hf_out_string(out, is_known ? " keeps " : " grows by ");
    if (has_onset(facts))
        verdict_put_kept(facts, survival->rate, survival->rate_low, survival->rate_high, out);
    else
        verdict_put_kept(facts, trend->slope, trend->low, trend->high, out);
    hf_out_printf(out, ", %.0f %% of all growth", facts->share * 100);
    if (facts->left != NULL)
        verdict_put_left(facts, out);
    put_fate(facts, out);
}

static void range_of(const struct hf_verdict_facts *facts, double *out_low, double *out_high)
{
    *out_low = *out_high = facts->values[0];
    for (size_t i = 1; i < facts->count; i++) {
        *out_low = fmin(*out_low, facts->values[i]);
        *out_high = fmax(*out_high, facts->values[i]);
    }
}

/* By who survives, though the total grows. */
static bool is_known_by_survival(const struct hf_verdict_facts *facts, enum hf_survival_kind kind)
{
    enum hf_trend_shape shape = facts->trend->shape;
    return facts->survival != NULL && facts->survival->kind == kind &&
           (shape == HF_TREND_GROWING || shape == HF_TREND_SATURATING);
}

static void put_steady(const struct hf_verdict_facts *facts, struct hf_out *out)
{
    double low, high;
    range_of(facts, &low, &high);
    if (is_known_by_survival(facts, HF_SURVIVAL_RENEWED))
        hf_out_string(out, " is renewed all the time, and holds what is needed, between ");
    else if (is_known_by_survival(facts, HF_SURVIVAL_ENDED))
        hf_out_string(out, " has kept little of what it allocated lately, between ");
    else if (facts->trend->shape == HF_TREND_SAWTOOTH)
        hf_out_string(out, " goes up and down between ");
    else if (facts->trend->shape == HF_TREND_FALLING)
        hf_out_string(out, " shrinks, between ");
    else
        hf_out_string(out, " is steady between ");
    hf_verdict_amount(low, facts->is_bytes, out);
    hf_out_string(out, " and ");
    hf_verdict_amount(high, facts->is_bytes, out);
}

static void put_full(
    const struct hf_verdict *verdict, const struct hf_verdict_facts *facts, struct hf_out *out)
{
    double full_s = verdict->full_s > 0 ? verdict->full_s : facts->trend->break_s;
    hf_out_string(out, " is a full cache: it grew for ");
    hf_verdict_duration(full_s - facts->times_s[0], out);
    hf_out_string(out, ", and has not grown in the ");
    hf_verdict_duration(last_time(facts) - full_s, out);
    hf_out_string(out, " since");
}

void hf_verdict_sentence(const struct hf_verdict *verdict, const struct hf_verdict_facts *facts,
    struct hf_text name, struct hf_out *out)
{
    double low, high;
    range_of(facts, &low, &high);
    if (verdict->kind == HF_VERDICT_LEAK)
        put_since(facts, out);
    else
        hf_out_text(out, name);
    switch (verdict->kind) {
    case HF_VERDICT_LEAK: hf_verdict_leak(facts, name, out); break;
    case HF_VERDICT_FILLING_CACHE:
        hf_out_string(out, " is a filling cache: it grows more and more slowly, towards ");
        hf_verdict_amount(facts->trend->level, facts->is_bytes, out);
        break;
    case HF_VERDICT_FULL_CACHE: put_full(verdict, facts, out); break;
    case HF_VERDICT_STEADY: put_steady(facts, out); break;
    case HF_VERDICT_BURST:
        hf_out_string(out, " grew once, by ");
        hf_verdict_amount(high - low, facts->is_bytes, out);
        hf_out_string(out, " in a short time");
        break;
    case HF_VERDICT_UNDECIDED:
        hf_out_string(out, " grows ");
        verdict_put_slope(facts, out);
        hf_out_string(out, "; it is too early to tell whether it is a leak");
        break;
    case HF_VERDICT_TOO_LITTLE:
        hf_out_string(out, ": there is too little data for a verdict");
        break;
    }
    hf_out_char(out, '.');
}

/* Why it is no leak yet, and what would tell. */
static void put_doubt(const struct hf_verdict_facts *facts, struct hf_out *out)
{
    const struct hf_trend *trend = facts->trend;
    if (could_be_loss(facts))
        hf_out_string(
            out, " The same amount may have been lost: record again with a larger --budget.");
    else if (!isnan(facts->old_freed) && facts->old_freed >= HF_VERDICT_OLD_FREED)
        hf_out_printf(out, " Later, %.0f %% of its old memory was freed, as a cache does.",
            facts->old_freed * 100);
    else if (trend->has_stopped)
        hf_out_string(out, " It has not grown lately.");
    if (trend->shape == HF_TREND_SATURATING)
        hf_out_string(
            out, " Its growth slows down, but not like that of a cache that will soon be full.");
    hf_out_string(out, " Look again after ");
    hf_verdict_duration(span_of(facts), out);
    hf_out_string(out, " more: a leak keeps growing at the same rate.");
}

/* The bend is a part of the growth: of what ends where it began there is none to speak of. */
static void put_bend(const struct hf_trend *trend, struct hf_out *out)
{
    if (fabs(trend->bend) < BEND_MAX && trend->bend_error < BEND_MAX)
        hf_out_printf(out, " Bend %.2f ± %.2f (a straight line has 0, a cache %.1f or more).",
            trend->bend, 1.96 * trend->bend_error, HF_VERDICT_CACHE_BEND);
    else
        hf_out_string(
            out, " It ends about where it began, so the shape of its growth says nothing.");
}

/* Without a change, it is told when it began at the latest, unless that is about the start. */
static void put_onset(const struct hf_verdict_facts *facts, struct hf_out *out)
{
    const struct hf_survival *survival = facts->survival;
    double last_s = facts->times_s[facts->count - 1] - facts->began_s;
    double first_s = last_s - span_of(facts);
    if (survival->has_onset) {
        hf_out_string(out, " It began between ");
        hf_verdict_duration(fmax(0, last_s - survival->onset_low_s), out);
        hf_out_string(out, " and ");
    } else if (survival->onset_high_s - first_s > span_of(facts) * ONSET_LATE) {
        hf_out_string(out, " It began between the start of the recording and ");
    } else {
        return;
    }
    hf_verdict_duration(fmax(0, last_s - survival->onset_high_s), out);
    hf_out_string(out, " before the last profile.");
}

/* What births say. */
static void put_survivors(
    const struct hf_verdict *verdict, const struct hf_verdict_facts *facts, struct hf_out *out)
{
    const struct hf_survival *survival = facts->survival;
    if (survival->kind == HF_SURVIVAL_LEAK) {
        if (survival->age_s > 0) {
            hf_out_string(out, " Blocks that became older than ");
            hf_verdict_duration(survival->age_s, out);
        } else {
            hf_out_string(out, " Its blocks");
        }
        hf_out_printf(out, " stay: at most %.0f %% of them were freed, and new ones keep coming.",
            survival->lost * 100);
        put_onset(facts, out);
    } else if (survival->kind == HF_SURVIVAL_RENEWED && !isnan(survival->gone_s)) {
        hf_out_string(out, " Of what it allocates, 90 % is freed within ");
        hf_verdict_duration(survival->gone_s, out);
        hf_out_char(out, '.');
        if (is_outrun(facts) && verdict->kind == HF_VERDICT_UNDECIDED)
            hf_out_string(out,
                " But its blocks are freed later and later, as in a queue that is filled "
                "faster than it is emptied.");
    } else if (survival->kind == HF_SURVIVAL_UNDECIDED && verdict->kind == HF_VERDICT_UNDECIDED) {
        hf_out_string(
            out, " Too few of its blocks are old enough to tell whether they stay, or fewer come.");
    }
}

static void verdict_put_held(double seconds, struct hf_out *out)
{
    hf_out_string(out, " The profiles of the last ");
    hf_verdict_duration(seconds, out);
    hf_out_string(out, " alone would not show this, but nothing in them speaks against it.");
}

void hf_verdict_evidence(
    const struct hf_verdict *verdict, const struct hf_verdict_facts *facts, struct hf_out *out)
{
    const struct hf_trend *trend = facts->trend;
    bool has_trend = facts->count >= HF_TREND_POINTS_MIN;
    hf_out_string(out, "It went");
    verdict_put_way(facts, out);
    if (!facts->is_brief)
        hf_out_printf(out, ", in %zu points", facts->count); /* never 1 */
    if (trend->samples < SAMPLES_ALL && !facts->is_brief)
        hf_out_printf(out, "; the growth is estimated from %.0f samples", trend->samples);
    hf_out_char(out, '.');
    if (!facts->is_brief && has_trend && trend->shape >= HF_TREND_GROWING &&
        trend->shape <= HF_TREND_LEVELLED)
        put_bend(trend, out);
    if (facts->survival != NULL)
        put_survivors(verdict, facts, out);
    if (verdict->held_s > 0)
        verdict_put_held(verdict->held_s, out);
    if (verdict->kind == HF_VERDICT_LEAK)
        hf_out_string(
            out, " A cache that is far from full and has freed nothing would look the same.");
    else if (verdict->kind == HF_VERDICT_UNDECIDED)
        put_doubt(facts, out);
    else if (verdict->kind == HF_VERDICT_TOO_LITTLE)
        hf_out_printf(out, " Give at least %d profiles over a longer time, or sample more often.",
            HF_TREND_POINTS_MIN);
}
