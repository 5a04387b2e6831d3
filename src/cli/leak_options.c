#include "cli/leak_options.h"

#include "statistics/alarm.h"

#include <time.h>

void hf_leak_options_defaults(struct hf_leak_options *options)
{
    options->learn_ns = HF_LEAK_LEARN_NS;
    options->false_every_ns = (uint64_t)(HF_ALARM_MONTH_S / HF_LEAK_FALSE_A_MONTH * 1e9);
}

bool hf_leak_options_are_on(const struct hf_leak_options *options)
{
    return options->is_on || options->command != NULL;
}

enum hf_status hf_leak_options_check(
    const struct hf_leak_options *options, const char *needed, struct hf_error *err)
{
    struct hf_leak_options defaults;
    hf_leak_options_defaults(&defaults);
    if (!hf_leak_options_are_on(options) && (options->learn_ns != defaults.learn_ns ||
                                                options->false_every_ns != defaults.false_every_ns))
        return hf_error_set(err, HF_ERR_USAGE, "--learn and --false-alarm-every need %s", needed);
    return HF_OK;
}

struct hf_leak_alarm_rules hf_leak_options_rules(
    const struct hf_leak_options *options, uint64_t look_ns)
{
    return (struct hf_leak_alarm_rules){
        .false_a_month = HF_ALARM_MONTH_S * 1e9 / (double)options->false_every_ns,
        .learn_ns = options->learn_ns,
        .look_ns = look_ns,
    };
}

/* " since 03:12", " since 2026-11-25 03:12" */
static void leak_options_put_since(int64_t since_ms, struct hf_out *out)
{
    struct tm then, today;
    char text[64];
    time_t since = (time_t)(since_ms / 1000), now = time(NULL);
    if (since_ms == 0 || localtime_r(&since, &then) == NULL || localtime_r(&now, &today) == NULL)
        return;
    bool is_today = then.tm_yday == today.tm_yday && then.tm_year == today.tm_year;
    if (strftime(text, sizeof text, is_today ? " since %H:%M" : " since %Y-%m-%d %H:%M", &then) !=
        0)
        hf_out_string(out, text);
}

void hf_leak_options_line(const struct hf_leak_told *told, struct hf_out *out)
{
    hf_out_string(out, "LEAK");
    leak_options_put_since(told->since_ms, out);
    hf_out_string(out, ": ");
    hf_out_string(out, told->what);
}
