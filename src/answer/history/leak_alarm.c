#include "answer/history/leak_alarm.h"

#include "analysis/growth/growth_place.h"
#include "base/containers/hash.h"
#include "base/strings/escape.h"
#include "statistics/alarm.h"

#include <stdio.h>

static uint64_t label_hash(const struct hf_growth_place *place)
{
    struct hf_out label = {0};
    hf_growth_place_label(place, &label);
    uint64_t hash = hf_hash_bytes(label.data, label.size);
    hf_out_done(&label);
    return hash;
}

static struct hf_leak_place *find_told(struct hf_leak_alarm *alarm, uint64_t hash)
{
    for (size_t i = 0; i < alarm->told_count; i++) {
        if (alarm->told[i].hash == hash)
            return &alarm->told[i];
    }
    return NULL;
}

static uint64_t quiet_looks(const struct hf_leak_alarm_rules *rules)
{
    uint64_t look = rules->look_ns != 0 ? rules->look_ns : HF_LEAK_QUIET_NS;
    uint64_t looks = HF_LEAK_QUIET_NS / look + (HF_LEAK_QUIET_NS % look != 0);
    return looks > HF_LEAK_QUIET_LOOKS ? looks : HF_LEAK_QUIET_LOOKS;
}

/* Those that are no leaks for long may be told again. */
static void forget_quiet(struct hf_leak_alarm *alarm, const struct hf_growth *growth)
{
    size_t kept = 0;
    for (size_t i = 0; i < alarm->told_count; i++)
        alarm->told[i].quiet++;
    for (size_t i = 0; i < growth->count; i++) {
        struct hf_leak_place *told = find_told(alarm, label_hash(&growth->places[i]));
        if (told != NULL && growth->places[i].verdict.kind == HF_VERDICT_LEAK)
            told->quiet = 0;
    }
    for (size_t i = 0; i < alarm->told_count; i++) {
        if (alarm->told[i].quiet < quiet_looks(&alarm->rules))
            alarm->told[kept++] = alarm->told[i];
    }
    alarm->told_count = kept;
}

static bool rings(const struct hf_leak_alarm *alarm, const struct hf_growth *growth,
    const struct hf_growth_place *place)
{
    const struct hf_alarm_rules rules = {
        .false_a_month = alarm->rules.false_a_month,
        .places = (double)growth->count,
        .least_rate = HF_LEAK_LEAST_RATE,
        .learn_s = (double)alarm->rules.learn_ns / 1e9,
        .look_s = (double)alarm->rules.look_ns / 1e9,
    };
    double now_s = growth->times_s[growth->point_count - 1] - hf_growth_began_s(growth);
    return place->verdict.kind == HF_VERDICT_LEAK && place->course != NULL && place->sample > 0 &&
           hf_alarm_rings(&rules, &place->survival, place->sample, now_s);
}

static void tell(const struct hf_process_history *process, const struct hf_growth_place *place,
    struct hf_leak_told *out_told)
{
    const struct hf_survival *survival = &place->survival;
    struct hf_verdict_facts facts = hf_growth_facts(&process->growth, place);
    struct hf_out label = {0}, text = {0}, line = {0};
    hf_growth_place_label(place, &label);
    hf_verdict_leak(&facts, hf_out_view(&label), &text);
    hf_escape_terminal(&line, hf_out_view(&text));
    (void)snprintf(out_told->what, sizeof out_told->what, "%.*s", (int)line.size, line.data);
    if (survival->has_onset)
        out_told->since_ms = process->history.began_ms + (int64_t)(survival->onset_s * 1000);
    hf_out_done(&label);
    hf_out_done(&text);
    hf_out_done(&line);
}

/* Before the process is old enough there is nothing to be judged. */
static bool is_due(const struct hf_leak_alarm *alarm, const struct hf_history *history)
{
    return history->count >= HF_SURVIVAL_LOOKS_MIN && history->epoch_shift != 0 &&
           history->last_ms - history->began_ms >= (int64_t)(alarm->rules.learn_ns / 1000000);
}

/* Places come the steepest first. */
void hf_leak_alarm_choose(struct hf_leak_alarm *alarm, const struct hf_process_history *process,
    struct hf_leak_told *out_told)
{
    const struct hf_growth *growth = &process->growth;
    *out_told = (struct hf_leak_told){.since_ms = 0};
    if (!is_due(alarm, &process->history))
        return;
    forget_quiet(alarm, growth);
    for (size_t i = 0; i < growth->count && alarm->told_count < HF_GROWTH_PLACES; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        if (!rings(alarm, growth, place) || find_told(alarm, label_hash(place)) != NULL)
            continue;
        alarm->told[alarm->told_count++] = (struct hf_leak_place){label_hash(place), 0};
        tell(process, place, out_told);
        return;
    }
}

enum hf_status hf_leak_alarm_look(struct hf_leak_alarm *alarm, const struct hf_request *request,
    const struct hf_leak_look *look, struct hf_leak_told *out_told, struct hf_error *err)
{
    *out_told = (struct hf_leak_told){.since_ms = 0};
    enum hf_status status = hf_process_history_take(
        &alarm->process, request, &look->dated, look->profile, look->lifetimes, err);
    if (status != HF_OK || !is_due(alarm, &alarm->process.history))
        return status;
    status = hf_process_history_judge(&alarm->process, request, err);
    if (status == HF_OK)
        hf_leak_alarm_choose(alarm, &alarm->process, out_told);
    return status;
}

void hf_leak_alarm_done(struct hf_leak_alarm *alarm)
{
    hf_process_history_done(&alarm->process);
}
