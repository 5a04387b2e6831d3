/*
 * alarm.h: whether survivors (survival.h) are so many that a leak may be reported at once, with a
 * stated rate of false alarms.
 *
 * The score is that of CUSUM (Page 1954; for counts Lucas 1985): how much likelier what was seen is
 * if blocks that stay come at `least_rate` from the onset on than at a tenth of it, as a logarithm.
 * The maximum over all onsets is what CUSUM adds up; survival has found that onset. At a threshold
 * h, the mean time between false alarms is at least exp(h) looks (Lorden 1971), so for r false
 * alarms a month of all places together, and n looks a month, h = ln(n x places / r).
 *
 * That is the sampler's chance. A cache that is not full yet is a leak by all that can be seen; so
 * a process is learned for a time before anything is reported.
 */
#ifndef HF_STATISTICS_ALARM_H
#define HF_STATISTICS_ALARM_H

#include "statistics/survival.h"

#define HF_ALARM_NONE 10 /* a rate that is less by this is none */
#define HF_ALARM_MONTH_S 2592000.0

struct hf_alarm_rules {
    double false_a_month; /* of one process */
    double places;        /* that are judged */
    double least_rate; /* a second, as `sample` of the survivors says: the least worth a report */
    double learn_s;    /* the process is that old at least */
    double look_s;     /* between two looks */
};

/* Of survivors with kind HF_SURVIVAL_LEAK, at a look `now_s` after the recording began. */
double hf_alarm_score(const struct hf_alarm_rules *rules, const struct hf_survival *survival,
    double sample, double now_s);
bool hf_alarm_rings(const struct hf_alarm_rules *rules, const struct hf_survival *survival,
    double sample, double now_s);

#endif
