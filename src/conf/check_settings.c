#include "conf/check_settings.h"

#include "base/strings/units.h"

#include <string.h>

static bool is_on(const struct hf_conf_check *check, const char *key)
{
    return hf_conf_setting_of(check, key).number == 1;
}

static bool has_interval(const struct hf_conf_check *check)
{
    return (int64_t)hf_conf_setting_of(check, "lg_prof_interval").number >= 0;
}

/* The first option of the line that needs profiling, or NULL. */
static const char *first_profiling(const struct hf_conf_check *check)
{
    for (size_t i = 0; i < check->meant_count; i++) {
        const struct hf_conf_option *option = check->meant[i].option;
        if (hf_conf_option_is_profiling(option) && strcmp(option->key, "prof") != 0)
            return option->key;
    }
    return NULL;
}

static void check_prof(struct hf_conf_check *check)
{
    const char *other = first_profiling(check);
    bool has_leak = is_on(check, "prof_leak") || is_on(check, "prof_leak_error");
    if (is_on(check, "prof"))
        return;
    if (hf_conf_setting_of(check, "prof").is_set && !has_leak) {
        if (other != NULL)
            hf_conf_say(check, false, hf_conf_column_of(check, "prof"),
                "prof:false: profiling is off, and %s does nothing", other);
        return;
    }
    bool has_lost = has_interval(check) || is_on(check, "prof_gdump");
    if (has_leak && has_lost)
        hf_conf_say(check, true, 0,
            "prof:true is missing: prof_leak switches profiling on by itself, but then interval "
            "dumps (lg_prof_interval) and prof_gdump are off");
    else if (has_leak)
        return;
    else if (other != NULL)
        hf_conf_say(
            check, true, 0, "prof:true is missing: profiling is off, and %s does nothing", other);
    else
        return;
    hf_conf_add_setting(check, "prof", "true", true);
}

static void check_sampling(struct hf_conf_check *check)
{
    uint64_t lg_sample = hf_conf_setting_of(check, "lg_prof_sample").number;
    size_t column = hf_conf_column_of(check, "lg_prof_sample");
    char period[HF_UNITS_MAX];
    if (lg_sample == 0)
        hf_conf_say(check, false, column,
            "lg_prof_sample:0 records every allocation: exact, but an allocation takes about 280 "
            "times as long; without it, one is recorded every 512 KiB, which costs about 2 %%");
    else if (lg_sample < 16)
        hf_conf_say(check, false, column,
            "lg_prof_sample:%llu takes a sample every %s of allocation: the program slows down "
            "noticeably; 19 (512 KiB) costs about 2 %%",
            (unsigned long long)lg_sample, hf_units_exact((uint64_t)1 << lg_sample, period));
    else if (lg_sample > 30)
        hf_conf_say(check, false, column,
            "lg_prof_sample:%llu takes a sample every %s of allocation: hardly anything is "
            "recorded",
            (unsigned long long)lg_sample, hf_units_exact((uint64_t)1 << lg_sample, period));
    if (!is_on(check, "prof_active"))
        hf_conf_say(check, false, hf_conf_column_of(check, "prof_active"),
            "prof_active:false: nothing is sampled until the program switches it on (mallctl "
            "prof.active)");
    if (!is_on(check, "prof_thread_active_init"))
        hf_conf_say(check, false, hf_conf_column_of(check, "prof_thread_active_init"),
            "prof_thread_active_init:false: nothing is sampled until each thread is switched on "
            "(mallctl thread.prof.active)");
}

static void check_dumps(struct hf_conf_check *check)
{
    bool is_automatic =
        is_on(check, "prof_final") || is_on(check, "prof_gdump") || has_interval(check);
    struct hf_conf_setting interval = hf_conf_setting_of(check, "lg_prof_interval");
    char size[HF_UNITS_MAX];
    if (is_automatic && hf_conf_setting_of(check, "prof_prefix").text.size == 0) {
        hf_conf_say(check, true, hf_conf_column_of(check, "prof_prefix"),
            "prof_prefix is empty: interval, gdump and final dumps are off");
        hf_conf_add_setting(check, "prof_prefix", "jeprof", false);
    }
    if (is_on(check, "prof_final"))
        hf_conf_say(check, false, hf_conf_column_of(check, "prof_final"),
            "prof_final does not run when the OOM killer or another signal ends the program, nor "
            "after _exit%s",
            has_interval(check) ? "; the interval dumps remain" : ": add lg_prof_interval:30");
    if (has_interval(check) && interval.number < 24)
        hf_conf_say(check, false, hf_conf_column_of(check, "lg_prof_interval"),
            "lg_prof_interval:%llu writes a file every %s of allocation, freed or not",
            (unsigned long long)interval.number,
            hf_units_exact((uint64_t)1 << interval.number, size));
    if (is_on(check, "prof_gdump"))
        hf_conf_say(check, false, hf_conf_column_of(check, "prof_gdump"),
            "prof_gdump watches virtual memory: expect many dumps while the program starts, and "
            "perhaps none for a slow leak");
}

static void check_leak(struct hf_conf_check *check)
{
    const char *key = is_on(check, "prof_leak_error") ? "prof_leak_error" : "prof_leak";
    if (!is_on(check, key) || is_on(check, "prof_final"))
        return;
    hf_conf_say(check, true, hf_conf_column_of(check, key),
        "%s needs prof_final:true: its summary is part of the final dump", key);
    hf_conf_add_setting(check, "prof_final", "true", false);
}

void hf_conf_check_settings(struct hf_conf_check *check)
{
    check_prof(check);
    bool has_leak = is_on(check, "prof_leak") || is_on(check, "prof_leak_error");
    if (!is_on(check, "prof") && !has_leak)
        return;
    if (check->target.is_known && !check->target.has_profiling)
        hf_conf_say(check, true, 0,
            "this jemalloc was built without profiling, so it skips all prof options: use one that "
            "was configured with --enable-prof");
    check_leak(check);
    check_sampling(check);
    check_dumps(check);
    if (is_on(check, "prof_accum"))
        hf_conf_say(check, false, hf_conf_column_of(check, "prof_accum"),
            "prof_accum keeps every stack forever, so the memory of the profiler grows");
}
