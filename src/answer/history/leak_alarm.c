#include "answer/history/leak_alarm.h"

#include "analysis/growth/growth_place.h"
#include "base/strings/escape.h"
#include "statistics/alarm.h"

#include <stdio.h>

static struct hf_leak_place *find_told(struct hf_leak_alarm *alarm, uint64_t hash)
{
    for (size_t i = 0; i < alarm->told_count; i++) {
        if (alarm->told[i].hash == hash)
            return &alarm->told[i];
    }
    return NULL;
}

/* Between two looks of the window. */
static uint64_t window_look_ns(const struct hf_leak_alarm_rules *rules)
{
    return rules->look_ns > HF_LEAK_WINDOW_LOOK_NS ? rules->look_ns : HF_LEAK_WINDOW_LOOK_NS;
}

static uint64_t quiet_looks(const struct hf_leak_alarm_rules *rules, bool is_of_window)
{
    uint64_t look = rules->look_ns != 0 ? rules->look_ns : HF_LEAK_QUIET_NS;
    uint64_t looks = HF_LEAK_QUIET_NS / look + (HF_LEAK_QUIET_NS % look != 0);
    looks = looks > HF_LEAK_QUIET_LOOKS ? looks : HF_LEAK_QUIET_LOOKS;
    uint64_t of_window = HF_LEAK_QUIET_LOOKS * (window_look_ns(rules) / look);
    return is_of_window && of_window > looks ? of_window : looks;
}

static bool is_leak_of(const struct hf_growth *growth, uint64_t hash)
{
    for (size_t i = 0; i < growth->count; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        if (place->verdict.kind == HF_VERDICT_LEAK && hf_growth_place_hash(place) == hash)
            return true;
    }
    return false;
}

/* Those that are no leaks for long, as both were judged last, may be told again. */
static void forget_quiet(
    struct hf_leak_alarm *alarm, const struct hf_growth *whole, const struct hf_growth *window)
{
    size_t kept = 0;
    for (size_t i = 0; i < alarm->told_count; i++) {
        struct hf_leak_place *told = &alarm->told[i];
        bool is_leak =
            is_leak_of(whole, told->hash) || (window != NULL && is_leak_of(window, told->hash));
        told->quiet = is_leak ? 0 : told->quiet + 1;
        if (told->quiet < quiet_looks(&alarm->rules, told->is_of_window))
            alarm->told[kept++] = *told;
    }
    alarm->told_count = kept;
}

/* Each may ring half of the time: the window has its looks, and no time to learn. */
static bool rings(const struct hf_leak_alarm *alarm, const struct hf_growth *growth,
    const struct hf_growth_place *place, bool is_of_window)
{
    uint64_t look_ns = is_of_window ? window_look_ns(&alarm->rules) : alarm->rules.look_ns;
    const struct hf_alarm_rules rules = {
        .false_a_month = alarm->rules.false_a_month / 2,
        .places = (double)growth->count,
        .least_rate = HF_LEAK_LEAST_RATE,
        .learn_s = is_of_window ? 0 : (double)alarm->rules.learn_ns / 1e9,
        .look_s = (double)look_ns / 1e9,
    };
    double now_s = growth->times_s[growth->point_count - 1] - hf_growth_began_s(growth);
    return place->verdict.kind == HF_VERDICT_LEAK && place->course != NULL && place->sample > 0 &&
           hf_alarm_rings(&rules, &place->survival, place->sample, now_s) &&
           (!is_of_window || hf_leak_windows_has_risen(&alarm->windows, place));
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
static void choose_of(struct hf_leak_alarm *alarm, const struct hf_process_history *process,
    bool is_of_window, struct hf_leak_told *out_told)
{
    const struct hf_growth *growth = &process->growth;
    for (size_t i = 0; i < growth->count && alarm->told_count < HF_GROWTH_PLACES; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        uint64_t hash = hf_growth_place_hash(place);
        if (!rings(alarm, growth, place, is_of_window) || find_told(alarm, hash) != NULL)
            continue;
        alarm->told[alarm->told_count++] =
            (struct hf_leak_place){.hash = hash, .is_of_window = is_of_window};
        tell(process, place, out_told);
        return;
    }
}

/* Who is not looked at for long enough may only have given back what it held before. */
static bool knows_peaks(const struct hf_leak_alarm *alarm, const struct hf_history *history)
{
    return history->last_ms - history->first_ms >= (int64_t)(alarm->rules.learn_ns / 1000000);
}

enum hf_status hf_leak_alarm_choose(struct hf_leak_alarm *alarm,
    const struct hf_process_history *process, const struct hf_request *request,
    const struct hf_leak_look *look, struct hf_leak_told *out_told, struct hf_error *err)
{
    *out_told = (struct hf_leak_told){.since_ms = 0};
    enum hf_status status = hf_leak_windows_look(&alarm->windows, request, look, err);
    if (status != HF_OK || !is_due(alarm, &process->history))
        return status;
    const struct hf_process_history *window = hf_leak_windows_judged(&alarm->windows);
    forget_quiet(alarm, &process->growth, window != NULL ? &window->growth : NULL);
    choose_of(alarm, process, false, out_told);
    if (window != NULL && knows_peaks(alarm, &process->history) && out_told->what[0] == '\0')
        choose_of(alarm, window, true, out_told);
    return HF_OK;
}

/* One look more says little in a point of hundreds. */
static bool is_to_be_judged(const struct hf_history *history)
{
    uint32_t every = history->profiles_per_point / HF_LEAK_JUDGED;
    return every == 0 || history->points[history->count - 1].profiles % every == 0;
}

enum hf_status hf_leak_alarm_look(struct hf_leak_alarm *alarm, const struct hf_request *request,
    const struct hf_leak_look *look, struct hf_leak_told *out_told, struct hf_error *err)
{
    bool is_added;
    struct hf_process_history *process = &alarm->process;
    *out_told = (struct hf_leak_told){.since_ms = 0};
    enum hf_status status = hf_leak_look_take(look, 0, request, process, &is_added, err);
    if (status == HF_OK && is_due(alarm, &process->history) && is_to_be_judged(&process->history))
        status = hf_process_history_judge(process, request, err);
    return status == HF_OK ? hf_leak_alarm_choose(alarm, process, request, look, out_told, err)
                           : status;
}

void hf_leak_alarm_done(struct hf_leak_alarm *alarm)
{
    hf_process_history_done(&alarm->process);
    hf_leak_windows_done(&alarm->windows);
}
