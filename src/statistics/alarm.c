#include "statistics/alarm.h"

#include <math.h>

double hf_alarm_score(const struct hf_alarm_rules *rules, const struct hf_survival *survival,
    double sample, double now_s)
{
    double leak = rules->least_rate / sample, none = leak / HF_ALARM_NONE;
    double seen_s = fmax(0, now_s - survival->age_s - survival->onset_s);
    return survival->survivors * log(leak / none) - (leak - none) * seen_s;
}

bool hf_alarm_rings(const struct hf_alarm_rules *rules, const struct hf_survival *survival,
    double sample, double now_s)
{
    double looks = HF_ALARM_MONTH_S / rules->look_s;
    double threshold = log(looks * fmax(rules->places, 1) / rules->false_a_month);
    return survival->kind == HF_SURVIVAL_LEAK && now_s >= rules->learn_s &&
           hf_alarm_score(rules, survival, sample, now_s) >= threshold;
}
