#include "answer/fleet/fleet_time.h"

#include "base/strings/num.h"
#include "base/strings/units.h"

#include <time.h>

#define MS_A_SECOND 1000
#define NS_A_MS 1000000u

/* Two digits, or four, then one of `ends`, or the end of the text where there is a blank. */
static bool take_number(struct hf_text *text, size_t digits, const char *ends, int *out_number)
{
    uint64_t number;
    if (text->size < digits || !hf_num_u64(hf_text_first(*text, digits), &number))
        return false;
    *text = hf_text_from(*text, digits);
    *out_number = (int)number;
    if (text->size == 0)
        return strchr(ends, '$') != NULL;
    bool is_end = text->data[0] != '$' && strchr(ends, text->data[0]) != NULL;
    *text = hf_text_from(*text, 1);
    return is_end;
}

/* "2026-11-29", "2026-11-29 14:00", "2026-11-29T14:00:30Z"; '$' stands for the end. */
static bool read_date(struct hf_text text, int64_t *out_ms)
{
    struct tm when = {0};
    if (hf_text_ends(text, "Z"))
        text.size--;
    if (!take_number(&text, 4, "-", &when.tm_year) || !take_number(&text, 2, "-", &when.tm_mon) ||
        !take_number(&text, 2, " T$", &when.tm_mday))
        return false;
    if (text.size != 0 &&
        (!take_number(&text, 2, ":", &when.tm_hour) || !take_number(&text, 2, ":$", &when.tm_min)))
        return false;
    if (text.size != 0 && (!take_number(&text, 2, "$", &when.tm_sec) || text.size != 0))
        return false;
    struct tm given = when;
    when.tm_year -= 1900;
    when.tm_mon -= 1;
    time_t seconds = timegm(&when); /* which would take the 31st of November for one of December */
    if (given.tm_year < 1970 || when.tm_mon != given.tm_mon - 1 || when.tm_mday != given.tm_mday ||
        when.tm_hour != given.tm_hour || when.tm_min != given.tm_min || when.tm_sec != given.tm_sec)
        return false;
    *out_ms = (int64_t)seconds * MS_A_SECOND;
    return true;
}

enum hf_status hf_fleet_time_read(
    const char *option, const char *text, int64_t newest_ms, int64_t *out_ms, struct hf_error *err)
{
    uint64_t ago_ns;
    if (read_date(hf_text_of(text), out_ms))
        return HF_OK;
    if (hf_units_parse_time(hf_text_of(text), &ago_ns)) {
        *out_ms = newest_ms - (int64_t)(ago_ns / NS_A_MS);
        return HF_OK;
    }
    return hf_error_set(err, HF_ERR_USAGE,
        "--%s: expected a time, e.g. '2026-11-29 14:00' (UTC), or how long before the newest "
        "profile, e.g. '24h', found '%s'",
        option, text);
}

void hf_fleet_time_put(int64_t ms, struct hf_out *out)
{
    char text[32];
    struct tm when;
    time_t seconds = (time_t)(ms / MS_A_SECOND);
    if (gmtime_r(&seconds, &when) != NULL && strftime(text, sizeof text, "%F %T", &when) != 0)
        hf_out_string(out, text);
}
