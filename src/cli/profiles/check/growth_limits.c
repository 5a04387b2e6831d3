#include "cli/profiles/check/growth_limits.h"

#include "base/strings/num.h"
#include "base/strings/units.h"

#include <math.h>

static const struct hf_growth_pace no_pace = {INFINITY, INFINITY};

bool hf_growth_pace_is_given(struct hf_growth_pace pace)
{
    return !isinf(pace.a_second) || !isinf(pace.a_request);
}

/* "min" or, of requests, "1000": of how much of it the bytes are, in seconds or in requests. */
static bool parse_unit(struct hf_text text, double *out_seconds, double *out_requests)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    uint64_t requests;
    *out_seconds = *out_requests = 0;
    for (size_t i = 0; i < HF_COUNT(units); i++) {
        if (hf_text_is(text, units[i].unit)) {
            *out_seconds = units[i].seconds;
            return true;
        }
    }
    if (!hf_num_u64(text, &requests) || requests == 0)
        return false;
    *out_requests = (double)requests;
    return true;
}

/* "1MiB/min", and "700KiB/1000" where requests are counted. */
static enum hf_status parse_pace(const struct hf_growth_limit_texts *texts, const char *option,
    const char *text, struct hf_growth_pace *out_pace, struct hf_error *err)
{
    struct hf_text rest = hf_text_of(text);
    struct hf_text unit = hf_text_from(rest, hf_text_find(rest, '/') + 1);
    double amount, seconds, requests;
    *out_pace = no_pace;
    if (!hf_units_parse_amount(hf_text_first(rest, hf_text_find(rest, '/')), &amount) ||
        !parse_unit(unit, &seconds, &requests))
        return hf_error_set(err, HF_ERR_USAGE,
            "%s: expected bytes per time, e.g. '1MiB/min', found '%s'", option, text);
    if (requests > 0 && !texts->has_load)
        return hf_error_set(err, HF_ERR_USAGE,
            "%s: '%s' is a limit by requests, which --per counts; by time it is e.g. '1MiB/min'",
            option, text);
    if (requests > 0)
        out_pace->a_request = amount / requests;
    else
        out_pace->a_second = amount / seconds;
    return HF_OK;
}

static bool parse_percent(const char *text, double *out_part)
{
    double percent;
    if (!hf_num_real(hf_text_trim_end(hf_text_of(text), "%"), &percent))
        return false;
    *out_part = percent / 100;
    return true;
}

/* "4GiB/24h" */
static enum hf_status parse_bytes_and_time(
    const char *text, struct hf_growth_limits *limits, struct hf_error *err)
{
    struct hf_text rest = hf_text_of(text);
    struct hf_text bytes = hf_text_first(rest, hf_text_find(rest, '/'));
    uint64_t within_ns;
    if (!hf_units_parse_bytes(bytes, &limits->bytes) || limits->bytes == 0 ||
        !hf_units_parse_time(hf_text_from(rest, bytes.size + 1), &within_ns))
        return hf_error_set(err, HF_ERR_USAGE,
            "--limit: expected bytes and a time, e.g. '4GiB/24h', found '%s'", text);
    limits->within_s = (double)within_ns / 1e9;
    return HF_OK;
}

/* "5%", or "64KiB/min". */
static enum hf_status parse_survivors(const struct hf_growth_limit_texts *texts,
    struct hf_growth_limits *limits, struct hf_error *err)
{
    const char *text = texts->survivors;
    if (!hf_text_ends(hf_text_of(text), "%"))
        return parse_pace(texts, "--survivors", text, &limits->kept, err);
    if (parse_percent(text, &limits->kept_share) && limits->kept_share <= 1)
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "--survivors: expected a share up to 100%%, e.g. '5%%', or bytes per time, found '%s'",
        text);
}

/* "filling-cache" is "filling cache". */
static bool is_verdict(const char *text, enum hf_verdict_kind kind)
{
    const char *name = hf_verdict_name(kind);
    while (*text != '\0' && (*text == *name || (*text == '-' && *name == ' '))) {
        text++;
        name++;
    }
    return *text == '\0' && *name == '\0';
}

static enum hf_status parse_fail_on(
    const char *text, struct hf_growth_limits *limits, struct hf_error *err)
{
    for (enum hf_verdict_kind kind = 0; kind <= HF_VERDICT_TOO_LITTLE; kind++) {
        if (is_verdict(text, kind)) {
            limits->fails_on[kind] = true;
            return HF_OK;
        }
    }
    return hf_error_set(err, HF_ERR_USAGE,
        "--fail-on: expected leak, filling-cache, full-cache, steady, burst, undecided or "
        "too-little-data, found '%s'",
        text);
}

bool hf_growth_limits_are_given(const struct hf_growth_limit_texts *texts)
{
    return texts->budget != NULL || texts->max_growth != NULL || texts->limit != NULL ||
           texts->survivors != NULL || texts->onset_after != NULL || texts->fail_on.count != 0;
}

static void parse_onset(const char *text, struct hf_growth_limits *limits)
{
    uint64_t ns;
    limits->onset_after = text;
    limits->has_onset_time = hf_units_parse_time(hf_text_of(text), &ns);
    if (limits->has_onset_time)
        limits->onset_s = (double)ns / 1e9;
}

enum hf_status hf_growth_limits_parse(struct hf_growth_limits *out_limits,
    const struct hf_growth_limit_texts *texts, struct hf_error *err)
{
    struct hf_growth_limits limits = {
        .budget = no_pace, .max_growth = INFINITY, .kept = no_pace, .kept_share = INFINITY};
    enum hf_status status = HF_OK;
    if (texts->budget != NULL)
        status = parse_pace(texts, "--budget", texts->budget, &limits.budget, err);
    if (status == HF_OK && texts->max_growth != NULL &&
        !parse_percent(texts->max_growth, &limits.max_growth))
        status = hf_error_set(err, HF_ERR_USAGE,
            "--max-growth: expected a percentage, e.g. '5%%', found '%s'", texts->max_growth);
    if (status == HF_OK && texts->limit != NULL)
        status = parse_bytes_and_time(texts->limit, &limits, err);
    if (status == HF_OK && texts->survivors != NULL)
        status = parse_survivors(texts, &limits, err);
    if (texts->onset_after != NULL)
        parse_onset(texts->onset_after, &limits);
    for (size_t i = 0; status == HF_OK && i < texts->fail_on.count; i++)
        status = parse_fail_on(texts->fail_on.items[i], &limits, err);
    if (!hf_growth_limits_are_given(texts))
        limits.fails_on[HF_VERDICT_LEAK] = true;
    if (status == HF_OK)
        *out_limits = limits;
    return status;
}
