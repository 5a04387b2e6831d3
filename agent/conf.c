#include "conf.h"

#include "base/attr.h"
#include "base/strings/units.h"
#include "conf/parse.h"
#include "live/writer.h"
#include "message.h"

/* The agent's own options; BYTES are read by hf_units_parse_bytes. */
static const struct hf_conf_option own[] = {
    {.key = "period", .kind = HF_CONF_UNSIGNED, .min = 1, .max = HF_AGENT_PERIOD_MAX},
    {.key = "budget", .kind = HF_CONF_UNSIGNED, .min = HF_LIVE_TABLE_MIN, .max = HF_LIVE_TABLE_MAX},
    {.key = "exact", .kind = HF_CONF_BOOL},
    {.key = "follow_fork", .kind = HF_CONF_BOOL},
    {.key = "filtered", .kind = HF_CONF_BOOL},
    {.key = "keep", .kind = HF_CONF_BOOL},
    {.key = "pid", .kind = HF_CONF_UNSIGNED, .max = UINT32_MAX},
    {.key = "family", .kind = HF_CONF_UNSIGNED, .max = UINT32_MAX},
    {.key = "seed", .kind = HF_CONF_UNSIGNED, .max = UINT64_MAX},
    {.key = "dir", .kind = HF_CONF_TEXT},
};

static const struct hf_conf_option *conf_find(struct hf_text key)
{
    for (size_t i = 0; i < HF_COUNT(own); i++) {
        if (hf_text_is(key, own[i].key))
            return &own[i];
    }
    for (size_t i = 0; i < hf_conf_profiling.count; i++) {
        if (hf_text_is(key, hf_conf_profiling.items[i].key))
            return &hf_conf_profiling.items[i];
    }
    return NULL;
}

static bool conf_value_of(
    const struct hf_conf_option *option, struct hf_text value, uint64_t *out_number)
{
    bool is_bytes = option == &own[0] || option == &own[1];
    if (is_bytes)
        return hf_units_parse_bytes(value, out_number) && *out_number >= (uint64_t)option->min &&
               *out_number <= option->max;
    enum hf_conf_verdict verdict = hf_conf_value(option, value, out_number);
    return verdict == HF_CONF_TAKEN || verdict == HF_CONF_CLIPPED;
}

/* Options of what control.c does. */
static void set_control(
    struct hf_agent_conf *conf, struct hf_text key, struct hf_text value, uint64_t number)
{
    if (hf_text_is(key, "prof_thread_active_init"))
        conf->prof_thread_active_init = number != 0;
    else if (hf_text_is(key, "prof_prefix"))
        conf->prof_prefix = value;
    else if (hf_text_is(key, "lg_prof_interval"))
        conf->lg_prof_interval = (int64_t)number;
    else if (hf_text_is(key, "prof_gdump"))
        conf->prof_gdump = number != 0;
    else if (hf_text_is(key, "prof_final"))
        conf->prof_final = number != 0;
    else if (hf_text_is(key, "prof_leak"))
        conf->prof_leak = number != 0;
    else if (hf_text_is(key, "prof_accum"))
        conf->prof_accum = number != 0;
}

static void conf_set(
    struct hf_agent_conf *conf, struct hf_text key, struct hf_text value, uint64_t number)
{
    if (hf_text_is(key, "prof"))
        conf->prof = number != 0;
    else if (hf_text_is(key, "prof_active"))
        conf->prof_active = number != 0;
    else if (hf_text_is(key, "lg_prof_sample"))
        conf->period_bytes = UINT64_C(1) << (number < 48 ? number : 48);
    else if (hf_text_is(key, "period"))
        conf->period_bytes = number;
    else if (hf_text_is(key, "exact"))
        conf->is_exact = number != 0;
    else if (hf_text_is(key, "budget"))
        conf->budget_bytes = number;
    else if (hf_text_is(key, "follow_fork"))
        conf->follow_fork = number != 0;
    else if (hf_text_is(key, "filtered"))
        conf->is_filtered = number != 0;
    else if (hf_text_is(key, "keep"))
        conf->keep = number != 0;
    else if (hf_text_is(key, "pid"))
        conf->pid = number;
    else if (hf_text_is(key, "family"))
        conf->family = number;
    else if (hf_text_is(key, "seed"))
        conf->seed = number;
    else if (hf_text_is(key, "dir"))
        conf->dir = value;
    else
        set_control(conf, key, value, number);
}

struct hf_agent_conf hf_agent_conf_read(struct hf_text text)
{
    struct hf_agent_conf conf = {
        .prof_active = true,
        .prof_thread_active_init = true,
        .period_bytes = HF_AGENT_PERIOD,
        .lg_prof_interval = -1,
        .prof_prefix = HF_TEXT("jeprof"),
    };
    struct hf_conf_cursor cursor = hf_conf_open(text);
    struct hf_conf_pair pair;
    enum hf_conf_step step;
    while ((step = hf_conf_next(&cursor, &pair)) == HF_CONF_PAIR) {
        const struct hf_conf_option *option = conf_find(pair.key);
        uint64_t number;
        if (option == NULL)
            HF_MESSAGE(HF_TEXT("HEAPFLAME_CONF: skipped unknown option '"), pair.key,
                HF_TEXT("'; see heapflame-run(1)"));
        else if (!conf_value_of(option, pair.value, &number))
            HF_MESSAGE(HF_TEXT("HEAPFLAME_CONF: skipped '"), pair.value,
                HF_TEXT("', which is not a value for '"), pair.key,
                HF_TEXT("'; see heapflame-run(1)"));
        else
            conf_set(&conf, pair.key, pair.value, number);
    }
    if (step != HF_CONF_END)
        HF_MESSAGE(
            HF_TEXT("HEAPFLAME_CONF: expected key:value,key:value ...; skipped everything from '"),
            hf_text_from(cursor.text, cursor.at), HF_TEXT("' on"));
    if (conf.prof_leak && !conf.prof) {
        conf.prof = true;
        conf.prof_gdump = false;
        conf.lg_prof_interval = -1;
    }
    conf.is_exact = conf.is_exact || conf.period_bytes == 1;
    if (conf.is_exact)
        conf.period_bytes = 1;
    if (conf.budget_bytes == 0)
        conf.budget_bytes = conf.is_exact ? HF_AGENT_BUDGET_EXACT : HF_AGENT_BUDGET_SAMPLED;
    return conf;
}
